//! Calls that pick elements out by position, or write at positions; index tensors are guarded here, but for those of `gather`
//! and `scatter`, which the caller has sent through [`positions`].

use super::call::{node, part};
use crate::{Dtype, Error, ErrorKind, Result, Scalar, Tensor, guard};
use mlx_link as sys;
use std::borrow::{Borrow, Cow};

/// A slice along one axis.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Span(sys::mlxr_span);

impl Span {
    /// All of an axis of `size`.
    #[inline]
    #[must_use]
    pub const fn all(size: i32) -> Span {
        Span(sys::mlxr_span { start: 0, stop: size, step: 1 })
    }

    /// Raw start, stop and step.
    ///
    /// # Panics
    /// For a step of 0, which ends the process inside MLX.
    #[inline]
    #[must_use]
    pub const fn new(start: i32, stop: i32, step: i32) -> Span {
        assert!(step != 0, "the caller has refused a step of 0");
        Span(sys::mlxr_span { start, stop, step })
    }

    /// Start, stop and step.
    #[inline]
    #[must_use]
    pub const fn parts(self) -> [i32; 3] {
        [self.0.start, self.0.stop, self.0.step]
    }
}

/// Spans as C has them.
fn raw(spans: &[Span]) -> *const sys::mlxr_span {
    spans.as_ptr().cast()
}

/// `index` as positions of an axis of `size`: an error, or guard nodes for lazy values, where it leads outside.
///
/// # Errors
/// A value that can be seen and is outside.
#[track_caller]
pub fn positions<'a>(op: &'static str, index: &'a Tensor, axis: usize, size: i32) -> Result<Cow<'a, Tensor>> {
    guard::positions(op, index, axis, size.into())
}

/// A slice by a span for each leading axis and all of the others.
///
/// # Errors
/// What MLX refuses.
#[inline]
#[track_caller]
pub fn slice(x: &Tensor, spans: &[Span]) -> Result<Tensor> {
    node!("slice", sys::mlxr_slice, tensor x, value raw(spans), value spans.len())
}

/// [`slice`], without its axes `gone`, which have size 1, and then with `added` ones.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn slice_with_axes(x: &Tensor, spans: &[Span], [gone, added]: [&[i32]; 2]) -> Result<Tensor> {
    if gone.is_empty() && added.is_empty() {
        return slice(x, spans);
    }
    node!("slice", sys::mlxr_slice_axes, tensor x, value raw(spans), value spans.len(), list gone, list added)
}

/// The axis counted from the front, where there is one.
fn axis_of(x: &Tensor, axis: i32) -> Option<usize> {
    let ndim = x.ndim() as i32;
    (-ndim..ndim).contains(&axis).then(|| (if axis < 0 { axis + ndim } else { axis }) as usize)
}

/// `index` guarded as positions of an axis of `x`; an axis that is not there is MLX's to refuse.
#[track_caller]
fn along<'a>(op: &'static str, x: &Tensor, index: &'a Tensor, axis: i32) -> Result<Cow<'a, Tensor>> {
    match axis_of(x, axis) {
        Some(axis) => positions(op, index, axis, x.shape()[axis]),
        None => Ok(Cow::Borrowed(index)),
    }
}

/// The subtensors of `x` at `index` of `axis`.
///
/// # Errors
/// A position outside the axis; what MLX refuses.
#[track_caller]
pub fn take_axis(x: &Tensor, index: &Tensor, axis: i32) -> Result<Tensor> {
    let index = &*along("take", x, index, axis)?;
    node!("take", sys::mlx_take_axis, tensor x, tensor index, value axis)
}

/// The subtensor of `x` at a position of `axis`, of which the caller has seen that it is there.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn take_position(x: &Tensor, position: i32, axis: i32) -> Result<Tensor> {
    let index = &Tensor::weak("take", Scalar::Int(position.into()), Some(Dtype::Uint32))?;
    node!("take", sys::mlx_take_axis, tensor x, tensor index, value axis)
}

/// The elements of `x`, as one row, at `index`.
///
/// # Errors
/// A position outside; what MLX refuses.
#[track_caller]
pub fn take(x: &Tensor, index: &Tensor) -> Result<Tensor> {
    let index = &*guard::positions("take", index, 0, x.size() as i64)?;
    node!("take", sys::mlx_take, tensor x, tensor index)
}

/// `mx.take_along_axis(x, index, axis)`
///
/// # Errors
/// A position outside the axis; what MLX refuses.
#[track_caller]
pub fn take_along_axis(x: &Tensor, index: &Tensor, axis: i32) -> Result<Tensor> {
    let index = &*along("take_along_axis", x, index, axis)?;
    node!("take_along_axis", sys::mlx_take_along_axis, tensor x, tensor index, value axis)
}

/// `mx.put_along_axis(x, index, values, axis)`
///
/// # Errors
/// A position outside the axis; what MLX refuses.
#[track_caller]
pub fn put_along_axis(x: &Tensor, index: &Tensor, values: &Tensor, axis: i32) -> Result<Tensor> {
    // Into nothing MLX puts nothing.
    let index = &*if x.size() == 0 { Cow::Borrowed(index) } else { along("put_along_axis", x, index, axis)? };
    node!("put_along_axis", sys::mlx_put_along_axis, tensor x, tensor index, tensor values, value axis)
}

/// What `indices` stand for along the leading axes of `x`, whose place the dimensions of the indices take; the caller has
/// guarded them.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn gather<T: Borrow<Tensor>>(x: &Tensor, indices: &[T]) -> Result<Tensor> {
    node!("gather", sys::mlxr_gather, tensor x, handles indices)
}

/// How updates meet what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// They replace it.
    None,
    /// They are added.
    Sum,
    /// They are multiplied.
    Product,
    /// The greater one stays.
    Maximum,
    /// The smaller one stays.
    Minimum,
}

impl Reduction {
    fn code(self) -> sys::mlxr_reduction {
        match self {
            Reduction::None => sys::mlxr_reduction__MLXR_REPLACE,
            Reduction::Sum => sys::mlxr_reduction__MLXR_SUM,
            Reduction::Product => sys::mlxr_reduction__MLXR_PRODUCT,
            Reduction::Maximum => sys::mlxr_reduction__MLXR_MAXIMUM,
            Reduction::Minimum => sys::mlxr_reduction__MLXR_MINIMUM,
        }
    }
}

/// `x` with `updates` where `indices` stand for positions of its leading axes; the caller has guarded them.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn scatter(how: Reduction, x: &Tensor, indices: &[Tensor], updates: &Tensor) -> Result<Tensor> {
    if let Some(mask) = indices.iter().find(|index| index.dtype() == Dtype::Bool) {
        // MLX throws a text here, which nobody catches.
        let message = "[scatter] Boolean indices not supported.";
        return Err(Error::new(ErrorKind::Dtype, "scatter", message).with_operands(&[x.into(), mask.into()]));
    }
    let how = how.code();
    let node = part!("scatter", sys::mlxr_scatter, value how, tensor x, handles indices, tensor updates)?;
    // MLX divides by the size of an empty update, which ends the process.
    let is_idle = updates.size() == 0 && indices.iter().all(|index| index.size() > 0);
    Ok(if is_idle { x.clone() } else { node })
}

/// `x` with `update` in the slice by a span for each leading axis.
///
/// # Errors
/// What MLX refuses.
#[inline]
#[track_caller]
pub fn slice_update(how: Reduction, x: &Tensor, update: &Tensor, spans: &[Span]) -> Result<Tensor> {
    let how = how.code();
    part!("slice_update", sys::mlxr_slice_update, value how, tensor x, tensor update, value raw(spans), value spans.len())
}

/// `x` with `values`, one after another, where `mask` is true.
///
/// # Errors
/// No values at all for a tensor that has some, with which MLX ends the process; what MLX refuses.
#[track_caller]
pub fn masked_scatter(x: &Tensor, mask: &Tensor, values: &Tensor) -> Result<Tensor> {
    let node = node!("masked_scatter", sys::mlx_masked_scatter, tensor x, tensor mask, tensor values)?;
    if values.size() > 0 || x.size() == 0 {
        return Ok(node);
    }
    let message = "no values for the places that the mask may hold";
    Err(Error::new(ErrorKind::Shape, "masked_scatter", message).with_operands(&[x.into(), values.into()]))
}

/// The last place of each sliced axis from which a slice of `sizes` stays inside; none where MLX will refuse the call.
fn last_starts(x: &Tensor, start: &Tensor, axes: &[i32], sizes: &[i32]) -> Option<Vec<i64>> {
    if start.ndim() > 1 || start.size() != axes.len() || sizes.len() != x.ndim() {
        return None;
    }
    let last = |&axis: &i32| axis_of(x, axis).map(|axis| i64::from(x.shape()[axis]) - i64::from(sizes[axis]));
    axes.iter().map(|axis| last(axis).filter(|&last| last >= 0)).collect()
}

/// `mx.slice(x, start, axes, sizes)`
///
/// # Errors
/// A start from which the slice leaves the tensor; a negative size; what MLX refuses.
#[track_caller]
pub fn slice_dynamic(x: &Tensor, start: &Tensor, axes: &[i32], sizes: &[i32]) -> Result<Tensor> {
    crate::shape::check_sizes("slice", sizes)?;
    let start = &*match last_starts(x, start, axes, sizes) {
        Some(last) => guard::starts("slice", start, &last)?,
        None => Cow::Borrowed(start),
    };
    node!("slice", sys::mlx_slice_dynamic, tensor x, tensor start, list axes, list sizes)
}

/// `mx.slice_update(x, update, start, axes)`
///
/// # Errors
/// A start from which the update leaves the tensor; an update of more dimensions; what MLX refuses.
#[track_caller]
pub fn slice_update_dynamic(x: &Tensor, update: &Tensor, start: &Tensor, axes: &[i32]) -> Result<Tensor> {
    let Some(whole) = x.ndim().checked_sub(update.ndim()) else {
        let message = "the update has more dimensions than the tensor";
        return Err(
            Error::new(ErrorKind::Shape, "slice_update", message).with_operands(&[x.into(), update.into()])
        );
    };
    // Of a leading axis that the update lacks it takes one place, or all of them where the axis has no start.
    let has_start = |axis| axes.iter().any(|&named| axis_of(x, named) == Some(axis));
    let leading = x.shape()[..whole].iter().enumerate();
    let leading = leading.map(|(axis, &size)| if has_start(axis) { 1 } else { size });
    let sizes: Vec<i32> = leading.chain(update.shape().iter().copied()).collect();
    let start = &*match last_starts(x, start, axes, &sizes) {
        Some(last) => guard::starts("slice_update", start, &last)?,
        None => Cow::Borrowed(start),
    };
    node!("slice_update", sys::mlx_slice_update_dynamic, tensor x, tensor update, tensor start, list axes)
}
