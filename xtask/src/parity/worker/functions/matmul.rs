//! The worker's functions: products of matrices.

use super::{Row, one};
use crate::parity::worker::{failure::Result, signature::Call};
use mlx_core::Tensor;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[("addmm", |call| one(addmm(call))), ("matmul", |call| one(matmul(call)))];

fn addmm(call: &Call) -> Result<Tensor> {
    let bound = call.bind("c, a, b, /, alpha=, beta=")?;
    let (alpha, beta) = (bound.float(3, 1.0)?, bound.float(4, 1.0)?);
    Ok(mlx_ops::addmm(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, alpha, beta)?)
}

fn matmul(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, /")?;
    Ok(mlx_ops::matmul(bound.tensor(0)?, bound.tensor(1)?)?)
}
