//! The header of a safetensors file: JSON in front of the data, checked before MLX sees it.

use super::{super::file, OP};
use mlx_core::{Error, Result};
use serde_json::{Map, Value};
use std::io::{Read, Seek, SeekFrom};

/// The longest header that the format's own library reads, in bytes.
const MAX_HEADER: u64 = 100_000_000;

/// How much of a bool tensor is looked at at a time.
const CHUNK: usize = 1 << 16;

/// A header whose every tensor lies within the data and has exactly the bytes of its shape.
pub(super) struct Header {
    /// With the eight bytes of its length in front.
    pub(super) bytes: Vec<u8>,
    /// How many bytes of data follow.
    pub(super) data: u64,
    /// The tensors, in the order of their data.
    pub(super) places: Vec<Place>,
}

/// Where a tensor lies, in bytes behind the header.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) begin: u64,
    pub(super) bytes: u64,
    is_bool: bool,
}

impl Header {
    /// Reads the header of a file of `length` bytes.
    pub(super) fn read(reader: &mut impl Read, length: u64) -> Result<Header> {
        let start = file::exactly(OP, reader, 8)
            .map_err(|_| bad("it is shorter than the 8 bytes of its header's length"))?;
        let header = u64::from_le_bytes(start[..].try_into().expect("eight bytes were read"));
        let Some(data) = length.checked_sub(8).and_then(|rest| rest.checked_sub(header)) else {
            return Err(bad(&format!("the header says it is {header} bytes long and the file has {length}")));
        };
        if header > MAX_HEADER {
            return Err(bad(&format!("a header of {header} bytes is beyond the format's {MAX_HEADER}")));
        }
        let text = file::exactly(OP, reader, header)?;
        let mut places = check(&text, data)?;
        places.sort_by_key(|place| place.begin);
        Ok(Header { bytes: [start, text].concat(), data, places })
    }

    /// Every byte of a bool must be 0 or 1: Rust and MLX's kernels know no others. `start` is where the data begin.
    pub(super) fn check_bools(&self, reader: &mut (impl Read + Seek), start: u64) -> Result<()> {
        for place in self.places.iter().filter(|place| place.is_bool) {
            reader.seek(SeekFrom::Start(start + place.begin)).map_err(file::io_error(OP))?;
            let mut chunk = vec![0; CHUNK.min(place.bytes as usize)];
            let mut left = place.bytes;
            while left > 0 {
                let part = &mut chunk[..left.min(CHUNK as u64) as usize];
                reader.read_exact(part).map_err(file::io_error(OP))?;
                if let Some(byte) = part.iter().find(|byte| **byte > 1) {
                    return Err(bad(&format!("tensor {:?}: a bool is the byte {byte}", place.name)));
                }
                left -= part.len() as u64;
            }
        }
        Ok(())
    }
}

pub(super) fn bad(what: &str) -> Error {
    file::error(OP, format!("not a safetensors file: {what}"))
}

fn check(header: &[u8], data: u64) -> Result<Vec<Place>> {
    let header: Map<String, Value> =
        serde_json::from_slice(header).map_err(|e| bad(&format!("its header is no JSON object ({e})")))?;
    let mut places = Vec::with_capacity(header.len());
    for (name, entry) in header {
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
            match check_entry(&entry, data) {
                Ok((begin, bytes, is_bool)) => places.push(Place { name, begin, bytes, is_bool }),
                Err(what) => return Err(bad(&format!("tensor {name:?}: {what}"))),
            }
        }
    }
    Ok(places)
}

/// Where the tensor begins, its bytes, and whether it is of bools.
fn check_entry(entry: &Value, data: u64) -> Result<(u64, u64, bool), String> {
    let dtype = entry["dtype"].as_str().ok_or("it has no dtype")?;
    let size: u64 = match dtype {
        "BOOL" | "U8" | "I8" | "F8_E4M3" | "F8_E8M0" => 1,
        "U16" | "I16" | "F16" | "BF16" => 2,
        "U32" | "I32" | "F32" => 4,
        "U64" | "I64" | "C64" => 8,
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
    Ok((begin, end - begin, dtype == "BOOL"))
}
