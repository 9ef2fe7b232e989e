//! Norms by the root of the mean square, Gemma's among them.

use super::{
    Result,
    checkpoint::Source,
    config::{Architecture, Config},
};
use mlx::{
    fast::rms_norm,
    nn::{Module, State},
    prelude::*,
};

/// `x` over the root of its mean square, times `weight`, or times `1 + weight`.
#[derive(Clone, Debug, Module)]
pub(super) struct Norm {
    weight: Tensor,
    eps: f32,
    adds_one: bool,
    state: State,
}

impl Norm {
    /// A norm over `dims` features, from its weight.
    ///
    /// # Errors
    /// No weight, or one of another shape.
    pub(super) fn new(config: &Config, dims: i32, weights: &Source<'_>) -> Result<Norm> {
        let adds_one = matches!(config.architecture, Architecture::Gemma | Architecture::Gemma3);
        let (weight, eps) = (weights.tensor("weight", &[dims])?, config.rms_norm_eps);
        Ok(Norm { weight, eps, adds_one, state: State::new() })
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
