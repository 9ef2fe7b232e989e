//! Reading where items of a tuple are tensors: one gather up to the last tensor or integer, the rest for a slice.

use super::items::{Index, Slice, wrapped};
use mlx_core::{Dtype, Result, Shape, Tensor, ffi};
use smallvec::SmallVec;
use std::borrow::Cow;

/// What an item of the gather became: the positions along its axis.
enum Positions<'a> {
    /// Of a slice: one dimension.
    Slice(Tensor),
    /// Of a tensor or an integer.
    Tensor(Cow<'a, Tensor>),
}

/// A list of a few.
type Few<T> = SmallVec<[T; 6]>;

/// The gather of `items`, with the items that are left to do on its result; none where those are slices of all, for which
/// MLX adds no node.
#[track_caller]
pub(super) fn gathered<'a>(x: &Tensor, items: &[Index<'a>]) -> Result<(Tensor, Few<Index<'a>>)> {
    let points = |item: &Index<'_>| matches!(item, Index::Tensor(_) | Index::At(_));
    let first = items.iter().position(points).unwrap_or(0);
    let last = items.iter().rposition(points).unwrap_or(0);
    // Where something else stands between them, the dimensions of tensors go in front.
    let in_front = !items[first..=last].iter().all(points);
    let (result, dimensions) = gather(x, &items[..=last], in_front)?;

    let is_whole = |item: &Index<'_>| matches!(item, Index::Slice(slice) if slice.is_full());
    let has_new = items[..last].iter().any(|item| matches!(item, Index::NewAxis));
    let mut rest = Few::new();
    if !has_new && items[last + 1..].iter().all(is_whole) {
        return Ok((result, rest));
    }
    let whole = || Index::Slice(Slice::default());
    let kept = |item: &Index<'a>| match item {
        Index::NewAxis => Some(Index::NewAxis),
        Index::Slice(_) => Some(whole()),
        _ => None,
    };
    if in_front {
        rest.extend((0..dimensions).map(|_| whole()));
        rest.extend(items[..last].iter().filter_map(kept));
    } else {
        rest.extend(items[..first].iter().filter_map(kept));
        rest.extend((0..dimensions).map(|_| whole()));
    }
    rest.extend(items[last + 1..].iter().cloned());
    Ok((result, rest))
}

/// The gather itself, and how many dimensions the tensors among the items have.
#[track_caller]
fn gather(x: &Tensor, items: &[Index<'_>], in_front: bool) -> Result<(Tensor, usize)> {
    let (mut positions, mut dimensions) = (Few::new(), 0);
    let idle = is_idle(x, items)?;
    for item in items {
        let (axis, sizes) = (positions.len(), x.shape());
        positions.push(match item {
            Index::NewAxis => continue,
            Index::Slice(slice) => Positions::Slice(range(*slice, sizes[axis], idle)?),
            Index::At(position) => Positions::Tensor(Cow::Owned(constant(*position, sizes[axis], axis)?)),
            Index::Tensor(tensor) => {
                dimensions = dimensions.max(tensor.ndim());
                Positions::Tensor(if idle {
                    Cow::Borrowed(&**tensor)
                } else {
                    ffi::positions("index", tensor, axis, sizes[axis])?
                })
            }
            Index::Ellipsis | Index::Bool(_) => {
                unreachable!("the ellipsis is expanded and bools are refused")
            }
        });
    }
    let slices = positions.iter().filter(|p| matches!(p, Positions::Slice(_))).count();
    let indices = laid_out(positions, dimensions, slices, in_front)?;
    Ok((ffi::gather(x, &indices)?, dimensions))
}

/// The positions with dimensions of size 1 where those of other items are.
#[track_caller]
fn laid_out(
    positions: Few<Positions<'_>>,
    dimensions: usize,
    slices: usize,
    in_front: bool,
) -> Result<Few<Cow<'_, Tensor>>> {
    let mut done = 0;
    let lay = |positions| match positions {
        Positions::Slice(range) => {
            let mut shape = Shape::from_elem(1, dimensions + slices);
            shape[done + if in_front { dimensions } else { 0 }] = range.shape()[0];
            done += 1;
            ffi::reshape(&range, &shape).map(Cow::Owned)
        }
        Positions::Tensor(tensor) if in_front => {
            let mut shape = Shape::from_slice(tensor.shape());
            shape.extend(std::iter::repeat_n(1, slices));
            ffi::reshape(&tensor, &shape).map(Cow::Owned)
        }
        Positions::Tensor(tensor) => Ok(tensor),
    };
    positions.into_iter().map(lay).collect()
}

/// Whether `items` meet no element at all, so that no position among them can be foreign.
pub(super) fn is_idle(x: &Tensor, items: &[Index<'_>]) -> Result<bool> {
    let taken = items.iter().filter(|item| !matches!(item, Index::NewAxis));
    for (item, size) in taken.zip(x.shape()) {
        match item {
            Index::Slice(slice) if Bounds::of(*slice, *size)?.count() == 0 => return Ok(true),
            Index::Tensor(positions) if positions.size() == 0 => return Ok(true),
            _ => {}
        }
    }
    Ok(x.size() == 0)
}

/// A slice counted from the front of its axis, which it may leave on either side.
pub(super) struct Bounds {
    pub(super) start: i64,
    pub(super) stop: i64,
    pub(super) step: i64,
}

impl Bounds {
    pub(super) fn of(slice: Slice, size: i32) -> Result<Bounds> {
        let [start, stop, step] = slice.raw(size)?.parts();
        // An absent stop before the front, -size - 1, becomes -1.
        let counted = |position: i32| {
            if position < 0 { i64::from(position) + i64::from(size) } else { position.into() }
        };
        Ok(Bounds { start: counted(start), stop: counted(stop), step: step.into() })
    }

    fn within(self, size: i32) -> Bounds {
        let size = i64::from(size);
        let (least, most) = if self.step < 0 { (-1, size - 1) } else { (0, size) };
        Bounds { start: self.start.clamp(least, most), stop: self.stop.clamp(least, most), ..self }
    }

    fn count(&self) -> i64 {
        let (way, step) = if self.step < 0 {
            (self.start - self.stop, -self.step)
        } else {
            (self.stop - self.start, self.step)
        };
        if way > 0 { (way + step - 1) / step } else { 0 }
    }
}

/// More positions than these, where none is looked at, are not written out.
const MOST_IDLE: i64 = 1 << 20;

/// The positions of a slice, as numbers. They end where the axis does, as those of slices alone do; Python's go on, into
/// foreign memory. Where the index is `idle` nothing is there to be read, and they go on as Python's.
#[track_caller]
pub(super) fn range(slice: Slice, size: i32, idle: bool) -> Result<Tensor> {
    let bounds = Bounds::of(slice, size)?;
    let bounds = if idle { bounds } else { bounds.within(size) };
    match i32::try_from(bounds.count()) {
        Ok(count) if idle && i64::from(count) > MOST_IDLE => {
            ffi::broadcast_to(&Tensor::scalar(0, Dtype::Uint32)?, &[count])
        }
        _ => ffi::arange(bounds.start as f64, bounds.stop as f64, bounds.step as f64, Dtype::Uint32),
    }
}

/// An integer as positions.
pub(super) fn constant(position: i64, size: i32, axis: usize) -> Result<Tensor> {
    Tensor::scalar(wrapped(position, size, axis)?, Dtype::Uint32)
}
