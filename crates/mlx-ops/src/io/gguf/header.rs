//! The header of a GGUF file: counts, typed key-values, and where each tensor lies, all checked against its length.

use super::{
    super::file,
    LOAD,
    kind::{Kind, kind},
    value::GgufValue,
};
use mlx_core::{Dtype, Error, Result, Tensor, ffi};
use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    io::Read,
};

/// What the format's own library reads.
const MAX_AXES: u32 = 8;

/// Where a tensor lies.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) kind: &'static Kind,
    /// As MLX has it: the axis whose values are neighbours is the last one.
    pub(super) shape: Vec<i32>,
    /// From the start of the data on.
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

/// A whole header, and where the data begin.
pub(super) struct Header {
    pub(super) metadata: HashMap<String, GgufValue>,
    pub(super) places: Vec<Place>,
    pub(super) data: u64,
}

impl Header {
    /// Reads the header of a file of `length` bytes.
    pub(super) fn read(reader: &mut impl Read, length: u64) -> Result<Header> {
        let mut fields = Fields { reader, left: length };
        if fields.bytes(4)? != *b"GGUF" {
            return Err(bad("it does not start with GGUF"));
        }
        match fields.u32()? {
            2 | 3 => {}
            other => return Err(bad(&format!("version {other} is not supported; 2 and 3 are"))),
        }
        // The least that each takes: length, dimensions, type and offset; length, type and a byte.
        let tensors = fields.count("tensors", 24)?;
        let keys = fields.count("keys", 13)?;
        let mut metadata = HashMap::new();
        for _ in 0..keys {
            let key = fields.text("a key")?;
            let value = fields.value(&key)?;
            match metadata.entry(key) {
                Entry::Occupied(entry) => {
                    return Err(bad(&format!("the key {:?} is there twice", entry.key())));
                }
                Entry::Vacant(entry) => entry.insert(value),
            };
        }
        let mut places = (0..tensors).map(|_| fields.place()).collect::<Result<Vec<_>>>()?;
        let alignment = alignment(&metadata)?;
        let Some(data) = (length - fields.left).checked_next_multiple_of(alignment) else {
            return Err(bad(&format!("its alignment is {alignment}")));
        };
        check_places(&places, alignment, length.saturating_sub(data))?;
        places.sort_by_key(|place| place.offset);
        Ok(Header { metadata, places, data })
    }
}

/// The multiple at which data begin, `general.alignment` where the file says so.
pub(super) fn alignment(metadata: &HashMap<String, GgufValue>) -> Result<u64> {
    let Some(value) = metadata.get("general.alignment") else { return Ok(32) };
    let number = match value {
        GgufValue::Tensor(x) if x.dtype() == Dtype::Uint32 && x.ndim() == 0 => x.item::<u32>()?,
        _ => return Err(bad("general.alignment is no uint32")),
    };
    if number == 0 || number % 8 != 0 {
        return Err(bad(&format!("general.alignment is {number}, no multiple of 8")));
    }
    Ok(number.into())
}

fn check_places(places: &[Place], alignment: u64, data: u64) -> Result<()> {
    let mut names = HashSet::new();
    for place in places {
        let Place { name, offset, bytes, .. } = place;
        if !names.insert(name) {
            return Err(bad(&format!("the tensor {name:?} is there twice")));
        }
        if offset % alignment != 0 {
            return Err(bad(&format!(
                "tensor {name:?}: its offset {offset} is no multiple of the alignment {alignment}"
            )));
        }
        if offset.checked_add(*bytes).is_none_or(|end| end > data) {
            return Err(bad(&format!(
                "tensor {name:?}: {bytes} bytes from {offset} on lie outside the file's {data} bytes of data"
            )));
        }
    }
    Ok(())
}

pub(super) fn bad(what: &str) -> Error {
    file::error(LOAD, format!("not a GGUF file that can be read: {what}"))
}

/// What is left of a header.
struct Fields<'a, R> {
    reader: &'a mut R,
    left: u64,
}

impl<R: Read> Fields<'_, R> {
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>> {
        let left = self.left.checked_sub(count);
        self.left =
            left.ok_or_else(|| bad(&format!("it ends within its header: {count} bytes are missing")))?;
        file::exactly(LOAD, self.reader, count)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.bytes(N as u64)?.try_into().expect("as many bytes as were asked for"))
    }

    fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of things, each of which takes at least so many bytes.
    fn count(&mut self, what: &str, least: u64) -> Result<u64> {
        let count = self.u64()?;
        if count > self.left / least {
            return Err(bad(&format!("{count} {what} do not fit in the {} bytes that follow", self.left)));
        }
        Ok(count)
    }

    fn text(&mut self, what: &str) -> Result<String> {
        let length = self.u64()?;
        let bytes = self.bytes(length)?;
        String::from_utf8(bytes).map_err(|e| bad(&format!("{what} is not UTF-8")).with_source(e))
    }

    fn value(&mut self, key: &str) -> Result<GgufValue> {
        let of_key = |what: String| bad(&format!("key {key:?}: {what}"));
        match self.u32()? {
            8 => self.text(&format!("the text of key {key:?}")).map(GgufValue::Text),
            9 => match self.u32()? {
                8 => {
                    let count = self.count("texts", 8)?;
                    let what = format!("a text of key {key:?}");
                    (0..count).map(|_| self.text(&what)).collect::<Result<_>>().map(GgufValue::Texts)
                }
                9 => Err(of_key("arrays of arrays are not supported".into())),
                code => {
                    let dtype = dtype(code).ok_or_else(|| of_key(format!("there is no type {code}")))?;
                    let count = self.count("values", dtype.size() as u64)?;
                    let size =
                        i32::try_from(count).map_err(|_| of_key(format!("{count} values are beyond i32")))?;
                    self.numbers(key, dtype, &[size])
                }
            },
            code => {
                let dtype = dtype(code).ok_or_else(|| of_key(format!("there is no type {code}")))?;
                self.numbers(key, dtype, &[])
            }
        }
    }

    fn numbers(&mut self, key: &str, dtype: Dtype, shape: &[i32]) -> Result<GgufValue> {
        let count: u64 = shape.iter().map(|&size| size as u64).product();
        let bytes = self.bytes(count * dtype.size() as u64)?;
        if dtype == Dtype::Bool && bytes.iter().any(|byte| *byte > 1) {
            return Err(bad(&format!("key {key:?}: a bool is neither 0 nor 1")));
        }
        tensor(bytes, shape, dtype).map(GgufValue::Tensor)
    }

    fn place(&mut self) -> Result<Place> {
        let name = self.text("the name of a tensor")?;
        let of_tensor = |what: String| bad(&format!("tensor {name:?}: {what}"));
        let axes = self.u32()?;
        if axes > MAX_AXES {
            return Err(of_tensor(format!("{axes} axes are more than {MAX_AXES}")));
        }
        let sizes = (0..axes).map(|_| self.u64()).collect::<Result<Vec<_>>>()?;
        let (code, offset) = (self.u32()?, self.u64()?);
        let kind = kind(code).ok_or_else(|| of_tensor(format!("there is no type {code}")))?;
        // The file begins with the axis whose values are neighbours.
        let shape = sizes.iter().rev().map(|&size| i32::try_from(size)).collect::<Result<Vec<i32>, _>>();
        let shape = shape.map_err(|_| of_tensor(format!("sizes {sizes:?} are beyond i32")))?;
        if sizes.first().unwrap_or(&1) % kind.block != 0 {
            return Err(of_tensor(format!(
                "rows of shape {shape:?} are no blocks of {} {}",
                kind.block, kind.name
            )));
        }
        let count = sizes.iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
        let bytes = count.and_then(|count| (count / kind.block).checked_mul(kind.bytes));
        let Some(bytes) = bytes.filter(|bytes| i64::try_from(*bytes).is_ok()) else {
            return Err(of_tensor(format!("shape {shape:?} takes more bytes than an address")));
        };
        Ok(Place { name, kind, shape, offset, bytes })
    }
}

/// The tensor of a file's bytes, which come the smallest first.
pub(super) fn tensor(mut bytes: Vec<u8>, shape: &[i32], dtype: Dtype) -> Result<Tensor> {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    ffi::io::from_bytes(LOAD, &bytes, shape, dtype)
}

/// The dtype of a type of values.
fn dtype(code: u32) -> Option<Dtype> {
    Some(match code {
        0 => Dtype::Uint8,
        1 => Dtype::Int8,
        2 => Dtype::Uint16,
        3 => Dtype::Int16,
        4 => Dtype::Uint32,
        5 => Dtype::Int32,
        6 => Dtype::Float32,
        7 => Dtype::Bool,
        10 => Dtype::Uint64,
        11 => Dtype::Int64,
        12 => Dtype::Float64,
        _ => return None,
    })
}
