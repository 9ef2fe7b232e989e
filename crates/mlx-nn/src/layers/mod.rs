//! Layers, a file for each of Python's. How one is added: CONTRIBUTING.md.

mod activations;
mod batch_norm;
mod containers;
mod convolution;
mod convolution_transpose;
mod dropout;
mod embedding;
mod group_norm;
mod linear;
mod normalization;
mod pooling;
mod taps;
mod upsample;

pub use activations::*;
pub use batch_norm::BatchNorm;
pub use containers::{Lambda, Sequential, Unary};
pub use convolution::{Conv1d, Conv2d, Conv3d};
pub use convolution_transpose::{ConvTranspose1d, ConvTranspose2d, ConvTranspose3d};
pub use dropout::{Dropout, Dropout2d, Dropout3d};
pub use embedding::Embedding;
pub use group_norm::{GroupNorm, InstanceNorm};
pub use linear::{Bilinear, Identity, Linear};
pub use normalization::{LayerNorm, RMSNorm};
pub use pooling::{AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d, Pooling};
pub use upsample::{ScaleFactor, Upsample, UpsampleMode};

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

unary!(Embedding, Identity, Linear, Sequential, Upsample);
unary!(Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d);
unary!(Dropout, Dropout2d, Dropout3d, BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RMSNorm);
unary!(AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d);
unary!(CELU, ELU, GELU, GLU, HardShrink, HardTanh, Hardswish, LeakyReLU, LogSigmoid, LogSoftmax, Mish, PReLU);
unary!(ReLU, ReLU2, ReLU6, SELU, SiLU, Sigmoid, Softmax, Softmin, Softplus, Softshrink, Softsign, Step, Tanh);

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
