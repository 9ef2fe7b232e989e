//! The worker's functions: reductions outside the table.

use super::{Row, one};
use crate::parity::worker::{failure::Result, signature::Call};
use mlx_core::{Axes, Tensor};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("argmax", |call| one(extreme(call, |x, axes| mlx_ops::argmax(x, axes)))),
    ("argmin", |call| one(extreme(call, |x, axes| mlx_ops::argmin(x, axes)))),
    ("softmax", |call| one(softmax(call))),
    ("std", |call| one(deviation(call, |x, axes, ddof| mlx_ops::std(x, axes, ddof)))),
    ("var", |call| one(deviation(call, |x, axes, ddof| mlx_ops::var(x, axes, ddof)))),
];

/// Those that are methods too, with those of the table.
pub(super) const METHODS: &[&str] =
    &["all", "any", "argmax", "argmin", "logsumexp", "max", "mean", "min", "prod", "std", "sum", "var"];

fn extreme(call: &Call, function: fn(&Tensor, Axes) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, keepdims=")?;
    Ok(function(bound.tensor(0)?, bound.kept_axes(1)?)?)
}

fn softmax(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, *, precise=")?;
    let (x, over) = (bound.tensor(0)?, bound.axes(1)?);
    Ok(if bound.flag(2)? { mlx_ops::softmax_precise(x, over)? } else { mlx_ops::softmax(x, over)? })
}

fn deviation(call: &Call, function: fn(&Tensor, Axes, i32) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, keepdims=, ddof=")?;
    Ok(function(bound.tensor(0)?, bound.kept_axes(1)?, bound.int(3, 0)?)?)
}
