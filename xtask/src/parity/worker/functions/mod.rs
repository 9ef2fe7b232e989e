//! Functions of `mlx.core`: those of the op tables by call shape, the others by family with Python's parameters.
//!
//! Not here: methods of tensors (`methods`), which come here for what a function does.

mod construct;
mod conv;
mod matmul;
mod reduce;
mod select;
mod shaping;
mod take;

use super::{
    failure::{Result, unsupported},
    fast,
    signature::Call,
    value::Value,
};
use mlx_core::Tensor;
use mlx_ops::Function;

/// A function outside the op tables: Python's name, and what a call of it gives.
pub(crate) type Row = (&'static str, fn(&Call) -> Result<Value>);

/// The functions outside the op tables, by family.
pub(crate) const IRREGULAR: &[&[Row]] =
    &[construct::ROWS, conv::ROWS, matmul::ROWS, reduce::ROWS, select::ROWS, shaping::ROWS, take::ROWS];

/// The functions that are methods too, with the same parameters.
const METHODS: &[&[&str]] = &[
    &["abs", "cos", "exp", "log", "max", "mean", "min", "rsqrt", "sin", "sqrt", "square", "sum"],
    reduce::METHODS,
    shaping::METHODS,
];

/// What `mx.NAME` gives.
pub(crate) fn call(name: &str, call: &Call) -> Result<Value> {
    if let Some(found) = fast::call(&call.op, call) {
        return found;
    }
    let entry = mlx_ops::REGISTRY.iter().copied().flatten().find(|entry| entry.name == name);
    match entry.map(|entry| &entry.function) {
        Some(Function::Unary(function)) => one(Ok(function(call.bind("a, /")?.tensor(0)?)?)),
        Some(Function::Binary(function)) => {
            let bound = call.bind("a, b")?;
            one(Ok(function(bound.operand(0)?, bound.operand(1)?)?))
        }
        Some(Function::Reduce(function)) => {
            let bound = call.bind("a, /, axis=, keepdims=")?;
            one(Ok(function(bound.tensor(0)?, &bound.kept_axes(1)?)?))
        }
        None => match IRREGULAR.iter().copied().flatten().find(|(known, _)| *known == name) {
            Some((_, function)) => function(call),
            None => unsupported(&call.op),
        },
    }
}

/// What the method of that name gives, where it has the function's parameters.
pub(crate) fn method(name: &str, call: &Call) -> Result<Value> {
    if METHODS.iter().copied().flatten().any(|known| *known == name) {
        return self::call(name, call);
    }
    unsupported(&call.op)
}

/// A tensor as a value.
fn one(tensor: Result<Tensor>) -> Result<Value> {
    tensor.map(Value::Tensor)
}
