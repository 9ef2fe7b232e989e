//! safetensors: tensors and texts from a file or reader, lazily, and saved with Python's bytes.
//!
//! The crate `safetensors` wants the whole file in memory and orders tensors by its own rule; here only the header is
//! read, MLX loads each tensor when its value is needed, and a saved file has the order of Python's.

mod header;
mod mapped;
mod save;
mod shards;

pub use mapped::*;
pub use save::*;
pub use shards::*;

use super::{
    file,
    progress::{Named, Watch},
};
use header::{Header, bad};
use mlx_core::{
    Result, Tensor,
    ffi::{self, io::Source},
};
use std::{
    collections::HashMap,
    ffi::CStr,
    io::{Read, Seek},
    path::Path,
};

const OP: &str = "load_safetensors";
const LABEL: &CStr = c"the safetensors file";

/// What a safetensors file holds.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SafeTensors {
    /// The tensors by name, lazy: a tensor is read when its value is needed.
    pub tensors: HashMap<String, Tensor>,
    /// The file's own texts (`__metadata__`).
    pub metadata: HashMap<String, String>,
}

/// Opens a safetensors file. The file stays open, and must stay as it is, until its tensors are evaluated.
///
/// Of the 8-bit floats, which MLX does not know, F8_E4M3 and F8_E8M0 come as uint8.
///
/// # Errors
/// A file that cannot be read, is cut off, or says of a tensor what cannot be; dtypes that MLX does not read (F64,
/// F8_E5M2, those below a byte); bools that are neither 0 nor 1.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_safetensors, save_safetensors};
/// let path = std::env::temp_dir().join(format!("mlx-doc-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("w", &tensor![[1, 2], [3, 4]]), ("b", &tensor![0.5])])?;
/// let file = load_safetensors(&path)?;
/// assert_eq!(file.tensors["w"].to_vec::<i32>()?, [1, 2, 3, 4]);
/// assert_eq!(file.tensors["b"].shape(), [1]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_safetensors(path: impl AsRef<Path>) -> Result<SafeTensors> {
    watched(path.as_ref(), &mut Watch::nobody())
}

/// Opens a safetensors file in `reader`, from where it stands to its end; `Cursor<Vec<u8>>` is one of bytes.
///
/// The reader is kept until the tensors are evaluated, which reads from it on MLX's thread; there it must not use
/// tensors itself.
///
/// # Errors
/// As [`load_safetensors`].
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_safetensors_from, save_safetensors_to};
/// let mut bytes = Vec::new();
/// save_safetensors_to(&mut bytes, [("x", &tensor![1.5, 2.5])], [("by", "us")])?;
/// let file = load_safetensors_from(std::io::Cursor::new(bytes))?;
/// assert_eq!(file.tensors["x"].to_vec::<f32>()?, [1.5, 2.5]);
/// assert_eq!(file.metadata["by"], "us");
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_safetensors_from(mut reader: impl Read + Seek + Send + 'static) -> Result<SafeTensors> {
    let (start, length) = file::extent(OP, &mut reader)?;
    let source = |head, reader, start, data| Source::reader(LABEL, head, Box::new(reader), start, data);
    let (tensors, metadata) = load(reader, start, length, source, |_, lazy| Ok(lazy))?;
    Ok(SafeTensors { tensors: tensors.into_iter().map(Named::into_pair).collect(), metadata })
}

/// [`load_safetensors`], telling `watch` of each tensor where it does, after reading it.
pub(super) fn watched(path: &Path, watch: &mut Watch<'_>) -> Result<SafeTensors> {
    let loaded = open(path).and_then(|(tensors, metadata)| {
        watch.expect(&tensors);
        let tensors = tensors.into_iter().map(|tensor| watch.read(tensor)).collect::<Result<_>>()?;
        Ok(SafeTensors { tensors, metadata })
    });
    loaded.map_err(|error| file::in_file(error, OP, path))
}

/// A file's tensors in the order of their data, and its texts.
type Opened = (Vec<Named>, HashMap<String, String>);

fn open(path: &Path) -> Result<Opened> {
    let (file, length) = file::open(OP, path)?;
    let source = |head, file, start, data| Source::file(LABEL, head, file, start, data);
    load(file, 0, length, source, |_, lazy| Ok(lazy))
}

/// `source` gets the checked header, the reader, where the data begin and how many they are; `placed` may change a lazy tensor
/// whose data begin at an offset.
fn load<R: Read + Seek>(
    mut reader: R,
    start: u64,
    length: u64,
    source: impl FnOnce(Vec<u8>, R, u64, u64) -> Source,
    placed: impl Fn(u64, Tensor) -> Result<Tensor>,
) -> Result<Opened> {
    let header = Header::read(&mut reader, length)?;
    let start = start + header.bytes.len() as u64;
    header.check_bools(&mut reader, start)?;
    let (tensors, texts) = ffi::io::load_safetensors(source(header.bytes, reader, start, header.data))?;
    let mut tensors: HashMap<String, Tensor> = tensors.into_iter().collect();
    let named = |place: header::Place| {
        let tensor = tensors.remove(&place.name);
        let tensor = tensor.ok_or_else(|| bad(&format!("MLX does not find tensor {:?}", place.name)))?;
        Ok(Named { name: place.name, tensor: placed(start + place.begin, tensor)?, bytes: place.bytes })
    };
    let tensors = header.places.into_iter().map(named).collect::<Result<_>>()?;
    Ok((tensors, texts.into_iter().collect()))
}
