//! The worker's functions: reductions outside the table.

use super::{Row, one};
use crate::parity::worker::{failure::Result, signature::Call};
use mlx_core::Tensor;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[("softmax", |call| one(softmax(call))), ("var", |call| one(var(call)))];

/// Those that are methods too.
pub(super) const METHODS: &[&str] = &["var"];

fn softmax(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, *, precise=")?;
    let (x, over) = (bound.tensor(0)?, bound.axes(1)?);
    Ok(if bound.flag(2)? { mlx_ops::softmax_precise(x, over)? } else { mlx_ops::softmax(x, over)? })
}

fn var(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, keepdims=, ddof=")?;
    Ok(mlx_ops::var(bound.tensor(0)?, bound.kept_axes(1)?, bound.int(3, 0)?)?)
}
