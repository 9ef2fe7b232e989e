//! What transforms cost on the host: a training step's gradient, built and not computed, and a call of a compiled function,
//! against mlx-c's own and Python MLX.
//!
//! `cargo bench --bench transforms`. Not here: how engines are compared (`paired`).

mod paired;
mod raw_transforms;
mod twin;

use mlx::{
    prelude::*,
    transforms::{compile, value_and_grad},
};
use paired::{Case, Engine};
use raw_transforms::{Compiled, Mlp};
use std::{hint::black_box, time::Instant};

const COLUMNS: &[&str] = &["ours", "raw C", "Python"];
const BATCH: i32 = 64;
const WIDTH: i32 = 256;

fn main() {
    let mut cases = vec![gradient(), compiled()];
    twin::add_python(&mut cases);
    paired::run_brief(&cases, COLUMNS);
}

fn timed<T>(work: impl Fn() -> T + 'static) -> Engine {
    Box::new(move |count| {
        let start = Instant::now();
        for _ in 0..count {
            drop(black_box(work()));
        }
        start.elapsed()
    })
}

fn half(rows: i32, columns: i32) -> Tensor {
    let x = mlx::ops::full([rows, columns], 0.5, Dtype::Float32).expect("a small matrix");
    x.eval().expect("a small matrix");
    x
}

/// The loss of three layers and its gradient by their six parameters.
fn gradient() -> Case {
    let parameters: Vec<(Tensor, Tensor)> =
        (0..3).map(|_| (half(WIDTH, WIDTH), half(1, WIDTH).reshape([WIDTH]))).collect();
    for (_, bias) in &parameters {
        bias.eval().expect("a small vector");
    }
    let (x, y) = (half(BATCH, WIDTH), half(BATCH, WIDTH));
    let ours = move || {
        let loss = |layers: &Vec<(Tensor, Tensor)>| {
            let (last, inner) = layers.split_last().expect("three layers");
            let mut h = x.clone();
            for (weight, bias) in inner {
                h = (h.matmul(&weight.t()) + bias).maximum(0.0);
            }
            (h.matmul(&last.0.t()) + &last.1 - &y).square().mean(..)
        };
        value_and_grad(loss, &parameters).expect("float parameters")
    };
    let raw = Mlp::new(BATCH, WIDTH);
    let raw = move || raw.value_and_grad();
    Case { name: "value_and_grad of an MLP", engines: vec![("ours", timed(ours)), ("raw C", timed(raw))] }
}

/// Three nodes fused to one.
fn compiled() -> Case {
    let f = compile(|(x, y): &(Tensor, Tensor)| (x * y + x).tanh());
    let args = (half(2, 3), half(2, 3));
    let raw = Compiled::new();
    let ours = move || f.call(&args).expect("floats");
    Case {
        name: "a compiled call",
        engines: vec![("ours", timed(ours)), ("raw C", timed(move || raw.call()))],
    }
}
