//! What the layers cost beside their ops: the forward pass of a transformer, built and dropped, against Python MLX.
//!
//! `cargo bench --bench encoder`. Nothing is computed. Not here: how engines are compared (`paired`), Python (`twin`).

mod paired;
mod twin;

use mlx::{
    fast::Mask,
    nn::{LSTM, LstmState, ModuleExt, TransformerConfig, TransformerEncoder},
    prelude::*,
};
use paired::{Case, Engine};
use std::{hint::black_box, time::Instant};

fn main() {
    let mut cases = vec![
        Case { name: "encoder of 12 layers", engines: vec![("ours", encoder().expect("an encoder"))] },
        Case { name: "LSTM of 64 steps", engines: vec![("ours", lstm().expect("a layer"))] },
    ];
    twin::add_python(&mut cases);
    paired::run_brief(&cases, &["ours", "Python"]);
}

/// An engine whose work includes dropping what it made.
fn building(work: impl Fn() -> Result<Tensor> + 'static) -> Engine {
    Box::new(move |count| {
        let start = Instant::now();
        for _ in 0..count {
            drop(black_box(work().expect("shapes that fit")));
        }
        start.elapsed()
    })
}

fn encoder() -> Result<Engine> {
    let model = TransformerEncoder::new(12, &TransformerConfig::new(64, 8))?;
    let x = mlx::ops::zeros([1, 16, 64], Dtype::Float32)?;
    mlx::eval(model.parameters().values().chain([&x]))?;
    Ok(building(move || model.forward(&x, Mask::Causal)))
}

fn lstm() -> Result<Engine> {
    let model = LSTM::new(16, 16, true)?;
    let x = mlx::ops::zeros([1, 64, 16], Dtype::Float32)?;
    mlx::eval(model.parameters().values().chain([&x]))?;
    Ok(building(move || model.forward(&x, LstmState::new()).map(|(hidden, _)| hidden)))
}
