//! Numbers in even steps, and the windows over them: arange, linspace, hamming, hanning, blackman, bartlett.

use mlx_core::{Dtype, Error, ErrorKind, IntoScalar, Result, Scalar, Tensor, ffi, promote_types};

/// `start`, `start + step`, … below `stop` (above it for a negative step); int32 for integers, float32 where one of
/// the three is a float.
///
/// # Errors
/// Bools; a step of 0; NaN or infinity; more values than `i32` counts.
///
/// ```
/// # use mlx_ops::arange;
/// assert_eq!(arange(0, 6, 2)?.to_vec::<i32>()?, [0, 2, 4]);
/// assert_eq!(arange(1.0, 0.0, -0.5)?.to_vec::<f32>()?, [1.0, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.arange")]
pub fn arange(start: impl IntoScalar, stop: impl IntoScalar, step: impl IntoScalar) -> Result<Tensor> {
    let scalars = [start.into_scalar(), stop.into_scalar(), step.into_scalar()];
    let [start, stop, step] = scalars.map(|scalar| scalar.dtype_alone("arange"));
    let (start, stop, step) = (start?, stop?, step?);
    range(scalars, promote_types(start, promote_types(step, stop)))
}

/// [`arange`] with values of `dtype`.
///
/// # Errors
/// As [`arange`].
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::arange_dtype;
/// assert_eq!(arange_dtype(0, 2, 1, Dtype::Uint8)?.to_vec::<u8>()?, [0, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn arange_dtype(
    start: impl IntoScalar,
    stop: impl IntoScalar,
    step: impl IntoScalar,
    dtype: Dtype,
) -> Result<Tensor> {
    range([start.into_scalar(), stop.into_scalar(), step.into_scalar()], dtype)
}

fn range(scalars: [Scalar; 3], dtype: Dtype) -> Result<Tensor> {
    let [start, stop, step] = scalars.map(|scalar| as_f64("arange", scalar));
    ffi::arange(start?, stop?, step?, dtype)
}

fn as_f64(op: &'static str, scalar: Scalar) -> Result<f64> {
    match scalar {
        Scalar::Bool(value) => Ok(u8::from(value).into()),
        Scalar::Int(value) => Ok(value as f64),
        Scalar::Float(value) => Ok(value),
        other => Err(Error::new(ErrorKind::Value, op, format!("{other} is not a real number"))),
    }
}

/// The last value and the dtype of linspace.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::{Linspace, linspace_with};
/// let how = Linspace::new().open().dtype(Dtype::Float16);
/// assert_eq!(linspace_with(0, 1, 4, how)?.dtype(), Dtype::Float16);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linspace {
    /// Whether the last value is `stop` itself.
    pub endpoint: bool,
    /// The dtype of the values.
    pub dtype: Dtype,
}

impl Default for Linspace {
    fn default() -> Linspace {
        Linspace { endpoint: true, dtype: Dtype::Float32 }
    }
}

impl Linspace {
    /// Up to and with `stop`, as float32.
    #[must_use]
    pub fn new() -> Linspace {
        Linspace::default()
    }

    /// The last value one step before `stop` (Python's `endpoint=False`).
    #[must_use]
    pub fn open(mut self) -> Linspace {
        self.endpoint = false;
        self
    }

    /// Values of `dtype`.
    #[must_use]
    pub fn dtype(mut self, dtype: Dtype) -> Linspace {
        self.dtype = dtype;
        self
    }
}

/// `number` values in even steps from `start` to `stop`, as float32.
///
/// # Errors
/// A negative number; complex ends.
///
/// ```
/// assert_eq!(mlx_ops::linspace(0, 1, 3)?.to_vec::<f32>()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.linspace")]
#[track_caller]
pub fn linspace(start: impl IntoScalar, stop: impl IntoScalar, number: i32) -> Result<Tensor> {
    linspace_with(start, stop, number, Linspace::new())
}

/// [`linspace`] of another dtype, or without its last value.
///
/// # Errors
/// As [`linspace`].
///
/// ```
/// # use mlx_ops::{Linspace, linspace_with};
/// assert_eq!(linspace_with(0, 1, 2, Linspace::new().open())?.to_vec::<f32>()?, [0.0, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn linspace_with(
    start: impl IntoScalar,
    stop: impl IntoScalar,
    number: i32,
    how: Linspace,
) -> Result<Tensor> {
    let [start, stop] = [start.into_scalar(), stop.into_scalar()].map(|end| as_f64("linspace", end));
    ffi::linspace(start?, stop?, number, how.endpoint, how.dtype)
}

/// Functions of a length.
macro_rules! windows {
    ($($(#[$doc:meta])* $name:ident $alias:literal = $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// As float32; nothing for a length below 1.
        ///
        /// # Errors
        /// None that is known.
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(length: i32) -> Result<Tensor> {
            ffi::$symbol.call(length)
        })*
    };
}

windows! {
    /// The Bartlett window: a triangle.
    ///
    /// ```
    /// assert_eq!(mlx_ops::bartlett(3)?.to_vec::<f32>()?, [0.0, 1.0, 0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    bartlett "mx.bartlett" = BARTLETT;

    /// The Blackman window, of three cosines.
    ///
    /// ```
    /// assert_eq!(mlx_ops::blackman(1)?.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    blackman "mx.blackman" = BLACKMAN;

    /// The Hamming window: a cosine on a step.
    ///
    /// ```
    /// assert_eq!(mlx_ops::hamming(1)?.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    hamming "mx.hamming" = HAMMING;

    /// The Hann window: a cosine down to zero.
    ///
    /// ```
    /// assert_eq!(mlx_ops::hanning(1)?.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    hanning "mx.hanning" = HANNING;
}
