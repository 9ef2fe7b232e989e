//! Layers, a file for each of Python's. How one is added: CONTRIBUTING.md.

mod containers;
mod convolution;
mod dropout;
mod embedding;
mod linear;
mod normalization;

pub use containers::{Lambda, Sequential, Unary};
pub use convolution::{Conv1d, Conv2d};
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use linear::{Identity, Linear};
pub use normalization::{LayerNorm, RMSNorm};

use mlx_core::{Error, ErrorKind, Result, Tensor};

/// Layers whose `forward` takes a tensor and gives one.
macro_rules! unary {
    ($($layer:ident),*) => {
        $(impl Unary for $layer {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                $layer::forward(self, x)
            }
        })*
    };
}

unary!(Conv1d, Conv2d, Dropout, Embedding, Identity, LayerNorm, Linear, RMSNorm, Sequential);

/// The refusal of a layer's setting.
fn refused<T>(layer: &'static str, message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, layer, message))
}

/// The root of `1 / count`, within which initial weights of `count` inputs lie.
fn scale(layer: &'static str, count: i64) -> Result<f64> {
    if count <= 0 {
        return refused(layer, format!("there is no scale of weights for {count} inputs"));
    }
    Ok((1.0 / count as f64).sqrt())
}
