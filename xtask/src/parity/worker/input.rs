//! Inputs of a case: tensors from values and files, and random ones.
//!
//! Not here: arguments (`value`).

use super::{
    failure::{Failure, Result, ill_formed},
    value::{Value, complex_of, dtype_of, number_value, real, scalar, with_element},
};
use half::{bf16, f16};
use mlx_core::{Dtype, Element, Scalar, Tensor};
use mlx_ops::random;
use serde_json::Value as Json;
use std::path::Path;

/// The tensor that `spec` describes; files are relative to `folder`.
pub(crate) fn tensor(spec: &Json, folder: &Path) -> Result<Tensor> {
    if spec.get("file").is_some() {
        return from_file(spec, folder);
    }
    let dtype = dtype_of(&spec["dtype"])?;
    let shape = shape(&spec["shape"])?;
    if let Some(values) = spec["values"].as_array() {
        let values = values.iter().map(input_value).collect::<Result<Vec<_>>>()?;
        let bytes = from_values(&values, dtype)?;
        return with_element!(dtype, from_bytes(&shape, &bytes));
    }
    let Some(kind) = ["normal", "uniform", "randint"].into_iter().find(|kind| spec.get(kind).is_some())
    else {
        return ill_formed("an input needs values, normal, uniform, randint or file");
    };
    Ok(mlx_ops::astype(&drawn(kind, &spec[kind], &shape)?, dtype)?)
}

/// A random tensor of float32 or int32, by the key in the case.
fn drawn(kind: &str, how: &Json, shape: &[usize]) -> Result<Tensor> {
    let Some(key) = how["key"].as_u64() else { return ill_formed(format!("{kind} needs a key")) };
    let key = random::key(key)?;
    let bound = |name: &str, default: Option<i64>| match (how.get(name), default) {
        (None, Some(default)) => Ok(Scalar::Int(default)),
        (written, _) => {
            let scalar = scalar(&input_value(written.unwrap_or(&Json::Null))?);
            scalar.map_or_else(|| ill_formed(format!("{kind}: {name} is a number")), Ok)
        }
    };
    Ok(match kind {
        "normal" => random::Normal::new().key(&key).sample(shape)?,
        "uniform" => {
            random::Uniform::new(bound("low", Some(0))?, bound("high", Some(1))?).key(&key).sample(shape)?
        }
        _ => random::Randint::new(bound("low", None)?, bound("high", None)?).key(&key).sample(shape)?,
    })
}

/// `mx.array(values, dtype)` of the values of nested lists, in order.
pub(crate) fn array(values: &[Value], shape: &[usize], dtype: Dtype) -> Result<Tensor> {
    if values.iter().any(|value| matches!(value, Value::Int(value) if i64::try_from(*value).is_err())) {
        return Err(Failure::raised("RuntimeError", "std::bad_cast"));
    }
    let bytes = from_values(values, dtype)?;
    with_element!(dtype, from_bytes(shape, &bytes))
}

fn shape(written: &Json) -> Result<Vec<usize>> {
    let sizes: Option<Vec<usize>> = written
        .as_array()
        .and_then(|sizes| sizes.iter().map(|size| size.as_u64().map(|s| s as usize)).collect());
    sizes.map_or_else(|| ill_formed("shape is a list of sizes"), Ok)
}

fn from_bytes<T: Element>(shape: &[usize], bytes: &[u8]) -> Result<Tensor> {
    let values: Vec<T> = bytes.chunks_exact(T::DTYPE.size()).map(T::from_bytes).collect();
    Tensor::from_shape_slice(shape, &values).map_err(|error| Failure::IllFormed(error.message().into()))
}

/// The bytes of what `mx.array(values, dtype=…)` makes of a list: the widest kind of Python number in it decides
/// through which C++ type all go.
fn from_values(values: &[Value], dtype: Dtype) -> Result<Vec<u8>> {
    let is_complex = values.iter().any(|value| matches!(value, Value::Complex(_)));
    let is_float = values.iter().any(|value| matches!(value, Value::Float(_)));
    let mut bytes = Vec::with_capacity(values.len() * dtype.size());
    for value in values {
        let [re, im] = match *value {
            Value::Bool(value) => [f64::from(u8::from(value)), 0.0],
            Value::Int(value) if !is_complex && !is_float => {
                integer(value, dtype, &mut bytes)?;
                continue;
            }
            Value::Int(value) => [value as f64, 0.0],
            Value::Float(value) => [value, 0.0],
            Value::Complex(parts) => parts,
            _ => return ill_formed("not a number"),
        };
        // Only floats without a complex number among them keep their 64 bits, and only as float64.
        let re = if dtype == Dtype::Float64 && !is_complex { re } else { (re as f32).into() };
        float(re, im as f32, dtype, &mut bytes);
    }
    Ok(bytes)
}

fn input_value(written: &Json) -> Result<Value> {
    match written {
        Json::Array(_) => complex_of(written).map(Value::Complex),
        Json::Bool(value) => Ok(Value::Bool(*value)),
        Json::Number(number) => Ok(number_value(number)),
        other => real(other).map(Value::Float),
    }
}

/// Integers reach the floating dtypes, float64 too, through f32.
fn integer(value: i128, dtype: Dtype, bytes: &mut Vec<u8>) -> Result<()> {
    if dtype.is_inexact() {
        float((value as f32).into(), 0.0, dtype, bytes);
        return Ok(());
    }
    let refused = || Failure::IllFormed(format!("{value} is out of range"));
    match dtype {
        Dtype::Bool => bytes.push(u8::from(value != 0)),
        Dtype::Uint64 => bytes.extend(u64::try_from(value).map_err(|_| refused())?.to_le_bytes()),
        Dtype::Int64 => bytes.extend(i64::try_from(value).map_err(|_| refused())?.to_le_bytes()),
        _ => bytes.extend(&(value as i64).to_le_bytes()[..dtype.size()]),
    }
    Ok(())
}

/// A float, whose imaginary part only complex64 keeps, in its dtype's bytes.
fn float(re: f64, im: f32, dtype: Dtype, bytes: &mut Vec<u8>) {
    let single = re as f32;
    match dtype {
        Dtype::Float16 => bytes.extend(f16_bits(single).to_le_bytes()),
        Dtype::Bfloat16 => bytes.extend(bf16_bits(single).to_le_bytes()),
        Dtype::Float32 => bytes.extend(single.to_le_bytes()),
        Dtype::Float64 => bytes.extend(re.to_le_bytes()),
        Dtype::Complex64 => {
            bytes.extend(single.to_le_bytes());
            bytes.extend(im.to_le_bytes());
        }
        Dtype::Bool => bytes.push(u8::from(re != 0.0)),
        Dtype::Uint64 => bytes.extend((re as u64).to_le_bytes()),
        _ => bytes.extend(&(re as i64).to_le_bytes()[..dtype.size()]),
    }
}

/// MLX's own NaN, as it converts on x86-64.
fn f16_bits(value: f32) -> u16 {
    if cfg!(target_arch = "x86_64") && value.is_nan() {
        return if value.is_sign_negative() { 0xfd00 } else { 0x7d00 };
    }
    f16::from_f32(value).to_bits()
}

fn bf16_bits(value: f32) -> u16 {
    if value.is_nan() { 0x7fc0 } else { bf16::from_f32(value).to_bits() }
}

fn from_file(spec: &Json, folder: &Path) -> Result<Tensor> {
    let file = spec["file"].as_str().unwrap_or_default();
    let name = spec["tensor"].as_str().unwrap_or_default();
    let mut tensors = mlx_ops::load(folder.join(file))?.into_tensors()?;
    let Some(tensor) = tensors.remove(name) else {
        return ill_formed(format!("{file} has no tensor {name:?}"));
    };
    if spec.get("dtype").is_some() && dtype_of(&spec["dtype"])? != tensor.dtype() {
        return ill_formed(format!("{name} is {}, not {}", tensor.dtype(), spec["dtype"]));
    }
    let sizes: Vec<usize> = tensor.shape().iter().map(|&size| size as usize).collect();
    if spec.get("shape").is_some() && shape(&spec["shape"])? != sizes {
        return ill_formed(format!("{name}: other shape"));
    }
    Ok(tensor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(values: &Json, dtype: Dtype, bytes: &[u8]) {
        let values: Result<Vec<Value>> = values.as_array().expect("a list").iter().map(input_value).collect();
        let values = values.ok().expect("numbers");
        assert_eq!(from_values(&values, dtype).ok().as_deref(), Some(bytes), "{values:?} as {dtype}");
    }

    #[test]
    fn integers_keep_their_bits_and_wrap() {
        check(&json!([300, -1]), Dtype::Uint8, &[44, 255]);
        check(&json!([u64::MAX]), Dtype::Uint64, &[255; 8]);
        check(&json!([2, 0, true]), Dtype::Bool, &[1, 0, 1]);
        // 2^24 + 1 goes through f32 on its way to float64, unless a float stands beside it.
        check(&json!([16_777_217]), Dtype::Float64, &16_777_216_f64.to_le_bytes());
        let both = [16_777_217_f64.to_le_bytes(), 0.5_f64.to_le_bytes()].concat();
        check(&json!([16_777_217, 0.5]), Dtype::Float64, &both);
    }

    #[test]
    fn floats_are_rounded_once() {
        check(&json!(["inf", 1.0]), Dtype::Bfloat16, &[0x80, 0x7f, 0x80, 0x3f]);
        check(&json!([0.1]), Dtype::Float64, &0.1_f64.to_le_bytes());
        check(&json!([[0.5, -1.0]]), Dtype::Complex64, &[0, 0, 0, 0x3f, 0, 0, 0x80, 0xbf]);
        check(&json!([-2.75]), Dtype::Int16, &[0xfe, 0xff]);
    }
}
