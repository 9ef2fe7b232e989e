//! The worker's functions: shapes, axes and joins.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Result, ill_formed},
    signature::Call,
};
use mlx_core::Tensor;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("broadcast_to", |call| one(broadcast_to(call))),
    ("concat", |call| one(concatenate(call))),
    ("concatenate", |call| one(concatenate(call))),
    ("expand_dims", |call| one(expand_dims(call))),
    ("matrix_transpose", |call| one(transpose(call))),
    ("permute_dims", |call| one(transpose(call))),
    ("reshape", |call| one(reshape(call))),
    ("squeeze", |call| one(squeeze(call))),
    ("transpose", |call| one(transpose(call))),
];

/// Those that are methods too.
pub(super) const METHODS: &[&str] = &["squeeze"];

fn broadcast_to(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, shape")?;
    let x = bound.operand(0)?.to_tensor("broadcast_to", None)?;
    Ok(mlx_ops::broadcast_to(&x, bound.shape(1, false)?)?)
}

fn concatenate(call: &Call) -> Result<Tensor> {
    let bound = call.bind("arrays, /, axis=")?;
    match (bound.axes(1)?.list(), call.args.len() + call.kw.len()) {
        (Some(&[axis]), _) => Ok(mlx_ops::concatenate(bound.tensors(0)?, axis)?),
        (None, 1) => Ok(mlx_ops::concatenate(bound.tensors(0)?, 0)?),
        (None, _) => Ok(mlx_ops::concatenate_flat(bound.tensors(0)?)?),
        _ => ill_formed("concatenate takes one axis"),
    }
}

fn expand_dims(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis")?;
    Ok(mlx_ops::expand_dims(bound.tensor(0)?, bound.axes(1)?)?)
}

fn reshape(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, shape")?;
    Ok(mlx_ops::reshape(bound.tensor(0)?, bound.shape(1, false)?)?)
}

fn squeeze(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=")?;
    Ok(mlx_ops::squeeze(bound.tensor(0)?, bound.axes(1)?)?)
}

fn transpose(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axes=")?;
    Ok(mlx_ops::transpose(bound.tensor(0)?, bound.axes(1)?)?)
}
