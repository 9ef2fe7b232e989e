//! Outputs of the two sides, compared by dtype, shape and bits.
//!
//! Not here: errors, graphs and expectations (`judge`).

use super::hex;
use half::{bf16, f16};
use serde_json::Value;

/// What differs first between the outputs of the two sides.
pub(crate) fn difference(names: &Value, python: &[Value], rust: &[Value]) -> Option<String> {
    if python.len() != rust.len() {
        return Some(format!("Python has {} outputs, Rust {}", python.len(), rust.len()));
    }
    let mut pairs = python.iter().zip(rust).enumerate();
    pairs.find_map(|(i, (python, rust))| {
        let what = output(python, rust)?;
        Some(format!("output {}: {what}", names[i].as_str().unwrap_or("?")))
    })
}

fn output(python: &Value, rust: &Value) -> Option<String> {
    let kind = |output: &Value| if output.get("json").is_some() { "no tensor" } else { "a tensor" };
    match (python.get("json"), rust.get("json")) {
        (Some(python), Some(rust)) if json(python, rust) => None,
        (Some(python), Some(rust)) => Some(format!("Python gives {python}, Rust {rust}")),
        (None, None) => tensor(python, rust),
        _ => Some(format!("Python gives {}, Rust {}", kind(python), kind(rust))),
    }
}

/// JSON by its structure; floats are written as their bits, and only their NaNs and nested tensors need more.
fn json(python: &Value, rust: &Value) -> bool {
    match (python, rust) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json(a, b)),
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().zip(b.values()).all(|((key, a), b)| match key.as_str() {
                "tensor" => tensor(a, b).is_none(),
                "f64" => float(a, b),
                "c128" => (0..2).all(|part| float(&a[part], &b[part])),
                _ => json(a, b),
            })
        }
        (a, b) => a == b,
    }
}

fn float(python: &Value, rust: &Value) -> bool {
    let is_nan = |text: &Value| {
        let bits = text.as_str().and_then(|text| u64::from_str_radix(text, 16).ok());
        bits.is_some_and(|bits| f64::from_bits(bits).is_nan())
    };
    python == rust || is_nan(python) && is_nan(rust)
}

/// What differs first between two tensors as workers write them.
pub(super) fn tensor(python: &Value, rust: &Value) -> Option<String> {
    for part in ["dtype", "shape"] {
        if python[part] != rust[part] {
            return Some(format!("{part}: Python has {}, Rust {}", python[part], rust[part]));
        }
    }
    let dtype = python["dtype"].as_str().unwrap_or_default();
    let (left, right) =
        (python["hex"].as_str().unwrap_or_default(), rust["hex"].as_str().unwrap_or_default());
    if left == right {
        return None;
    }
    let (Some(left), Some(right)) = (hex::read(left), hex::read(right)) else {
        return Some("a tensor's bytes are no hex".into());
    };
    if left.len() != right.len() {
        return Some(format!("Python has {} bytes, Rust {}", left.len(), right.len()));
    }
    let size = size(dtype);
    let mut elements = left.chunks(size).zip(right.chunks(size)).enumerate();
    let (number, (left, right)) = elements.find(|(_, (left, right))| !same(dtype, left, right))?;
    let index = index(number, &python["shape"]);
    Some(format!("element {index}: Python has {}, Rust {}", shown(dtype, left), shown(dtype, right)))
}

/// The size of the parts that are compared: the elements, of complex numbers together.
fn size(dtype: &str) -> usize {
    match dtype {
        "uint16" | "int16" | "float16" | "bfloat16" => 2,
        "uint32" | "int32" | "float32" => 4,
        "uint64" | "int64" | "float64" | "complex64" => 8,
        _ => 1,
    }
}

/// Whether two elements are equal: their bits, or both NaN.
fn same(dtype: &str, left: &[u8], right: &[u8]) -> bool {
    if dtype == "complex64" {
        let same = |part: std::ops::Range<usize>| same("float32", &left[part.clone()], &right[part]);
        return same(0..4) && same(4..8);
    }
    left == right || is_nan(dtype, left) && is_nan(dtype, right)
}

fn is_nan(dtype: &str, bytes: &[u8]) -> bool {
    float_of(dtype, bytes).is_some_and(f64::is_nan)
}

fn float_of(dtype: &str, bytes: &[u8]) -> Option<f64> {
    let bits = bits(bytes);
    match dtype {
        "float16" => Some(f16::from_bits(bits as u16).into()),
        "bfloat16" => Some(bf16::from_bits(bits as u16).into()),
        "float32" => Some(f32::from_bits(bits as u32).into()),
        "float64" => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// The element's bytes, which both sides write in little-endian order, as a number.
fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// An element as its bits and its value.
fn shown(dtype: &str, bytes: &[u8]) -> String {
    let pattern = hex::write(bytes.iter().rev().copied());
    let value = match (dtype, float_of(dtype, bytes)) {
        ("complex64", _) => {
            let parts = [shown("float32", &bytes[..4]), shown("float32", &bytes[4..])];
            return parts.join(" + i ");
        }
        ("float32", Some(value)) => format!("{:?}", value as f32),
        (_, Some(value)) => format!("{value:?}"),
        (signed, None) if signed.starts_with("int") => {
            let unused = 64 - 8 * bytes.len();
            ((bits(bytes) << unused) as i64 >> unused).to_string()
        }
        _ => bits(bytes).to_string(),
    };
    format!("0x{pattern} ({value})")
}

/// Where element `number` lies in row-major order.
fn index(number: usize, shape: &Value) -> String {
    let sizes = shape.as_array().map_or(&[][..], |sizes| sizes);
    let mut rest = number;
    let mut index = Vec::new();
    for size in sizes.iter().rev() {
        let size = size.as_u64().map_or(1, |size| size.max(1) as usize);
        index.push(rest % size);
        rest /= size;
    }
    index.reverse();
    format!("{index:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(python: &Value, rust: &Value, told: Option<&str>) {
        let names = json!(["y"]);
        let difference = difference(&names, std::slice::from_ref(python), std::slice::from_ref(rust));
        assert_eq!(difference.as_deref(), told);
    }

    fn tensor(dtype: &str, shape: &[usize], hex: &str) -> Value {
        json!({"dtype": dtype, "shape": shape, "hex": hex})
    }

    #[test]
    fn dtype_and_shape_come_first() {
        let y = tensor("int8", &[2], "0102");
        check(&y, &y, None);
        check(
            &y,
            &tensor("uint8", &[2], "0102"),
            Some("output y: dtype: Python has \"int8\", Rust \"uint8\""),
        );
        check(&y, &tensor("int8", &[2, 1], "0102"), Some("output y: shape: Python has [2], Rust [2,1]"));
    }

    #[test]
    fn the_first_differing_element_is_told() {
        let told = "output y: element [1, 0]: Python has 0xff (-1), Rust 0xfe (-2)";
        check(&tensor("int8", &[2, 2], "0102ff00"), &tensor("int8", &[2, 2], "0102fe01"), Some(told));
        let told = "output y: element []: Python has 0x3c00 (1.0), Rust 0x3c01 (1.0009765625)";
        check(&tensor("float16", &[], "003c"), &tensor("float16", &[], "013c"), Some(told));
        let told = "output y: element [0]: Python has 0x00000000 (0.0), Rust 0x80000000 (-0.0)";
        check(&tensor("float32", &[1], "00000000"), &tensor("float32", &[1], "00000080"), Some(told));
    }

    #[test]
    fn nans_are_equal_as_floats_only() {
        check(&tensor("bfloat16", &[1], "c07f"), &tensor("bfloat16", &[1], "c1ff"), None);
        check(
            &tensor("complex64", &[1], "0000c07f00000000"),
            &tensor("complex64", &[1], "0100c0ff00000000"),
            None,
        );
        let (a, b) = ("0000c07f00000000", "0000c07f0000803f");
        assert!(output(&tensor("complex64", &[1], a), &tensor("complex64", &[1], b)).is_some());
        assert!(output(&tensor("uint16", &[1], "c07f"), &tensor("uint16", &[1], "c1ff")).is_some());
    }

    #[test]
    fn json_is_compared_by_structure_and_bits() {
        let y = |value: Value| json!({"json": value});
        check(&y(json!([1, {"f64": "7ff8000000000000"}])), &y(json!([1, {"f64": "fff8000000000001"}])), None);
        check(&y(json!(1)), &y(json!(1.0)), Some("output y: Python gives 1, Rust 1.0"));
        check(&y(json!([1])), &y(json!([1, 2])), Some("output y: Python gives [1], Rust [1,2]"));
        check(
            &y(json!(1)),
            &tensor("int8", &[], "01"),
            Some("output y: Python gives no tensor, Rust a tensor"),
        );
    }
}
