//! The worker's functions: ops that make tensors.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result, ill_formed, unsupported},
    input,
    signature::{Bound, Call},
    value::{self, Value},
};
use mlx_core::{Dtype, Scalar, Tensor};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("arange", |call| one(arange(call))),
    ("array", |call| one(array(call))),
    ("asarray", |call| one(asarray(call))),
    ("empty", |call| one(filled(call, mlx_ops::empty))),
    ("empty_like", |call| one(like(call, mlx_ops::empty_like, mlx_ops::zeros_like_dtype))),
    ("full", |call| one(full(call))),
    ("full_like", |call| one(full_like(call))),
    ("ones", |call| one(filled(call, mlx_ops::ones))),
    ("ones_like", |call| one(like(call, mlx_ops::ones_like, mlx_ops::ones_like_dtype))),
    ("zeros", |call| one(filled(call, mlx_ops::zeros))),
    ("zeros_like", |call| one(like(call, mlx_ops::zeros_like, mlx_ops::zeros_like_dtype))),
];

/// Two overloads, of which Python takes the first whose types fit.
fn arange(call: &Call) -> Result<Tensor> {
    let from_start = call.bind("start, stop, step=, dtype=");
    let fits = |bound: &Bound| bound.dtype(3).is_ok() && (0..3).all(|i| bound.scalar(i, false).is_ok());
    let (bound, first) = match from_start {
        Ok(bound) if fits(&bound) => (bound, 0),
        _ => (call.bind("stop, step=, dtype=")?, 1),
    };
    let (mut start, mut stop) = (Scalar::Bool(false), bound.scalar(0, false)?);
    if first == 0 && bound.has(1) {
        (start, stop) = (stop, bound.scalar(1, false)?);
    }
    let step = bound.scalar(2 - first, true)?;
    Ok(match bound.dtype(3 - first)? {
        Some(dtype) => mlx_ops::arange_dtype(start, stop, step, dtype)?,
        None => mlx_ops::arange(start, stop, step)?,
    })
}

/// `zeros` and `ones`
fn filled(call: &Call, function: fn(Vec<i32>, Dtype) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    let bound = call.bind("shape, dtype=")?;
    Ok(function(bound.shape(0, true)?, bound.dtype(1)?.unwrap_or(Dtype::Float32))?)
}

/// Without a dtype the value's own holds: a tensor's, or a lone scalar's.
fn full(call: &Call) -> Result<Tensor> {
    let bound = call.bind("shape, vals, dtype=")?;
    let (shape, value) = (bound.shape(0, true)?, bound.operand(1)?);
    if let Some(dtype) = bound.dtype(2)? {
        return Ok(mlx_ops::full(shape, value, dtype)?);
    }
    let value = value.to_tensor("full", None)?;
    Ok(mlx_ops::full(shape, &*value, value.dtype())?)
}

/// `zeros_like` and `ones_like`
fn like(
    call: &Call,
    function: fn(&Tensor) -> mlx_core::Result<Tensor>,
    at_dtype: fn(&Tensor, Dtype) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind("a, /, dtype=")?;
    let x = bound.tensor(0)?;
    Ok(match bound.dtype(1)? {
        Some(dtype) => at_dtype(x, dtype)?,
        None => function(x)?,
    })
}

fn full_like(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, vals, dtype=")?;
    let (x, value) = (bound.tensor(0)?, bound.operand(1)?);
    Ok(match bound.dtype(2)? {
        Some(dtype) => mlx_ops::full_like_dtype(x, value, dtype)?,
        None => mlx_ops::full_like(x, value)?,
    })
}

/// Of a tensor of the same dtype Python makes a copy, which Rust has no node for.
fn array(call: &Call) -> Result<Tensor> {
    let bound = call.bind("val, dtype=")?;
    match bound.value(0) {
        Value::Tensor(x) if bound.dtype(1)?.is_none_or(|dtype| dtype == x.dtype()) => {
            unsupported("a copy of a tensor as a node")
        }
        _ => of_anything(&bound),
    }
}

fn asarray(call: &Call) -> Result<Tensor> {
    of_anything(&call.bind("a, dtype=")?)
}

fn of_anything(bound: &Bound) -> Result<Tensor> {
    let (value, dtype) = (bound.value(0), bound.dtype(1)?);
    match (value, value::scalar(value), dtype) {
        (Value::Tensor(x), _, Some(dtype)) => Ok(mlx_ops::astype(x, dtype)?),
        (Value::Tensor(x), _, None) => Ok(x.clone()),
        (_, Some(scalar), Some(dtype)) => Ok(Tensor::scalar(scalar, dtype)?),
        (_, Some(scalar), None) => Ok(Tensor::weak("array", scalar, None)?),
        _ => {
            let (mut shape, mut values) = (Vec::new(), Vec::new());
            flatten(value, 0, &mut shape, &mut values)?;
            let dtype = dtype.unwrap_or_else(|| default_dtype(&values));
            input::array(&values, &shape, dtype)
        }
    }
}

/// The numbers of nested lists in order, and the lengths of the first lists, which the others must have.
fn flatten(value: &Value, depth: usize, shape: &mut Vec<usize>, values: &mut Vec<Value>) -> Result<()> {
    let uneven = || Failure::raised("ValueError", "Initialization encountered non-uniform length.");
    match value {
        Value::List(items) => {
            if values.is_empty() && shape.len() == depth {
                shape.push(items.len());
            }
            if shape.get(depth) != Some(&items.len()) {
                return Err(uneven());
            }
            items.iter().try_for_each(|item| flatten(item, depth + 1, shape, values))
        }
        number if value::scalar(number).is_some() => {
            if shape.len() != depth {
                return Err(uneven());
            }
            values.push(number.clone());
            Ok(())
        }
        _ => ill_formed("an array of numbers, in lists"),
    }
}

/// That of the widest kind of number among them; float32 of none.
fn default_dtype(values: &[Value]) -> Dtype {
    let any = |kind: fn(&Value) -> bool| values.iter().any(kind);
    if any(|value| matches!(value, Value::Complex(_))) {
        return Dtype::Complex64;
    }
    if values.is_empty() || any(|value| matches!(value, Value::Float(_))) {
        return Dtype::Float32;
    }
    if any(|value| matches!(value, Value::Int(value) if i32::try_from(*value).is_err())) {
        return Dtype::Int64;
    }
    if any(|value| matches!(value, Value::Int(_))) { Dtype::Int32 } else { Dtype::Bool }
}
