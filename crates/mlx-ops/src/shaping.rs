//! The dtype and the shape of what a tensor holds: astype, reshape, transpose, squeeze, `broadcast_to`.
//!
//! Not here: axes by number (`axes`), joins (`joins`), the same memory seen otherwise (`storage`), picking elements out
//! (`index`).

use mlx_core::{Dtype, Error, ErrorKind, IntoAxes, IntoShape, Result, Tensor, ffi, or_panic};

/// The tensor cast to `dtype`; no node when it has it already.
///
/// # Errors
/// What MLX refuses.
///
/// ```
/// # use mlx_core::{Dtype, tensor};
/// assert_eq!(mlx_ops::astype(&tensor![1.5], Dtype::Int32)?.to_vec::<i32>()?, [1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.astype")]
#[track_caller]
pub fn astype(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    ffi::astype(x, dtype)
}

/// The same elements in another shape; one size may be -1 and is inferred.
///
/// # Errors
/// Another number of elements; a size that cannot be inferred; sizes below -1.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::reshape(&tensor![1, 2, 3, 4], [2, -1])?.shape(), [2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.reshape")]
#[track_caller]
pub fn reshape(x: &Tensor, shape: impl IntoShape) -> Result<Tensor> {
    let shape = shape.into_shape()?;
    if shape.iter().any(|&size| size < -1) {
        // MLX multiplies two negative sizes into a number of elements that fits.
        let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let message =
            format!("[reshape] Cannot reshape array of size {} into shape ({}).", x.size(), sizes.join(","));
        return Err(Error::new(ErrorKind::Shape, "reshape", message).with_operands(&[x.into()]));
    }
    ffi::reshape(x, &shape)
}

/// The dimensions in another order: dimension `axes[i]` becomes dimension `i`; `..` reverses them.
///
/// # Errors
/// Other than each axis once.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([1, 2], &[1, 2])?;
/// assert_eq!(mlx_ops::transpose(&x, ..)?.shape(), [2, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.transpose")]
#[track_caller]
pub fn transpose(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    match axes.into_axes().plain("transpose")? {
        Some(list) => ffi::transpose_axes(x, list),
        None => ffi::TRANSPOSE.call(x),
    }
}

/// The tensor with dimensions of size 1 inserted, at `axes` of the result.
///
/// # Errors
/// An axis out of range or named twice.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::expand_dims(&tensor![1, 2], -1)?.shape(), [2, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.expand_dims")]
#[track_caller]
pub fn expand_dims(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    match axes.into_axes().plain("expand_dims")? {
        Some(list) => ffi::expand_dims(x, list),
        None => Err(Error::new(ErrorKind::Shape, "expand_dims", "`..` names no axes to insert")),
    }
}

/// The tensor without the dimensions of size 1 among `axes`.
///
/// # Errors
/// A named axis out of range, named twice or of another size.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([1, 2, 1], &[1, 2])?;
/// assert_eq!(mlx_ops::squeeze(&x, ..)?.shape(), [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.squeeze")]
#[track_caller]
pub fn squeeze(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    match axes.into_axes().plain("squeeze")? {
        Some(list) => ffi::squeeze_axes(x, list),
        None => ffi::SQUEEZE.call(x),
    }
}

/// The tensor repeated along dimensions of size 1, and along new leading ones, up to `shape`; nothing is copied.
///
/// # Errors
/// Sizes that differ otherwise.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::broadcast_to(&tensor![1, 2], [2, 2])?.to_vec::<i32>()?, [1, 2, 1, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.broadcast_to")]
#[track_caller]
pub fn broadcast_to(x: &Tensor, shape: impl IntoShape) -> Result<Tensor> {
    ffi::broadcast_to(x, &shape.into_shape()?)
}

/// Dtype and shape, as methods. Each panics at the caller's line where the free function returns an error.
pub trait ShapingOps {
    /// See [`astype`](fn@astype).
    #[must_use]
    fn astype(&self, dtype: Dtype) -> Tensor;

    /// See [`reshape`](fn@reshape).
    #[must_use]
    fn reshape(&self, shape: impl IntoShape) -> Tensor;

    /// See [`transpose`](fn@transpose).
    #[must_use]
    fn transpose(&self, axes: impl IntoAxes) -> Tensor;

    /// The dimensions reversed: Python's `x.T`.
    #[must_use]
    fn t(&self) -> Tensor;

    /// See [`expand_dims`](fn@expand_dims).
    #[must_use]
    fn expand_dims(&self, axes: impl IntoAxes) -> Tensor;

    /// See [`squeeze`](fn@squeeze).
    #[must_use]
    fn squeeze(&self, axes: impl IntoAxes) -> Tensor;

    /// See [`broadcast_to`](fn@broadcast_to).
    #[must_use]
    fn broadcast_to(&self, shape: impl IntoShape) -> Tensor;
}

impl ShapingOps for Tensor {
    #[track_caller]
    fn astype(&self, dtype: Dtype) -> Tensor {
        or_panic(astype(self, dtype))
    }

    #[track_caller]
    fn reshape(&self, shape: impl IntoShape) -> Tensor {
        or_panic(reshape(self, shape))
    }

    #[track_caller]
    fn transpose(&self, axes: impl IntoAxes) -> Tensor {
        or_panic(transpose(self, axes))
    }

    #[track_caller]
    fn t(&self) -> Tensor {
        or_panic(transpose(self, ..))
    }

    #[track_caller]
    fn expand_dims(&self, axes: impl IntoAxes) -> Tensor {
        or_panic(expand_dims(self, axes))
    }

    #[track_caller]
    fn squeeze(&self, axes: impl IntoAxes) -> Tensor {
        or_panic(squeeze(self, axes))
    }

    #[track_caller]
    fn broadcast_to(&self, shape: impl IntoShape) -> Tensor {
        or_panic(broadcast_to(self, shape))
    }
}
