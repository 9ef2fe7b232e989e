//! Layers, activations, losses and initialisers: `mlx.nn`, with Python's names and its order of ops.
//!
//! A layer is a plain struct whose public fields are Python's parameters under their names; `forward` computes it, and
//! `new` draws parameters as Python does. Models are structs of layers with `#[derive(Module)]`: see [`Module`], and
//! [`ModuleExt`] for what is done with them. The functions: activations here, [`losses`], [`init`]; quantized layers and [`quantize`]. Not here: optimizers.

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

// The derive names this crate from outside, here too.
extern crate self as mlx_nn;

mod activations;
pub mod cache;
pub mod init;
mod layers;
pub mod losses;
mod module;
mod python;
mod quantized;
mod value_and_grad;
mod weights;

pub use activations::*;
pub use layers::{
    ALiBi, Activation, AttentionConfig, Conv1d, Conv2d, Decoder, Dropout, Embedding, Encoder, GRU, Identity,
    LSTM, Lambda, LayerNorm, Linear, LstmState, MultiHeadAttention, RMSNorm, RNN, RoPE, Sequential,
    SinusoidalPositionalEncoding, Transformer, TransformerConfig, TransformerDecoder,
    TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer, Unary,
};
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
    "nn.Conv1d",
    "nn.Conv2d",
    "nn.Dropout",
    "nn.Embedding",
    "nn.GRU",
    "nn.Identity",
    "nn.LSTM",
    "nn.LayerNorm",
    "nn.Linear",
    "nn.MultiHeadAttention",
    "nn.QQLinear",
    "nn.QuantizedEmbedding",
    "nn.QuantizedLinear",
    "nn.RMSNorm",
    "nn.RNN",
    "nn.RoPE",
    "nn.SinusoidalPositionalEncoding",
    "nn.Transformer",
    "nn.TransformerDecoder",
    "nn.TransformerDecoderLayer",
    "nn.TransformerEncoder",
    "nn.TransformerEncoderLayer",
];
