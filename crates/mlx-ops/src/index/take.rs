//! Picking elements out by tensors along one axis, and slices that start where a tensor says: `take` and its kin.

use super::region::{self, Region};
use mlx_core::{
    Error, ErrorKind, IntoAxes, IntoShape, Operand, OperandRef, Result, Scalar, Tensor,
    ffi::{self, Span},
};

/// The axis that an argument names; none for `..`.
fn axis_of(op: &'static str, axis: impl IntoAxes) -> Result<Option<i32>> {
    match axis.into_axes().list() {
        None => Ok(None),
        Some(&[axis]) => Ok(Some(axis)),
        Some(axes) => {
            let message = format!("one axis or `..` for all elements in a row, not {axes:?}");
            Err(Error::new(ErrorKind::Shape, op, message))
        }
    }
}

/// The subtensors at `indices` of `axis`, whose place the dimensions of `indices` take; `..` for `axis` takes from all
/// elements in a row. An integer slices, and its axis goes; -1 is no position for it, as in Python: use
/// [`index`](fn@crate::index).
///
/// # Errors
/// A position outside the axis, in a tensor where its values are there already (later ones are limited to the axis);
/// indices that are no integers; an axis that is not there.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::take;
/// let x = Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(take(&x, tensor![2, 0], 1)?.to_vec::<i32>()?, [3, 1, 6, 4]);
/// assert_eq!(take(&x, tensor![5, -6], ..)?.to_vec::<i32>()?, [6, 1]);
/// assert_eq!(take(&x, 1, 0)?.to_vec::<i32>()?, [4, 5, 6]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.take")]
#[track_caller]
pub fn take(x: &Tensor, indices: impl Operand, axis: impl IntoAxes) -> Result<Tensor> {
    const OP: &str = "take";
    let axis = axis_of(OP, axis)?;
    let node = match (indices.operand(), axis) {
        (OperandRef::Tensor(indices), Some(axis)) => ffi::take_axis(x, indices, axis),
        (OperandRef::Tensor(indices), None) => ffi::take(x, indices),
        (OperandRef::Scalar(Scalar::Int(position)), axis) => take_one(x, position, axis),
        (OperandRef::Scalar(Scalar::Bool(position)), axis) => take_one(x, position.into(), axis),
        (other, _) => {
            Err(Error::new(ErrorKind::Dtype, OP, format!("an index is an integer or a tensor, not {other}")))
        }
    };
    node.map_err(|e| e.with_operands(&[x.into()]))
}

/// A slice of one position, without its axis.
#[track_caller]
fn take_one(x: &Tensor, position: i64, axis: Option<i32>) -> Result<Tensor> {
    const OP: &str = "take";
    let flat = if axis.is_none() { Some(ffi::flatten(x, 0, -1)?) } else { None };
    let (row, axis) = (flat.as_ref().unwrap_or(x), axis.unwrap_or(0));
    let ndim = row.ndim() as i32;
    if !(-ndim..ndim).contains(&axis) {
        let message = format!("[take] Received invalid axis {axis} for array with {ndim} dimensions.");
        return Err(Error::new(ErrorKind::Mlx, OP, message));
    }
    if row.size() == 0 {
        let message = "[take] Cannot do a non-empty take from an array with zero elements.";
        return Err(Error::new(ErrorKind::Index, OP, message));
    }
    let axis = (if axis < 0 { axis + ndim } else { axis }) as usize;
    let size = row.shape()[axis];
    // MLX's slice from -1 to 0 is empty.
    if !(-i64::from(size)..i64::from(size)).contains(&position) || position == -1 {
        let message = format!("index {position} is out of bounds for axis {axis} with size {size}");
        return Err(Error::new(ErrorKind::Index, OP, message));
    }
    let mut region: Region = row.shape()[..axis].iter().copied().map(Span::all).collect();
    region.push(region::at(position as i32));
    ffi::slice_with_axes(row, &region, [&[axis as i32], &[]])
}

/// The elements at `indices` of `axis`, each along its own row: `indices` has the tensor's dimensions and broadcasts with
/// them but for `axis`. `..` for `axis` takes from all elements in a row, by `indices` of one dimension.
///
/// # Errors
/// As [`take`]; another number of dimensions; shapes that do not broadcast.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::take_along_axis;
/// let x = Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
/// let best = Tensor::from_shape_slice([2, 1], &[2, 0])?;
/// assert_eq!(take_along_axis(&x, &best, 1)?.to_vec::<i32>()?, [3, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.take_along_axis")]
#[track_caller]
pub fn take_along_axis(x: &Tensor, indices: &Tensor, axis: impl IntoAxes) -> Result<Tensor> {
    match axis_of("take_along_axis", axis)? {
        Some(axis) => ffi::take_along_axis(x, indices, axis),
        None => ffi::take_along_axis(&ffi::reshape(x, &[-1])?, indices, 0),
    }
}

/// The tensor with `values` at `indices` of `axis`, each along its own row; `values` broadcast to `indices`, which are
/// those of [`take_along_axis`].
///
/// # Errors
/// As [`take_along_axis`].
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::put_along_axis;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// let places = Tensor::from_shape_slice([2, 1], &[1, 0])?;
/// assert_eq!(put_along_axis(&x, &places, &tensor![0], 1)?.to_vec::<i32>()?, [1, 0, 0, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.put_along_axis")]
#[track_caller]
pub fn put_along_axis(x: &Tensor, indices: &Tensor, values: &Tensor, axis: impl IntoAxes) -> Result<Tensor> {
    if let Some(axis) = axis_of("put_along_axis", axis)? {
        return ffi::put_along_axis(x, indices, values, axis);
    }
    let row = ffi::put_along_axis(&ffi::reshape(x, &[-1])?, indices, values, 0)?;
    ffi::reshape(&row, x.shape())
}

/// The axes that a start has a value for; all of them for `..`.
fn sliced_axes(x: &Tensor, axes: impl IntoAxes) -> Vec<i32> {
    axes.into_axes().list().map_or_else(|| (0..x.ndim() as i32).collect(), <[i32]>::to_vec)
}

/// The slice of `sizes`, one for each dimension, that begins at `start`: a tensor of integers, one for each of `axes` (`..`
/// for all); the other axes begin at 0. Where the slice begins may be decided by a computation: see
/// [`index`](fn@crate::index) for what is known.
///
/// # Errors
/// A start from which the slice leaves the tensor, where its values are there already (later ones go to where it fits);
/// another number of starts than axes or of sizes than dimensions; a negative size, or one beyond its axis.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::slice;
/// let x = Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(slice(&x, &tensor![1], 1, [2, 2])?.to_vec::<i32>()?, [2, 3, 5, 6]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.slice")]
#[track_caller]
pub fn slice(x: &Tensor, start: &Tensor, axes: impl IntoAxes, sizes: impl IntoShape) -> Result<Tensor> {
    ffi::slice_dynamic(x, start, &sliced_axes(x, axes), &sizes.into_shape()?)
}

/// The tensor with `update`, cast to its dtype, in the slice that begins at `start`, which is that of [`slice`](fn@slice). Of a leading
/// axis that `update` lacks it takes one place, or all of them where the axis is none of `axes`.
///
/// # Errors
/// A start from which the update leaves the tensor, where its values are there already (later ones go to where it fits);
/// another number of starts than axes; an update that is larger than the tensor.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::slice_update;
/// let x = tensor![1, 2, 3, 4];
/// assert_eq!(slice_update(&x, &tensor![8, 9], &tensor![1], 0)?.to_vec::<i32>()?, [1, 8, 9, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.slice_update")]
#[track_caller]
pub fn slice_update(x: &Tensor, update: &Tensor, start: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    ffi::slice_update_dynamic(x, update, start, &sliced_axes(x, axes))
}
