//! The worker's functions: elements arranged anew, and windows onto the same memory.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result, ill_formed},
    signature::{self, Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_ops::{IntoAxisRange, IntoInts, Ints, Meshgrid, PadMode, Padding};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("as_strided", |call| one(as_strided(call))),
    ("atleast_1d", |call| at_least(call, mlx_ops::atleast_1d)),
    ("atleast_2d", |call| at_least(call, mlx_ops::atleast_2d)),
    ("atleast_3d", |call| at_least(call, mlx_ops::atleast_3d)),
    ("broadcast_arrays", broadcast_arrays),
    ("broadcast_shapes", broadcast_shapes),
    ("flatten", |call| one(flatten(call))),
    ("flip", |call| one(flip(call))),
    ("meshgrid", meshgrid),
    ("moveaxis", |call| one(moveaxis(call))),
    ("pad", |call| one(pad(call))),
    ("repeat", |call| one(repeat(call))),
    ("roll", |call| one(roll(call))),
    ("split", split),
    ("stack", |call| one(stack(call))),
    ("swapaxes", |call| one(swapaxes(call))),
    ("tile", |call| one(tile(call))),
    ("unflatten", |call| one(unflatten(call))),
    ("unstack", unstack),
    ("view", |call| one(view(call))),
];

/// Those that are methods too.
pub(super) const METHODS: &[&str] = &["flatten", "moveaxis", "split", "swapaxes", "view"];

/// An int, or a list of them.
fn ints(bound: &Bound, i: usize) -> Result<Ints> {
    match bound.axes(i)?.list() {
        Some(list) if bound.is_list(i) => Ok(list.into_ints()),
        Some(&[alone]) => Ok(alone.into_ints()),
        _ => ill_formed("an int is missing"),
    }
}

fn many(tensors: mlx_core::Result<Vec<Tensor>>) -> Result<Value> {
    Ok(Value::List(tensors?.into_iter().map(Value::Tensor).collect()))
}

/// The arguments of `*arrays`, and the keywords bound.
fn variadic<'a>(call: &'a Call, keywords: &str) -> Result<(Vec<&'a Tensor>, Bound)> {
    let tensors = call.args.iter().map(|argument| match argument {
        Value::Tensor(tensor) => Ok(tensor),
        _ => ill_formed(format!("{} takes tensors", call.op)),
    });
    let named = Call { op: call.op.clone(), args: Vec::new(), kw: call.kw.clone() };
    Ok((tensors.collect::<Result<_>>()?, named.bind(keywords)?))
}

/// One tensor for one, else a list.
fn at_least(call: &Call, function: fn(&Tensor) -> mlx_core::Result<Tensor>) -> Result<Value> {
    let (tensors, _) = variadic(call, "")?;
    match &tensors[..] {
        [x] => one(Ok(function(x)?)),
        _ => many(tensors.into_iter().map(function).collect()),
    }
}

/// Python's defaults: the tensor's shape, and the strides of a shape in row-major order.
fn as_strided(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, shape=, strides=, offset=")?;
    let x = bound.tensor(0)?;
    let shape = if bound.has(1) { bound.shape(1, false)? } else { x.shape().to_vec() };
    let strides = if bound.has(2) { bound.wide_list(2)? } else { row_major(&shape) };
    let offset = bound.wide(3, 0)?;
    match usize::try_from(offset) {
        Ok(offset) => Ok(mlx_ops::as_strided(x, &shape, &strides, offset)?),
        Err(_) => ill_formed("as_strided takes no negative offset"),
    }
}

fn row_major(shape: &[i32]) -> Vec<i64> {
    let mut step = 1;
    let mut strides: Vec<i64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let stride = step;
            step = i64::wrapping_mul(step, size.into());
            stride
        })
        .collect();
    strides.reverse();
    strides
}

fn broadcast_arrays(call: &Call) -> Result<Value> {
    let (tensors, _) = variadic(call, "")?;
    many(mlx_ops::broadcast_arrays(tensors))
}

fn broadcast_shapes(call: &Call) -> Result<Value> {
    let shapes = call.args.iter().map(|argument| match argument {
        Value::List(sizes) => signature::shape(sizes).unwrap_or_else(|| ill_formed("a shape has ints")),
        _ => ill_formed("broadcast_shapes takes shapes"),
    });
    let shape = mlx_ops::broadcast_shapes(shapes.collect::<Result<Vec<_>>>()?)?;
    Ok(Value::List(shape.iter().map(|&size| Value::Int(size.into())).collect()))
}

/// The forms that a user may write are tried too.
fn flatten(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, start_axis=, end_axis=")?;
    let x = bound.tensor(0)?;
    let (start, end) = (bound.int(1, 0)?, bound.int(2, -1)?);
    let joined = |axes: (i32, i32)| mlx_ops::flatten(x, axes.0..=axes.1);
    Ok(match (bound.has(1), bound.has(2)) {
        (false, false) => mlx_ops::flatten(x, ..)?,
        (true, false) => mlx_ops::flatten(x, start..)?,
        (false, true) => mlx_ops::flatten(x, ..=end)?,
        (true, true) => joined((start..=end).into_axis_range())?,
    })
}

fn flip(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis=")?;
    Ok(mlx_ops::flip(bound.tensor(0)?, bound.axes(1)?)?)
}

fn meshgrid(call: &Call) -> Result<Value> {
    let (tensors, bound) = variadic(call, "*, sparse=, indexing=")?;
    let mut how = Meshgrid::new();
    if bound.flag(0)? {
        how = how.sparse();
    }
    match bound.text(1, "xy")? {
        "xy" => {}
        "ij" => how = how.ij(),
        // An enum in Rust; the words are MLX's.
        _ => {
            let message = "[meshgrid] Invalid indexing value. Valid values are 'xy' and 'ij'.";
            return Err(Failure::raised("ValueError", message));
        }
    }
    many(mlx_ops::meshgrid(tensors, how))
}

fn moveaxis(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, source, destination")?;
    Ok(mlx_ops::moveaxis(bound.tensor(0)?, bound.int(1, 0)?, bound.int(2, 0)?)?)
}

fn pad(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, pad_width, mode=, constant_values=")?;
    let (x, widths) = (bound.tensor(0)?, padding(&bound)?);
    Ok(match bound.text(2, "constant")? {
        "constant" if bound.has(3) => mlx_ops::pad(x, widths, bound.operand(3)?)?,
        "constant" => mlx_ops::pad(x, widths, 0)?,
        "edge" => mlx_ops::pad(x, widths, PadMode::Edge)?,
        "reflect" => mlx_ops::pad(x, widths, PadMode::Reflect)?,
        "symmetric" => mlx_ops::pad(x, widths, PadMode::Symmetric)?,
        other => {
            let message = format!("Invalid padding mode ({other}) passed to pad");
            return Err(Failure::raised("ValueError", message));
        }
    })
}

/// An int, one or two ints for every axis, or a list of pairs.
fn padding(bound: &Bound) -> Result<Padding> {
    if let Some(pairs) = bound.pairs(1) {
        return Ok(Padding::Each(pairs.into()));
    }
    match *ints(bound, 1)?.list() {
        [both] => Ok(Padding::Every(both, both)),
        [low, high] => Ok(Padding::Every(low, high)),
        _ => ill_formed("pad takes one or two widths, or pairs"),
    }
}

fn repeat(call: &Call) -> Result<Tensor> {
    let bound = call.bind("array, /, repeats, axis=")?;
    Ok(mlx_ops::repeat(bound.tensor(0)?, bound.int(1, 0)?, bound.axes(2)?)?)
}

fn roll(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, shift, axis=")?;
    let (x, shift) = (bound.tensor(0)?, ints(&bound, 1)?);
    Ok(if bound.has(2) { mlx_ops::roll(x, shift, ints(&bound, 2)?)? } else { mlx_ops::roll(x, shift, ..)? })
}

fn split(call: &Call) -> Result<Value> {
    let bound = call.bind("a, /, indices_or_sections, axis=")?;
    many(mlx_ops::split(bound.tensor(0)?, ints(&bound, 1)?, bound.int(2, 0)?))
}

fn stack(call: &Call) -> Result<Tensor> {
    let bound = call.bind("arrays, /, axis=")?;
    let axis = if bound.has(1) { bound.int(1, 0)? } else { 0 };
    Ok(mlx_ops::stack(bound.tensors(0)?, axis)?)
}

fn swapaxes(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis1, axis2")?;
    Ok(mlx_ops::swapaxes(bound.tensor(0)?, bound.int(1, 0)?, bound.int(2, 0)?)?)
}

fn tile(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, reps, /")?;
    Ok(mlx_ops::tile(bound.tensor(0)?, ints(&bound, 1)?)?)
}

fn unflatten(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, axis, shape")?;
    Ok(mlx_ops::unflatten(bound.tensor(0)?, bound.int(1, 0)?, bound.shape(2, false)?)?)
}

fn unstack(call: &Call) -> Result<Value> {
    let bound = call.bind("x, /, *, axis=")?;
    many(mlx_ops::unstack(bound.tensor(0)?, bound.int(1, 0)?))
}

fn view(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, dtype")?;
    match bound.dtype(1)? {
        Some(dtype) => Ok(mlx_ops::view(bound.operand(0)?, dtype)?),
        None => ill_formed("view needs a dtype"),
    }
}
