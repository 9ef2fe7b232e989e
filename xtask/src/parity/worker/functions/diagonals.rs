//! The worker's functions: diagonals, triangles and windows.

use super::{Row, one};
use crate::parity::worker::{
    failure::Result,
    signature::{Bound, Call},
};
use mlx_core::{Dtype, Tensor};
use mlx_ops::Linspace;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("bartlett", |call| one(window(call, mlx_ops::bartlett))),
    ("blackman", |call| one(window(call, mlx_ops::blackman))),
    ("diag", |call| one(with_k(call, "a, /, k=", mlx_ops::diag))),
    ("diagonal", |call| one(diagonal(call))),
    ("eye", |call| one(eye(call))),
    ("hamming", |call| one(window(call, mlx_ops::hamming))),
    ("hanning", |call| one(window(call, mlx_ops::hanning))),
    ("identity", |call| one(identity(call))),
    ("linspace", |call| one(linspace(call))),
    ("trace", |call| one(trace(call))),
    ("tri", |call| one(tri(call))),
    ("tril", |call| one(with_k(call, "x, k=", mlx_ops::tril))),
    ("triu", |call| one(with_k(call, "x, k=", mlx_ops::triu))),
];

/// Those that are methods too.
pub(super) const METHODS: &[&str] = &["diag", "diagonal"];

fn window(call: &Call, function: fn(i32) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    Ok(function(call.bind("M")?.int(0, 0)?)?)
}

fn with_k(
    call: &Call,
    signature: &str,
    function: fn(&Tensor, i32) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind(signature)?;
    Ok(function(bound.tensor(0)?, bound.int(1, 0)?)?)
}

fn diagonal(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, offset=, axis1=, axis2=")?;
    Ok(mlx_ops::diagonal(bound.tensor(0)?, bound.int(1, 0)?, [bound.int(2, 0)?, bound.int(3, 1)?])?)
}

fn trace(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, offset=, axis1=, axis2=, dtype=")?;
    let (x, offset, axes) = (bound.tensor(0)?, bound.int(1, 0)?, [bound.int(2, 0)?, bound.int(3, 1)?]);
    Ok(match bound.dtype(4)? {
        Some(dtype) => mlx_ops::trace_dtype(x, offset, axes, dtype)?,
        None => mlx_ops::trace(x, offset, axes)?,
    })
}

/// Rows, and as many columns where none are told.
fn sides(bound: &Bound) -> Result<[i32; 2]> {
    let n = bound.int(0, 0)?;
    Ok([n, if bound.has(1) { bound.int(1, 0)? } else { n }])
}

fn float32_or(bound: &Bound, i: usize) -> Result<Dtype> {
    Ok(bound.dtype(i)?.unwrap_or(Dtype::Float32))
}

fn eye(call: &Call) -> Result<Tensor> {
    let bound = call.bind("n, m=, k=, dtype=")?;
    let [n, m] = sides(&bound)?;
    Ok(mlx_ops::eye(n, m, bound.int(2, 0)?, float32_or(&bound, 3)?)?)
}

fn tri(call: &Call) -> Result<Tensor> {
    let bound = call.bind("n, m=, k=, dtype=")?;
    let [n, m] = sides(&bound)?;
    Ok(mlx_ops::tri(n, m, bound.int(2, 0)?, float32_or(&bound, 3)?)?)
}

fn identity(call: &Call) -> Result<Tensor> {
    let bound = call.bind("n, dtype=")?;
    Ok(mlx_ops::identity(bound.int(0, 0)?, float32_or(&bound, 1)?)?)
}

fn linspace(call: &Call) -> Result<Tensor> {
    let bound = call.bind("start, stop, num=, endpoint=, dtype=")?;
    let (start, stop) = (bound.scalar(0, false)?, bound.scalar(1, false)?);
    let mut how = Linspace::new().dtype(float32_or(&bound, 4)?);
    if !bound.flag_or(3, true)? {
        how = how.open();
    }
    Ok(mlx_ops::linspace_with(start, stop, bound.int(2, 50)?, how)?)
}
