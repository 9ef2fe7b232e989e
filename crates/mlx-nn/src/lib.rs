//! Layers, activations, losses and initialisers: `mlx.nn`, and `mlx.optimizers`, with Python's names and its order of ops.
//!
//! A layer is a plain struct whose public fields are Python's parameters under their names; `forward` computes it, and
//! `new` draws parameters as Python does. Models are structs of layers with `#[derive(Module)]`: see [`Module`], and
//! [`ModuleExt`] for what is done with them. The functions: activations here, [`losses`], [`init`]. Training:
//! [`value_and_grad`], [`checkpoint`], [`optimizers`]. Few bits: quantized layers and [`quantize`], and [`cache`].

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

// The derive names this crate from outside, here too.
extern crate self as mlx_nn;

mod activations;
pub mod cache;
mod checkpoint;
pub mod init;
mod layers;
pub mod losses;
mod module;
pub mod optimizers;
mod python;
mod quantized;
mod value_and_grad;
mod weights;

pub use activations::*;
pub use checkpoint::checkpoint;
pub use layers::*;
pub use mlx_nn_derive::Module;
pub use module::{
    Buffer, Keys, LoadReport, Member, MemberMut, Mismatch, Module, ModuleExt, ModuleField, Parameters, Repr,
    State, WeightSource,
};
pub use quantized::{
    Choice, LayerQuantization, MaybeQuantized, QQLinear, Quantizable, QuantizedEmbedding, QuantizedForm,
    QuantizedLinear, Slot, quantize, quantize_where,
};
pub use value_and_grad::value_and_grad;
pub use weights::Weights;

/// The functions and layers by Python's name, with its module: what tidy wants a parity case for.
#[doc(hidden)]
pub const NAMES: &[&str] = &[
    "init.constant",
    "init.glorot_normal",
    "init.glorot_uniform",
    "init.he_normal",
    "init.he_uniform",
    "init.identity",
    "init.normal",
    "init.orthogonal",
    "init.sparse",
    "init.uniform",
    "losses.binary_cross_entropy",
    "losses.cosine_similarity_loss",
    "losses.cross_entropy",
    "losses.gaussian_nll_loss",
    "losses.hinge_loss",
    "losses.huber_loss",
    "losses.kl_div_loss",
    "losses.l1_loss",
    "losses.log_cosh_loss",
    "losses.margin_ranking_loss",
    "losses.mse_loss",
    "losses.nll_loss",
    "losses.smooth_l1_loss",
    "losses.triplet_loss",
    "nn.celu",
    "nn.elu",
    "nn.gelu",
    "nn.gelu_approx",
    "nn.gelu_fast_approx",
    "nn.glu",
    "nn.hard_shrink",
    "nn.hard_tanh",
    "nn.hardswish",
    "nn.leaky_relu",
    "nn.log_sigmoid",
    "nn.log_softmax",
    "nn.mish",
    "nn.prelu",
    "nn.quantize",
    "nn.relu",
    "nn.relu2",
    "nn.relu6",
    "nn.selu",
    "nn.sigmoid",
    "nn.silu",
    "nn.softmax",
    "nn.softmin",
    "nn.softplus",
    "nn.softshrink",
    "nn.softsign",
    "nn.step",
    "nn.tanh",
    "nn.ALiBi",
    "nn.AvgPool1d",
    "nn.AvgPool2d",
    "nn.AvgPool3d",
    "nn.BatchNorm",
    "nn.Bilinear",
    "nn.CELU",
    "nn.Conv1d",
    "nn.Conv2d",
    "nn.Conv3d",
    "nn.ConvTranspose1d",
    "nn.ConvTranspose2d",
    "nn.ConvTranspose3d",
    "nn.Dropout",
    "nn.Dropout2d",
    "nn.Dropout3d",
    "nn.ELU",
    "nn.Embedding",
    "nn.GELU",
    "nn.GLU",
    "nn.GRU",
    "nn.GroupNorm",
    "nn.HardShrink",
    "nn.HardTanh",
    "nn.Hardswish",
    "nn.Identity",
    "nn.InstanceNorm",
    "nn.LSTM",
    "nn.LayerNorm",
    "nn.LeakyReLU",
    "nn.Linear",
    "nn.LogSigmoid",
    "nn.LogSoftmax",
    "nn.MaxPool1d",
    "nn.MaxPool2d",
    "nn.MaxPool3d",
    "nn.Mish",
    "nn.MultiHeadAttention",
    "nn.PReLU",
    "nn.QQLinear",
    "nn.QuantizedEmbedding",
    "nn.QuantizedLinear",
    "nn.RMSNorm",
    "nn.RNN",
    "nn.ReLU",
    "nn.ReLU2",
    "nn.ReLU6",
    "nn.RoPE",
    "nn.SELU",
    "nn.SiLU",
    "nn.Sigmoid",
    "nn.SinusoidalPositionalEncoding",
    "nn.Softmax",
    "nn.Softmin",
    "nn.Softplus",
    "nn.Softshrink",
    "nn.Softsign",
    "nn.Step",
    "nn.Tanh",
    "nn.Transformer",
    "nn.TransformerDecoder",
    "nn.TransformerDecoderLayer",
    "nn.TransformerEncoder",
    "nn.TransformerEncoderLayer",
    "nn.Upsample",
];
