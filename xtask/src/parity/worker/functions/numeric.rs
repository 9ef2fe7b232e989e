//! The worker's functions: elementwise ops with numbers of their own, comparisons of whole tensors.

use super::{Row, one};
use crate::parity::worker::{failure::Result, signature::Call, value::Value};
use mlx_core::{Dtype, Tensor};
use mlx_ops::{Replacements, Tolerance};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("allclose", |call| one(close(call, mlx_ops::allclose))),
    ("array_equal", |call| one(array_equal(call))),
    ("contiguous", |call| one(contiguous(call))),
    ("depends", depends),
    ("divmod", divmod),
    ("from_fp8", |call| one(from_fp8(call))),
    ("isclose", |call| one(close(call, mlx_ops::isclose))),
    ("nan_to_num", |call| one(nan_to_num(call))),
    ("round", |call| one(round(call))),
    ("to_fp8", |call| one(Ok(mlx_ops::to_fp8(call.bind("x")?.tensor(0)?)?))),
];

/// Those that are methods too.
pub(super) const METHODS: &[&str] = &["round"];

fn close(
    call: &Call,
    function: fn(&Tensor, &Tensor, Tolerance) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind("a, b, /, rtol=, atol=, *, equal_nan=")?;
    let mut tolerance = Tolerance::new().rtol(bound.double(2, 1e-5)?).atol(bound.double(3, 1e-8)?);
    if bound.flag(4)? {
        tolerance = tolerance.equal_nan();
    }
    Ok(function(bound.tensor(0)?, bound.tensor(1)?, tolerance)?)
}

fn array_equal(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, equal_nan=")?;
    let (a, b) = (bound.operand(0)?, bound.operand(1)?);
    Ok(if bound.flag(2)? { mlx_ops::array_equal_nan(a, b)? } else { mlx_ops::array_equal(a, b)? })
}

fn contiguous(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, allow_col_major=")?;
    let x = bound.tensor(0)?;
    Ok(if bound.flag(1)? { mlx_ops::contiguous_in_any_order(x)? } else { mlx_ops::contiguous(x)? })
}

/// One tensor for one, a list for a list.
fn depends(call: &Call) -> Result<Value> {
    let bound = call.bind("inputs, dependencies")?;
    let several = |i: usize| match bound.given(i) {
        Value::List(_) => bound.tensors(i).map(|tensors| tensors.into_iter().cloned().collect()),
        _ => bound.tensor(i).map(|tensor| vec![tensor.clone()]),
    };
    let (inputs, dependencies): (Vec<Tensor>, Vec<Tensor>) = (several(0)?, several(1)?);
    let mut outputs: Vec<Value> =
        mlx_ops::depends(&inputs, &dependencies)?.into_iter().map(Value::Tensor).collect();
    let is_list = matches!(bound.given(0), Value::List(_));
    Ok(if is_list { Value::List(outputs) } else { outputs.swap_remove(0) })
}

fn divmod(call: &Call) -> Result<Value> {
    let bound = call.bind("a, b")?;
    let (quotient, remainder) = mlx_ops::divmod(bound.operand(0)?, bound.operand(1)?)?;
    Ok(Value::List(vec![Value::Tensor(quotient), Value::Tensor(remainder)]))
}

fn from_fp8(call: &Call) -> Result<Tensor> {
    let bound = call.bind("x, dtype=")?;
    Ok(mlx_ops::from_fp8(bound.tensor(0)?, bound.dtype(1)?.unwrap_or(Dtype::Bfloat16))?)
}

fn nan_to_num(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, nan=, posinf=, neginf=")?;
    let mut replacements = Replacements::new().nan(bound.float(1, 0.0)?);
    if bound.has(2) {
        replacements = replacements.posinf(bound.float(2, 0.0)?);
    }
    if bound.has(3) {
        replacements = replacements.neginf(bound.float(3, 0.0)?);
    }
    Ok(mlx_ops::nan_to_num(bound.operand(0)?, replacements)?)
}

fn round(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, decimals=")?;
    Ok(mlx_ops::round(bound.tensor(0)?, bound.int(1, 0)?)?)
}
