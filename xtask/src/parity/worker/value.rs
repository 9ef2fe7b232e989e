//! Values of a case: what arguments stand for, and how outputs are written down.
//!
//! Not here: inputs (`input`).

use super::failure::{Result, ill_formed, unsupported};
use crate::parity::hex;
use mlx_core::{Complex32, Dtype, DtypeCategory, Element, OperandRef, Scalar, Tensor};
use serde_json::{Number, Value as Json, json};
use std::collections::HashMap;

/// The case's names.
pub(crate) type Names = HashMap<String, Value>;

/// What a name or an argument stands for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Tensor(Tensor),
    Bool(bool),
    /// Wide enough for uint64 items; saturated beyond, where every number is refused alike.
    Int(i128),
    Float(f64),
    Complex([f64; 2]),
    None,
    Text(String),
    /// A function of `mlx.nn`, by name.
    Function(String),
    Dtype(Dtype),
    Category(DtypeCategory),
    List(Vec<Value>),
    /// What a value with fields has, by name.
    Fields(Vec<(&'static str, Value)>),
}

/// The value of an argument as the case writes it.
pub(crate) fn argument(written: &Json, names: &Names) -> Result<Value> {
    match written {
        Json::Null => Ok(Value::None),
        Json::Bool(value) => Ok(Value::Bool(*value)),
        Json::Number(number) => Ok(number_value(number)),
        Json::String(text) => match text.strip_prefix('$') {
            Some(name) => lookup(name, names),
            None => Ok(Value::Text(text.clone())),
        },
        Json::Array(items) => arguments(items, names).map(Value::List),
        Json::Object(form) => {
            let mut entries = form.iter();
            match (entries.next(), entries.next()) {
                (Some((key, value)), None) => special(key, value),
                _ => ill_formed(format!("an object argument has one key: {written}")),
            }
        }
    }
}

/// The values of several arguments.
pub(crate) fn arguments(written: &[Json], names: &Names) -> Result<Vec<Value>> {
    written.iter().map(|item| argument(item, names)).collect()
}

/// What a name stands for.
pub(crate) fn lookup(name: &str, names: &Names) -> Result<Value> {
    match names.get(name) {
        Some(value) => Ok(value.clone()),
        None => ill_formed(format!("unknown name ${name}")),
    }
}

fn special(key: &str, value: &Json) -> Result<Value> {
    match key {
        "complex" => complex_of(value).map(Value::Complex),
        "float" => real(value).map(Value::Float),
        "function" => match value.as_str() {
            Some(name) => Ok(Value::Function(name.to_owned())),
            None => ill_formed("a function is a name"),
        },
        "dtype" => match DtypeCategory::ALL.into_iter().find(|known| value.as_str() == Some(known.name())) {
            Some(category) => Ok(Value::Category(category)),
            None => dtype_of(value).map(Value::Dtype),
        },
        _ => ill_formed(format!("unknown argument form {key:?}")),
    }
}

/// Digits alone are a Python int, `-0` too; a point or an exponent makes a float.
pub(crate) fn number_value(number: &Number) -> Value {
    let text = number.to_string();
    if text.contains(['.', 'e', 'E']) {
        return Value::Float(text.parse().unwrap_or(f64::NAN));
    }
    let beyond = if text.starts_with('-') { i128::MIN } else { i128::MAX };
    Value::Int(text.parse().unwrap_or(beyond))
}

/// A float as the format writes it: a number, or one of three strings.
pub(crate) fn real(written: &Json) -> Result<f64> {
    match written {
        Json::Number(number) => match number_value(number) {
            Value::Int(value) => Ok(value as f64),
            Value::Float(value) => Ok(value),
            _ => ill_formed(format!("not a number: {written}")),
        },
        Json::String(text) if text == "nan" => Ok(f64::NAN),
        Json::String(text) if text == "inf" => Ok(f64::INFINITY),
        Json::String(text) if text == "-inf" => Ok(f64::NEG_INFINITY),
        _ => ill_formed(format!("not a number: {written}")),
    }
}

/// `[re, im]`
pub(crate) fn complex_of(written: &Json) -> Result<[f64; 2]> {
    match written.as_array().map(Vec::as_slice) {
        Some([re, im]) => Ok([real(re)?, real(im)?]),
        _ => ill_formed("a complex is [re, im]"),
    }
}

/// A dtype by its Python name.
pub(crate) fn dtype_of(written: &Json) -> Result<Dtype> {
    let found = Dtype::ALL.into_iter().find(|&dtype| written.as_str() == Some(python_name(dtype)));
    found.map_or_else(|| ill_formed(format!("unknown dtype {written}")), Ok)
}

/// Python's name of a dtype in `mlx.core`.
pub(crate) fn python_name(dtype: Dtype) -> &'static str {
    if dtype == Dtype::Bool { "bool_" } else { dtype.name() }
}

/// The value as a weak scalar, if it is one.
pub(crate) fn scalar(value: &Value) -> Option<Scalar> {
    match *value {
        Value::Bool(value) => Some(Scalar::Bool(value)),
        Value::Int(value) => Some(i64::try_from(value).map_or(Scalar::IntOutOfRange, Scalar::Int)),
        Value::Float(value) => Some(Scalar::Float(value)),
        Value::Complex([re, im]) => Some(Scalar::Complex(Complex32::new(re as f32, im as f32))),
        _ => None,
    }
}

/// The value as a tensor or weak scalar.
pub(crate) fn operand<'a>(value: &'a Value, op: &str) -> Result<OperandRef<'a>> {
    match (value, scalar(value)) {
        (Value::Tensor(tensor), _) => Ok(OperandRef::Tensor(tensor)),
        (_, Some(scalar)) => Ok(OperandRef::Scalar(scalar)),
        _ => unsupported(format!("{op} of a value that is neither a tensor nor a number")),
    }
}

/// The tensors in a value, in order.
pub(crate) fn tensors_in(values: &[Value]) -> Vec<Tensor> {
    let mut found = Vec::new();
    for value in values {
        match value {
            Value::Tensor(tensor) => found.push(tensor.clone()),
            Value::List(items) => found.extend(tensors_in(items)),
            _ => {}
        }
    }
    found
}

/// An output as the protocol writes it.
pub(crate) fn encode(value: &Value) -> Result<Json> {
    match value {
        Value::Tensor(tensor) => encode_tensor(tensor),
        other => Ok(json!({"json": encode_json(other)?})),
    }
}

fn encode_json(value: &Value) -> Result<Json> {
    let hex = |value: f64| format!("{:016x}", value.to_bits());
    Ok(match value {
        Value::None => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Text(value) | Value::Function(value) => json!(value),
        Value::Float(value) => json!({"f64": hex(*value)}),
        Value::Complex([re, im]) => json!({"c128": [hex(*re), hex(*im)]}),
        Value::Dtype(dtype) => json!({"dtype": python_name(*dtype)}),
        Value::Category(category) => json!({"dtype": category.name()}),
        Value::Fields(fields) => {
            let written = fields.iter().map(|(name, value)| Ok(((*name).to_owned(), encode_json(value)?)));
            json!({"fields": written.collect::<Result<serde_json::Map<_, _>>>()?})
        }
        Value::Tensor(tensor) => json!({"tensor": encode_tensor(tensor)?}),
        Value::List(items) => Json::Array(items.iter().map(encode_json).collect::<Result<_>>()?),
    })
}

pub(crate) fn encode_tensor(tensor: &Tensor) -> Result<Json> {
    let hex = hex::write(tensor.to_bytes()?);
    Ok(json!({"dtype": python_name(tensor.dtype()), "shape": tensor.shape(), "hex": hex}))
}

/// Calls a function that is generic over the element type, with the type of a dtype.
macro_rules! with_element {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        match $dtype {
            mlx_core::Dtype::Bool => $function::<bool>($($argument),*),
            mlx_core::Dtype::Uint8 => $function::<u8>($($argument),*),
            mlx_core::Dtype::Uint16 => $function::<u16>($($argument),*),
            mlx_core::Dtype::Uint32 => $function::<u32>($($argument),*),
            mlx_core::Dtype::Uint64 => $function::<u64>($($argument),*),
            mlx_core::Dtype::Int8 => $function::<i8>($($argument),*),
            mlx_core::Dtype::Int16 => $function::<i16>($($argument),*),
            mlx_core::Dtype::Int32 => $function::<i32>($($argument),*),
            mlx_core::Dtype::Int64 => $function::<i64>($($argument),*),
            mlx_core::Dtype::Float16 => $function::<half::f16>($($argument),*),
            mlx_core::Dtype::Bfloat16 => $function::<half::bf16>($($argument),*),
            mlx_core::Dtype::Float32 => $function::<f32>($($argument),*),
            mlx_core::Dtype::Float64 => $function::<f64>($($argument),*),
            mlx_core::Dtype::Complex64 => $function::<mlx_core::Complex32>($($argument),*),
            _ => unreachable!("MLX has 14 dtypes"),
        }
    };
}
pub(crate) use with_element;

/// An element type with the Python value of its elements.
pub(crate) trait Item: Element {
    /// What `item` and `tolist` give for an element.
    fn value(self) -> Value;
}

macro_rules! items {
    ($($($type:ty),* => |$element:ident| $value:expr;)*) => {
        $($(impl Item for $type {
            fn value(self) -> Value {
                let $element = self;
                $value
            }
        })*)*
    };
}

items! {
    bool => |v| Value::Bool(v);
    u8, u16, u32, u64, i8, i16, i32, i64 => |v| Value::Int(v.into());
    half::f16, half::bf16, f32 => |v| Value::Float(v.into());
    f64 => |v| Value::Float(v);
    Complex32 => |v| Value::Complex([v.re.into(), v.im.into()]);
}
