//! Layers whose parameters are others than they were made with: of shapes and dtypes drawn at random, as a file may hold them.

use crate::{
    programs::Program,
    sequences::{Draw, at_random},
    survives,
};
use mlx::{
    Result,
    fast::QuantMode,
    nn::{self, ModuleExt, Parameters, TransformerConfig, Unary},
    ops::{Convolution, TransposedConvolution},
};

pub(crate) const PROGRAMS: &[Program] = &[("loaded_layers_at_random", || at_random(6, loaded))];

/// A layer, and a shape that it takes.
fn layer(draw: &mut Draw) -> Result<(Box<dyn Unary>, &'static [i32])> {
    let (seq, image, row): (&[i32], &[i32], &[i32]) = (&[2, 3, 8], &[2, 4, 4, 8], &[1, 64]);
    let (conv, turned) = (Convolution::new(), TransposedConvolution::new());
    Ok(match draw.one_of(&(0..17).collect::<Vec<_>>()) {
        0 => (Box::new(nn::Linear::new(8, 4, true)?), seq),
        1 => (Box::new(nn::Embedding::new(5, 8)?), &[2, 3]),
        2 => (Box::new(nn::Conv1d::new(8, 4, 2, conv, true)?), seq),
        3 => (Box::new(nn::Conv2d::new(8, 4, [2, 1], Convolution::new().groups(2), true)?), image),
        4 => (Box::new(nn::ConvTranspose1d::new(8, 4, 2, turned, true)?), seq),
        5 => (Box::new(nn::BatchNorm::new(8, 1e-5, 0.1)?), image),
        6 => (Box::new(nn::GroupNorm::new(draw.one_of(&[1, 2, 4]), 8, 1e-5)?), image),
        7 => (Box::new(nn::GroupNorm::new(2, 8, 1e-5)?.pytorch_compatible()), image),
        8 => (Box::new(nn::InstanceNorm::new(8, 1e-5)?), image),
        9 => (Box::new(nn::LayerNorm::new(8, 1e-5)?), seq),
        10 => (Box::new(nn::RMSNorm::new(8, 1e-5)?), seq),
        11 => (Box::new(nn::PReLU::new(8, 0.25)?), seq),
        12 => (Box::new(nn::RNN::new(8, 3, true)?), seq),
        13 => (Box::new(nn::GRU::new(8, 3, true)?), seq),
        14 => (Box::new(nn::QuantizedLinear::new(64, 4, true, QuantMode::Affine)?), row),
        15 => (Box::new(nn::QuantizedEmbedding::new(5, 64, QuantMode::Mxfp8)?), &[2, 3]),
        _ => (Box::new(nn::QQLinear::new(64, 4, QuantMode::Nvfp4)?), row),
    })
}

fn loaded(draw: &mut Draw) -> Result<bool> {
    if draw.one_of(&[0, 0, 0, 0, 0, 0, 0, 1]) == 1 {
        return stack(draw);
    }
    let (mut layer, shape) = layer(draw)?;
    layer.train(draw.one_of(&[true, false]));
    let changed = changed(&layer.parameters(), draw);
    layer.load_weights_loose(&changed)?;
    layer.train(draw.one_of(&[true, false]));
    assert!(!layer.display().to_string().is_empty());
    let x = if draw.one_of(&[true, false, false]) { draw.tensor() } else { draw.filled(shape) };
    Ok(survives(layer.forward(&x)))
}

fn stack(draw: &mut Draw) -> Result<bool> {
    let mut model = nn::TransformerEncoder::new(1, &TransformerConfig::new(8, 2))?;
    let changed = changed(&model.parameters(), draw);
    model.load_weights_loose(&changed)?;
    Ok(survives(model.forward(&draw.filled(&[2, 3, 8]), None)))
}

/// Some of the parameters, of other shapes and dtypes.
fn changed(parameters: &Parameters, draw: &mut Draw) -> Parameters {
    let mut changed = Parameters::new();
    for (key, tensor) in parameters {
        match draw.one_of(&[0, 0, 0, 1, 2]) {
            0 => {}
            1 => drop(changed.insert(key.clone(), draw.tensor())),
            _ => drop(changed.insert(key.clone(), draw.filled(tensor.shape()))),
        }
    }
    changed
}
