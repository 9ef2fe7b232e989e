//! Layers, a file for each of Python's. How one is added: CONTRIBUTING.md.

mod activation;
mod activations;
mod attention;
mod batch_norm;
mod containers;
mod convolution;
mod convolution_transpose;
mod decoder;
mod dropout;
mod embedding;
mod group_norm;
mod linear;
mod lstm;
mod normalization;
mod pooling;
mod positional;
mod recurrent;
mod taps;
mod transformer;
mod upsample;

pub use activation::Activation;
pub use activations::*;
pub use attention::{AttentionConfig, MultiHeadAttention};
pub use batch_norm::BatchNorm;
pub use containers::{Lambda, Sequential, Unary};
pub use convolution::{Conv1d, Conv2d, Conv3d};
pub use convolution_transpose::{ConvTranspose1d, ConvTranspose2d, ConvTranspose3d};
pub use decoder::{Decoder, Encoder, Transformer, TransformerDecoder, TransformerDecoderLayer};
pub use dropout::{Dropout, Dropout2d, Dropout3d};
pub use embedding::Embedding;
pub use group_norm::{GroupNorm, InstanceNorm};
pub use linear::{Bilinear, Identity, Linear};
pub use lstm::{LSTM, LstmState};
pub use normalization::{LayerNorm, RMSNorm};
pub use pooling::{AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d, Pooling};
pub use positional::{ALiBi, RoPE, SinusoidalPositionalEncoding};
pub use recurrent::{GRU, RNN};
pub use transformer::{TransformerConfig, TransformerEncoder, TransformerEncoderLayer};
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

unary!(Embedding, Identity, Linear, Sequential, SinusoidalPositionalEncoding, Upsample);
unary!(Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d);
unary!(Dropout, Dropout2d, Dropout3d, BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RMSNorm);
unary!(AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d);
unary!(CELU, ELU, GELU, GLU, HardShrink, HardTanh, Hardswish, LeakyReLU, LogSigmoid, LogSoftmax, Mish, PReLU);
unary!(ReLU, ReLU2, ReLU6, SELU, SiLU, Sigmoid, Softmax, Softmin, Softplus, Softshrink, Softsign, Step, Tanh);

/// Layers whose `forward` takes more, with Python's defaults for it.
macro_rules! unary_by_default {
    ($($layer:ident: |$self:ident, $x:ident| $forward:expr;)*) => {
        $(impl Unary for $layer {
            #[track_caller]
            fn forward(&self, $x: &Tensor) -> Result<Tensor> {
                let $self = self;
                $forward
            }
        })*
    };
}

unary_by_default! {
    ALiBi: |layer, x| layer.forward(x, 0, None);
    GRU: |layer, x| layer.forward(x, None);
    RNN: |layer, x| layer.forward(x, None);
    RoPE: |layer, x| layer.forward(x, 0);
}

/// The refusal of a layer's setting.
pub(crate) fn refused<T>(layer: &'static str, message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, layer, message))
}

/// The root of `1 / count`, within which initial weights of `count` inputs lie.
pub(crate) fn scale(layer: &'static str, count: i64) -> Result<f64> {
    if count <= 0 {
        return refused(layer, format!("there is no scale of weights for {count} inputs"));
    }
    Ok((1.0 / count as f64).sqrt())
}
