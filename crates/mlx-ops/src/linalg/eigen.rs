//! Eigenvalues and eigenvectors, also of complex64 matrices.

use super::Triangle;
use mlx_core::{Result, Tensor, ffi::linalg as raw};

/// The eigenvalues and, in columns, the eigenvectors of any square matrix, as complex64.
///
/// # Errors
/// What is not square, or of another dtype; NaN or infinity, when values are needed.
///
/// ```
/// # use mlx_core::{Complex32, Tensor};
/// let a = Tensor::from_shape_slice([1, 1], &[2.0_f32])?;
/// let (values, vectors) = mlx_ops::linalg::eig(&a)?;
/// assert_eq!(values.to_vec::<Complex32>()?, [Complex32::new(2.0, 0.0)]);
/// assert_eq!(vectors.shape(), [1, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.eig")]
#[track_caller]
pub fn eig(a: &Tensor) -> Result<(Tensor, Tensor)> {
    raw::eig(a).map(Into::into)
}

/// The eigenvalues of any square matrix, as complex64.
///
/// # Errors
/// As [`eig`].
///
/// ```
/// # use mlx_core::{Complex32, Tensor};
/// let a = Tensor::from_shape_slice([2, 2], &[0.0_f32, 1.0, -1.0, 0.0])?;
/// let values = mlx_ops::linalg::eigvals(&a)?.to_vec::<Complex32>()?;
/// assert_eq!(values, [Complex32::new(0.0, 1.0), Complex32::new(0.0, -1.0)]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.eigvals")]
#[track_caller]
pub fn eigvals(a: &Tensor) -> Result<Tensor> {
    raw::eigvals(a)
}

/// The eigenvalues from the least on and, in columns, the eigenvectors of a symmetric or Hermitian matrix, of which one
/// half is looked at.
///
/// # Errors
/// What is not square, or of another dtype; NaN or infinity, when values are needed.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::linalg::{Triangle, eigh};
/// let a = Tensor::from_shape_slice([2, 2], &[3.0_f32, 0.0, 0.0, 1.0])?;
/// let (values, vectors) = eigh(&a, Triangle::Lower)?;
/// assert_eq!(values.to_vec::<f32>()?, [1.0, 3.0]);
/// assert_eq!(vectors.shape(), [2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.eigh")]
#[track_caller]
pub fn eigh(a: &Tensor, triangle: Triangle) -> Result<(Tensor, Tensor)> {
    raw::eigh(a, triangle.is_upper()).map(Into::into)
}

/// The eigenvalues of [`eigh`] alone.
///
/// # Errors
/// As [`eigh`].
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::linalg::{Triangle, eigvalsh};
/// let a = Tensor::from_shape_slice([2, 2], &[3.0_f32, 9.0, 0.0, 1.0])?;
/// assert_eq!(eigvalsh(&a, Triangle::Lower)?.to_vec::<f32>()?, [1.0, 3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.eigvalsh")]
#[track_caller]
pub fn eigvalsh(a: &Tensor, triangle: Triangle) -> Result<Tensor> {
    raw::eigvalsh(a, triangle.is_upper())
}
