//! The guard of positions that data decide: index tensors, and the starts of dynamic slices. MLX follows each wherever it
//! leads: it reads and writes foreign memory.
//!
//! Values the host can read are checked, and a bad one is an error; the graph stays Python's. Lazy ones get guard nodes
//! that limit them: an index below its axis becomes the first position and one beyond it the last, a start goes to where
//! its slice still fits.

use crate::{
    Dtype, Element, Error, ErrorKind, OperandRef, Result, Scalar, Shape, Tensor,
    ffi::{self, view::View},
    read::for_each_offset,
};
use std::borrow::Cow;

/// `index` as positions of `axis`, which has `size` of them: from `-size`, which MLX counts from the end, to `size - 1`.
///
/// What is no tensor of integers stays as it is, for MLX to refuse.
#[track_caller]
pub(crate) fn positions<'a>(
    op: &'static str,
    index: &'a Tensor,
    axis: usize,
    size: i64,
) -> Result<Cow<'a, Tensor>> {
    if super::is_off() || ffi::view::are_positions(index, size)? {
        Ok(Cow::Borrowed(index))
    } else {
        checked(op, index, axis, size)
    }
}

/// [`positions`] of what is not seen to be good at once.
#[inline(never)]
#[track_caller]
fn checked<'a>(op: &'static str, index: &'a Tensor, axis: usize, size: i64) -> Result<Cow<'a, Tensor>> {
    let Some(range) = guarded_range(index) else { return Ok(Cow::Borrowed(index)) };
    if size == 0 {
        let message = format!("[{op}] Cannot do a non-empty take from an empty axis.");
        return Err(Error::new(ErrorKind::Index, op, message).with_operands(&[index.into()]));
    }
    let (low, high) = (-size, size - 1);
    let value = match seen(index, Good::Between(low.max(range.0), high.min(range.1)))? {
        Seen::Good => return Ok(Cow::Borrowed(index)),
        Seen::Later => return limited(index, (low > range.0).then_some(low), high, range),
        Seen::Bad { value, .. } => value,
    };
    let message = format!("index {value} is out of bounds for axis {axis} with size {size}");
    Err(Error::new(ErrorKind::Index, op, message).with_operands(&[index.into()]))
}

/// `start` as where slices begin: from 0 to the last place, one an axis, from which the slice stays inside.
#[track_caller]
pub(crate) fn starts<'a>(op: &'static str, start: &'a Tensor, last: &[i64]) -> Result<Cow<'a, Tensor>> {
    let Some(range) = guarded_range(start) else { return Ok(Cow::Borrowed(start)) };
    let low = (range.0 < 0).then_some(0);
    let (place, value) = match (seen(start, Good::UpTo(last))?, last) {
        (Seen::Good, _) => return Ok(Cow::Borrowed(start)),
        (Seen::Later, [last]) => return limited(start, low, *last, range),
        (Seen::Later, _) => return limited_each(start, low, last, range),
        (Seen::Bad { place, value }, _) => (place, value),
    };
    let message = format!("start {value} is out of bounds: the slice fits from 0 to {}", last[place]);
    Err(Error::new(ErrorKind::Index, op, message).with_operands(&[start.into()]))
}

/// The least and the greatest value of the tensor's dtype; none for what needs no guard.
fn guarded_range(index: &Tensor) -> Option<(i64, i64)> {
    if super::is_off() || index.size() == 0 {
        return None;
    }
    Some(match index.dtype() {
        Dtype::Uint8 => (0, u8::MAX.into()),
        Dtype::Uint16 => (0, u16::MAX.into()),
        Dtype::Uint32 => (0, u32::MAX.into()),
        // Beyond i64 there are no positions.
        Dtype::Uint64 => (0, i64::MAX),
        Dtype::Int8 => (i8::MIN.into(), i8::MAX.into()),
        Dtype::Int16 => (i16::MIN.into(), i16::MAX.into()),
        Dtype::Int32 => (i32::MIN.into(), i32::MAX.into()),
        Dtype::Int64 => (i64::MIN, i64::MAX),
        _ => return None,
    })
}

/// `index` between nodes that limit it; a limit that its dtype cannot pass needs none.
fn limited(index: &Tensor, low: Option<i64>, high: i64, range: (i64, i64)) -> Result<Cow<'_, Tensor>> {
    let constant = |value| OperandRef::Scalar(Scalar::Int(value));
    let mut result = Cow::Borrowed(index);
    if let Some(low) = low {
        result = Cow::Owned(ffi::MAXIMUM.call((&*result).into(), constant(low))?);
    }
    if high < range.1 {
        result = Cow::Owned(ffi::MINIMUM.call((&*result).into(), constant(high))?);
    }
    Ok(result)
}

/// [`limited`] by another limit for each value.
fn limited_each<'a>(
    index: &'a Tensor,
    low: Option<i64>,
    high: &[i64],
    range: (i64, i64),
) -> Result<Cow<'a, Tensor>> {
    let high: Vec<i64> = high.iter().map(|&high| high.min(range.1)).collect();
    let high = ffi::astype(&Tensor::from_slice(&high)?, index.dtype())?;
    let result = limited(index, low, i64::MAX, range)?;
    ffi::MINIMUM.call((&*result).into(), (&high).into()).map(Cow::Owned)
}

/// What there is to see of an index.
pub(super) enum Seen {
    /// Every value is good.
    Good,
    /// The first one that is not, and its place in row-major order.
    Bad { place: usize, value: i64 },
    /// The values are not there yet.
    Later,
}

/// Which values are good.
#[derive(Clone, Copy)]
pub(super) enum Good<'a> {
    /// Those between two of the dtype, inclusive. What a broadcast repeats is looked at once, however often that is.
    Between(i64, i64),
    /// Those from 0 to another one for each place.
    UpTo(&'a [i64]),
}

impl Good<'_> {
    fn takes(self, place: usize, value: i64) -> bool {
        match self {
            Good::Between(low, high) => (low..=high).contains(&value),
            Good::UpTo(last) => (0..=last[place]).contains(&value),
        }
    }
}

/// Looks at the values for one that is not `good`.
pub(super) fn seen(index: &Tensor, good: Good<'_>) -> Result<Seen> {
    let Some(view) = ffi::view::if_readable(index)? else { return Ok(Seen::Later) };
    let bad = with_integer!(
        index.dtype(),
        search(&view, good),
        |value| i64::try_from(value).unwrap_or(i64::MAX),
        unreachable!("the caller has seen that these are integers")
    );
    Ok(bad.map_or(Seen::Good, |(place, value)| Seen::Bad { place, value }))
}

fn search<T: Element + Ord + TryFrom<i64>>(
    view: &View<'_>,
    good: Good<'_>,
    wide: impl Fn(T) -> i64,
) -> Option<(usize, i64)> {
    if let Some(bytes) = view.in_order() {
        let values = || bytes.chunks_exact(size_of::<T>()).map(T::from_bytes);
        // At their own width and without an early end the loop looks at many values at a time.
        if let Good::Between(low, high) = good
            && let (Ok(low), Ok(high)) = (T::try_from(low), T::try_from(high))
            && values().fold(true, |all, value| all & (low..=high).contains(&value))
        {
            return None;
        }
        return values().map(wide).enumerate().find(|&(place, value)| !good.takes(place, value));
    }
    let mut sizes = Shape::from_slice(view.sizes());
    if let Good::Between(..) = good {
        let repeated = sizes.iter_mut().zip(view.strides()).filter(|(_, stride)| **stride == 0);
        repeated.for_each(|(size, _)| *size = 1);
    }
    let (mut found, mut place) = (None, 0);
    for_each_offset(&sizes, view.strides(), |offset| {
        let value = wide(T::from_bytes(view.element(offset)));
        if found.is_none() && !good.takes(place, value) {
            found = Some((place, value));
        }
        place += 1;
    });
    found
}
