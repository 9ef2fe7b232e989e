//! Normalizations.

use crate::Weights;
use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor};
use mlx_fast::rms_norm;
use mlx_ops::ones;

/// `x` over the root of the mean of its squares along the last axis, times `weight`.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::RMSNorm;
/// let norm = RMSNorm::new(tensor![1.0, 2.0], 1e-5);
/// assert_eq!(norm.forward(&tensor![1.0, 1.0])?.shape(), [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "nn.RMSNorm")]
pub struct RMSNorm {
    /// `[dims]`
    pub weight: Tensor,
    /// What is added to the mean; Python's default is 1e-5.
    pub eps: f32,
}

impl RMSNorm {
    /// A layer with this parameter.
    #[must_use]
    pub fn new(weight: Tensor, eps: f32) -> RMSNorm {
        RMSNorm { weight, eps }
    }

    /// A layer over `dims` features as Python initialises it: a weight of ones.
    ///
    /// # Errors
    /// Negative `dims`; an `eps` that is not positive.
    pub fn with_dims(dims: i32, eps: f32) -> Result<RMSNorm> {
        if eps.is_nan() || eps <= 0.0 {
            let message = format!("[RMSNorm] 'eps' must be positive but got {eps}.");
            return Err(Error::new(ErrorKind::Value, "RMSNorm", message));
        }
        Ok(RMSNorm::new(ones([dims], Dtype::Float32)?, eps))
    }

    /// A layer from `weight`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>, eps: f32) -> Result<RMSNorm> {
        Ok(RMSNorm::new(weights.get("weight")?, eps))
    }

    /// `x`, `[…, dims]`, normalized.
    ///
    /// # Errors
    /// Shapes that do not fit; dtypes that are no real floats.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        rms_norm(x, Some(&self.weight), self.eps)
    }
}
