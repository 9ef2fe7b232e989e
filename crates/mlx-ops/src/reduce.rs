//! Reductions: the table, and the variance, which takes one number more.

use crate::family::reduce_family;
use mlx_core::{IntoAxes, Result, Tensor, ffi, or_panic};

reduce_family! {
    /// Reductions over axes, as methods.
    ReduceOps, REDUCE;

    /// The largest element; NaN where there is one.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 3, 2].max(..).to_vec::<i32>()?, [3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    max "mx.max" = MAX;

    /// The mean; of integers as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 2].mean(0).to_vec::<f32>()?, [1.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    mean "mx.mean" = MEAN;

    /// The smallest element; NaN where there is one.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 3, 2].min(..).to_vec::<i32>()?, [1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    min "mx.min" = MIN;

    /// The sum; small integers add up as 32-bit ones, halves as halves on the CPU.
    ///
    /// ```
    /// # use mlx_core::{axes, tensor};
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 2, 3].sum(axes(0).keep()).to_vec::<i32>()?, [6]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sum "mx.sum" = SUM;
}

/// The variance over `axes`, dividing by the number of elements less `ddof`; of integers as float32.
///
/// # Errors
/// An axis out of range or named twice; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::var;
/// assert_eq!(var(&tensor![1.0, 3.0], .., 1)?.item::<f32>()?, 2.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.var")]
#[track_caller]
pub fn var(x: &Tensor, axes: impl IntoAxes, ddof: i32) -> Result<Tensor> {
    ffi::var(x, &axes.into_axes(), ddof)
}

/// The reductions with an argument of their own, as methods.
pub trait VarianceOps {
    /// See [`var`](fn@var); panics at the caller's line on error.
    #[must_use]
    fn var(&self, axes: impl IntoAxes, ddof: i32) -> Tensor;
}

impl VarianceOps for Tensor {
    #[track_caller]
    fn var(&self, axes: impl IntoAxes, ddof: i32) -> Tensor {
        or_panic(var(self, axes, ddof))
    }
}
