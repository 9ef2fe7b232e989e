//! What `nn::BatchNorm` remembers: Python's bits, and no placeholder of a transform.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/python.rs"]
mod python;

use mlx::{
    nn::{BatchNorm, ModuleExt, Parameters, value_and_grad},
    ops,
    prelude::*,
    random,
    transforms::{compile, compile_state, grad},
};

fn batch(step: i32) -> Tensor {
    random::seed(u64::from(step.unsigned_abs())).expect("a seed");
    random::normal([3, 5, 4]).expect("a draw")
}

fn loss(norm: &BatchNorm, x: &Tensor) -> Result<Tensor> {
    Ok(norm.forward(x)?.square().sum(..))
}

/// One step whose state is what the model holds.
fn step(parameters: &mut Parameters, x: &Tensor) -> Result<Tensor> {
    let mut norm = BatchNorm::new(4, 1e-5, 0.3)?;
    norm.update(parameters)?;
    let (loss, slopes) = value_and_grad(&mut norm, |norm| loss(norm, x))?;
    *parameters = norm.parameters();
    for (key, slope) in slopes {
        let moved = &parameters[&key] - 0.125 * slope;
        parameters.insert(key, moved);
    }
    Ok(loss)
}

/// The same steps in Python: plain, differentiated, compiled; then what was remembered, bit for bit.
const COMPARE: &str = r#"
import os
import sys
from functools import partial
import mlx.core as mx
import mlx.nn as nn

def batch(step):
    mx.random.seed(step)
    return mx.random.normal((3, 5, 4))

def loss(norm, x):
    return norm(x).square().sum()

def step(norm, x):
    value, slopes = nn.value_and_grad(norm, loss)(norm, x)
    norm.update({key: norm[key] - 0.125 * slopes[key] for key in slopes})
    return value

plain = nn.BatchNorm(4, momentum=0.3)
for i in range(3):
    plain(batch(i))
stepped = nn.BatchNorm(4, momentum=0.3)
for i in range(3):
    step(stepped, batch(i))
compiled = nn.BatchNorm(4, momentum=0.3)
state = compiled.state
traced = mx.compile(partial(step, compiled), inputs=state, outputs=state)
for i in range(3):
    traced(batch(i))
ours = mx.load(sys.argv[1])
assert len(ours) == 12, ours.keys()
for name, norm in {"plain": plain, "stepped": stepped, "compiled": compiled}.items():
    for key, wanted in norm.parameters().items():
        found = ours[f"{name}.{key}"]
        assert found.dtype == wanted.dtype and mx.array_equal(found, wanted), (name, key, found, wanted)
os._exit(0)
"#;

#[test]
fn they_are_pythons() -> Result<()> {
    let plain = BatchNorm::new(4, 1e-5, 0.3)?;
    let (mut stepped, mut compiled) = (plain.parameters(), plain.parameters());
    let traced = compile_state(step);
    for i in 0..3 {
        plain.forward(&batch(i))?;
        step(&mut stepped, &batch(i))?;
        traced.call(&mut compiled, &batch(i))?;
    }
    assert_eq!(traced.trace_count(), 1);
    let Some(site) = python::site() else { return Ok(()) };
    let mut all = Parameters::new();
    for (name, parameters) in [("plain", plain.parameters()), ("stepped", stepped), ("compiled", compiled)] {
        all.extend(parameters.into_iter().map(|(key, tensor)| (format!("{name}.{key}"), tensor)));
    }
    let folder = folder::Folder::new("statistics");
    ops::save_safetensors(folder.path("ours.safetensors"), &all)?;
    python::run(&site, COMPARE, &[folder.path("ours.safetensors")]);
    Ok(())
}

/// 0, 1 and 5 have the mean 2, and squares of 14 in sum about it: 7 for each but one.
#[test]
fn the_variance_divides_by_one_less() -> Result<()> {
    let norm = BatchNorm::new(1, 1e-5, 0.5)?;
    let y = norm.forward(&tensor![[0.0], [1.0], [5.0]])?;
    let read = |buffer: &Option<mlx::nn::Buffer>| buffer.as_ref().expect("tracked").get().item::<f32>();
    assert_eq!((read(&norm.running_mean)?, read(&norm.running_var)?), (1.0, 4.0));
    // The batch itself is divided by the root of its variance, 14 / 3.
    assert!((y.to_vec::<f32>()?[2] - 3.0 / (14.0_f32 / 3.0).sqrt()).abs() < 1e-5);
    let mut norm = norm;
    norm.eval();
    norm.forward(&tensor![[9.0], [1.0]])?;
    assert_eq!((read(&norm.running_mean)?, read(&norm.running_var)?), (1.0, 4.0), "asked, it learns nothing");
    assert!(norm.clone().without_running_stats().parameters().keys().eq(["weight", "bias"]));
    Ok(())
}

/// They are saved and loaded, and never trained.
#[test]
fn they_are_no_parameters_to_train() -> Result<()> {
    let mut norm = BatchNorm::new(2, 1e-5, 0.1)?;
    assert!(norm.parameters().keys().eq(["weight", "bias", "running_mean", "running_var"]));
    norm.unfreeze(..)?;
    assert!(norm.trainable_parameters().keys().eq(["weight", "bias"]));
    let text = "BatchNorm(2, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)";
    assert_eq!(norm.display().to_string(), text);
    Ok(())
}

/// A compiled function that does not know of the model leaves placeholders in it, as Python's does: to use one is an error.
#[test]
fn placeholders_left_behind_are_errors() -> Result<()> {
    let x = tensor![[0.0], [1.0], [5.0]];
    let norm = BatchNorm::new(1, 1e-5, 0.5)?;
    compile(|x: &Tensor| norm.forward(x)).call(&x)?.eval()?;
    let error = norm.parameters()["running_mean"].eval().unwrap_err();
    assert!(error.message().contains("a placeholder of a finished function transformation"), "{error}");
    // Set again, the layer is as new.
    let mut norm = norm;
    norm.update(&BatchNorm::new(1, 1e-5, 0.5)?.parameters())?;
    norm.forward(&x)?;
    assert_eq!(norm.parameters()["running_mean"].to_vec::<f32>()?, [1.0]);
    Ok(())
}

/// What a gradient by something else leaves behind has a value: the batch's.
#[test]
fn gradients_by_the_input_leave_values() -> Result<()> {
    let (x, norm) = (tensor![[0.0], [1.0], [5.0]], BatchNorm::new(1, 1e-5, 0.5)?);
    let slopes = grad(|x: &Tensor| loss(&norm, x), &x)?;
    // The squares sum to 3 whatever the batch.
    assert!(slopes.to_vec::<f32>()?.iter().all(|slope| slope.abs() < 1e-4));
    let remembered = norm.parameters();
    assert_eq!(remembered["running_mean"].to_vec::<f32>()?, [1.0]);
    assert_eq!(remembered["running_var"].to_vec::<f32>()?, [4.0]);
    Ok(())
}
