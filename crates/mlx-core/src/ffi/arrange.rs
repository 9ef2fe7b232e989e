//! Calls of mlx-c that arrange elements anew: axes, joins, repeats, windows onto the same memory.

use super::call::{node, nodes};
use crate::{Dtype, Result, Shape, Tensor, guard};
use mlx_link as sys;
use std::{borrow::Borrow, ffi::CStr};

/// Functions that build one node of a call, written as `node!` takes it.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) = $op:literal $symbol:ident($($kind:ident $value:expr),*);)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name($($argument: $type),*) -> $crate::Result<$crate::Tensor> {
            $crate::ffi::call::node!($op, mlx_link::$symbol $(, $kind $value)*)
        })*
    };
}
pub(super) use functions;

functions! {
    /// `mx.flatten(x, start, end)`
    flatten(x: &Tensor, start: i32, end: i32) = "flatten" mlx_flatten(tensor x, value start, value end);
    /// `mx.unflatten(x, axis, shape)`, whose sizes the caller has checked.
    unflatten(x: &Tensor, axis: i32, shape: &[i32]) = "unflatten" mlx_unflatten(tensor x, value axis, list shape);
    /// `mx.moveaxis(x, source, destination)`
    moveaxis(x: &Tensor, source: i32, destination: i32) =
        "moveaxis" mlx_moveaxis(tensor x, value source, value destination);
    /// `mx.swapaxes(x, a, b)`
    swapaxes(x: &Tensor, a: i32, b: i32) = "swapaxes" mlx_swapaxes(tensor x, value a, value b);
    /// `mx.flip(x, axes)`
    flip_axes(x: &Tensor, axes: &[i32]) = "flip" mlx_flip_axes(tensor x, list axes);
    /// `mx.stack(tensors, axis)`
    stack(tensors: &[&Tensor], axis: i32) = "stack" mlx_stack_axis(vector tensors, value axis);
    /// `mx.tile(x, reps)`
    tile(x: &Tensor, reps: &[i32]) = "tile" mlx_tile(tensor x, list reps);
    /// `mx.repeat(x, repeats)`: of all elements in one dimension.
    repeat(x: &Tensor, repeats: i32) = "repeat" mlx_repeat(tensor x, value repeats);
    /// `mx.repeat(x, repeats, axis)`
    repeat_axis(x: &Tensor, repeats: i32, axis: i32) =
        "repeat" mlx_repeat_axis(tensor x, value repeats, value axis);
    /// `mx.roll(x, shift)`: of all elements in one dimension.
    roll(x: &Tensor, shift: &[i32]) = "roll" mlx_roll(tensor x, list shift);
    /// `mx.roll(x, shift, axis)`: the shifts added up along one axis.
    roll_axis(x: &Tensor, shift: &[i32], axis: i32) = "roll" mlx_roll_axis(tensor x, list shift, value axis);
    /// `mx.roll(x, shift, axes)`: a shift for each axis.
    roll_axes(x: &Tensor, shift: &[i32], axes: &[i32]) = "roll" mlx_roll_axes(tensor x, list shift, list axes);
}

/// `mx.pad(x, …, value, mode)` along axes of the caller's choice, counted from the front; the caller has seen that there is a
/// value.
///
/// # Errors
/// What MLX refuses; a value by which is differentiated.
#[track_caller]
pub fn pad(
    x: &Tensor,
    axes: &[i32],
    low: &[i32],
    high: &[i32],
    value: &Tensor,
    mode: &CStr,
) -> Result<Tensor> {
    guard::fill(value)?;
    let is_plain =
        || mode == c"constant" && value.size() == 1 && low.iter().chain(high).all(|&size| size >= 0);
    if guard::is_derived_vectorised(x) && is_plain() {
        return padded_by_joins(x, axes, low, high, value);
    }
    node!("pad", sys::mlx_pad, tensor x, list axes, list low, list high, tensor value, text mode)
}

/// [`pad`] by `value` alone. MLX's gradient of a vectorised Pad looks for the sizes behind its lists.
#[track_caller]
fn padded_by_joins(x: &Tensor, axes: &[i32], low: &[i32], high: &[i32], value: &Tensor) -> Result<Tensor> {
    let value = super::astype(value, x.dtype())?;
    let mut padded = x.clone();
    for ((&axis, &low), &high) in axes.iter().zip(low).zip(high) {
        let border = |size| {
            let mut sizes = Shape::from_slice(padded.shape());
            sizes[axis as usize] = size;
            super::broadcast_to(&value, &sizes)
        };
        let (before, behind) = (border(low)?, border(high)?);
        padded = super::concatenate(&[&before, &padded, &behind], Some(axis))?;
    }
    Ok(padded)
}

/// `mx.view(x, dtype)`, where the last size stays within `i32`.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn view(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    let x = &*guard::viewable(x, dtype)?;
    node!("view", sys::mlx_view, tensor x, value dtype.code())
}

/// `mx.as_strided(x, shape, strides, offset)`, a window that the caller has found inside the tensor.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn as_strided(x: &Tensor, shape: &[i32], strides: &[i64], offset: usize) -> Result<Tensor> {
    let node = node!("as_strided", sys::mlx_as_strided, tensor x, list shape, list strides, value offset)?;
    guard::windows(node, shape, strides)
}

/// `mx.split(x, parts, axis)`: as many tensors as parts.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn split(x: &Tensor, parts: i32, axis: i32) -> Result<Vec<Tensor>> {
    let x = &*guard::splittable(x, axis)?;
    nodes!("split", sys::mlx_split, tensor x, value parts, value axis)
}

/// `mx.split(x, positions, axis)`: the tensors between the positions.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn split_at(x: &Tensor, positions: &[i32], axis: i32) -> Result<Vec<Tensor>> {
    let x = &*guard::splittable(x, axis)?;
    nodes!("split", sys::mlx_split_sections, tensor x, list positions, value axis)
}

/// `mx.unstack(x, axis=axis)`: as many tensors as the axis has positions.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn unstack(x: &Tensor, axis: i32) -> Result<Vec<Tensor>> {
    let x = &*guard::splittable(x, axis)?;
    nodes!("unstack", sys::mlx_unstack_axis, tensor x, value axis)
}

/// `mx.broadcast_arrays(*tensors)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn broadcast_arrays<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Vec<Tensor>> {
    nodes!("broadcast_arrays", sys::mlx_broadcast_arrays, vector tensors)
}

/// `mx.meshgrid(*tensors, sparse, indexing)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn meshgrid(tensors: &[&Tensor], sparse: bool, indexing: &CStr) -> Result<Vec<Tensor>> {
    nodes!("meshgrid", sys::mlx_meshgrid, vector tensors, value sparse, text indexing)
}

/// `mx.diagonal(x, offset, axis1, axis2)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn diagonal(x: &Tensor, offset: i32, axes: [i32; 2]) -> Result<Tensor> {
    let [a, b] = axes;
    node!("diagonal", sys::mlx_diagonal, tensor x, value offset, value a, value b)
}

/// `mx.trace(x, offset, axis1, axis2, dtype)`, of a diagonal that is not empty.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn trace(x: &Tensor, offset: i32, axes: [i32; 2], dtype: Dtype) -> Result<Tensor> {
    let [a, b] = axes;
    node!("trace", sys::mlx_trace_axes, tensor x, value offset, value a, value b, value dtype.code())
}
