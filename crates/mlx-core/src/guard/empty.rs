//! The guards of tensors without elements, of which MLX divides by a size, reads foreign memory or finds no end.

use crate::{Result, Scalar, Tensor, ffi};
use std::borrow::Cow;

/// `x` as a reduction may have it. Of a tensor that is not in row-major order MLX counts an empty axis like one of size 1:
/// it reads foreign memory or never ends. An empty tensor that may be such a one gets a node that puts it in order.
#[inline]
pub(crate) fn reducible(x: &Tensor) -> Result<Cow<'_, Tensor>> {
    if x.size() > 0 { Ok(Cow::Borrowed(x)) } else { put_in_order(x) }
}

#[cold]
fn put_in_order(x: &Tensor) -> Result<Cow<'_, Tensor>> {
    if is_in_order(x)? { Ok(Cow::Borrowed(x)) } else { ffi::contiguous(x, false).map(Cow::Owned) }
}

/// A scan of `x`, or where `x` is empty an empty tensor in its place: MLX divides by sizes and strides of 0.
#[inline]
pub(crate) fn scanned(x: &Tensor, node: Tensor) -> Result<Tensor> {
    if x.size() > 0 { Ok(node) } else { nothing_like(&node) }
}

/// A sort of `x` along `axis`, or an empty tensor in its place where that axis is empty, whose size MLX divides by.
#[inline]
pub(crate) fn sorted(x: &Tensor, axis: Option<i32>, node: Tensor) -> Result<Tensor> {
    if x.size() > 0 { Ok(node) } else { sorted_nothing(x, axis, node) }
}

#[cold]
fn sorted_nothing(x: &Tensor, axis: Option<i32>, node: Tensor) -> Result<Tensor> {
    let size = match axis {
        None => 0,
        // MLX has built the node, so the axis is one.
        Some(axis) => x.shape()[(axis + if axis < 0 { x.ndim() as i32 } else { 0 }) as usize] as usize,
    };
    if size > 0 { partitioned(x, axis, node) } else { nothing_like(&node) }
}

/// A partition or sort of `x`, or an empty tensor in its place where an empty `x` may be out of order: MLX copies it then,
/// and takes a step for each position of the other axes.
pub(crate) fn partitioned(x: &Tensor, _: Option<i32>, node: Tensor) -> Result<Tensor> {
    if x.size() > 0 || is_in_order(x)? { Ok(node) } else { nothing_like(&node) }
}

fn is_in_order(x: &Tensor) -> Result<bool> {
    Ok(ffi::view::if_readable(x)?.is_some_and(|view| view.is_flagged_row_contiguous()))
}

/// An empty tensor of a node's shape and dtype.
#[cold]
fn nothing_like(node: &Tensor) -> Result<Tensor> {
    ffi::full(node.shape(), &Tensor::weak("zeros", Scalar::Int(0), Some(node.dtype()))?, node.dtype())
}
