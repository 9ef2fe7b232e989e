//! The worker's functions: selection.

use super::{Row, one};
use crate::parity::worker::{failure::Result, signature::Call};
use mlx_core::Tensor;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[("clip", |call| one(clip(call))), ("where", |call| one(where_(call)))];

fn clip(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, a_min, a_max")?;
    let x = bound.tensor(0)?;
    Ok(match (bound.has(1), bound.has(2)) {
        (true, true) => mlx_ops::clip(x, bound.operand(1)?, bound.operand(2)?)?,
        (true, false) => mlx_ops::clip(x, bound.operand(1)?, ..)?,
        (false, true) => mlx_ops::clip(x, .., bound.operand(2)?)?,
        (false, false) => mlx_ops::clip(x, .., ..)?,
    })
}

fn where_(call: &Call) -> Result<Tensor> {
    let bound = call.bind("condition, x, y, /")?;
    Ok(mlx_ops::where_(bound.operand(0)?, bound.operand(1)?, bound.operand(2)?)?)
}
