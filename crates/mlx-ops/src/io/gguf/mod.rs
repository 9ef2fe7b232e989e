//! GGUF: tensors and typed metadata, read and decoded here.
//!
//! MLX's own reader maps the file and believes what it says: a file that lies, or that is cut off while it is read, ends
//! the process, and some types are decoded wrongly or dropped. So MLX never sees the file; for the types it reads right,
//! names, dtypes and bits are those of Python's.

mod blocks;
mod header;
mod kind;
mod save;
mod value;

pub use save::*;
pub use value::GgufValue;

use super::{file, progress::Watch};
use header::{Header, Place, bad, tensor};
use kind::{Form, Packed};
use mlx_core::{Dtype, Result, StableFiles, Tensor, f16, ffi::owned::mapped};
use std::{
    collections::{HashMap, hash_map::Entry},
    io::{BufReader, Read, Seek, SeekFrom},
    path::Path,
};

const LOAD: &str = "load_gguf";

/// What a GGUF file holds.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Gguf {
    /// The tensors by name.
    pub tensors: HashMap<String, Tensor>,
    /// The file's own values by key.
    pub metadata: HashMap<String, GgufValue>,
}

/// Reads a GGUF file of version 2 or 3. The values are in memory when this returns.
///
/// * F32, F16, I8, I16, I32, I64 and F64 keep their dtype; BF16 becomes float16, as in Python, and values beyond
///   float16's become infinite.
/// * Q4_0, Q4_1, Q4_K and Q8_0 become MLX's quantization in groups of 32: `X.weight` uint32, `X.scales` and `X.biases`
///   float16 (7 characters are taken off other names, too, as in Python).
/// * Q2_K, Q3_K, Q5_0, Q5_1, Q5_K and Q6_K become float16 values.
/// * The other types are an error, by name: Python drops some of them and every tensor behind them.
///
/// Python decodes half of Q4_K wrongly and fails on I64, F64, Q3_K, Q5_0, Q5_1 and Q5_K.
///
/// # Errors
/// A file that cannot be read, is cut off, or says of itself what cannot be; types as above; arrays of arrays.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_gguf, save_gguf_with, GgufValue};
/// let path = std::env::temp_dir().join(format!("mlx-doc-{}.gguf", std::process::id()));
/// save_gguf_with(&path, [("x", &tensor![[1, 2], [3, 4]])], [("general.name", GgufValue::from("ours"))])?;
/// let file = load_gguf(&path)?;
/// assert_eq!(file.tensors["x"].to_vec::<i32>()?, [1, 2, 3, 4]);
/// assert_eq!(file.metadata["general.name"].as_text(), Some("ours"));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_gguf(path: impl AsRef<Path>) -> Result<Gguf> {
    watched(path.as_ref(), &mut Watch::nobody())
}

/// Reads a GGUF file in `reader`, from where it stands to its end; `Cursor<Vec<u8>>` is one of bytes.
///
/// # Errors
/// As [`load_gguf`].
#[doc(alias = "mx.load")]
pub fn load_gguf_from(mut reader: impl Read + Seek) -> Result<Gguf> {
    let (start, length) = file::extent(LOAD, &mut reader)?;
    load(reader, start, length, &mut Watch::nobody(), &|_, _, _| Ok(None))
}

/// [`load_gguf`] of a file that stays as it is: the tensors of MLX's dtypes lie in it, mapped, as those of
/// [`load_safetensors_mmap`](crate::load_safetensors_mmap); the others are decoded, and in memory when this returns.
///
/// # Errors
/// As [`load_gguf`]; more maps than the system allows.
///
/// ```
/// # use mlx_core::{StableFiles, tensor};
/// # use mlx_ops::{load_gguf_mmap, save_gguf};
/// let path = std::env::temp_dir().join(format!("mlx-doc-mmap-{}.gguf", std::process::id()));
/// save_gguf(&path, [("x", &tensor![[1, 2], [3, 4]])])?;
/// // SAFETY: nobody changes the file while the tensors live.
/// let stable = unsafe { StableFiles::promise() };
/// assert_eq!(load_gguf_mmap(&path, stable)?.tensors["x"].to_vec::<i32>()?, [1, 2, 3, 4]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_gguf_mmap(path: impl AsRef<Path>, stable: StableFiles) -> Result<Gguf> {
    let path = path.as_ref();
    let opened = file::open(LOAD, path).and_then(|(found, length)| {
        let again = found.try_clone().map_err(file::io_error(LOAD))?;
        let map = |offset, shape: &[i32], dtype| mapped(LOAD, &again, offset, shape, dtype, stable);
        load(found, 0, length, &mut Watch::nobody(), &map)
    });
    opened.map_err(|error| file::in_file(error, LOAD, path))
}

pub(super) fn watched(path: &Path, watch: &mut Watch<'_>) -> Result<Gguf> {
    let loaded =
        file::open(LOAD, path).and_then(|(file, length)| load(file, 0, length, watch, &|_, _, _| Ok(None)));
    loaded.map_err(|error| file::in_file(error, LOAD, path))
}

/// A tensor of the file's bytes from an offset on, where it can be mapped.
type Map<'a> = dyn Fn(u64, &[i32], Dtype) -> Result<Option<Tensor>> + 'a;

fn load(
    reader: impl Read + Seek,
    start: u64,
    length: u64,
    watch: &mut Watch<'_>,
    map: &Map<'_>,
) -> Result<Gguf> {
    let mut reader = BufReader::new(reader);
    let header = Header::read(&mut reader, length)?;
    // Before anything is read: a model is no use without one of its tensors.
    if let Some(place) = header.places.iter().find(|place| matches!(place.kind.form, Form::Refused)) {
        return Err(bad(&format!("tensor {:?}: its type {} is not supported", place.name, place.kind.name)));
    }
    watch.expect_sizes(header.places.len(), header.places.iter().map(|place| place.bytes).sum());
    let mut tensors = HashMap::new();
    for place in &header.places {
        let offset = start + header.data + place.offset;
        let mapped = match place.kind.form {
            Form::Plain(dtype) => map(offset, &place.shape, dtype)?,
            _ => None,
        };
        let found = if let Some(x) = mapped {
            vec![(place.name.clone(), x)]
        } else {
            reader.seek(SeekFrom::Start(offset)).map_err(file::io_error(LOAD))?;
            decoded(place, file::exactly(LOAD, &mut reader, place.bytes)?)?
        };
        for (name, x) in found {
            match tensors.entry(name) {
                Entry::Occupied(entry) => return Err(bad(&format!("two tensors become {:?}", entry.key()))),
                Entry::Vacant(entry) => entry.insert(x),
            };
        }
        watch.done(&place.name, place.bytes);
    }
    Ok(Gguf { tensors, metadata: header.metadata })
}

/// A tensor, or the three of MLX's quantization.
fn decoded(place: &Place, bytes: Vec<u8>) -> Result<Vec<(String, Tensor)>> {
    let Place { name, kind, shape, .. } = place;
    let blocks = bytes.chunks_exact(kind.bytes as usize);
    match kind.form {
        Form::Plain(dtype) => Ok(vec![(name.clone(), tensor(bytes, shape, dtype)?)]),
        Form::Half(unpack) => {
            let mut values = Vec::with_capacity(blocks.len() * kind.block as usize);
            blocks.for_each(|block| unpack(block, &mut values));
            Ok(vec![(name.clone(), halves(shape, &values)?)])
        }
        Form::Packed(bits, unpack) => {
            let values = blocks.len() * kind.block as usize;
            let mut packed = Packed {
                weight: Vec::with_capacity(values * bits as usize / 8),
                scales: Vec::with_capacity(values / 32),
                biases: Vec::with_capacity(values / 32),
            };
            blocks.for_each(|block| unpack(block, &mut packed));
            let of_rows = |values_each: u32| {
                let mut shape = shape.clone();
                if let Some(last) = shape.last_mut() {
                    *last /= values_each as i32;
                }
                shape
            };
            let weight = tensor(packed.weight, &of_rows(32 / bits), Dtype::Uint32)?;
            let base = base(name)?;
            Ok(vec![
                (format!("{base}.scales"), halves(&of_rows(32), &packed.scales)?),
                (format!("{base}.biases"), halves(&of_rows(32), &packed.biases)?),
                (name.clone(), weight),
            ])
        }
        Form::Refused => unreachable!("refused before anything was read"),
    }
}

fn halves(shape: &[i32], values: &[f16]) -> Result<Tensor> {
    Tensor::from_shape_slice(shape.to_vec(), values)
}

/// The name without `.weight`, or as Python has it, without as many characters whatever they are.
fn base(name: &str) -> Result<&str> {
    let Some(length) = name.len().checked_sub(".weight".len()) else { return Ok(name) };
    name.get(..length).ok_or_else(|| bad(&format!("tensor {name:?}: its scales would have no name in UTF-8")))
}
