//! Reading where items of a tuple are tensors: one gather up to the last tensor or integer, the rest for a slice.

use super::items::{Index, Slice, wrapped};
use mlx_core::{Dtype, Result, Shape, Tensor, ffi};

/// What an item of the gather became: the positions along its axis.
enum Positions {
    /// Of a slice: one dimension.
    Slice(Tensor),
    /// Of a tensor or an integer.
    Tensor(Tensor),
}

/// The gather of `items`, with the items that are left to do on its result.
#[track_caller]
pub(super) fn gathered(x: &Tensor, items: &[Index]) -> Result<(Tensor, Vec<Index>)> {
    let points = |item: &Index| matches!(item, Index::Tensor(_) | Index::At(_));
    let first = items.iter().position(points).unwrap_or(0);
    let last = items.iter().rposition(points).unwrap_or(0);
    // Where something else stands between them, the dimensions of tensors go in front.
    let in_front = !items[first..=last].iter().all(points);
    let (result, dimensions) = gather(x, &items[..=last], in_front)?;

    let whole = || Index::Slice(Slice::default());
    let kept = |item: &Index| match item {
        Index::NewAxis => Some(Index::NewAxis),
        Index::Slice(_) => Some(whole()),
        _ => None,
    };
    let mut rest = Vec::new();
    if in_front {
        rest.extend((0..dimensions).map(|_| whole()));
        rest.extend(items[..last].iter().filter_map(kept));
    } else {
        rest.extend(items[..first].iter().filter_map(kept));
        rest.extend((0..dimensions).map(|_| whole()));
    }
    rest.extend_from_slice(&items[last + 1..]);
    Ok((result, rest))
}

/// The gather itself, and how many dimensions the tensors among the items have.
#[track_caller]
fn gather(x: &Tensor, items: &[Index], in_front: bool) -> Result<(Tensor, usize)> {
    let (mut positions, mut dimensions) = (Vec::new(), 0);
    for item in items {
        let (axis, sizes) = (positions.len(), x.shape());
        positions.push(match item {
            Index::NewAxis => continue,
            Index::Slice(slice) => Positions::Slice(range(*slice, sizes[axis])?),
            Index::At(position) => Positions::Tensor(constant(*position, sizes[axis], axis)?),
            Index::Tensor(tensor) => {
                dimensions = dimensions.max(tensor.ndim());
                Positions::Tensor(ffi::positions("index", tensor, axis, sizes[axis])?.into_owned())
            }
            Index::Ellipsis | Index::Bool(_) => {
                unreachable!("the ellipsis is expanded and bools are refused")
            }
        });
    }
    let slices = positions.iter().filter(|p| matches!(p, Positions::Slice(_))).count();
    let taken = positions.len();
    let indices = laid_out(positions, dimensions, slices, in_front)?;

    let axes: Vec<i32> = (0..taken as i32).collect();
    let mut sizes = Shape::from_slice(x.shape());
    sizes[..taken].fill(1);
    let result = ffi::gather(x, &indices, &axes, &sizes)?;
    let before = (dimensions + slices) as i32;
    let gone: Vec<i32> = (before..before + taken as i32).collect();
    Ok((ffi::squeeze_axes(&result, &gone)?, dimensions))
}

/// The positions with dimensions of size 1 where those of other items are.
#[track_caller]
fn laid_out(
    positions: Vec<Positions>,
    dimensions: usize,
    slices: usize,
    in_front: bool,
) -> Result<Vec<Tensor>> {
    let mut done = 0;
    let lay = |positions| match positions {
        Positions::Slice(range) => {
            let mut shape = Shape::from_elem(1, dimensions + slices);
            shape[done + if in_front { dimensions } else { 0 }] = range.shape()[0];
            done += 1;
            ffi::reshape(&range, &shape)
        }
        Positions::Tensor(tensor) if in_front => {
            let mut shape = Shape::from_slice(tensor.shape());
            shape.extend(std::iter::repeat_n(1, slices));
            ffi::reshape(&tensor, &shape)
        }
        Positions::Tensor(tensor) => Ok(tensor),
    };
    positions.into_iter().map(lay).collect()
}

/// The positions of a slice, as numbers. They end where the axis does, as those of slices alone do; Python's go on, into
/// foreign memory.
#[track_caller]
pub(super) fn range(slice: Slice, size: i32) -> Result<Tensor> {
    let (start, stop, step) = slice.raw(size)?;
    let counted =
        |position: i32| if position < 0 { i64::from(position) + i64::from(size) } else { position.into() };
    // An absent stop before the front, -size - 1, becomes -1.
    let ends = if step < 0 { -1..=i64::from(size) - 1 } else { 0..=i64::from(size) };
    let limited = |position: i32| counted(position).max(*ends.start()).min(*ends.end());
    ffi::arange(limited(start) as f64, limited(stop) as f64, step.into(), Dtype::Uint32)
}

/// An integer as positions.
pub(super) fn constant(position: i64, size: i32, axis: usize) -> Result<Tensor> {
    Tensor::scalar(wrapped(position, size, axis)?, Dtype::Uint32)
}
