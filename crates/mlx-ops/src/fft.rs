//! Fourier transforms: `mlx.core.fft`. Results are complex64, or float32 of the `irfft` ones.
//!
//! ```
//! # use mlx_core::tensor;
//! use mlx_ops::fft::{self, Fft, Norm};
//! let x = tensor![1.0, 0.0, 0.0, 0.0];
//! let spectrum = fft::rfft(&x, -1)?;
//! assert_eq!(spectrum.shape(), [3]);
//! let padded = fft::fft(&x, Fft::over(-1).n(8).norm(Norm::Ortho))?;
//! assert_eq!(padded.shape(), [8]);
//! # Ok::<(), mlx_core::Error>(())
//! ```

use mlx_core::{Error, ErrorKind, IntoAxes, IntoShape, Result, Shape, Tensor, ffi::fft as raw};

/// Which of the two directions divides by the number of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Norm {
    /// The inverse does.
    #[default]
    Backward,
    /// Both do, by its square root.
    Ortho,
    /// The forward one does.
    Forward,
}

impl Norm {
    fn raw(self) -> raw::Norm {
        match self {
            Norm::Backward => raw::Norm::Backward,
            Norm::Ortho => raw::Norm::Ortho,
            Norm::Forward => raw::Norm::Forward,
        }
    }
}

/// How a transform over one axis goes; an axis alone stands for the rest at its defaults.
#[derive(Clone, Copy, Debug)]
pub struct Fft {
    axis: i32,
    n: Option<i32>,
    norm: Norm,
}

impl Fft {
    /// Over this axis.
    #[must_use]
    pub fn over(axis: i32) -> Fft {
        Fft { axis, n: None, norm: Norm::Backward }
    }

    /// With so many elements, to which the axis is cut or filled with zeros. Of an `irfft` they are those of the result.
    #[must_use]
    pub fn n(mut self, n: i32) -> Fft {
        self.n = Some(n);
        self
    }

    /// With another division.
    #[must_use]
    pub fn norm(mut self, norm: Norm) -> Fft {
        self.norm = norm;
        self
    }
}

impl From<i32> for Fft {
    fn from(axis: i32) -> Fft {
        Fft::over(axis)
    }
}

/// How a transform over several axes goes; axes alone, `..` for the function's own, stand for the rest at its defaults.
#[derive(Clone, Debug)]
pub struct FftN {
    axes: Option<Vec<i32>>,
    sizes: Option<Shape>,
    norm: Norm,
}

impl FftN {
    /// Over these axes; `..` is all of them, in the functions of two dimensions the last two.
    #[must_use]
    pub fn over(axes: impl IntoAxes) -> FftN {
        let axes = axes.into_axes().list().map(<[i32]>::to_vec);
        FftN { axes, sizes: None, norm: Norm::Backward }
    }

    /// With so many elements along each axis, to which it is cut or filled with zeros.
    ///
    /// # Errors
    /// A size beyond `i32`.
    pub fn sizes(mut self, sizes: impl IntoShape) -> Result<FftN> {
        self.sizes = Some(sizes.into_shape()?);
        Ok(self)
    }

    /// With another division.
    #[must_use]
    pub fn norm(mut self, norm: Norm) -> FftN {
        self.norm = norm;
        self
    }
}

macro_rules! from_axes {
    ($([$($generics:tt)*] $type:ty),*) => {
        $(impl<$($generics)*> From<$type> for FftN {
            fn from(axes: $type) -> FftN {
                FftN::over(axes)
            }
        })*
    };
}

from_axes!([] std::ops::RangeFull, [] i32, [const N: usize] [i32; N], [] &[i32], [] Vec<i32>);

/// The axes that `..` stands for.
#[derive(Clone, Copy)]
enum Over {
    All,
    LastTwo,
}

/// Whether the result is real, so that its last axis is not as long as the coefficients'.
#[derive(Clone, Copy, PartialEq)]
enum Real {
    No,
    Made,
}

/// The size of an axis as it is; of what a real inverse makes, the even size that gives so many coefficients.
fn size_along(op: &'static str, x: &Tensor, axis: i32, real: Real) -> Result<i32> {
    let sizes = x.shape();
    let ndim = sizes.len();
    let at = if axis < 0 { i64::from(axis) + ndim as i64 } else { axis.into() };
    let refuse = |message: String| Error::new(ErrorKind::Shape, op, message).with_operands(&[x.into()]);
    let size = usize::try_from(at).ok().and_then(|at| sizes.get(at)).copied();
    let size = size.ok_or_else(|| refuse(format!("[{op}] Axis {axis} is not one of {ndim} dimensions.")))?;
    if real == Real::No {
        return Ok(size);
    }
    let even = (size - 1).checked_mul(2);
    even.ok_or_else(|| refuse(format!("[{op}] {size} coefficients make more elements than i32 counts.")))
}

#[track_caller]
fn one(op: &'static str, x: &Tensor, how: &Fft, symbol: raw::Along, real: Real) -> Result<Tensor> {
    let n = how.n.map_or_else(|| size_along(op, x, how.axis, real), Ok)?;
    symbol.call(op, x, n, how.axis, how.norm.raw())
}

#[track_caller]
fn several(
    op: &'static str,
    x: &Tensor,
    how: &FftN,
    default: Over,
    symbol: raw::Transform,
    real: Real,
) -> Result<Tensor> {
    let axes = match (&how.axes, default) {
        (Some(axes), _) => axes.clone(),
        (None, Over::LastTwo) => vec![-2, -1],
        (None, Over::All) if how.sizes.is_some() => {
            // As Python says it.
            let message = format!("[{op}] `axes` should not be `None` if `s` is not `None`.");
            return Err(Error::new(ErrorKind::Shape, op, message).with_operands(&[x.into()]));
        }
        (None, Over::All) => (0..x.ndim() as i32).collect(),
    };
    let sizes = if let Some(sizes) = &how.sizes {
        sizes.clone()
    } else {
        let last = axes.len().wrapping_sub(1);
        let size = |(i, &axis)| size_along(op, x, axis, if i == last { real } else { Real::No });
        axes.iter().enumerate().map(size).collect::<Result<_>>()?
    };
    symbol.call(op, x, &sizes, &axes, how.norm.raw())
}

/// A transform over one axis, and those over two and over all.
macro_rules! transforms {
    ($($(#[$doc:meta])* $name:ident $alias:literal = $call:ident($options:ident $(, $default:ident)?), $symbol:ident $real:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// An axis out of range or named twice, a size below 1, a 0-d tensor; a GPU on which MLX has no transforms.
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(x: &Tensor, how: impl Into<$options>) -> Result<Tensor> {
            $call(stringify!($name), x, &how.into(), $(Over::$default,)? raw::$symbol, Real::$real)
        })*
    };
}

transforms! {
    /// The discrete Fourier transform over one axis: `-1`, or [`Fft`] with more.
    ///
    /// ```
    /// # use mlx_core::{Complex32, tensor};
    /// # use mlx_ops::fft::fft;
    /// let spectrum = fft(&tensor![1.0, 3.0], -1)?.to_vec::<Complex32>()?;
    /// assert_eq!(spectrum, [Complex32::new(4.0, 0.0), Complex32::new(-2.0, 0.0)]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fft "mx.fft.fft" = one(Fft), FFT No;

    /// The inverse of [`fft`].
    ///
    /// ```
    /// # use mlx_core::{Complex32, tensor};
    /// # use mlx_ops::fft::ifft;
    /// let values = ifft(&tensor![4.0, -2.0], -1)?.to_vec::<Complex32>()?;
    /// assert_eq!(values, [Complex32::new(1.0, 0.0), Complex32::new(3.0, 0.0)]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ifft "mx.fft.ifft" = one(Fft), IFFT No;

    /// [`fft`] of real numbers: of n elements the n / 2 + 1 coefficients that the others follow from. Of complex ones
    /// the imaginary parts are dropped.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::fft::rfft;
    /// assert_eq!(rfft(&tensor![1.0, 3.0, 0.0, 0.0], -1)?.shape(), [3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    rfft "mx.fft.rfft" = one(Fft), RFFT No;

    /// The inverse of [`rfft`]: float32, of an even number of elements unless [`Fft::n`] says otherwise.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::fft::irfft;
    /// assert_eq!(irfft(&tensor![4.0, -2.0], -1)?.to_vec::<f32>()?, [1.0, 3.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    irfft "mx.fft.irfft" = one(Fft), IRFFT Made;

    /// The transform over the last two axes (`..`), over others, or as [`FftN`] says.
    ///
    /// ```
    /// # use mlx_ops::fft::{FftN, fft2};
    /// let x = mlx_core::Tensor::from_shape_slice([1, 2, 2], &[1.0_f32; 4])?;
    /// assert_eq!(fft2(&x, FftN::over(..).sizes([3, 3])?)?.shape(), [1, 3, 3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fft2 "mx.fft.fft2" = several(FftN, LastTwo), FFTN No;

    /// The inverse of [`fft2`].
    ///
    /// ```
    /// # use mlx_ops::fft::ifft2;
    /// let x = mlx_core::Tensor::from_shape_slice([2, 2], &[1.0_f32; 4])?;
    /// assert_eq!(ifft2(&x, ..)?.shape(), [2, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ifft2 "mx.fft.ifft2" = several(FftN, LastTwo), IFFTN No;

    /// [`fft2`] of real numbers, whose last axis of the two keeps n / 2 + 1 coefficients.
    ///
    /// ```
    /// # use mlx_ops::fft::rfft2;
    /// let x = mlx_core::Tensor::from_shape_slice([1, 4], &[1.0_f32; 4])?;
    /// assert_eq!(rfft2(&x, ..)?.shape(), [1, 3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    rfft2 "mx.fft.rfft2" = several(FftN, LastTwo), RFFTN No;

    /// The inverse of [`rfft2`].
    ///
    /// ```
    /// # use mlx_ops::fft::irfft2;
    /// let x = mlx_core::Tensor::from_shape_slice([1, 3], &[1.0_f32; 3])?;
    /// assert_eq!(irfft2(&x, ..)?.shape(), [1, 4]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    irfft2 "mx.fft.irfft2" = several(FftN, LastTwo), IRFFTN Made;

    /// The transform over all axes (`..`), over some, or as [`FftN`] says.
    ///
    /// ```
    /// # use mlx_ops::fft::{FftN, fftn};
    /// let x = mlx_core::Tensor::from_shape_slice([1, 2, 2], &[1.0_f32; 4])?;
    /// assert_eq!(fftn(&x, FftN::over([0, 1]).sizes([3, 3])?)?.shape(), [3, 3, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fftn "mx.fft.fftn" = several(FftN, All), FFTN No;

    /// The inverse of [`fftn`](fn@fftn).
    ///
    /// ```
    /// # use mlx_ops::fft::ifftn;
    /// let x = mlx_core::Tensor::from_shape_slice([2, 2], &[1.0_f32; 4])?;
    /// assert_eq!(ifftn(&x, [0])?.shape(), [2, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ifftn "mx.fft.ifftn" = several(FftN, All), IFFTN No;

    /// [`fftn`](fn@fftn) of real numbers, whose last named axis keeps n / 2 + 1 coefficients.
    ///
    /// ```
    /// # use mlx_ops::fft::rfftn;
    /// let x = mlx_core::Tensor::from_shape_slice([2, 4], &[1.0_f32; 8])?;
    /// assert_eq!(rfftn(&x, ..)?.shape(), [2, 3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    rfftn "mx.fft.rfftn" = several(FftN, All), RFFTN No;

    /// The inverse of [`rfftn`](fn@rfftn).
    ///
    /// ```
    /// # use mlx_ops::fft::irfftn;
    /// let x = mlx_core::Tensor::from_shape_slice([2, 3], &[1.0_f32; 6])?;
    /// assert_eq!(irfftn(&x, ..)?.shape(), [2, 4]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    irfftn "mx.fft.irfftn" = several(FftN, All), IRFFTN Made;
}

/// `axes`, `..` for all, rolled so that the coefficient of frequency 0 comes to the middle.
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::fft::fftshift;
/// assert_eq!(fftshift(&tensor![0, 1, 2, 3, 4], ..)?.to_vec::<i32>()?, [3, 4, 0, 1, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fft.fftshift")]
#[track_caller]
pub fn fftshift(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    raw::fftshift(x, &listed(x, axes))
}

/// The inverse of [`fftshift`].
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::fft::ifftshift;
/// assert_eq!(ifftshift(&tensor![3, 4, 0, 1, 2], ..)?.to_vec::<i32>()?, [0, 1, 2, 3, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fft.ifftshift")]
#[track_caller]
pub fn ifftshift(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    raw::ifftshift(x, &listed(x, axes))
}

fn listed(x: &Tensor, axes: impl IntoAxes) -> Vec<i32> {
    axes.into_axes().list().map_or_else(|| (0..x.ndim() as i32).collect(), <[i32]>::to_vec)
}

/// The frequencies of the coefficients of [`fft`](fn@fft) over `n` samples at a distance of `d`, as float32.
///
/// # Errors
/// `n` below 1; `d` of 0.
///
/// ```
/// assert_eq!(mlx_ops::fft::fftfreq(4, 1.0)?.to_vec::<f32>()?, [0.0, 0.25, -0.5, -0.25]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fft.fftfreq")]
pub fn fftfreq(n: i32, d: f64) -> Result<Tensor> {
    raw::fftfreq(n, d)
}

/// The frequencies of the coefficients of [`rfft`] over `n` samples at a distance of `d`, as float32.
///
/// # Errors
/// `n` below 1; `d` of 0.
///
/// ```
/// assert_eq!(mlx_ops::fft::rfftfreq(4, 1.0)?.to_vec::<f32>()?, [0.0, 0.25, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fft.rfftfreq")]
pub fn rfftfreq(n: i32, d: f64) -> Result<Tensor> {
    raw::rfftfreq(n, d)
}
