//! Softmax.

use mlx_core::{IntoAxes, Result, Tensor, ffi, or_panic};

/// The softmax over `axes`, computed in the tensor's own dtype; integers as float32. On the CPU that of thousands of halves
/// does not sum to 1, which [`softmax_precise`] does.
///
/// # Errors
/// An axis out of range or named twice; any axis of a 0-d tensor; axes to keep.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::softmax;
/// assert_eq!(softmax(&tensor![1.0, 1.0], -1)?.to_vec::<f32>()?, [0.5, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.softmax")]
#[track_caller]
pub fn softmax(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    ffi::softmax(x, axes.into_axes().plain("softmax")?, false)
}

/// [`softmax`] computed in float32 whatever the dtype (Python's `precise=True`).
///
/// # Errors
/// As [`softmax`].
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::softmax_precise;
/// assert_eq!(softmax_precise(&tensor![1.0, 1.0], ..)?.to_vec::<f32>()?, [0.5, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn softmax_precise(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    ffi::softmax(x, axes.into_axes().plain("softmax")?, true)
}

/// Softmax as methods.
pub trait SoftmaxOps {
    /// See [`softmax`](fn@softmax); panics at the caller's line on error.
    #[must_use]
    fn softmax(&self, axes: impl IntoAxes) -> Tensor;

    /// See [`softmax_precise`](fn@softmax_precise); panics at the caller's line on error.
    #[must_use]
    fn softmax_precise(&self, axes: impl IntoAxes) -> Tensor;
}

impl SoftmaxOps for Tensor {
    #[track_caller]
    fn softmax(&self, axes: impl IntoAxes) -> Tensor {
        or_panic(softmax(self, axes))
    }

    #[track_caller]
    fn softmax_precise(&self, axes: impl IntoAxes) -> Tensor {
        or_panic(softmax_precise(self, axes))
    }
}
