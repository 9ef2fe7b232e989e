//! Indexing: `index`, `set_index` and `at` of the case format.
//!
//! Not here: `mx.take` and its kin (`functions`).

use super::{
    failure::{Failure, Result, ill_formed, unsupported},
    value::{Names, Value, argument, lookup, number_value, operand},
};
use mlx_core::Tensor;
use mlx_ops::{Index, IndexSpec, Slice, Update};
use serde_json::Value as Json;

/// What the op gives, if it is one of the three.
pub(crate) fn find(op: &str, args: &[Json], names: &Names) -> Option<Result<Value>> {
    let wrong = || ill_formed(format!("{op}: wrong argument count"));
    Some(match (op, args) {
        ("index", [tensor, spec]) => index(tensor, spec, names),
        ("set_index", [tensor, spec, value]) => updated(tensor, spec, value, Update::Set, names),
        ("at", [tensor, spec, value, name]) => match update(name) {
            Ok(update) => updated(tensor, spec, value, update, names),
            Err(failure) => Err(failure),
        },
        ("index" | "set_index" | "at", _) => wrong(),
        _ => return None,
    })
}

fn index(tensor: &Json, spec: &Json, names: &Names) -> Result<Value> {
    Ok(Value::Tensor(mlx_ops::index(&indexed(tensor, names)?, index_spec(spec, names)?)?))
}

fn updated(tensor: &Json, spec: &Json, value: &Json, update: Update, names: &Names) -> Result<Value> {
    let (tensor, spec) = (indexed(tensor, names)?, index_spec(spec, names)?);
    let value = argument(value, names)?;
    Ok(Value::Tensor(mlx_ops::index_update(&tensor, spec, update, operand(&value, "an assignment")?)?))
}

/// The updates of `at`, by the names of its methods.
pub(crate) const UPDATES: &[(&str, Update)] = &[
    ("add", Update::Add),
    ("subtract", Update::Subtract),
    ("multiply", Update::Multiply),
    ("divide", Update::Divide),
    ("maximum", Update::Maximum),
    ("minimum", Update::Minimum),
];

fn update(name: &Json) -> Result<Update> {
    match UPDATES.iter().find(|(known, _)| name.as_str() == Some(known)) {
        Some((_, update)) => Ok(*update),
        None => ill_formed(format!("unknown update {name}")),
    }
}

fn indexed(tensor: &Json, names: &Names) -> Result<Tensor> {
    match argument(tensor, names)? {
        Value::Tensor(tensor) => Ok(tensor),
        _ => unsupported("index of a value that is no tensor"),
    }
}

fn index_spec(spec: &Json, names: &Names) -> Result<IndexSpec<'static>> {
    let Some(items) = spec.as_array() else { return ill_formed("an index is a list of items") };
    let mut items: Vec<Index<'_>> =
        items.iter().map(|item| index_item(item, names)).collect::<Result<_>>()?;
    // As in Python, one item is not a tuple of one.
    Ok(match items.len() {
        1 => IndexSpec::One(items.remove(0)),
        _ => IndexSpec::from(items),
    })
}

fn index_item(item: &Json, names: &Names) -> Result<Index<'static>> {
    match item {
        Json::String(text) if text == "..." => Ok(Index::Ellipsis),
        Json::String(text) if text == "newaxis" => Ok(Index::NewAxis),
        Json::String(text) if text.starts_with('$') => match lookup(&text[1..], names)? {
            Value::Tensor(positions) => Ok(Index::from(positions)),
            _ => unsupported("index by a value that is no tensor"),
        },
        Json::Number(number) => match number_value(number) {
            Value::Int(value) => match i64::try_from(value) {
                Ok(position) => Ok(Index::At(position)),
                Err(_) => Err(Failure::raised("RuntimeError", "std::bad_cast")),
            },
            _ => ill_formed(format!("unknown index item {item}")),
        },
        Json::Object(_) => match item["slice"].as_array().map(Vec::as_slice) {
            Some([start, stop, step]) => Ok(Index::Slice(Slice {
                start: slice_bound(start)?,
                stop: slice_bound(stop)?,
                step: slice_bound(step)?,
            })),
            _ => ill_formed("a slice item is {\"slice\": [start, stop, step]}"),
        },
        _ => ill_formed(format!("unknown index item {item}")),
    }
}

fn slice_bound(bound: &Json) -> Result<Option<i32>> {
    match bound {
        Json::Null => Ok(None),
        Json::Number(number) => match number_value(number) {
            Value::Int(value) => match i32::try_from(value) {
                Ok(bound) => Ok(Some(bound)),
                Err(_) => Err(Failure::raised("ValueError", "Slice indices must be 32-bit integers.")),
            },
            _ => ill_formed("slice bounds are ints or null"),
        },
        _ => ill_formed("slice bounds are ints or null"),
    }
}
