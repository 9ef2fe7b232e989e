//! Layers as text, and the order of their parameters: Python's.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/python.rs"]
mod python;

use mlx::{
    nn::{
        AvgPool1d, AvgPool2d, AvgPool3d, BatchNorm, Bilinear, CELU, Conv1d, Conv2d, Conv3d, ConvTranspose1d,
        ConvTranspose2d, ConvTranspose3d, Dropout2d, Dropout3d, GELU, GLU, GroupNorm, InstanceNorm,
        LeakyReLU, MaxPool1d, MaxPool2d, MaxPool3d, Module, ModuleExt, PReLU, Pooling, ReLU, Sequential,
        Softmax, Step, Unary, Upsample, UpsampleMode,
    },
    ops::{Convolution, TransposedConvolution},
    prelude::*,
};
use std::fs;

/// In the order of `COMPARE`.
fn layers() -> Result<Vec<Box<dyn Module>>> {
    let pooling = Pooling::<2>::new([3, 2]).stride(2).padding([1, 0]);
    let apart = || TransposedConvolution::<2>::new().stride([2, 1]).output_padding([1, 0]);
    Ok(vec![
        Box::new(Bilinear::new(2, 3, 4, true)?),
        Box::new(Bilinear::new(2, 3, 4, false)?),
        Box::new(Conv1d::new(4, 6, 3, Convolution::new().stride(2).groups(2), true)?),
        Box::new(Conv2d::new(4, 6, 3, Convolution::new().padding([1, 0]), false)?),
        Box::new(Conv3d::new(4, 6, [1, 2, 3], Convolution::new().stride([1, 2, 1]).dilation(2), true)?),
        Box::new(ConvTranspose1d::new(4, 6, 3, TransposedConvolution::new().padding(1), true)?),
        Box::new(ConvTranspose2d::new(4, 6, [3, 2], apart(), true)?),
        Box::new(ConvTranspose3d::new(4, 6, 3, TransposedConvolution::new().dilation(2), false)?),
        Box::new(Dropout2d::new(0.25)?),
        Box::new(Dropout3d::new(0.3)?),
        Box::new(BatchNorm::new(8, 1e-5, 0.1)?),
        Box::new(BatchNorm::new(8, 0.5, 0.25)?.without_affine().without_running_stats()),
        Box::new(GroupNorm::new(2, 8, 1e-5)?),
        Box::new(GroupNorm::new(4, 8, 1e-3)?.pytorch_compatible().without_affine()),
        Box::new(InstanceNorm::new(8, 1e-5)?),
        Box::new(InstanceNorm::new(8, 1e-5)?.affine()?),
        Box::new(MaxPool1d::new(Pooling::new(3).stride(1))?),
        Box::new(MaxPool2d::new(pooling)?),
        Box::new(MaxPool3d::new([1, 2, 3])?),
        Box::new(AvgPool1d::new(2)?),
        Box::new(AvgPool2d::new(pooling)?),
        Box::new(AvgPool3d::new(2)?),
        Box::new(Upsample::new(2, UpsampleMode::Nearest)),
        Box::new(Upsample::new([2.0, 1.5], UpsampleMode::Linear).align_corners()?),
        Box::new(Upsample::new([0.5], UpsampleMode::Cubic).antialias()?),
        Box::new(ReLU::new()),
        Box::new(GELU::default()),
        Box::new(GLU::new(0)),
        Box::new(LeakyReLU::new(0.2)),
        Box::new(CELU::default()),
        Box::new(PReLU::new(3, 0.25)?),
        Box::new(Softmax::new()),
        Box::new(Step::new(0.5)),
    ])
}

const COMPARE: &str = r#"
import os
import sys
import mlx.nn as nn

pooling = {"kernel_size": (3, 2), "stride": 2, "padding": (1, 0)}
layers = [
    nn.Bilinear(2, 3, 4), nn.Bilinear(2, 3, 4, bias=False),
    nn.Conv1d(4, 6, 3, stride=2, groups=2), nn.Conv2d(4, 6, 3, padding=(1, 0), bias=False),
    nn.Conv3d(4, 6, (1, 2, 3), stride=(1, 2, 1), dilation=2),
    nn.ConvTranspose1d(4, 6, 3, padding=1), nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 1), output_padding=(1, 0)),
    nn.ConvTranspose3d(4, 6, 3, dilation=2, bias=False), nn.Dropout2d(0.25), nn.Dropout3d(0.3),
    nn.BatchNorm(8), nn.BatchNorm(8, 0.5, 0.25, affine=False, track_running_stats=False),
    nn.GroupNorm(2, 8), nn.GroupNorm(4, 8, 1e-3, affine=False, pytorch_compatible=True),
    nn.InstanceNorm(8), nn.InstanceNorm(8, affine=True),
    nn.MaxPool1d(3, stride=1), nn.MaxPool2d(**pooling), nn.MaxPool3d((1, 2, 3)),
    nn.AvgPool1d(2), nn.AvgPool2d(**pooling), nn.AvgPool3d(2),
    nn.Upsample(2), nn.Upsample((2, 1.5), "linear", align_corners=True), nn.Upsample((0.5,), "cubic", antialias=True),
    nn.ReLU(), nn.GELU(), nn.GLU(0), nn.LeakyReLU(0.2), nn.CELU(), nn.PReLU(3), nn.Softmax(), nn.Step(0.5),
]
wanted = [f"{layer!r} {' '.join(layer.parameters())}" for layer in layers]
found = open(sys.argv[1]).read().split("\n")
assert len(found) == len(wanted), (len(found), len(wanted))
for pair in zip(found, wanted):
    assert pair[0] == pair[1], pair
os._exit(0)
"#;

#[test]
fn texts_and_names_are_pythons() -> Result<()> {
    let line = |layer: &dyn Module| {
        let names: Vec<String> = layer.parameters().into_keys().collect();
        format!("{} {}", layer.display(), names.join(" "))
    };
    let lines: Vec<String> = layers()?.iter().map(|layer| line(&**layer)).collect();
    assert_eq!(
        lines[3],
        "Conv2d(4, 6, kernel_size=(3, 3), stride=(1, 1), padding=(1, 0), dilation=1, groups=1, bias=False) weight"
    );
    assert_eq!(lines[12], "GroupNorm(2, 8, eps=1e-05, affine=True, pytorch_compatible=False) bias weight");
    let Some(site) = python::site() else { return Ok(()) };
    let folder = folder::Folder::new("texts");
    fs::write(folder.path("ours.txt"), lines.join("\n")).expect("a file");
    python::run(&site, COMPARE, &[folder.path("ours.txt")]);
    Ok(())
}

/// A network of layers that came in other files, in training and out of it.
#[test]
fn they_follow_each_other() -> Result<()> {
    let mut model = Sequential::new()
        .add(Conv2d::new(1, 4, 3, Convolution::new().padding(1), true)?)
        .add(BatchNorm::new(4, 1e-5, 0.1)?)
        .add(ReLU::new())
        .add(MaxPool2d::new(2)?)
        .add(Dropout2d::new(0.5)?)
        .add(GroupNorm::new(2, 4, 1e-5)?)
        .add(Upsample::new(2, UpsampleMode::Nearest));
    let x = mlx::ops::ones([2, 4, 4, 1], Dtype::Float32)?;
    assert_eq!(model.forward(&x)?.shape(), [2, 4, 4, 4]);
    assert!(model.parameters().contains_key("layers.1.running_var"));
    model.eval();
    let (once, again) = (model.forward(&x)?.to_vec::<f32>()?, model.forward(&x)?.to_vec::<f32>()?);
    assert_eq!(once, again);
    let boxed: Box<dyn Unary> = Box::new(Softmax::new());
    assert_eq!(boxed.forward(&tensor![0.0, 0.0])?.to_vec::<f32>()?, [0.5, 0.5]);
    Ok(())
}
