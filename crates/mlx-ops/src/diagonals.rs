//! Diagonals and triangles: diag, diagonal, trace, eye, identity, tri, tril, triu.

use mlx_core::{Dtype, Result, Tensor, axes, ffi, or_panic};

/// A matrix with the 1-D tensor on its diagonal `k`, or a matrix's diagonal `k`: above the main one for positive `k`.
///
/// # Errors
/// Neither one dimension nor two; a size beyond `i32`.
///
/// ```
/// # use mlx_core::tensor;
/// let matrix = mlx_ops::diag(&tensor![1, 2], 0)?;
/// assert_eq!(matrix.to_vec::<i32>()?, [1, 0, 0, 2]);
/// assert_eq!(mlx_ops::diag(&matrix, 1)?.to_vec::<i32>()?, [0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.diag")]
#[track_caller]
pub fn diag(x: &Tensor, k: i32) -> Result<Tensor> {
    ffi::diag(x, k)
}

/// The diagonals `offset` of the matrices over two axes (Python's default: `[0, 1]`), as the last axis.
///
/// # Errors
/// Fewer than two dimensions; an axis out of range, or twice the same.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::diagonal(&x, 0, [0, 1])?.to_vec::<i32>()?, [1, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.diagonal")]
#[track_caller]
pub fn diagonal(x: &Tensor, offset: i32, axes: [i32; 2]) -> Result<Tensor> {
    ffi::diagonal(x, offset, axes)
}

/// The sums over the diagonals `offset` of the matrices over two axes (Python's default: `[0, 1]`).
///
/// # Errors
/// As [`diagonal`].
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::trace(&x, 0, [0, 1])?.item::<i32>()?, 5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.trace")]
#[track_caller]
pub fn trace(x: &Tensor, offset: i32, axes: [i32; 2]) -> Result<Tensor> {
    trace_dtype(x, offset, axes, x.dtype())
}

/// [`trace`] of the diagonal cast to `dtype`; small integers add up as 32-bit ones all the same.
///
/// # Errors
/// As [`diagonal`].
///
/// ```
/// # use mlx_core::{Dtype, Tensor};
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::trace_dtype(&x, 0, [0, 1], Dtype::Float32)?.item::<f32>()?, 5.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn trace_dtype(x: &Tensor, offset: i32, over: [i32; 2], dtype: Dtype) -> Result<Tensor> {
    // Sums of nothing that does not lie in order are guarded, and this one stands inside MLX's function.
    if x.ndim() > 2
        && let Ok(diagonal) = ffi::diagonal(x, offset, over)
        && diagonal.size() == 0
    {
        return ffi::SUM.call(&ffi::astype(&diagonal, dtype)?, &axes(-1));
    }
    ffi::trace(x, offset, over, dtype)
}

/// `n` rows and `m` columns of zeros with ones on diagonal `k`.
///
/// # Errors
/// A negative size; more bytes than can be addressed.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::eye(2, 3, 1, Dtype::Int32)?.to_vec::<i32>()?, [0, 1, 0, 0, 0, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.eye")]
#[track_caller]
pub fn eye(n: i32, m: i32, k: i32, dtype: Dtype) -> Result<Tensor> {
    ffi::eye(n, m, k, dtype)
}

/// A square of zeros with ones on the main diagonal.
///
/// # Errors
/// A negative size; more bytes than can be addressed.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::identity(2, Dtype::Float32)?.to_vec::<f32>()?, [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.identity")]
#[track_caller]
pub fn identity(n: i32, dtype: Dtype) -> Result<Tensor> {
    ffi::identity(n, dtype)
}

/// `n` rows and `m` columns with ones at and below diagonal `k`, zeros above; negative sizes count as 0.
///
/// # Errors
/// More bytes than can be addressed.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::tri(2, 2, 0, Dtype::Int32)?.to_vec::<i32>()?, [1, 0, 1, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.tri")]
#[track_caller]
pub fn tri(n: i32, m: i32, k: i32, dtype: Dtype) -> Result<Tensor> {
    ffi::tri(n, m, k, dtype)
}

/// The matrices of the last two axes with zeros above diagonal `k`.
///
/// # Errors
/// Fewer than two dimensions.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::tril(&x, 0)?.to_vec::<i32>()?, [1, 0, 3, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.tril")]
#[track_caller]
pub fn tril(x: &Tensor, k: i32) -> Result<Tensor> {
    ffi::tril(x, k)
}

/// The matrices of the last two axes with zeros below diagonal `k`.
///
/// # Errors
/// Fewer than two dimensions.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::triu(&x, 0)?.to_vec::<i32>()?, [1, 2, 0, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.triu")]
#[track_caller]
pub fn triu(x: &Tensor, k: i32) -> Result<Tensor> {
    ffi::triu(x, k)
}

/// Diagonals, as methods. Each panics at the caller's line where the free function of its name returns an error.
pub trait DiagonalOps {
    /// See [`diag`](fn@diag).
    #[must_use]
    fn diag(&self, k: i32) -> Tensor;

    /// See [`diagonal`](fn@diagonal).
    #[must_use]
    fn diagonal(&self, offset: i32, axes: [i32; 2]) -> Tensor;

    /// See [`trace`](fn@trace).
    #[must_use]
    fn trace(&self, offset: i32, axes: [i32; 2]) -> Tensor;

    /// See [`tril`](fn@tril).
    #[must_use]
    fn tril(&self, k: i32) -> Tensor;

    /// See [`triu`](fn@triu).
    #[must_use]
    fn triu(&self, k: i32) -> Tensor;
}

impl DiagonalOps for Tensor {
    #[track_caller]
    fn diag(&self, k: i32) -> Tensor {
        or_panic(diag(self, k))
    }

    #[track_caller]
    fn diagonal(&self, offset: i32, axes: [i32; 2]) -> Tensor {
        or_panic(diagonal(self, offset, axes))
    }

    #[track_caller]
    fn trace(&self, offset: i32, axes: [i32; 2]) -> Tensor {
        or_panic(trace(self, offset, axes))
    }

    #[track_caller]
    fn tril(&self, k: i32) -> Tensor {
        or_panic(tril(self, k))
    }

    #[track_caller]
    fn triu(&self, k: i32) -> Tensor {
        or_panic(triu(self, k))
    }
}
