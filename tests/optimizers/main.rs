//! Optimizers: their state, steps that fail, schedules, clipping, compiled steps; Python's bits where Python is there.
//!
//! Not here: each optimizer's steps with its options (`tests/parity/optimizers.json`).

#![allow(clippy::float_cmp, reason = "values are exact")]

mod compiled;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/own_blas.rs"]
mod own_blas;
mod python;
#[path = "../support/python.rs"]
mod python_mlx;
mod schedules;
mod state;

use mlx::{
    nn::{
        self, Dropout, Linear, Module, ModuleExt, Parameters,
        losses::{Reduction, mse_loss},
    },
    optimizers::Optimizer,
    prelude::*,
    random::{self, Normal},
};

/// Two layers with what draws in training between them.
#[derive(Clone, Debug, Module)]
struct Net {
    first: Linear,
    dropout: Dropout,
    last: Linear,
}

impl Net {
    /// As Python draws it from seed 0, from which the steps draw on.
    fn new() -> Net {
        random::seed(0).unwrap();
        Net {
            first: Linear::new(4, 8, true).unwrap(),
            dropout: Dropout::new(0.25).unwrap(),
            last: Linear::new(8, 2, true).unwrap(),
        }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.last.forward(&self.dropout.forward(&nn::relu(&self.first.forward(x)?)?)?)
    }
}

type Batch = (Tensor, Tensor);

fn batch() -> Batch {
    let drawn = |shape: [i32; 2], seed| Normal::new().key(&random::key(seed).unwrap()).sample(shape).unwrap();
    (drawn([16, 4], 1), drawn([16, 2], 2))
}

/// A training step; the loss before it.
fn step<O: Optimizer>(net: &mut Net, optimizer: &mut O, (x, y): &Batch) -> Result<Tensor> {
    let (loss, slopes) = nn::value_and_grad(net, |net| mse_loss(&net.forward(x)?, y, Reduction::Mean))?;
    optimizer.update(net, &slopes)?;
    Ok(loss)
}

/// So many steps, each computed before the next.
fn train<O: Optimizer>(net: &mut Net, optimizer: &mut O, steps: usize) {
    for _ in 0..steps {
        let loss = step(net, optimizer, &batch()).unwrap();
        mlx::eval(net.parameters().values().chain(optimizer.state().values()).chain([&loss])).unwrap();
    }
}

/// Every element, by its bits, under the same keys.
#[track_caller]
fn same(what: &str, found: &Parameters, wanted: &Parameters) {
    let sorted = |map: &Parameters| {
        let mut keys: Vec<String> = map.keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(sorted(found), sorted(wanted), "{what}");
    for (key, x) in found {
        let y = &wanted[key];
        assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()), "{what}: {key}");
        mlx::eval([x, y]).unwrap();
        assert_eq!(x.to_bytes().unwrap(), y.to_bytes().unwrap(), "{what}: {key}");
    }
}

fn named<const N: usize>(tensors: [(&str, Tensor); N]) -> Parameters {
    tensors.into_iter().map(|(key, tensor)| (key.to_owned(), tensor)).collect()
}
