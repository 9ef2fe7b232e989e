//! Elementwise ops that take numbers beside their tensors or give several; nodes that leave values as they are.

use mlx_core::{Dtype, Error, ErrorKind, Operand, Result, Tensor, ffi, or_panic};

/// What [`nan_to_num`] puts in the place of NaN and infinities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Replacements {
    /// For NaN.
    pub nan: f32,
    /// For plus infinity; none is the largest value of the dtype.
    pub posinf: Option<f32>,
    /// For minus infinity; none is the smallest value of the dtype.
    pub neginf: Option<f32>,
}

impl Replacements {
    /// Python's: 0 for NaN, the dtype's limits for infinities.
    #[must_use]
    pub fn new() -> Replacements {
        Replacements::default()
    }

    /// What NaN becomes.
    #[must_use]
    pub fn nan(mut self, value: f32) -> Replacements {
        self.nan = value;
        self
    }

    /// What plus infinity becomes.
    #[must_use]
    pub fn posinf(mut self, value: f32) -> Replacements {
        self.posinf = Some(value);
        self
    }

    /// What minus infinity becomes.
    #[must_use]
    pub fn neginf(mut self, value: f32) -> Replacements {
        self.neginf = Some(value);
        self
    }
}

/// The elements with NaN and infinities replaced; integers and bools as they are.
///
/// # Errors
/// A scalar beyond int64.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Replacements, nan_to_num};
/// let x = tensor![f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
/// let numbers = nan_to_num(&x, Replacements::new().posinf(9.0))?;
/// assert_eq!(numbers.to_vec::<f32>()?, [0.0, 9.0, f32::MIN]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.nan_to_num")]
#[track_caller]
pub fn nan_to_num(x: impl Operand, replacements: Replacements) -> Result<Tensor> {
    let Replacements { nan, posinf, neginf } = replacements;
    ffi::nan_to_num(&*x.operand().to_tensor("nan_to_num", None)?, nan, [posinf, neginf])
}

/// `(a // b, a % b)`; integers truncate toward zero in the first and take the sign of the divisor in the second.
///
/// # Errors
/// Shapes that do not broadcast; complex numbers; an integer divisor of 0 that can be seen (in lazy ones both are 0).
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::divmod;
/// let (quotient, remainder) = divmod(&tensor![7.5, -7.5], 2)?;
/// assert_eq!(quotient.to_vec::<f32>()?, [3.0, -4.0]);
/// assert_eq!(remainder.to_vec::<f32>()?, [1.5, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.divmod")]
#[track_caller]
pub fn divmod(a: impl Operand, b: impl Operand) -> Result<(Tensor, Tensor)> {
    ffi::divmod(a.operand(), b.operand()).map(Into::into)
}

/// Each element rounded to `decimals` decimals, halves to even digits; negative ones round before the point.
///
/// # Errors
/// A dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::round;
/// assert_eq!(round(&tensor![0.5, 1.5, -2.7], 0)?.to_vec::<f32>()?, [0.0, 2.0, -3.0]);
/// assert_eq!(round(&tensor![149], -2)?.to_vec::<i32>()?, [100]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.round")]
#[track_caller]
pub fn round(x: &Tensor, decimals: i32) -> Result<Tensor> {
    ffi::round(x, decimals)
}

/// Floats as 8-bit ones (4 bits of exponent, 3 of fraction), whose bits are a uint8 tensor; [`from_fp8`] turns back.
///
/// float64 goes through float32.
///
/// # Errors
/// Other dtypes than floats.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::to_fp8;
/// assert_eq!(to_fp8(&tensor![1.0, -1.0])?.to_vec::<u8>()?, [56, 184]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.to_fp8")]
#[track_caller]
pub fn to_fp8(x: &Tensor) -> Result<Tensor> {
    ffi::to_fp8(x)
}

/// The floats that 8-bit ones stand for, whose bits are a uint8 tensor from [`to_fp8`].
///
/// float64 comes through float32.
///
/// # Errors
/// A tensor other than uint8; a dtype that is no float.
///
/// ```
/// # use mlx_core::{Dtype, tensor};
/// # use mlx_ops::{NumericOps, from_fp8};
/// let bits = tensor![1.0, -2.5].to_fp8();
/// assert_eq!(from_fp8(&bits, Dtype::Float32)?.to_vec::<f32>()?, [1.0, -2.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.from_fp8")]
#[track_caller]
pub fn from_fp8(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    ffi::from_fp8(x, dtype)
}

/// The same elements in row-major order in memory; nothing is copied where they lie so already.
///
/// # Errors
/// What MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{ShapingOps, contiguous};
/// let x = contiguous(&tensor![[1, 2], [3, 4]].transpose(..))?;
/// assert_eq!(x.as_slice::<i32>()?.to_vec(), [1, 3, 2, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.contiguous")]
#[track_caller]
pub fn contiguous(x: &Tensor) -> Result<Tensor> {
    ffi::contiguous(x, false)
}

/// [`contiguous`] that leaves column-major order alone, too.
///
/// # Errors
/// What MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{ShapingOps, contiguous_in_any_order};
/// let x = contiguous_in_any_order(&tensor![[1, 2], [3, 4]].transpose(..))?;
/// assert_eq!(x.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn contiguous_in_any_order(x: &Tensor) -> Result<Tensor> {
    ffi::contiguous(x, true)
}

/// A node of its own with the same elements; they share memory, nothing is copied.
///
/// # Errors
/// What MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::copy(&tensor![1, 2])?.to_vec::<i32>()?, [1, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn copy(x: &Tensor) -> Result<Tensor> {
    ffi::COPY.call(x)
}

/// The inputs, computed only behind the dependencies.
///
/// # Errors
/// No inputs at all.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::depends;
/// let behind = depends(&[tensor![1], tensor![2]], &[tensor![3]])?;
/// assert_eq!(behind[1].to_vec::<i32>()?, [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.depends")]
#[track_caller]
pub fn depends(inputs: &[Tensor], dependencies: &[Tensor]) -> Result<Vec<Tensor>> {
    if inputs.is_empty() {
        // MLX takes the stream of the first.
        return Err(Error::new(ErrorKind::Value, "depends", "[depends] At least one input is required."));
    }
    ffi::depends(inputs, dependencies)
}

/// Ops with numbers of their own, as methods.
///
/// Each method panics at the caller's line where the free function of its name returns an error.
pub trait NumericOps {
    /// See [`nan_to_num`](fn@nan_to_num).
    #[must_use]
    fn nan_to_num(&self, replacements: Replacements) -> Tensor;

    /// See [`divmod`](fn@divmod).
    #[must_use]
    fn divmod(&self, other: impl Operand) -> (Tensor, Tensor);

    /// See [`round`](fn@round).
    #[must_use]
    fn round(&self, decimals: i32) -> Tensor;

    /// See [`to_fp8`](fn@to_fp8).
    #[must_use]
    fn to_fp8(&self) -> Tensor;

    /// See [`from_fp8`](fn@from_fp8).
    #[must_use]
    #[allow(clippy::wrong_self_convention, reason = "Python's name")]
    fn from_fp8(&self, dtype: Dtype) -> Tensor;

    /// See [`contiguous`](fn@contiguous).
    #[must_use]
    fn contiguous(&self) -> Tensor;

    /// See [`copy`](fn@copy).
    #[must_use]
    fn copy(&self) -> Tensor;
}

impl NumericOps for Tensor {
    #[track_caller]
    fn nan_to_num(&self, replacements: Replacements) -> Tensor {
        or_panic(nan_to_num(self, replacements))
    }

    #[track_caller]
    fn divmod(&self, other: impl Operand) -> (Tensor, Tensor) {
        or_panic(divmod(self, other))
    }

    #[track_caller]
    fn round(&self, decimals: i32) -> Tensor {
        or_panic(round(self, decimals))
    }

    #[track_caller]
    fn to_fp8(&self) -> Tensor {
        or_panic(to_fp8(self))
    }

    #[track_caller]
    fn from_fp8(&self, dtype: Dtype) -> Tensor {
        or_panic(from_fp8(self, dtype))
    }

    #[track_caller]
    fn contiguous(&self) -> Tensor {
        or_panic(contiguous(self))
    }

    #[track_caller]
    fn copy(&self) -> Tensor {
        or_panic(copy(self))
    }
}
