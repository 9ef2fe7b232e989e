//! Comparisons that give one answer for two tensors, or allow a tolerance.
//!
//! Not here: comparisons element by element (`binary`).

use mlx_core::{Operand, Result, Tensor, ffi, or_panic};

/// How far apart numbers may be that [`isclose`] and [`allclose`] take for the same: `|a - b| <= atol + rtol * |b|`.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Tolerance, allclose};
/// let (a, b) = (tensor![1.0, f64::NAN], tensor![1.01, f64::NAN]);
/// assert!(!allclose(&a, &b, Tolerance::new())?.item::<bool>()?);
/// assert!(allclose(&a, &b, Tolerance::new().rtol(0.1).equal_nan())?.item::<bool>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tolerance {
    /// The part of `b`'s size.
    pub rtol: f64,
    /// What is allowed at any size.
    pub atol: f64,
    /// Whether NaN is close to NaN.
    pub equal_nan: bool,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance::new()
    }
}

impl Tolerance {
    /// Python's: a relative 1e-5, an absolute 1e-8, NaN close to nothing.
    #[must_use]
    pub fn new() -> Tolerance {
        Tolerance { rtol: 1e-5, atol: 1e-8, equal_nan: false }
    }

    /// The part of `b`'s size.
    #[must_use]
    pub fn rtol(mut self, rtol: f64) -> Tolerance {
        self.rtol = rtol;
        self
    }

    /// What is allowed at any size.
    #[must_use]
    pub fn atol(mut self, atol: f64) -> Tolerance {
        self.atol = atol;
        self
    }

    /// NaN is close to NaN.
    #[must_use]
    pub fn equal_nan(mut self) -> Tolerance {
        self.equal_nan = true;
        self
    }
}

/// Whether each pair is close, as bool; the two broadcast. Infinities are close to themselves.
///
/// # Errors
/// Shapes that do not broadcast.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Tolerance, isclose};
/// let close = isclose(&tensor![1.0, 2.0], &tensor![1.0, 2.5], Tolerance::new())?;
/// assert_eq!(close.to_vec::<bool>()?, [true, false]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.isclose")]
#[track_caller]
pub fn isclose(a: &Tensor, b: &Tensor, tolerance: Tolerance) -> Result<Tensor> {
    ffi::isclose(a, b, [tolerance.rtol, tolerance.atol], tolerance.equal_nan)
}

/// Whether all pairs are close, as a 0-d bool; the two broadcast.
///
/// # Errors
/// Shapes that do not broadcast.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Tolerance, allclose};
/// assert!(allclose(&tensor![1.0, 1.0], &tensor![1.0], Tolerance::new())?.item::<bool>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.allclose")]
#[track_caller]
pub fn allclose(a: &Tensor, b: &Tensor, tolerance: Tolerance) -> Result<Tensor> {
    ffi::allclose(a, b, [tolerance.rtol, tolerance.atol], tolerance.equal_nan)
}

/// Whether both have the same shape and equal elements, as a 0-d bool; NaN equals nothing.
///
/// # Errors
/// A scalar that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::array_equal;
/// assert!(array_equal(&tensor![1, 2], &tensor![1.0, 2.0])?.item::<bool>()?);
/// assert!(!array_equal(&tensor![1, 1], 1)?.item::<bool>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.array_equal")]
#[track_caller]
pub fn array_equal(a: impl Operand, b: impl Operand) -> Result<Tensor> {
    equal_arrays(&a, &b, false)
}

/// [`array_equal`] where NaN equals NaN.
///
/// # Errors
/// A scalar that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::array_equal_nan;
/// assert!(array_equal_nan(&tensor![f64::NAN], &tensor![f64::NAN])?.item::<bool>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn array_equal_nan(a: impl Operand, b: impl Operand) -> Result<Tensor> {
    equal_arrays(&a, &b, true)
}

#[track_caller]
fn equal_arrays(a: &impl Operand, b: &impl Operand, equal_nan: bool) -> Result<Tensor> {
    let (a, b) = (a.operand(), b.operand());
    let (x, y) = (a.to_tensor("array_equal", b.dtype())?, b.to_tensor("array_equal", a.dtype())?);
    ffi::array_equal(&x, &y, equal_nan)
}

/// Comparisons of whole tensors and within a tolerance, as methods.
///
/// Each method panics at the caller's line where the free function of its name returns an error.
pub trait ClosenessOps {
    /// See [`isclose`](fn@isclose).
    #[must_use]
    fn isclose(&self, other: &Tensor, tolerance: Tolerance) -> Tensor;

    /// See [`allclose`](fn@allclose).
    #[must_use]
    fn allclose(&self, other: &Tensor, tolerance: Tolerance) -> Tensor;

    /// See [`array_equal`](fn@array_equal).
    #[must_use]
    fn array_equal(&self, other: impl Operand) -> Tensor;
}

impl ClosenessOps for Tensor {
    #[track_caller]
    fn isclose(&self, other: &Tensor, tolerance: Tolerance) -> Tensor {
        or_panic(isclose(self, other, tolerance))
    }

    #[track_caller]
    fn allclose(&self, other: &Tensor, tolerance: Tolerance) -> Tensor {
        or_panic(allclose(self, other, tolerance))
    }

    #[track_caller]
    fn array_equal(&self, other: impl Operand) -> Tensor {
        or_panic(array_equal(self, other))
    }
}
