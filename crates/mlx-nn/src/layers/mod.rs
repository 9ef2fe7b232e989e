//! Layers, a file for each of Python's. How one is added: CONTRIBUTING.md.

mod activation;
mod attention;
mod containers;
mod convolution;
mod decoder;
mod dropout;
mod embedding;
mod linear;
mod lstm;
mod normalization;
mod positional;
mod recurrent;
mod transformer;

pub use activation::Activation;
pub use attention::{AttentionConfig, MultiHeadAttention};
pub use containers::{Lambda, Sequential, Unary};
pub use convolution::{Conv1d, Conv2d};
pub use decoder::{Decoder, Encoder, Transformer, TransformerDecoder, TransformerDecoderLayer};
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use linear::{Identity, Linear};
pub use lstm::{LSTM, LstmState};
pub use normalization::{LayerNorm, RMSNorm};
pub use positional::{ALiBi, RoPE, SinusoidalPositionalEncoding};
pub use recurrent::{GRU, RNN};
pub use transformer::{TransformerConfig, TransformerEncoder, TransformerEncoderLayer};

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

unary!(
    Conv1d,
    Conv2d,
    Dropout,
    Embedding,
    Identity,
    LayerNorm,
    Linear,
    RMSNorm,
    Sequential,
    SinusoidalPositionalEncoding
);

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
