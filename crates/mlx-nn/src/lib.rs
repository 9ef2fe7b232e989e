//! Layers and activations: `mlx.nn`, with Python's names and its order of ops.
//!
//! A layer is a plain struct whose public fields are Python's parameters under their names; `forward` computes it.
//! Weights come from files: [`Weights`] finds them by Python's names. Not here: random initialisation, losses,
//! optimizers.

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

mod activations;
mod layers;
mod weights;

pub use activations::{gelu, gelu_approx, relu, silu, softplus};
pub use layers::{Conv1d, Conv2d, Linear, RMSNorm};
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
    "nn.Linear",
    "nn.RMSNorm",
];
