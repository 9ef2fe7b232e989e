//! `mlx.optimizers`: optimizers, made as Python's constructors make them, and steps of parameters in a list.
//!
//! Not here: schedules, clipping and several optimizers together, which no case can write (`tests/optimizers`).

use super::{
    failure::{Result, ill_formed, unsupported},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_nn::{
    Parameters,
    optimizers::{
        AdaDelta, Adafactor, Adagrad, Adam, AdamW, Adamax, LearningRate, Lion, Muon, Optimizer, RMSprop, SGD,
    },
};
use serde_json::Value as Json;

/// The parameters after `steps` steps with the same gradients, of the optimizer that `init` makes.
pub(crate) fn call(name: &str, step: &Json, init: &Call, call: &Call) -> Result<Value> {
    let mut optimizer = made(name, init)?;
    let bound = call.bind("parameters, gradients")?;
    let mut parameters = keyed(bound.tensors(0)?);
    let gradients = keyed(bound.tensors(1)?);
    if parameters.len() != gradients.len() {
        return ill_formed("an optimizer takes a list of parameters and as many gradients");
    }
    for _ in 0..step["steps"].as_u64().unwrap_or(1) {
        parameters = optimizer.apply_gradients(&gradients, &parameters)?;
    }
    Ok(Value::List(parameters.into_values().map(Value::Tensor).collect()))
}

fn keyed(tensors: Vec<&Tensor>) -> Parameters {
    tensors.into_iter().enumerate().map(|(i, tensor)| (i.to_string(), tensor.clone())).collect()
}

/// One row an optimizer: Python's parameters, and the optimizer from them.
fn made(name: &str, init: &Call) -> Result<Box<dyn Optimizer>> {
    Ok(match name {
        "AdaDelta" => {
            let bound = init.bind("learning_rate, rho=, eps=")?;
            let made = AdaDelta::new(learning_rate(&bound)?)?;
            Box::new(made.rho(bound.double(1, 0.9)?).eps(bound.double(2, 1e-6)?))
        }
        "Adafactor" => Box::new(adafactor(init)?),
        "Adagrad" => {
            let bound = init.bind("learning_rate, eps=")?;
            Box::new(Adagrad::new(learning_rate(&bound)?)?.eps(bound.double(1, 1e-8)?))
        }
        "Adam" => {
            let bound = init.bind("learning_rate, betas=, eps=, bias_correction=")?;
            let made = Adam::new(learning_rate(&bound)?)?.betas(pair(&bound, 1, [0.9, 0.999])?);
            Box::new(made.eps(bound.double(2, 1e-8)?).bias_correction(bound.flag(3)?))
        }
        "AdamW" => {
            let bound = init.bind("learning_rate, betas=, eps=, weight_decay=, bias_correction=")?;
            let made = AdamW::new(learning_rate(&bound)?)?.betas(pair(&bound, 1, [0.9, 0.999])?);
            let made = made.eps(bound.double(2, 1e-8)?).weight_decay(bound.double(3, 0.01)?);
            Box::new(made.bias_correction(bound.flag(4)?))
        }
        "Adamax" => {
            let bound = init.bind("learning_rate, betas=, eps=")?;
            let made = Adamax::new(learning_rate(&bound)?)?.betas(pair(&bound, 1, [0.9, 0.999])?);
            Box::new(made.eps(bound.double(2, 1e-8)?))
        }
        "Lion" => {
            let bound = init.bind("learning_rate, betas=, weight_decay=")?;
            let made = Lion::new(learning_rate(&bound)?)?.betas(pair(&bound, 1, [0.9, 0.99])?);
            Box::new(made.weight_decay(bound.double(2, 0.0)?))
        }
        "Muon" => {
            let bound = init.bind("learning_rate, momentum=, weight_decay=, nesterov=, ns_steps=")?;
            let made = Muon::new(learning_rate(&bound)?)?.momentum(bound.double(1, 0.95)?);
            let made = made.weight_decay(bound.double(2, 0.01)?).nesterov(bound.flag_or(3, true)?);
            Box::new(made.ns_steps(u32::try_from(bound.int(4, 5)?).unwrap_or(0)))
        }
        "RMSprop" => {
            let bound = init.bind("learning_rate, alpha=, eps=")?;
            let made = RMSprop::new(learning_rate(&bound)?)?;
            Box::new(made.alpha(bound.double(1, 0.99)?).eps(bound.double(2, 1e-8)?))
        }
        "SGD" => {
            let bound = init.bind("learning_rate, momentum=, weight_decay=, dampening=, nesterov=")?;
            let made = SGD::new(learning_rate(&bound)?)?.momentum(bound.double(1, 0.0)?);
            let made = made.weight_decay(bound.double(2, 0.0)?).dampening(bound.double(3, 0.0)?);
            Box::new(made.nesterov(bound.flag(4)?))
        }
        _ => return unsupported(&init.op),
    })
}

fn adafactor(init: &Call) -> Result<Adafactor> {
    let bound = init.bind(
        "learning_rate=, eps=, clip_threshold=, decay_rate=, beta_1=, weight_decay=, scale_parameter=, \
         relative_step=, warmup_init=",
    )?;
    let made = if bound.has(0) { Adafactor::new(learning_rate(&bound)?)? } else { Adafactor::relative()? };
    let beta_1 = if bound.has(4) { Some(bound.double(4, 0.0)?) } else { None };
    Ok(made
        .eps(pair(&bound, 1, [1e-30, 1e-3])?)
        .clip_threshold(bound.double(2, 1.0)?)
        .decay_rate(bound.double(3, -0.8)?)
        .beta_1(beta_1)
        .weight_decay(bound.double(5, 0.0)?)
        .scale_parameter(bound.flag_or(6, true)?)
        .relative_step(bound.flag_or(7, true)?)
        .warmup_init(bound.flag(8)?))
}

fn learning_rate(bound: &Bound) -> Result<LearningRate> {
    match bound.value(0) {
        Value::Int(number) => match i32::try_from(*number) {
            Ok(number) => Ok(number.into()),
            Err(_) => unsupported("a learning rate beyond int32"),
        },
        Value::Tensor(tensor) => Ok(tensor.into()),
        _ => Ok(bound.double(0, 0.0)?.into()),
    }
}

/// A list of two numbers.
fn pair(bound: &Bound, i: usize, default: [f64; 2]) -> Result<[f64; 2]> {
    let number = |value: &Value| match *value {
        Value::Float(value) => Some(value),
        Value::Int(value) => Some(value as f64),
        _ => None,
    };
    match bound.value(i) {
        Value::List(items) => match items.iter().map(number).collect::<Option<Vec<f64>>>().as_deref() {
            Some(&[first, second]) => Ok([first, second]),
            _ => ill_formed("betas and eps are lists of two numbers"),
        },
        _ => Ok(default),
    }
}
