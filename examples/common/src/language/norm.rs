//! Norms by the root of the mean square, Gemma's among them.

use super::{
    Result,
    checkpoint::Source,
    config::{Architecture, Config},
};
use mlx::{fast::rms_norm, nn::Module, prelude::*};

/// `x` over the root of its mean square, times `weight`, or times `1 + weight`.
#[derive(Clone, Debug, Module)]
pub(super) struct Norm {
    weight: Tensor,
    eps: f32,
    adds_one: bool,
}

impl Norm {
    /// A norm over `dims` features, from its weight.
    ///
    /// # Errors
    /// No weight, or one of another shape.
    pub(super) fn new(config: &Config, dims: i32, weights: &Source<'_>) -> Result<Norm> {
        let adds_one = matches!(config.architecture, Architecture::Gemma | Architecture::Gemma3);
        Ok(Norm { weight: weights.tensor("weight", &[dims])?, eps: config.rms_norm_eps, adds_one })
    }

    /// `[…, dims]` to the same.
    ///
    /// # Errors
    /// Another number of features.
    pub(super) fn forward(&self, x: &Tensor) -> mlx::Result<Tensor> {
        if self.adds_one {
            return rms_norm(x, Some(&(1.0 + &self.weight)), self.eps);
        }
        rms_norm(x, Some(&self.weight), self.eps)
    }
}
