//! Linear algebra: `mlx.core.linalg`, on the last two dimensions of float32 or float64 tensors.
//!
//! MLX factorises on the CPU alone. On a GPU most of these are errors, as in Python without `stream=mx.cpu`; with
//! [`with_device`](mlx_core::with_device) they are computed on the CPU.
//!
//! ```
//! # use mlx_core::Tensor;
//! use mlx_core::{Device, with_device};
//! use mlx_ops::linalg;
//! let a = Tensor::from_shape_slice([2, 2], &[2.0_f32, 0.0, 0.0, 4.0])?;
//! let inverse = with_device(Device::cpu(), || linalg::inv(&a))??;
//! assert_eq!(inverse.to_vec::<f32>()?, [0.5, 0.0, 0.0, 0.25]);
//! # Ok::<(), mlx_core::Error>(())
//! ```
//!
//! A singular matrix, or one with NaN, may be an error when values are needed.

mod eigen;

pub use eigen::{eig, eigh, eigvals, eigvalsh};
use mlx_core::{IntoAxes, Result, Tensor, ffi::linalg as raw};

/// Which half of a matrix counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Triangle {
    /// The half on and below the diagonal.
    #[default]
    Lower,
    /// The half on and above the diagonal.
    Upper,
}

impl Triangle {
    fn is_upper(self) -> bool {
        self == Triangle::Upper
    }
}

/// The kinds of [`norm`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Norm {
    /// The root of the sum of squares, over any axes: Python's `ord=None`.
    #[default]
    Euclidean,
    /// Of vectors the sum of the `p`th powers to the 1 / `p`: with infinity the largest absolute value, with minus
    /// infinity the smallest, with 0 how many are not 0. Of matrices 1, 2, infinity and their negatives.
    Order(f64),
    /// The root of the sum of squares of a matrix.
    Frobenius,
    /// The sum of the singular values of a matrix.
    Nuclear,
}

impl From<f64> for Norm {
    fn from(order: f64) -> Norm {
        Norm::Order(order)
    }
}

impl From<i32> for Norm {
    fn from(order: i32) -> Norm {
        Norm::Order(order.into())
    }
}

/// The norm of vectors along one axis, or of matrices along two; `..` takes all axes. `kind` is a [`Norm`] or its order.
///
/// # Errors
/// Axes out of range, or more than the kind takes; an order that matrices have no norm for; on a GPU, or for NaN when the
/// value is needed, those that take singular values.
///
/// ```
/// # use mlx_core::{axes, tensor};
/// # use mlx_ops::linalg::{Norm, norm};
/// let x = tensor![3.0, -4.0];
/// assert_eq!(norm(&x, Norm::Euclidean, ..)?.item::<f32>()?, 5.0);
/// assert_eq!(norm(&x, 1, axes(0).keep())?.to_vec::<f32>()?, [7.0]);
/// assert_eq!(norm(&x, f64::INFINITY, 0)?.item::<f32>()?, 4.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.norm")]
#[track_caller]
pub fn norm(x: &Tensor, kind: impl Into<Norm>, axes: impl IntoAxes) -> Result<Tensor> {
    let order = match kind.into() {
        Norm::Euclidean => raw::Order::None,
        Norm::Order(order) => raw::Order::Number(order),
        Norm::Frobenius => raw::Order::Name(c"fro"),
        Norm::Nuclear => raw::Order::Name(c"nuc"),
    };
    raw::norm(x, order, &axes.into_axes())
}

/// The cross product of vectors of 3 (or 2, the third being 0) elements along `axis`.
///
/// # Errors
/// An axis out of range or of another size; shapes that do not broadcast.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::linalg::cross;
/// assert_eq!(cross(&tensor![1, 0, 0], &tensor![0, 1, 0], -1)?.to_vec::<i32>()?, [0, 0, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.cross")]
#[track_caller]
pub fn cross(a: &Tensor, b: &Tensor, axis: i32) -> Result<Tensor> {
    raw::cross(a, b, axis)
}

/// The determinant, also of halves, and of integers as float32.
///
/// # Errors
/// What is not square, or complex.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(mlx_ops::linalg::det(&a)?.item::<f32>()?, -2.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.det")]
#[track_caller]
pub fn det(a: &Tensor) -> Result<Tensor> {
    raw::det(a)
}

/// The sign of the determinant, and the logarithm of its absolute value: 0 and minus infinity for a singular matrix.
///
/// # Errors
/// What is not square, or complex.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 2], &[0.0_f32, 1.0, 1.0, 0.0])?;
/// let (sign, logarithm) = mlx_ops::linalg::slogdet(&a)?;
/// assert_eq!((sign.item::<f32>()?, logarithm.item::<f32>()?), (-1.0, 0.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.slogdet")]
#[track_caller]
pub fn slogdet(a: &Tensor) -> Result<(Tensor, Tensor)> {
    raw::slogdet(a).map(Into::into)
}

/// The inverse.
///
/// # Errors
/// What is not square, has no elements, or another dtype; a singular matrix, when its values are needed.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([1, 1], &[4.0_f32])?;
/// assert_eq!(mlx_ops::linalg::inv(&a)?.to_vec::<f32>()?, [0.25]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.inv")]
#[track_caller]
pub fn inv(a: &Tensor) -> Result<Tensor> {
    raw::inv(a)
}

/// The inverse of a triangular matrix, of which the other half is not looked at.
///
/// # Errors
/// As [`inv`].
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::linalg::{Triangle, tri_inv};
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 0.0, 1.0, 1.0])?;
/// assert_eq!(tri_inv(&a, Triangle::Lower)?.to_vec::<f32>()?, [1.0, 0.0, -1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.tri_inv")]
#[track_caller]
pub fn tri_inv(a: &Tensor, triangle: Triangle) -> Result<Tensor> {
    raw::tri_inv(a, triangle.is_upper())
}

/// The Moore-Penrose inverse, of matrices of any shape.
///
/// # Errors
/// Fewer than two dimensions, another dtype; NaN or infinity, when values are needed.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([1, 2], &[2.0_f32, 0.0])?;
/// assert_eq!(mlx_ops::linalg::pinv(&a)?.shape(), [2, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.pinv")]
#[track_caller]
pub fn pinv(a: &Tensor) -> Result<Tensor> {
    raw::pinv(a)
}

/// The triangular factor of a symmetric positive definite matrix: its lower one `l` with `l @ l.T = a`, or its upper
/// one `u` with `u.T @ u = a`. It is NaN where the matrix is not positive definite.
///
/// # Errors
/// What is not square, or of another dtype.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::linalg::{Triangle, cholesky};
/// let a = Tensor::from_shape_slice([2, 2], &[4.0_f32, 2.0, 2.0, 2.0])?;
/// assert_eq!(cholesky(&a, Triangle::Lower)?.to_vec::<f32>()?, [2.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.cholesky")]
#[track_caller]
pub fn cholesky(a: &Tensor, triangle: Triangle) -> Result<Tensor> {
    raw::cholesky(a, triangle.is_upper())
}

/// The inverse of a matrix, from the factor that [`cholesky`] made of it.
///
/// # Errors
/// As [`inv`].
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::linalg::{Triangle, cholesky_inv};
/// let l = Tensor::from_shape_slice([1, 1], &[2.0_f32])?;
/// assert_eq!(cholesky_inv(&l, Triangle::Lower)?.to_vec::<f32>()?, [0.25]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.cholesky_inv")]
#[track_caller]
pub fn cholesky_inv(l: &Tensor, triangle: Triangle) -> Result<Tensor> {
    raw::cholesky_inv(l, triangle.is_upper())
}

/// The orthogonal and the upper triangular factor.
///
/// # Errors
/// Fewer than two dimensions, another dtype.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 1], &[0.0_f32, 2.0])?;
/// let (q, r) = mlx_ops::linalg::qr(&a)?;
/// assert_eq!((q.shape(), r.shape()), (&[2, 1][..], &[1, 1][..]));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.qr")]
#[track_caller]
pub fn qr(a: &Tensor) -> Result<(Tensor, Tensor)> {
    raw::qr(a).map(Into::into)
}

/// The left singular vectors, the singular values from the greatest on, and the right vectors transposed; also complex.
///
/// # Errors
/// Fewer than two dimensions, another dtype; NaN or infinity, when values are needed.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 0.0, 0.0, 3.0])?;
/// let (u, values, vt) = mlx_ops::linalg::svd(&a)?;
/// assert_eq!(values.to_vec::<f32>()?, [3.0, 1.0]);
/// assert_eq!((u.shape(), vt.shape()), (&[2, 2][..], &[2, 2][..]));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.svd")]
#[track_caller]
pub fn svd(a: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    raw::svd(a).map(Into::into)
}

/// The singular values alone: Python's `svd(a, compute_uv=False)`.
///
/// # Errors
/// As [`svd`].
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 1], &[3.0_f32, 4.0])?;
/// assert_eq!(mlx_ops::linalg::svdvals(&a)?.to_vec::<f32>()?, [5.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn svdvals(a: &Tensor) -> Result<Tensor> {
    raw::svdvals(a)
}

/// The order of rows, and the lower and the upper factor of the rows in that order.
///
/// # Errors
/// Fewer than two dimensions, no elements, another dtype.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 0.0, 2.0, 1.0])?;
/// let (order, l, u) = mlx_ops::linalg::lu(&a)?;
/// assert_eq!(order.to_vec::<u32>()?, [1, 0]);
/// assert_eq!(l.to_vec::<f32>()?, [1.0, 0.0, 0.5, 1.0]);
/// assert_eq!(u.to_vec::<f32>()?, [2.0, 1.0, 0.0, -0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.lu")]
#[track_caller]
pub fn lu(a: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    raw::lu(a).map(Into::into)
}

/// Both factors of [`lu`] in one matrix, and the pivots: with which row each was exchanged.
///
/// # Errors
/// As [`lu`].
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 0.0, 2.0, 1.0])?;
/// let (both, pivots) = mlx_ops::linalg::lu_factor(&a)?;
/// assert_eq!(both.to_vec::<f32>()?, [2.0, 1.0, 0.5, -0.5]);
/// assert_eq!(pivots.to_vec::<u32>()?, [1, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.lu_factor")]
#[track_caller]
pub fn lu_factor(a: &Tensor) -> Result<(Tensor, Tensor)> {
    raw::lu_factor(a).map(Into::into)
}

/// The `x` with `a @ x = b`, a vector or a matrix as `b` is one.
///
/// # Errors
/// Shapes that do not fit each other, matrices without elements, another dtype; a singular matrix, when values are
/// needed.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// let a = Tensor::from_shape_slice([2, 2], &[2.0_f32, 0.0, 0.0, 4.0])?;
/// assert_eq!(mlx_ops::linalg::solve(&a, &tensor![1.0, 1.0])?.to_vec::<f32>()?, [0.5, 0.25]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.solve")]
#[track_caller]
pub fn solve(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    raw::solve(a, b)
}

/// [`solve`] with a triangular matrix, of which the other half is not looked at.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::linalg::{Triangle, solve_triangular};
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 0.0, 1.0, 1.0])?;
/// let x = solve_triangular(&a, &tensor![1.0, 3.0], Triangle::Lower)?;
/// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linalg.solve_triangular")]
#[track_caller]
pub fn solve_triangular(a: &Tensor, b: &Tensor, triangle: Triangle) -> Result<Tensor> {
    raw::solve_triangular(a, b, triangle.is_upper())
}
