//! The weights in an ONNX file: the graph's initialisers, float32. Of protobuf only what leads there.
//!
//! Not here: the graph's nodes. A model is written in Rust, on these weights.

use crate::{Result, of_file};
use mlx::{ops, prelude::*};
use std::{collections::HashMap, fs, path::Path};

/// The float32 initialisers of the model's graph, by name.
///
/// # Errors
/// A file that cannot be read; bytes that are no such message; a tensor whose bytes are not its shape's.
pub fn load(path: &Path) -> Result<HashMap<String, Tensor>> {
    let bytes = of_file(path, fs::read(path))?;
    of_file(path, read(&bytes))
}

/// [`load`] of a file's bytes.
///
/// # Errors
/// As [`load`].
pub fn read(bytes: &[u8]) -> Result<HashMap<String, Tensor>> {
    let mut tensors = HashMap::new();
    for graph in parts(bytes, MODEL_GRAPH)? {
        for initializer in parts(graph, GRAPH_INITIALIZER)? {
            if let Some((name, tensor)) = tensor(initializer)? {
                tensors.insert(name, tensor);
            }
        }
    }
    if tensors.is_empty() { Err("it holds no float32 tensor of an ONNX graph".into()) } else { Ok(tensors) }
}

/// Numbers of fields, from ONNX's `onnx.proto`.
const MODEL_GRAPH: u64 = 7;
const GRAPH_INITIALIZER: u64 = 5;
const TENSOR_DIMS: u64 = 1;
const TENSOR_TYPE: u64 = 2;
const TENSOR_NAME: u64 = 8;
const TENSOR_RAW: u64 = 9;
/// `TensorProto.DataType.FLOAT`.
const FLOAT: u64 = 1;

/// What a field holds.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Numbers of fixed size, of which none is needed.
    Fixed,
}

/// The name and the values of a `TensorProto`; nothing where it has another dtype.
fn tensor(message: &[u8]) -> Result<Option<(String, Tensor)>> {
    let (mut shape, mut dtype, mut name, mut raw) = (Vec::new(), 0, "", &[][..]);
    for field in fields(message)? {
        match field {
            (TENSOR_DIMS, Field::Number(size)) => shape.push(i32::try_from(size)?),
            (TENSOR_DIMS, Field::Bytes(mut packed)) => {
                while !packed.is_empty() {
                    shape.push(i32::try_from(varint(&mut packed)?)?);
                }
            }
            (TENSOR_TYPE, Field::Number(number)) => dtype = number,
            (TENSOR_NAME, Field::Bytes(bytes)) => name = std::str::from_utf8(bytes)?,
            (TENSOR_RAW, Field::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    if dtype != FLOAT {
        return Ok(None);
    }
    let size = shape.iter().try_fold(4_usize, |size, &n| size.checked_mul(usize::try_from(n).ok()?));
    if size != Some(raw.len()) {
        return Err(format!("{name}: {} bytes for float32 of shape {shape:?}", raw.len()).into());
    }
    let row = ops::view(&Tensor::from_slice(raw)?, Dtype::Float32)?;
    Ok(Some((name.to_owned(), ops::reshape(&row, shape)?)))
}

/// The messages in the fields of that number.
fn parts(message: &[u8], number: u64) -> Result<Vec<&[u8]>> {
    let part = |(field, value)| match value {
        Field::Bytes(bytes) if field == number => Some(bytes),
        _ => None,
    };
    Ok(fields(message)?.into_iter().filter_map(part).collect())
}

/// All fields of a message.
fn fields(mut message: &[u8]) -> Result<Vec<(u64, Field<'_>)>> {
    let rest = &mut message;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let tag = varint(rest)?;
        let mut bytes = |count: u64| {
            let count = usize::try_from(count).ok();
            count.and_then(|count| rest.split_off(..count)).ok_or("a message ends in a field")
        };
        let value = match tag & 7 {
            0 => Field::Number(varint(rest)?),
            1 => bytes(8).map(|_| Field::Fixed)?,
            2 => {
                let count = varint(rest)?;
                let count = usize::try_from(count)?;
                Field::Bytes(rest.split_off(..count).ok_or("a message ends in a field")?)
            }
            5 => bytes(4).map(|_| Field::Fixed)?,
            kind => return Err(format!("protobuf has no wire type {kind}").into()),
        };
        fields.push((tag >> 3, value));
    }
    Ok(fields)
}

/// Seven bits a byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first().ok_or("a message ends in a number")?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number of more than 64 bits".into())
}
