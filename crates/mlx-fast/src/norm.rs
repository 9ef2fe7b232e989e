//! Normalization over the last axis.

use mlx_core::{Result, Tensor, ffi::fast};

/// `x` over the root of the mean of its squares (plus `eps`) along the last axis, times `weight` where there is one.
///
/// The mean is computed in float32 for half precision. The result has the dtype that `x` and `weight` promote to.
///
/// # Errors
/// A 0-d `x`; a `weight` that is not 1-D with the last axis' size; integers without a float `weight`; complex numbers.
///
/// ```
/// # use mlx_core::tensor;
/// let y = mlx_fast::rms_norm(&tensor![3.0, -3.0], Some(&tensor![1.0, 2.0]), 0.0)?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, -2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fast.rms_norm")]
#[track_caller]
pub fn rms_norm(x: &Tensor, weight: Option<&Tensor>, eps: f32) -> Result<Tensor> {
    fast::rms_norm(x, weight, eps)
}

/// What [`layer_norm`] takes beside its input.
///
/// ```
/// # use mlx_fast::LayerNorm;
/// assert!(LayerNorm::new(1e-5).weight.is_none());
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LayerNorm<'a> {
    /// What is added to the variance.
    pub eps: f32,
    /// A factor for each feature.
    pub weight: Option<&'a Tensor>,
    /// What is added to each feature at the end.
    pub bias: Option<&'a Tensor>,
}

impl<'a> LayerNorm<'a> {
    /// Neither weight nor bias.
    #[must_use]
    pub fn new(eps: f32) -> LayerNorm<'a> {
        LayerNorm { eps, weight: None, bias: None }
    }

    /// With a factor for each feature.
    #[must_use]
    pub fn weight(mut self, weight: &'a Tensor) -> LayerNorm<'a> {
        self.weight = Some(weight);
        self
    }

    /// With an addend for each feature.
    #[must_use]
    pub fn bias(mut self, bias: &'a Tensor) -> LayerNorm<'a> {
        self.bias = Some(bias);
        self
    }
}

/// `x` less its mean over the root of its variance (plus `eps`) along the last axis, times `weight` and plus `bias` where
/// there are any.
///
/// Mean and variance are computed in float32 for half precision. The result has the dtype that the operands promote to.
///
/// # Errors
/// A 0-d `x`; a `weight` or `bias` that is not 1-D with the last axis' size; dtypes that promote to no real float.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_fast::LayerNorm;
/// let y = mlx_fast::layer_norm(&tensor![1.0, 3.0], LayerNorm::new(0.0).bias(&tensor![0.0, 10.0]))?;
/// assert_eq!(y.to_vec::<f32>()?, [-1.0, 11.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fast.layer_norm")]
#[track_caller]
pub fn layer_norm(x: &Tensor, how: LayerNorm<'_>) -> Result<Tensor> {
    fast::layer_norm(x, [how.weight, how.bias], how.eps)
}
