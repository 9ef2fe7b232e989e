//! Normal distributions of several dimensions.

use super::{key::next, setters};
use mlx_core::{Dtype, IntoShape, Result, Tensor, ffi::random as raw};

/// Normal distributions of vectors, by mean and covariance.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::random::MultivariateNormal;
/// let covariance = Tensor::from_shape_slice([2, 2], &[1.0_f32, 0.5, 0.5, 1.0])?;
/// let drawn = MultivariateNormal::new(&tensor![0.0, 1.0], &covariance).sample([3])?;
/// assert_eq!(drawn.shape(), [3, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MultivariateNormal {
    mean: Tensor,
    cov: Tensor,
    dtype: Dtype,
    key: Option<Tensor>,
}

impl MultivariateNormal {
    /// Means of shape `[…, n]` and covariances of shape `[…, n, n]`, positive semi-definite.
    #[must_use]
    pub fn new(mean: &Tensor, cov: &Tensor) -> MultivariateNormal {
        MultivariateNormal { mean: mean.clone(), cov: cov.clone(), dtype: Dtype::Float32, key: None }
    }

    setters!(dtype);
    setters!(key);

    /// Draws as many vectors as fill `shape`, which the distributions' `…` broadcasts with; `()` draws one from each.
    ///
    /// # Errors
    /// Another dtype than float32, shapes that do not fit each other; a GPU; when values are needed, a covariance
    /// with NaN or infinity.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        raw::multivariate_normal(&self.mean, &self.cov, &shape, self.dtype, &key)
    }
}

/// float32 vectors of the normal distributions with these means and covariances; [`MultivariateNormal`] for more.
///
/// # Errors
/// As [`MultivariateNormal::sample`].
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::random;
/// let none = Tensor::from_shape_slice([2, 2], &[0.0_f32; 4])?;
/// let drawn = random::multivariate_normal(&tensor![3.0, 4.0], &none, ())?;
/// assert_eq!(drawn.to_vec::<f32>()?, [3.0, 4.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.multivariate_normal")]
#[track_caller]
pub fn multivariate_normal(mean: &Tensor, cov: &Tensor, shape: impl IntoShape) -> Result<Tensor> {
    MultivariateNormal::new(mean, cov).sample(shape)
}
