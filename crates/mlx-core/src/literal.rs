//! The `tensor!` literal: nested rows of scalars, with the dtype that Python gives such a list.

use crate::{Complex32, Dtype, Error, ErrorKind, Result, Scalar, Tensor};

const OP: &str = "tensor!";

/// The tensor of a literal's `values` in `shape`.
#[track_caller]
fn literal(shape: &[usize], values: &[Scalar]) -> Tensor {
    crate::or_panic(build(shape, values))
}

/// A literal of one row; `LEN` is known where it is empty, too.
///
/// # Panics
/// An integer beyond 64 bits with a sign.
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn literal_1<const LEN: usize>(values: [Scalar; LEN]) -> Tensor {
    literal(&[LEN], &values)
}

/// A literal of rows.
///
/// # Panics
/// As [`literal_1`].
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn literal_2<const ROWS: usize, const LEN: usize>(values: [[Scalar; LEN]; ROWS]) -> Tensor {
    literal(&[ROWS, LEN], values.as_flattened())
}

/// A literal of rows of rows.
///
/// # Panics
/// As [`literal_1`].
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn literal_3<const BLOCKS: usize, const ROWS: usize, const LEN: usize>(
    values: [[[Scalar; LEN]; ROWS]; BLOCKS],
) -> Tensor {
    literal(&[BLOCKS, ROWS, LEN], values.as_flattened().as_flattened())
}

fn build(shape: &[usize], values: &[Scalar]) -> Result<Tensor> {
    if values.iter().any(|value| matches!(value, Scalar::IntOutOfRange)) {
        // Python's own words, from the cast that fails there.
        return Err(Error::new(ErrorKind::Value, OP, "std::bad_cast"));
    }
    match values.iter().map(|&value| dtype(value)).max_by_key(|&dtype| rank(dtype)) {
        Some(Dtype::Bool) => each(shape, values, truth),
        Some(Dtype::Int32) => each(shape, values, |value| integer(value) as i32),
        Some(Dtype::Int64) => each(shape, values, integer),
        Some(Dtype::Complex64) => each(shape, values, complex),
        // Nothing at all makes float32 as well.
        _ => each(shape, values, |value| float(value) as f32),
    }
}

fn each<T: crate::Element>(
    shape: &[usize],
    values: &[Scalar],
    convert: impl Fn(Scalar) -> T,
) -> Result<Tensor> {
    let values: Vec<T> = values.iter().map(|&value| convert(value)).collect();
    Tensor::from_shape_slice(shape, &values)
}

/// The dtype that a list of this value alone would have.
fn dtype(value: Scalar) -> Dtype {
    match value {
        Scalar::Bool(_) => Dtype::Bool,
        Scalar::Int(value) if i32::try_from(value).is_ok() => Dtype::Int32,
        Scalar::Int(_) | Scalar::IntOutOfRange => Dtype::Int64,
        Scalar::Float(_) => Dtype::Float32,
        Scalar::Complex(_) => Dtype::Complex64,
    }
}

/// Which dtype a mixed list has: the later one here.
fn rank(dtype: Dtype) -> usize {
    [Dtype::Bool, Dtype::Int32, Dtype::Int64, Dtype::Float32, Dtype::Complex64]
        .iter()
        .position(|&known| known == dtype)
        .unwrap_or_default()
}

fn truth(value: Scalar) -> bool {
    matches!(value, Scalar::Bool(true))
}

fn integer(value: Scalar) -> i64 {
    match value {
        Scalar::Int(value) => value,
        other => i64::from(truth(other)),
    }
}

/// Integers become `f64` first, so that long ones are rounded twice, as Python's are.
fn float(value: Scalar) -> f64 {
    match value {
        Scalar::Float(value) => value,
        other => integer(other) as f64,
    }
}

fn complex(value: Scalar) -> Complex32 {
    match value {
        Scalar::Complex(value) => value,
        other => Complex32::new(float(other) as f32, 0.0),
    }
}

/// A tensor from literals, nested up to three levels, with the dtype Python gives such a list: a complex number makes
/// it complex64, else a float float32, else an integer int32 (int64 where one needs it), else it is bool; nothing at
/// all is float32.
///
/// Elements are any [`IntoScalar`](crate::IntoScalar) values, kinds mixed. Rows of different lengths do not compile:
///
/// ```compile_fail
/// let ragged = mlx_core::tensor![[1, 2], [3]];
/// ```
///
/// # Panics
/// An integer beyond 64 bits with a sign, as in Python.
///
/// ```
/// use mlx_core::{Dtype, tensor};
/// assert_eq!(tensor![1.0, 2.0].dtype(), Dtype::Float32);
/// assert_eq!(tensor![1, 2, 3].shape(), [3]);
/// assert_eq!(tensor![true].dtype(), Dtype::Bool);
/// let x = tensor![[1, 2.5], [3, 4]];
/// assert_eq!((x.dtype(), x.shape()), (Dtype::Float32, &[2, 2][..]));
/// assert_eq!(tensor![[[1], [2]], [[3], [4]], [[5], [6]]].shape(), [3, 2, 1]);
/// assert_eq!(tensor![[], []].shape(), [2, 0]);
/// ```
#[macro_export]
macro_rules! tensor {
    ($([$([$($value:expr),* $(,)?]),+ $(,)?]),+ $(,)?) => {{
        let values = [$([$([$($crate::IntoScalar::into_scalar($value)),*]),+]),+];
        $crate::literal_3(values)
    }};
    ($([$($value:expr),* $(,)?]),+ $(,)?) => {{
        let values = [$([$($crate::IntoScalar::into_scalar($value)),*]),+];
        $crate::literal_2(values)
    }};
    ($($value:expr),* $(,)?) => {{
        let values = [$($crate::IntoScalar::into_scalar($value)),*];
        $crate::literal_1(values)
    }};
}
