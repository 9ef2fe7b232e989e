//! Writing where items are tensors: positions, and updates in the shape that a scatter takes.

use super::{
    gather::{Bounds, constant, is_idle, range},
    items::{Index, Slice},
};
use mlx_core::{Error, ErrorKind, Result, Shape, Tensor, ffi};
use smallvec::smallvec;
use std::{borrow::Cow, slice};

/// What a scatter takes beside the tensor it writes to; its axes are the first ones, one for each of the indices.
pub(super) struct Scatter<'a> {
    pub(super) indices: Cow<'a, [Tensor]>,
    pub(super) updates: Tensor,
}

/// Without the leading dimensions of size 1.
#[track_caller]
fn trimmed(update: &Tensor) -> Result<Cow<'_, Tensor>> {
    let ones = update.shape().iter().take_while(|&&size| size == 1).count();
    without_leading(update, ones)
}

/// `x` without its first dimensions, which are `ones` of size 1.
#[track_caller]
pub(super) fn without_leading(x: &Tensor, ones: usize) -> Result<Cow<'_, Tensor>> {
    if ones == 0 {
        return Ok(Cow::Borrowed(x));
    }
    let axes: Shape = (0..ones as i32).collect();
    ffi::squeeze_axes(x, &axes).map(Cow::Owned)
}

/// `x[positions] = update`
#[track_caller]
pub(super) fn at_tensor<'a>(x: &Tensor, positions: &'a Tensor, update: &Tensor) -> Result<Scatter<'a>> {
    let sizes = x.shape();
    let positions = if sizes.contains(&0) {
        // MLX refuses it, or writes nothing.
        Cow::Borrowed(positions)
    } else {
        ffi::positions("set_index", positions, 0, sizes[0])?
    };
    let mut shape = Shape::from_slice(positions.shape());
    let place = shape.len();
    shape.extend_from_slice(&sizes[1..]);
    let updates = ffi::broadcast_to(&*trimmed(update)?, &shape)?;
    shape.insert(place, 1);
    let updates = ffi::reshape(&updates, &shape)?;
    let indices = match positions {
        Cow::Borrowed(positions) => Cow::Borrowed(slice::from_ref(positions)),
        Cow::Owned(positions) => Cow::Owned(vec![positions]),
    };
    Ok(Scatter { indices, updates })
}

/// How many of what a tuple has.
#[derive(Default)]
struct Counts {
    new_axes: usize,
    slices: usize,
    tensors: usize,
    /// Slices with a step.
    strided: usize,
    /// Slices without a step behind the last tensor and the last slice with one.
    simple_behind: usize,
    /// Dimensions of the tensors.
    dimensions: usize,
    /// Whether another item stands between tensors, so that their dimensions go in front.
    tensors_first: bool,
}

impl Counts {
    fn of(items: &[Index<'_>]) -> Counts {
        let mut counts = Counts::default();
        let mut interrupted = false;
        for item in items {
            match item {
                Index::NewAxis => counts.new_axes += 1,
                Index::Slice(slice) => {
                    counts.slices += 1;
                    if slice.step.unwrap_or(1) == 1 {
                        counts.simple_behind += 1;
                    } else {
                        counts.strided += 1;
                        counts.simple_behind = 0;
                    }
                }
                Index::Tensor(tensor) => {
                    counts.tensors_first |= interrupted;
                    counts.dimensions = counts.dimensions.max(tensor.ndim());
                    counts.tensors += 1;
                    counts.simple_behind = 0;
                }
                _ => continue,
            }
            interrupted = counts.tensors > 0 && !matches!(item, Index::Tensor(_));
        }
        counts
    }
}

/// The indices as they grow, item by item.
struct Layout {
    counts: Counts,
    /// The dimensions of each index.
    ndim: usize,
    indices: Vec<Tensor>,
    /// Dimensions that slices and new axes took so far.
    used: usize,
    tensors_done: usize,
    /// The size that an update has along each indexed axis: 1, or that of a slice written as a whole.
    windows: Shape,
    /// The sizes of slices written as a whole.
    whole: Shape,
    /// Nothing is written, wherever slices go.
    idle: bool,
}

impl Layout {
    fn of(x: &Tensor, items: &[Index<'_>]) -> Result<Layout> {
        let counts = Counts::of(items);
        let ndim = (counts.dimensions + counts.new_axes + counts.slices - counts.simple_behind).max(1);
        let (windows, whole) = (Shape::new(), Shape::new());
        let idle = is_idle(x, items)?;
        Ok(Layout { counts, ndim, indices: Vec::new(), used: 0, tensors_done: 0, windows, whole, idle })
    }

    /// An index of ones but for `sizes` from `place` on; a place beyond its dimensions, which MLX writes to all the
    /// same, leaves a shape that does not fit and is refused.
    #[track_caller]
    fn lay(&mut self, index: &Tensor, place: usize, sizes: &[i32]) -> Result<()> {
        let mut shape: Shape = smallvec![1; self.ndim];
        for (slot, &size) in shape.iter_mut().skip(place).zip(sizes) {
            *slot = size;
        }
        self.indices.push(ffi::reshape(index, &shape)?);
        self.windows.push(1);
        Ok(())
    }

    #[track_caller]
    fn slice(&mut self, slice: Slice, size: i32) -> Result<()> {
        let Bounds { start, stop, step } = Bounds::of(slice, size)?;
        if self.tensors_done < self.counts.tensors || self.counts.strided > 0 || step != 1 {
            let index = range(slice, size, self.idle)?;
            let place = self.used + if self.counts.tensors_first { self.counts.dimensions } else { 0 };
            self.used += 1;
            self.counts.strided = self.counts.strided.saturating_sub(1);
            return self.lay(&index, place, index.shape());
        }
        // MLX itself refuses a window wider than the axis.
        let (width, size) = (stop - start, i64::from(size));
        if !self.idle && (1..=size).contains(&width) && (start < 0 || stop > size) {
            let message = format!("the slice from {start} to {stop} leaves its axis with size {size}");
            return Err(Error::new(ErrorKind::Index, "set_index", message));
        }
        let width = width.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let shape: Shape = smallvec![1; self.ndim];
        self.indices.push(Tensor::from_shape_slice(&shape, &[start as u32])?);
        self.windows.push(width);
        self.whole.push(width);
        Ok(())
    }

    #[track_caller]
    fn tensor(&mut self, positions: &Tensor) -> Result<()> {
        let before = if self.counts.tensors_first { 0 } else { self.used };
        self.lay(positions, before + self.counts.dimensions - positions.ndim(), positions.shape())?;
        if !self.counts.tensors_first {
            self.tensors_done += 1;
            if self.tensors_done == self.counts.tensors {
                self.used += self.counts.dimensions;
            }
        }
        Ok(())
    }
}

/// `x[items] = update`, where one of the items is a tensor.
#[track_caller]
pub(super) fn at_items(x: &Tensor, items: &[Index<'_>], update: &Tensor) -> Result<Scatter<'static>> {
    let update = trimmed(update)?;
    let mut layout = Layout::of(x, items)?;
    for item in items {
        let (axis, sizes) = (layout.indices.len(), x.shape());
        match item {
            Index::NewAxis => layout.used += 1,
            Index::Slice(slice) => layout.slice(*slice, sizes[axis])?,
            Index::At(position) => {
                layout.indices.push(constant(*position, sizes[axis], axis)?);
                layout.windows.push(1);
            }
            Index::Tensor(tensor) if layout.idle => layout.tensor(tensor)?,
            Index::Tensor(tensor) => {
                layout.tensor(&*ffi::positions("set_index", tensor, axis, sizes[axis])?)?;
            }
            Index::Ellipsis | Index::Bool(_) => {
                unreachable!("the ellipsis is expanded and bools are refused")
            }
        }
    }
    let Layout { indices, windows, whole, .. } = layout;
    let indices = ffi::broadcast_arrays(&indices)?;
    let behind = &x.shape()[windows.len()..];
    let beside = |sizes: &[i32]| [indices[0].shape(), sizes, behind].concat();
    let updates = ffi::broadcast_to(&update, &beside(&whole))?;
    Ok(Scatter { updates: ffi::reshape(&updates, &beside(&windows))?, indices: Cow::Owned(indices) })
}
