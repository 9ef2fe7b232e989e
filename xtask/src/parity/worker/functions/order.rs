//! The worker's functions: scans, sorts and searches.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::Call,
};
use mlx_core::Tensor;
use mlx_ops::{Scan, Side};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("argpartition", |call| one(placed(call, "kth", |x, kth, axis| mlx_ops::argpartition(x, kth, axis)))),
    ("argsort", |call| one(sorted(call, |x, axis| mlx_ops::argsort(x, axis)))),
    ("diff", |call| one(diff(call))),
    ("partition", |call| one(placed(call, "kth", |x, kth, axis| mlx_ops::partition(x, kth, axis)))),
    ("searchsorted", |call| one(searchsorted(call))),
    ("sort", |call| one(sorted(call, |x, axis| mlx_ops::sort(x, axis)))),
    ("topk", |call| one(placed(call, "k", |x, k, axis| mlx_ops::topk(x, k, axis)))),
];

/// Those that are methods too.
pub(super) const METHODS: &[&str] = &["cummax", "cummin", "cumprod", "cumsum", "logcumsumexp"];

/// A scan of the tables, in its form with a dtype where the call names one.
pub(super) fn scan(
    name: &str,
    function: fn(&Tensor, Scan) -> mlx_core::Result<Tensor>,
    call: &Call,
) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, *, reverse=, inclusive=, dtype=")?;
    let mut along = mlx_ops::scan(bound.axis(1, None)?);
    if bound.flag(2)? {
        along = along.reverse();
    }
    if !bound.flag_or(3, true)? {
        along = along.exclusive();
    }
    let x = bound.tensor(0)?;
    Ok(match (bound.dtype(4)?, name) {
        (None, _) => function(x, along)?,
        (Some(dtype), "cumsum" | "cumulative_sum") => mlx_ops::cumsum_dtype(x, along, dtype)?,
        (Some(dtype), "cumprod" | "cumulative_prod") => mlx_ops::cumprod_dtype(x, along, dtype)?,
        (Some(_), _) => return Err(Failure::IllFormed(format!("{name} takes no dtype"))),
    })
}

fn sorted(call: &Call, function: fn(&Tensor, Option<i32>) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=")?;
    Ok(function(bound.tensor(0)?, bound.axis(1, Some(-1))?)?)
}

fn placed(
    call: &Call,
    number: &str,
    function: fn(&Tensor, i32, Option<i32>) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind(&format!("a, /, {number}, axis="))?;
    Ok(function(bound.tensor(0)?, bound.int(1, 0)?, bound.axis(2, Some(-1))?)?)
}

fn diff(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, n=, axis=")?;
    Ok(mlx_ops::diff(bound.tensor(0)?, bound.int(1, 1)?, bound.int(2, -1)?)?)
}

/// The side is a string in Python and an enum here, which has no unknown ones.
fn searchsorted(call: &Call) -> Result<Tensor> {
    let bound = call.bind("sorted_sequence, values, /, side=")?;
    let side = match bound.text(2, "left")? {
        "left" => Side::Left,
        "right" => Side::Right,
        other => {
            let message = format!("[searchsorted] Invalid side '{other}'. Expected 'left' or 'right'.");
            return Err(Failure::raised("ValueError", message));
        }
    };
    Ok(mlx_ops::searchsorted(bound.tensor(0)?, bound.tensor(1)?, side)?)
}
