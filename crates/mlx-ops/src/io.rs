//! Tensors from files: safetensors, its header checked here before MLX sees the file.
//!
//! The crate `safetensors` wants the whole file in memory; only the header is read here, and MLX loads each tensor
//! when its value is needed.

use mlx_core::{
    Error, ErrorKind, Result, Tensor,
    ffi::{self, io::Source},
};
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    fs::{self, File},
    io::Read,
    path::Path,
};

const OP: &str = "load_safetensors";

/// The longest header that the format's own library reads, in bytes.
const MAX_HEADER: u64 = 100_000_000;

/// What a safetensors file holds.
#[derive(Debug)]
#[non_exhaustive]
pub struct SafeTensors {
    /// The tensors by name, lazy: a tensor is read when its value is needed.
    pub tensors: HashMap<String, Tensor>,
    /// The file's own texts (`__metadata__`).
    pub metadata: HashMap<String, String>,
}

/// Opens a safetensors file. The file stays open, and must stay as it is, until its tensors are evaluated.
///
/// The 8-bit floats, which MLX does not know, come as uint8.
///
/// # Errors
/// A file that cannot be read, is cut off, or says of a tensor what cannot be.
#[doc(alias = "mx.load")]
pub fn load_safetensors(path: impl AsRef<Path>) -> Result<SafeTensors> {
    let path = path.as_ref();
    load(path).map_err(|error| {
        let message = format!("{}: {}", path.display(), error.message());
        Error::new(error.kind(), OP, message).with_source(error)
    })
}

fn load(path: &Path) -> Result<SafeTensors> {
    let io = |error: std::io::Error| Error::new(ErrorKind::Io, OP, error.to_string()).with_source(error);
    // Before it is opened: opening a pipe waits for somebody to write into it.
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(Error::new(ErrorKind::Io, OP, "not a regular file"));
    }
    let mut file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(|_| bad("shorter than the 8 bytes of its header's length"))?;
    let header_length = u64::from_le_bytes(start);
    let Some(data) = length.checked_sub(8).and_then(|rest| rest.checked_sub(header_length)) else {
        return Err(bad(&format!(
            "the header says it is {header_length} bytes long and the file has {length}"
        )));
    };
    if header_length > MAX_HEADER {
        return Err(bad(&format!("a header of {header_length} bytes is beyond the format's {MAX_HEADER}")));
    }
    let mut head = start.to_vec();
    head.resize(start.len() + header_length as usize, 0);
    file.read_exact(&mut head[start.len()..]).map_err(io)?;
    check_header(&head[start.len()..], data)?;
    let start = head.len() as u64;
    let source = Source::file(c"the safetensors file", head, file, start, data);
    let (tensors, texts) = ffi::io::load_safetensors(source)?;
    Ok(SafeTensors { tensors: tensors.into_iter().collect(), metadata: texts.into_iter().collect() })
}

fn bad(what: &str) -> Error {
    Error::new(ErrorKind::Io, OP, format!("not a safetensors file: {what}"))
}

/// Every tensor must lie within the `data` bytes and have exactly the bytes of its shape.
fn check_header(header: &[u8], data: u64) -> Result<()> {
    let header: Map<String, Value> =
        serde_json::from_slice(header).map_err(|e| bad(&format!("its header is no JSON object ({e})")))?;
    for (name, entry) in &header {
        if name.contains('\0') {
            return Err(bad(&format!("the name {name:?} holds a NUL, at which MLX would cut it off")));
        }
        if name == "__metadata__" {
            // Python MLX writes null where there is none.
            let texts = entry.is_null()
                || entry.as_object().is_some_and(|texts| texts.values().all(Value::is_string));
            if !texts {
                return Err(bad("__metadata__ is no map of texts"));
            }
        } else {
            check_entry(entry, data).map_err(|what| bad(&format!("tensor {name:?}: {what}")))?;
        }
    }
    Ok(())
}

fn check_entry(entry: &Value, data: u64) -> Result<(), String> {
    let dtype = entry["dtype"].as_str().ok_or("it has no dtype")?;
    let size: u64 = match dtype {
        "BOOL" | "U8" | "I8" | "F8_E4M3" | "F8_E5M2" => 1,
        "U16" | "I16" | "F16" | "BF16" => 2,
        "U32" | "I32" | "F32" => 4,
        "U64" | "I64" | "F64" | "C64" => 8,
        other => return Err(format!("MLX has no dtype for {other}")),
    };
    let numbers =
        |key: &str| -> Option<Vec<u64>> { entry[key].as_array()?.iter().map(Value::as_u64).collect() };
    let shape = numbers("shape").ok_or("its shape is no list of sizes")?;
    if shape.iter().any(|&size| i32::try_from(size).is_err()) {
        return Err(format!("shape {shape:?} has a size beyond i32"));
    }
    let bytes = shape.iter().try_fold(size, |product, &size| product.checked_mul(size));
    let offsets = numbers("data_offsets").ok_or("its data_offsets are no list of offsets")?;
    let [begin, end] = offsets[..] else { return Err("its data_offsets are not two".into()) };
    if begin > end || end > data {
        return Err(format!("bytes {begin} to {end} lie outside the file's {data} bytes of data"));
    }
    if bytes != Some(end - begin) {
        return Err(format!("shape {shape:?} of {dtype} does not take {} bytes", end - begin));
    }
    Ok(())
}
