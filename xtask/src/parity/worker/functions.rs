//! Functions of `mlx.core`: those of the op tables by call shape, the others one by one with Python's parameters.
//!
//! Not here: methods of tensors (`methods`), which come here for what a function does.

use super::{
    failure::{Result, ill_formed, unsupported},
    fast,
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::{Dtype, Scalar, Tensor};
use mlx_ops::{Convolution, Function};

/// What `mx.NAME` gives.
pub(crate) fn call(name: &str, call: &Call) -> Result<Value> {
    if let Some(found) = fast::call(&call.op, call) {
        return found;
    }
    let entry = mlx_ops::REGISTRY.iter().copied().flatten().find(|entry| entry.name == name);
    let tensor = match entry.map(|entry| &entry.function) {
        Some(Function::Unary(function)) => function(call.bind("a, /")?.tensor(0)?)?,
        Some(Function::Binary(function)) => {
            let bound = call.bind("a, b")?;
            function(bound.operand(0)?, bound.operand(1)?)?
        }
        Some(Function::Reduce(function)) => {
            let bound = call.bind("a, /, axis=, keepdims=")?;
            function(bound.tensor(0)?, &bound.kept_axes(1)?)?
        }
        None => irregular(name, call)?,
    };
    Ok(Value::Tensor(tensor))
}

type Irregular = fn(&Call) -> Result<Tensor>;

/// The functions outside the op tables, by Python's name.
pub(crate) const IRREGULAR: &[(&str, Irregular)] = &[
    ("addmm", addmm),
    ("arange", arange),
    ("broadcast_to", broadcast_to),
    ("clip", clip),
    ("concatenate", concatenate),
    ("conv1d", conv1d),
    ("conv2d", conv2d),
    ("expand_dims", expand_dims),
    ("full", full),
    ("matmul", matmul),
    ("ones", |call| filled(call, mlx_ops::ones)),
    ("reshape", reshape),
    ("softmax", softmax),
    ("squeeze", squeeze),
    ("transpose", transpose),
    ("var", var),
    ("where", where_),
    ("zeros", |call| filled(call, mlx_ops::zeros)),
];

fn irregular(name: &str, call: &Call) -> Result<Tensor> {
    match IRREGULAR.iter().find(|(known, _)| *known == name) {
        Some((_, function)) => function(call),
        None => unsupported(&call.op),
    }
}

fn addmm(call: &Call) -> Result<Tensor> {
    let bound = call.bind("c, a, b, /, alpha=, beta=")?;
    let (alpha, beta) = (bound.float(3, 1.0)?, bound.float(4, 1.0)?);
    Ok(mlx_ops::addmm(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, alpha, beta)?)
}

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

fn broadcast_to(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, shape")?;
    let x = bound.operand(0)?.to_tensor("broadcast_to", None)?;
    Ok(mlx_ops::broadcast_to(&x, bound.shape(1, false)?)?)
}

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

fn concatenate(call: &Call) -> Result<Tensor> {
    let bound = call.bind("arrays, axis=")?;
    match (bound.axes(1)?.list(), call.args.len() + call.kw.len()) {
        (Some(&[axis]), _) => Ok(mlx_ops::concatenate(bound.tensors(0)?, axis)?),
        (None, 1) => Ok(mlx_ops::concatenate(bound.tensors(0)?, 0)?),
        (None, _) => Ok(mlx_ops::concatenate_flat(bound.tensors(0)?)?),
        _ => ill_formed("concatenate takes one axis"),
    }
}

fn conv1d(call: &Call) -> Result<Tensor> {
    let (bound, how) = convolution(call, |bound, i, default| Ok([bound.int(i, default)?]))?;
    Ok(mlx_ops::conv1d(bound.tensor(0)?, bound.tensor(1)?, how)?)
}

fn conv2d(call: &Call) -> Result<Tensor> {
    let (bound, how) = convolution(call, Bound::int_pair)?;
    Ok(mlx_ops::conv2d(bound.tensor(0)?, bound.tensor(1)?, how)?)
}

fn convolution<const N: usize>(
    call: &Call,
    sizes: fn(&Bound, usize, i32) -> Result<[i32; N]>,
) -> Result<(Bound, Convolution<N>)> {
    let bound = call.bind("input, weight, /, stride=, padding=, dilation=, groups=")?;
    let how = Convolution::new()
        .stride(sizes(&bound, 2, 1)?)
        .padding(sizes(&bound, 3, 0)?)
        .dilation(sizes(&bound, 4, 1)?)
        .groups(bound.int(5, 1)?);
    Ok((bound, how))
}

fn expand_dims(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis")?;
    Ok(mlx_ops::expand_dims(bound.tensor(0)?, bound.axes(1)?)?)
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
    Ok(mlx_ops::full(shape, &value, value.dtype())?)
}

fn matmul(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, /")?;
    Ok(mlx_ops::matmul(bound.tensor(0)?, bound.tensor(1)?)?)
}

fn reshape(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, shape")?;
    Ok(mlx_ops::reshape(bound.tensor(0)?, bound.shape(1, false)?)?)
}

fn softmax(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, *, precise=")?;
    let (x, over) = (bound.tensor(0)?, bound.axes(1)?);
    Ok(if bound.flag(2)? { mlx_ops::softmax_precise(x, over)? } else { mlx_ops::softmax(x, over)? })
}

fn squeeze(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=")?;
    Ok(mlx_ops::squeeze(bound.tensor(0)?, bound.axes(1)?)?)
}

fn transpose(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axes=")?;
    Ok(mlx_ops::transpose(bound.tensor(0)?, bound.axes(1)?)?)
}

fn var(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=, keepdims=, ddof=")?;
    Ok(mlx_ops::var(bound.tensor(0)?, bound.kept_axes(1)?, bound.int(3, 0)?)?)
}

fn where_(call: &Call) -> Result<Tensor> {
    let bound = call.bind("condition, x, y, /")?;
    Ok(mlx_ops::where_(bound.operand(0)?, bound.operand(1)?, bound.operand(2)?)?)
}
