//! Functions of `mlx.core` and its submodules: those of the op tables by call shape, the others by family with Python's
//! parameters.
//!
//! Not here: methods of tensors (`methods`), which come here for what a function does.

mod arrange;
mod construct;
mod conv;
mod diagonals;
mod dtype;
mod fft;
mod linalg;
mod numeric;
mod order;
mod products;
mod random;
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
pub(crate) const IRREGULAR: &[&[Row]] = &[
    arrange::ROWS,
    construct::ROWS,
    conv::ROWS,
    diagonals::ROWS,
    dtype::ROWS,
    linalg::ALIASES,
    numeric::ROWS,
    order::ROWS,
    products::ROWS,
    reduce::ROWS,
    select::ROWS,
    shaping::ROWS,
    take::ROWS,
];

/// The functions of Python's submodules, by the submodule's name.
pub(crate) const MODULES: &[(&str, &[Row])] =
    &[("fft", fft::ROWS), ("linalg", linalg::ROWS), ("random", random::ROWS)];

/// The functions that are methods too, with the same parameters.
const METHODS: &[&[&str]] = &[
    &["abs", "conj", "cos", "exp", "imag", "log", "log10", "log1p", "log2", "real", "reciprocal"],
    &["rsqrt", "sin", "sqrt", "square"],
    arrange::METHODS,
    diagonals::METHODS,
    numeric::METHODS,
    order::METHODS,
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
        Some(Function::Unary(function)) => {
            // Some of Python's take a lone number, which is a tensor to them.
            let call = call.bind("a, /")?;
            let x = call.operand(0)?.to_tensor(entry.map_or("", |entry| entry.name), None)?;
            one(Ok(function(&x)?))
        }
        Some(Function::Binary(function)) => {
            let bound = call.bind("a, b")?;
            one(Ok(function(bound.operand(0)?, bound.operand(1)?)?))
        }
        Some(Function::Reduce(function)) => {
            let bound = call.bind("a, /, axis=, keepdims=")?;
            one(Ok(function(bound.tensor(0)?, &bound.kept_axes(1)?)?))
        }
        Some(Function::Scan(function, method)) => {
            let function = if call.op.starts_with("method.") { method } else { function };
            one(order::scan(name, *function, call))
        }
        None => match IRREGULAR.iter().copied().flatten().find(|(known, _)| *known == name) {
            Some((_, function)) => function(call),
            None => unsupported(&call.op),
        },
    }
}

/// What `mx.MODULE.NAME` gives; nothing when there is no such module.
pub(crate) fn of_module(module: &str, name: &str, call: &Call) -> Option<Result<Value>> {
    let (_, rows) = MODULES.iter().find(|(known, _)| *known == module)?;
    Some(match rows.iter().find(|(known, _)| *known == name) {
        Some((_, function)) => function(call),
        None => unsupported(&call.op),
    })
}

/// What the method of that name gives, where it has the function's parameters.
pub(crate) fn method(name: &str, call: &Call) -> Result<Value> {
    if METHODS.iter().copied().flatten().any(|known| *known == name) {
        return self::call(name, call);
    }
    unsupported(&call.op)
}

/// Tensors as a list.
fn several(tensors: impl IntoIterator<Item = Tensor>) -> Value {
    Value::List(tensors.into_iter().map(Value::Tensor).collect())
}

/// A tensor as a value.
fn one(tensor: Result<Tensor>) -> Result<Value> {
    tensor.map(Value::Tensor)
}
