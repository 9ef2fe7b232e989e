//! The cross entropy of logits and classes.

use mlx_core::{Result, Tensor, ffi::fast};

/// `logsumexp(logits) - logits[target]` along the last axis, in float32: one number for each of the `targets`, whose shape
/// is that of `logits` without the last axis.
///
/// On the CPU a negative target counts from the last class, as in Python; a GPU refuses it.
///
/// # Errors
/// A target that is no class; shapes that do not fit, empty ones; targets that are no integers; logits that are no real
/// floats. A target that is not computed yet is limited to the classes there are.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// let logits = Tensor::from_shape_slice([1, 2], &[0.0_f32, 0.0])?;
/// let loss = mlx_fast::cross_entropy(&logits, &tensor![1])?.to_vec::<f32>()?;
/// assert!((loss[0] - 2_f32.ln()).abs() < 1e-6);
/// assert!(mlx_fast::cross_entropy(&logits, &tensor![2]).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fast.cross_entropy")]
#[track_caller]
pub fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<Tensor> {
    fast::cross_entropy(logits, targets)
}
