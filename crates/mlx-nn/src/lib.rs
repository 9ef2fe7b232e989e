//! Layers and activations: `mlx.nn`, with Python's names and its order of ops.
//!
//! A layer is a plain struct whose public fields are Python's parameters under their names; `forward` computes it, and
//! `new` draws parameters as Python does. Models are structs of layers with `#[derive(Module)]`: see [`Module`], and
//! [`ModuleExt`] for what is done with them. Not here: losses, optimizers.

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

// The derive names this crate from outside, here too.
extern crate self as mlx_nn;

mod activations;
mod layers;
mod module;
mod value_and_grad;
mod weights;

pub use activations::{gelu, gelu_approx, relu, silu, softplus};
pub use layers::{
    Conv1d, Conv2d, Dropout, Embedding, Identity, Lambda, LayerNorm, Linear, RMSNorm, Sequential, Unary,
};
pub use mlx_nn_derive::Module;
pub use module::{
    Buffer, Keys, LoadReport, Member, MemberMut, Mismatch, Module, ModuleExt, ModuleField, Parameters, Repr,
    State, WeightSource,
};
pub use value_and_grad::value_and_grad;
pub use weights::Weights;

/// The functions and layers by Python's name, with its module: what tidy wants a parity case for.
#[doc(hidden)]
pub const NAMES: &[&str] = &[
    "nn.gelu",
    "nn.gelu_approx",
    "nn.relu",
    "nn.silu",
    "nn.softplus",
    "nn.Conv1d",
    "nn.Conv2d",
    "nn.Dropout",
    "nn.Embedding",
    "nn.Identity",
    "nn.LayerNorm",
    "nn.Linear",
    "nn.RMSNorm",
];
