//! The guard of data that choose matrices: the indices of `gather_mm` and the segments of `segmented_mm`. MLX follows each
//! wherever it leads, and reads foreign memory.
//!
//! Values the host can read are checked, and a bad one is an error; the graph stays Python's. Others get guard nodes: MLX
//! itself makes them uint32, and they are limited there.

use crate::{Dtype, Element, Error, ErrorKind, OperandRef, Result, Scalar, Tensor, ffi, shape};
use smallvec::SmallVec;
use std::borrow::Cow;

/// `index` as indices of the matrices that a tensor of shape `sizes` holds.
///
/// What is no tensor of integers stays as it is, for MLX to refuse.
#[track_caller]
pub(crate) fn indices<'a>(op: &'static str, index: &'a Tensor, sizes: &[i32]) -> Result<Cow<'a, Tensor>> {
    if super::is_off() || !index.dtype().is_integer() || index.size() == 0 {
        return Ok(Cow::Borrowed(index));
    }
    let count = shape::element_count(&sizes[..sizes.len().saturating_sub(2)]);
    let refuse =
        |message: String| Err(Error::new(ErrorKind::Index, op, message).with_operands(&[index.into()]));
    if count == 0 {
        return refuse("there are no matrices to choose from".into());
    }
    let last = i64::try_from(count - 1).unwrap_or(i64::MAX).min(i32::MAX.into());
    let Some(values) = values(index)? else { return limited(index, last) };
    match values.into_iter().find(|value| !(0..=last).contains(value)) {
        Some(value) => refuse(format!("index {value} is out of bounds for {count} matrices")),
        None => Ok(Cow::Borrowed(index)),
    }
}

/// `segments` as starts and ends along the inner axis of two matrices of shapes `sizes`. Where no start lies before its end
/// MLX reads nothing, wherever they are.
///
/// What MLX refuses by its shapes or dtypes stays as it is.
#[track_caller]
pub(crate) fn segments<'a>(segments: &'a Tensor, sizes: [&[i32]; 2]) -> Result<Cow<'a, Tensor>> {
    let (&[rows, inner], &[inner_too, columns]) = (sizes[0], sizes[1]) else {
        return Ok(Cow::Borrowed(segments));
    };
    let refuse = |kind, message: String| {
        Err(Error::new(kind, "segmented_mm", message).with_operands(&[segments.into()]))
    };
    // MLX does not compare them.
    let inner = inner.min(inner_too);
    if segments.shape().last() != Some(&2) || !segments.dtype().is_integer() {
        return Ok(Cow::Borrowed(segments));
    }
    // MLX counts the elements of the result in 32 bits.
    let count = (segments.size() as i64 / 2).saturating_mul(rows.into()).saturating_mul(columns.into());
    if count > i32::MAX.into() {
        return refuse(ErrorKind::Shape, format!("a result of {count} elements is too large"));
    }
    if super::is_off() || segments.size() == 0 {
        return Ok(Cow::Borrowed(segments));
    }
    let Some(values) = values(segments)? else { return limited(segments, inner.into()) };
    // As MLX has them.
    let bounds: Vec<u32> = values.into_iter().map(|value| value as u32).collect();
    match bounds.chunks_exact(2).find(|pair| pair[0] < pair[1] && pair[1] > inner as u32) {
        Some(pair) => {
            let [start, end] = [pair[0] as i32, pair[1] as i32];
            refuse(
                ErrorKind::Index,
                format!("the segment from {start} to {end} ends beyond the inner size {inner}"),
            )
        }
        None => Ok(Cow::Borrowed(segments)),
    }
}

/// The tensor as uint32, no value beyond `last`.
fn limited(x: &Tensor, last: i64) -> Result<Cow<'_, Tensor>> {
    let x = ffi::astype(x, Dtype::Uint32)?;
    ffi::MINIMUM.call((&x).into(), OperandRef::Scalar(Scalar::Int(last))).map(Cow::Owned)
}

/// Few enough not to ask for memory, mostly.
type Values = SmallVec<[i64; 16]>;

/// The values of integers that lie in order and are there already.
fn values(x: &Tensor) -> Result<Option<Values>> {
    let in_order = ffi::view::if_readable(x)?.and_then(|view| view.in_order());
    // Bits above i64's are of no place, nor of any uint32.
    Ok(in_order.map(|bytes| {
        with_integer!(
            x.dtype(),
            all(bytes),
            |value| value as i64,
            unreachable!("the callers have seen that these are integers")
        )
    }))
}

fn all<T: Element>(bytes: &[u8], wide: impl Fn(T) -> i64) -> Values {
    bytes.chunks_exact(size_of::<T>()).map(|bytes| wide(T::from_bytes(bytes))).collect()
}
