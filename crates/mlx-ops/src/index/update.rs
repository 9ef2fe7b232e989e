//! Writing at an index: `x[…] = v`, and the updates of `x.at[…]`.
//!
//! Here: slices and integers, masks, and which way an index takes. Not here: index tensors (`scatter`).

use super::{
    items::{Index, IndexSpec, Items, bool_alone, expand, has_axes, wrapped},
    region::{self, Region},
    scatter::{self, Scatter, without_leading},
};
use mlx_core::{
    Dtype, Error, ErrorKind, Operand, OperandRef, Result, Tensor,
    ffi::{self, Reduction, Span},
    or_panic,
};
use std::borrow::Cow;

/// How a value meets what is at an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Update {
    /// It replaces it.
    Set,
    /// It is added; where an index names a place twice, twice.
    Add,
    /// It is subtracted.
    Subtract,
    /// It is multiplied with it.
    Multiply,
    /// It divides it: the inverse is multiplied.
    Divide,
    /// The greater one stays.
    Maximum,
    /// The smaller one stays.
    Minimum,
}

/// The tensor with `value` at `index`, which is what [`index`](fn@crate::index) takes, or alone a mask: a tensor of bools
/// with the shape of the leading dimensions, whose true places get one value or, one after another, those of a tensor.
///
/// `value` broadcasts to the places, and is cast to the tensor's dtype. Of an ellipsis or a new axis alone the value, in
/// the tensor's shape, is the whole result, with its own dtype, as in Python. Where an index names a place twice, one of
/// the values stays.
///
/// # Errors
/// As [`index`](fn@crate::index); a value that does not broadcast; a scalar that the dtype cannot hold; a mask of another
/// shape. A tensor with fewer values than a mask has places is an error when it is computed.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{BinaryOps, set_index};
/// let x = tensor![1, 2, 3];
/// assert_eq!(set_index(&x, 1.., 0)?.to_vec::<i32>()?, [1, 0, 0]);
/// assert_eq!(set_index(&x, tensor![2, 0], tensor![7, 8])?.to_vec::<i32>()?, [8, 2, 7]);
/// assert_eq!(set_index(&x, x.gt(1), -1)?.to_vec::<i32>()?, [1, -1, -1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "__setitem__")]
#[inline]
#[track_caller]
pub fn set_index<'i>(x: &Tensor, index: impl Into<IndexSpec<'i>>, value: impl Operand) -> Result<Tensor> {
    index_update(x, index, Update::Set, value)
}

/// The tensor with what is at `index` updated by `value`: Python's `x.at[index].add(value)` and so on, as a function.
///
/// # Errors
/// As [`set_index`]; a mask, which only `Update::Set` takes.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Update, index_update};
/// let (x, twice) = (tensor![1, 2, 3], tensor![0, 0]);
/// assert_eq!(index_update(&x, &twice, Update::Add, 10)?.to_vec::<i32>()?, [21, 2, 3]);
/// assert_eq!(index_update(&x, ..2, Update::Maximum, 2)?.to_vec::<i32>()?, [2, 2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.array.at")]
#[inline]
#[track_caller]
pub fn index_update<'i>(
    x: &Tensor,
    index: impl Into<IndexSpec<'i>>,
    update: Update,
    value: impl Operand,
) -> Result<Tensor> {
    updated(x, &mut index.into(), update, value.operand())
}

#[track_caller]
fn updated(x: &Tensor, index: &mut IndexSpec<'_>, update: Update, value: OperandRef<'_>) -> Result<Tensor> {
    let node = match value {
        OperandRef::Tensor(value) => at(x, index, update, value),
        scalar => {
            let value = scalar.to_tensor("set_index", Some(x.dtype()));
            value.and_then(|value| at(x, index, update, &value))
        }
    };
    node.map_err(|e| e.with_operands(&[x.into(), value]))
}

#[track_caller]
fn at(x: &Tensor, index: &mut IndexSpec<'_>, update: Update, value: &Tensor) -> Result<Tensor> {
    match index {
        IndexSpec::One(item) => one(x, item, update, value),
        IndexSpec::Many(items) => several(x, items, update, value),
    }
}

#[track_caller]
fn one(x: &Tensor, item: &Index<'_>, update: Update, value: &Tensor) -> Result<Tensor> {
    match item {
        Index::Ellipsis | Index::NewAxis => whole(x, update, &ffi::broadcast_to(value, x.shape())?),
        Index::Bool(all) if update == Update::Set => {
            ffi::masked_scatter(x, &Tensor::scalar(*all, Dtype::Bool)?, value)
        }
        Index::Bool(_) => Err(bool_alone()),
        Index::Tensor(mask) if mask.dtype() == Dtype::Bool && update == Update::Set => {
            ffi::masked_scatter(x, mask, value)
        }
        Index::Tensor(positions) => {
            has_axes(x)?;
            scattered(x, update, &scatter::at_tensor(x, positions, value)?)
        }
        Index::At(position) => {
            let sizes = has_axes(x)?;
            let span = region::at(wrapped(*position, sizes[0], 0)?);
            write(x, &[span], update, &*fitted(x, value)?)
        }
        Index::Slice(slice) => {
            let sizes = has_axes(x)?;
            write(x, &[slice.raw(sizes[0])?], update, &*fitted(x, value)?)
        }
    }
}

#[track_caller]
fn several(x: &Tensor, items: &mut Items<'_>, update: Update, value: &Tensor) -> Result<Tensor> {
    let sizes = x.shape();
    if let Some(spans @ [_, ..]) = region::of_slices(sizes, items, &mut [Span::all(0); 6])
        && value.ndim() <= sizes.len()
    {
        return write(x, spans, update, value);
    }
    if expand(sizes, items)? {
        let is_mask = |item: &&Index<'_>| matches!(item, Index::Tensor(t) if t.dtype() == Dtype::Bool);
        if let Some(mask) = items.iter().find(is_mask) {
            let message = format!("a mask of bools stands alone, not among other items: {mask:?}");
            return Err(Error::new(ErrorKind::Dtype, "set_index", message));
        }
        return scattered(x, update, &scatter::at_items(x, items, value)?);
    }
    let value = fitted(x, value)?;
    let mut region = Region::new();
    let mut slices = 0;
    for (place, item) in items.iter().enumerate() {
        let axis = region.len();
        region.push(match *item {
            Index::Slice(slice) => {
                slices += 1;
                slice.raw(sizes[axis])?
            }
            Index::At(position) => {
                let start = start_of(sizes, position, axis, place)?;
                region::at(start)
            }
            _ => continue,
        });
    }
    if region.is_empty() {
        // New axes alone.
        return write(x, &region, update, &ffi::broadcast_to(&value, sizes)?);
    }
    if slices == items.len() {
        return write(x, &region, update, &value);
    }
    write(x, &region, update, &*aligned(&value, items, sizes.len() - region.len())?)
}

/// Where an integer among other items begins. Python counts a negative one from the end of the axis whose number is the
/// item's `place`; behind a new axis that is another one.
fn start_of(sizes: &[i32], position: i64, axis: usize, place: usize) -> Result<i32> {
    let start = wrapped(position, sizes[axis], axis)?;
    if position >= 0 || place == axis {
        return Ok(start);
    }
    match sizes.get(place) {
        Some(&size) => Ok(start - sizes[axis] + size),
        None => Err(Error::new(ErrorKind::Index, "set_index", "SmallVector out of range.")),
    }
}

/// The value without leading dimensions of size 1 that the tensor has not.
#[track_caller]
fn fitted<'a>(x: &Tensor, value: &'a Tensor) -> Result<Cow<'a, Tensor>> {
    let excess = value.ndim().saturating_sub(x.ndim());
    if excess == 0 {
        return Ok(Cow::Borrowed(value));
    }
    let ones = value.shape().iter().take(excess).take_while(|&&size| size == 1).count();
    without_leading(value, ones)
}

/// The value with the tensor's dimensions instead of the result's: with those that integers took away and without those
/// that new axes brought. `behind` is how many whole dimensions follow the items.
#[track_caller]
fn aligned<'a>(value: &'a Tensor, items: &[Index<'_>], behind: usize) -> Result<Cow<'a, Tensor>> {
    let (mut missing, mut new) = (Vec::new(), Vec::new());
    let mut kept = behind;
    for (place, item) in items.iter().rev().enumerate() {
        let from_end = -((place + behind + 1) as i32);
        match item {
            Index::At(_) if kept < value.ndim() => missing.push(from_end),
            Index::At(_) => {}
            Index::NewAxis => {
                new.push(from_end);
                kept += 1;
            }
            _ => kept += 1,
        }
    }
    let mut value = Cow::Borrowed(value);
    if !missing.is_empty() {
        value = Cow::Owned(ffi::expand_dims(&value, &missing)?);
    }
    new.retain(|&axis| axis >= -(value.ndim() as i32));
    if new.is_empty() { Ok(value) } else { ffi::squeeze_axes(&value, &new).map(Cow::Owned) }
}

/// Writes to a slice over all axes.
#[track_caller]
fn write(x: &Tensor, spans: &[Span], update: Update, value: &Tensor) -> Result<Tensor> {
    let (how, first) = reduction(update);
    let made;
    let value = match first {
        None => value,
        Some(symbol) => {
            made = symbol.call(value)?;
            &made
        }
    };
    ffi::slice_update(how, x, value, spans)
}

/// What MLX does for an update, and what comes of the value first.
fn reduction(update: Update) -> (Reduction, Option<ffi::Unary>) {
    match update {
        Update::Set => (Reduction::None, None),
        Update::Add => (Reduction::Sum, None),
        Update::Subtract => (Reduction::Sum, Some(ffi::NEGATIVE)),
        Update::Multiply => (Reduction::Product, None),
        Update::Divide => (Reduction::Product, Some(ffi::RECIPROCAL)),
        Update::Maximum => (Reduction::Maximum, None),
        Update::Minimum => (Reduction::Minimum, None),
    }
}

#[track_caller]
fn scattered(x: &Tensor, update: Update, scatter: &Scatter<'_>) -> Result<Tensor> {
    let (how, first) = reduction(update);
    match first {
        None => ffi::scatter(how, x, &scatter.indices, &scatter.updates),
        Some(symbol) => ffi::scatter(how, x, &scatter.indices, &symbol.call(&scatter.updates)?),
    }
}

/// An update of the whole tensor by a value of its shape.
#[track_caller]
fn whole(x: &Tensor, update: Update, value: &Tensor) -> Result<Tensor> {
    let symbol = match update {
        Update::Set => return Ok(value.clone()),
        Update::Add => ffi::ADD,
        Update::Subtract => ffi::SUBTRACT,
        Update::Multiply => ffi::MULTIPLY,
        Update::Divide => ffi::DIVIDE,
        Update::Maximum => ffi::MAXIMUM,
        Update::Minimum => ffi::MINIMUM,
    };
    symbol.call(x.into(), value.into())
}

/// The places of a tensor at an index, made by [`at`](crate::IndexOps::at); each method gives the tensor with them updated,
/// and panics at the caller's line where [`index_update`] returns an error.
#[derive(Clone, Debug)]
#[must_use = "an update is a new tensor"]
pub struct At<'a> {
    x: &'a Tensor,
    index: IndexSpec<'a>,
}

macro_rules! updates {
    ($($(#[$doc:meta])* $name:ident = $update:ident;)*) => {
        #[allow(clippy::should_implement_trait, reason = "Python's names")]
        impl<'a> At<'a> {
            #[inline]
            pub(super) fn new(x: &'a Tensor, index: IndexSpec<'a>) -> At<'a> {
                At { x, index }
            }

            $($(#[$doc])*
            #[inline]
            #[track_caller]
            #[must_use]
            pub fn $name(self, value: impl Operand) -> Tensor {
                or_panic(index_update(self.x, self.index, Update::$update, value))
            })*
        }
    };
}

updates! {
    /// The tensor with `value` there: [`set_index`], as a chaining method.
    set = Set;
    /// The tensor with `value` added there; where the index names a place twice, twice.
    add = Add;
    /// The tensor with `value` subtracted there.
    subtract = Subtract;
    /// The tensor with what is there multiplied by `value`.
    multiply = Multiply;
    /// The tensor with what is there multiplied by 1 / `value`.
    divide = Divide;
    /// The tensor with the greater of both there.
    maximum = Maximum;
    /// The tensor with the smaller of both there.
    minimum = Minimum;
}
