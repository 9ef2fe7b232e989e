//! Choosing and limiting elements: where, clip.

use mlx_core::{IntoBound, Operand, Result, Tensor, ffi, or_panic};

/// `a` where `condition` is true and `b` elsewhere, element by element.
///
/// All three broadcast; a scalar is weak beside the other of `a` and `b`.
///
/// # Errors
/// Shapes that do not broadcast; a scalar that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{BinaryOps, where_};
/// let x = tensor![-1.0, 2.0];
/// assert_eq!(where_(x.gt(0), &x, 0)?.to_vec::<f32>()?, [0.0, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.where")]
#[track_caller]
pub fn where_(condition: impl Operand, a: impl Operand, b: impl Operand) -> Result<Tensor> {
    let (a, b) = (a.operand(), b.operand());
    let condition = condition.operand().to_tensor("where", None)?;
    let (x, y) = (a.to_tensor("where", b.dtype())?, b.to_tensor("where", a.dtype())?);
    ffi::WHERE.call(&condition, &x, &y)
}

/// Each element limited to `min` and `max`; `..` leaves a side open. Bounds are weak scalars or tensors.
///
/// # Errors
/// No bound at all; shapes that do not broadcast; a scalar that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::clip;
/// assert_eq!(clip(&tensor![-1.0, 0.5, 9.0], 0, 1)?.to_vec::<f32>()?, [0.0, 0.5, 1.0]);
/// assert_eq!(clip(&tensor![-1.0, 0.5, 9.0], .., 1)?.to_vec::<f32>()?, [-1.0, 0.5, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.clip")]
#[track_caller]
pub fn clip(x: &Tensor, min: impl IntoBound, max: impl IntoBound) -> Result<Tensor> {
    let beside = Some(x.dtype());
    let min = min.bound().map(|min| min.to_tensor("clip", beside)).transpose()?;
    let max = max.bound().map(|max| max.to_tensor("clip", beside)).transpose()?;
    ffi::clip(x, [min.as_deref(), max.as_deref()])
}

/// Choosing and limiting, as methods.
pub trait SelectOps {
    /// See [`where_`](fn@where_), the tensor being the condition; panics at the caller's line on error.
    #[must_use]
    fn where_(&self, a: impl Operand, b: impl Operand) -> Tensor;

    /// See [`clip`](fn@clip); panics at the caller's line on error.
    #[must_use]
    fn clip(&self, min: impl IntoBound, max: impl IntoBound) -> Tensor;
}

impl SelectOps for Tensor {
    #[track_caller]
    fn where_(&self, a: impl Operand, b: impl Operand) -> Tensor {
        or_panic(where_(self, a, b))
    }

    #[track_caller]
    fn clip(&self, min: impl IntoBound, max: impl IntoBound) -> Tensor {
        or_panic(clip(self, min, max))
    }
}
