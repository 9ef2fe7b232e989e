//! Tensors of one value: zeros, ones, full, and those like another tensor.
//!
//! Not here: tensors from data (mlx-core), ranges (`ranges`), eye (`diagonals`).

use mlx_core::{Dtype, IntoShape, Operand, Result, Tensor, ffi, or_panic};

/// Zeros of `shape`.
///
/// # Errors
/// A negative size; more bytes than can be addressed.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::zeros([2], Dtype::Int32)?.to_vec::<i32>()?, [0, 0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.zeros")]
pub fn zeros(shape: impl IntoShape, dtype: Dtype) -> Result<Tensor> {
    ffi::full(&shape.into_shape()?, &Tensor::scalar(0, dtype)?, dtype)
}

/// Ones of `shape`.
///
/// # Errors
/// As [`zeros`].
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::ones([2], Dtype::Float32)?.to_vec::<f32>()?, [1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.ones")]
pub fn ones(shape: impl IntoShape, dtype: Dtype) -> Result<Tensor> {
    ffi::full(&shape.into_shape()?, &Tensor::scalar(1, dtype)?, dtype)
}

/// `shape` filled with `value`: a weak scalar beside `dtype`, so that 2.5 beside int32 makes float32, or a tensor
/// that broadcasts to the shape and keeps its own dtype.
///
/// # Errors
/// A negative size; a scalar that the dtype cannot hold; a tensor that does not broadcast to the shape.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::full([2], 7, Dtype::Uint8)?.to_vec::<u8>()?, [7, 7]);
/// assert_eq!(mlx_ops::full([2], 2.5, Dtype::Int32)?.dtype(), Dtype::Float32);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.full")]
pub fn full(shape: impl IntoShape, value: impl Operand, dtype: Dtype) -> Result<Tensor> {
    let value = value.operand().to_tensor("full", Some(dtype))?;
    ffi::full(&shape.into_shape()?, &value, value.dtype())
}

macro_rules! like {
    ($($(#[$doc:meta])* $name:ident $alias:literal, $(#[$doc_dtype:meta])* $name_dtype:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// None that is known.
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(x: &Tensor) -> Result<Tensor> {
            ffi::$name(x, x.dtype())
        }

        $(#[$doc_dtype])*
        ///
        /// # Errors
        /// More bytes than can be addressed.
        #[track_caller]
        pub fn $name_dtype(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
            ffi::$name(x, dtype)
        })*
    };
}

like! {
    /// Zeros of the tensor's shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// assert_eq!(mlx_ops::zeros_like(&tensor![1, 2])?.to_vec::<i32>()?, [0, 0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    zeros_like "mx.zeros_like",
    /// Zeros of the tensor's shape at `dtype`.
    ///
    /// ```
    /// # use mlx_core::{Dtype, tensor};
    /// assert_eq!(mlx_ops::zeros_like_dtype(&tensor![1, 2], Dtype::Uint8)?.to_vec::<u8>()?, [0, 0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    zeros_like_dtype;

    /// Ones of the tensor's shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// assert_eq!(mlx_ops::ones_like(&tensor![1.0, 2.0])?.to_vec::<f32>()?, [1.0, 1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ones_like "mx.ones_like",
    /// Ones of the tensor's shape at `dtype`.
    ///
    /// ```
    /// # use mlx_core::{Dtype, tensor};
    /// assert_eq!(mlx_ops::ones_like_dtype(&tensor![1, 2], Dtype::Uint8)?.to_vec::<u8>()?, [1, 1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ones_like_dtype;
}

/// `value` in the tensor's shape, cast to its dtype: a scalar, or a tensor that broadcasts to the shape.
///
/// # Errors
/// A scalar that the dtype cannot hold; a tensor that does not broadcast to the shape.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::full_like(&tensor![1, 2], 2.5)?.to_vec::<i32>()?, [2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.full_like")]
#[track_caller]
pub fn full_like(x: &Tensor, value: impl Operand) -> Result<Tensor> {
    full_like_dtype(x, value, x.dtype())
}

/// [`full_like`] at `dtype`.
///
/// # Errors
/// As [`full_like`].
///
/// ```
/// # use mlx_core::{Dtype, tensor};
/// assert_eq!(mlx_ops::full_like_dtype(&tensor![1, 2], 2.5, Dtype::Float32)?.to_vec::<f32>()?, [2.5, 2.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn full_like_dtype(x: &Tensor, value: impl Operand, dtype: Dtype) -> Result<Tensor> {
    ffi::full_like(x, &*value.operand().to_tensor("full_like", Some(dtype))?, dtype)
}

/// Tensors like another, as methods. Each panics at the caller's line where the free function of its name returns an error.
pub trait LikeOps {
    /// See [`zeros_like`](fn@zeros_like).
    #[must_use]
    fn zeros_like(&self) -> Tensor;

    /// See [`ones_like`](fn@ones_like).
    #[must_use]
    fn ones_like(&self) -> Tensor;

    /// See [`full_like`](fn@full_like).
    #[must_use]
    fn full_like(&self, value: impl Operand) -> Tensor;
}

impl LikeOps for Tensor {
    #[track_caller]
    fn zeros_like(&self) -> Tensor {
        or_panic(zeros_like(self))
    }

    #[track_caller]
    fn ones_like(&self) -> Tensor {
        or_panic(ones_like(self))
    }

    #[track_caller]
    fn full_like(&self, value: impl Operand) -> Tensor {
        or_panic(full_like(self, value))
    }
}
