//! The worker's functions: what dtypes are and hold, and casts.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result, ill_formed},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::{Dtype, DtypeClass, DtypeKind};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("astype", astype),
    ("can_cast", can_cast),
    ("finfo", finfo),
    ("iinfo", iinfo),
    ("isdtype", isdtype),
    ("issubdtype", issubdtype),
    ("result_type", result_type),
];

fn astype(call: &Call) -> Result<Value> {
    let bound = call.bind("a, dtype, /")?;
    one(Ok(mlx_ops::astype(bound.tensor(0)?, dtype(&bound, 1)?)?))
}

fn can_cast(call: &Call) -> Result<Value> {
    let bound = call.bind("from_, to")?;
    Ok(Value::Bool(mlx_core::can_cast(dtype_of(bound.given(0))?, dtype(&bound, 1)?)))
}

fn finfo(call: &Call) -> Result<Value> {
    let info = mlx_core::finfo(dtype(&call.bind("dtype")?, 0)?)?;
    Ok(Value::Fields(vec![
        ("bits", Value::Int(info.bits.into())),
        ("dtype", Value::Dtype(info.dtype)),
        ("eps", Value::Float(info.eps)),
        ("max", Value::Float(info.max)),
        ("min", Value::Float(info.min)),
        ("smallest_normal", Value::Float(info.smallest_normal)),
    ]))
}

fn iinfo(call: &Call) -> Result<Value> {
    let info = mlx_core::iinfo(dtype(&call.bind("dtype")?, 0)?)?;
    let (min, max) = (Value::Int(info.min), Value::Int(info.max));
    Ok(Value::Fields(vec![("dtype", Value::Dtype(info.dtype)), ("max", max), ("min", min)]))
}

fn isdtype(call: &Call) -> Result<Value> {
    let bound = call.bind("dtype, kind")?;
    let kinds = match bound.given(1) {
        Value::List(kinds) => kinds.iter().map(kind).collect::<Result<Vec<_>>>()?,
        one => vec![kind(one)?],
    };
    Ok(Value::Bool(mlx_core::isdtype(dtype(&bound, 0)?, kinds)))
}

/// Kinds are strings in Python and an enum here, which has no unknown ones.
fn kind(value: &Value) -> Result<DtypeKind> {
    match value {
        Value::Dtype(dtype) => Ok(DtypeKind::Dtype(*dtype)),
        Value::Text(text) => Ok(match text.as_str() {
            "bool" => DtypeKind::Bool,
            "signed integer" => DtypeKind::SignedInteger,
            "unsigned integer" => DtypeKind::UnsignedInteger,
            "integral" => DtypeKind::Integral,
            "real floating" => DtypeKind::RealFloating,
            "complex floating" => DtypeKind::ComplexFloating,
            "numeric" => DtypeKind::Numeric,
            _ => {
                let message = format!("[isdtype] Unknown data type kind: '{text}'.");
                return Err(Failure::raised("ValueError", message));
            }
        }),
        _ => {
            let message = "[isdtype] `kind` must be a dtype, a string, or a tuple of dtypes and strings.";
            Err(Failure::raised("ValueError", message))
        }
    }
}

fn issubdtype(call: &Call) -> Result<Value> {
    let bound = call.bind("arg1, arg2")?;
    let class = |i: usize| match bound.given(i) {
        Value::Dtype(dtype) => Ok(DtypeClass::Dtype(*dtype)),
        Value::Category(category) => Ok(DtypeClass::Category(*category)),
        _ => ill_formed("issubdtype takes dtypes and categories"),
    };
    Ok(Value::Bool(mlx_core::issubdtype(class(0)?, class(1)?)))
}

fn result_type(call: &Call) -> Result<Value> {
    let dtypes = call.args.iter().map(dtype_of).collect::<Result<Vec<_>>>()?;
    Ok(Value::Dtype(mlx_core::result_type(dtypes)?))
}

fn dtype(bound: &Bound, i: usize) -> Result<Dtype> {
    bound.dtype(i)?.map_or_else(|| ill_formed("a dtype is missing"), Ok)
}

/// A dtype, or a tensor's own.
fn dtype_of(value: &Value) -> Result<Dtype> {
    match value {
        Value::Dtype(dtype) => Ok(*dtype),
        Value::Tensor(tensor) => Ok(tensor.dtype()),
        _ => Err(Failure::raised("ValueError", "[result_type] Inputs must be arrays or dtypes.")),
    }
}
