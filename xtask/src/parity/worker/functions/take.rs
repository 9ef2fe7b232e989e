//! The worker's functions: elements by position along an axis, and slices whose start is a tensor.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::Call,
};
use mlx_core::{Operand, OperandRef, Scalar, Tensor};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("put_along_axis", |call| one(put_along_axis(call))),
    ("slice", |call| one(slice(call))),
    ("slice_update", |call| one(slice_update(call))),
    ("take", |call| one(take(call))),
    ("take_along_axis", |call| one(take_along_axis(call))),
];

fn take(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, indices, axis=")?;
    let indices = bound.operand(1)?;
    if let OperandRef::Scalar(Scalar::Float(_) | Scalar::Complex(_)) = indices {
        return Err(Failure::IllFormed("take: indices is no int".into()));
    }
    Ok(mlx_ops::take(bound.tensor(0)?, indices.operand(), bound.axes(2)?)?)
}

fn take_along_axis(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, indices, axis=")?;
    Ok(mlx_ops::take_along_axis(bound.tensor(0)?, bound.tensor(1)?, bound.axes(2)?)?)
}

fn put_along_axis(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, indices, values, axis")?;
    let (x, indices, values) = (bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?);
    Ok(mlx_ops::put_along_axis(x, indices, values, bound.axes(3)?)?)
}

fn slice(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, start_indices, axes, slice_size")?;
    Ok(mlx_ops::slice(bound.tensor(0)?, bound.tensor(1)?, bound.axes(2)?, bound.shape(3, false)?)?)
}

fn slice_update(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, update, start_indices, axes")?;
    Ok(mlx_ops::slice_update(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, bound.axes(3)?)?)
}
