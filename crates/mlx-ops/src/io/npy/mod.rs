//! Tensors from and to npy files: the bytes that `mx.save` writes and the node that `mx.load` makes.
//!
//! MLX reads an npy header by fixed positions and believes what stands there. So the header is parsed and checked
//! here (`header`), and MLX is shown one of ours in its place.

mod header;

use super::file::{self, in_file, io_error};
use header::Header;
use mlx_core::{
    Result, Tensor,
    ffi::{self, io::Source},
};
use std::{
    ffi::CStr,
    io::{Read, Write},
    path::Path,
};

const LOAD: &str = "load_npy";
const SAVE: &str = "save_npy";
const LABEL: &CStr = c"the npy file";

/// Opens an npy file. The file stays open, and must stay as it is, until the tensor is evaluated.
///
/// Both byte orders and both element orders are read, versions 1 and 2 of the format, and bfloat16 as `mx.save` and
/// others write it (`<V2`).
///
/// # Errors
/// A file that cannot be read, is cut off, or holds what MLX has no dtype for: objects, texts, structures, complex128.
/// Big-endian complex numbers, of which Python exchanges the two parts.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_npy, save_npy};
/// let path = std::env::temp_dir().join(format!("mlx-doc-{}.npy", std::process::id()));
/// save_npy(&path, &tensor![[1, 2], [3, 4]])?;
/// let x = load_npy(&path)?;
/// assert_eq!((x.shape(), x.to_vec::<i32>()?), (&[2, 2][..], vec![1, 2, 3, 4]));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_npy(path: impl AsRef<Path>) -> Result<Tensor> {
    let path = path.as_ref();
    open(path).map_err(|error| in_file(error, LOAD, path))
}

fn open(path: &Path) -> Result<Tensor> {
    let (mut file, length) = file::open(LOAD, path)?;
    let (header, start) = Header::read(&mut file)?;
    let bytes = header.bytes();
    if length.saturating_sub(start) < bytes {
        return Err(header.cut_off(length.saturating_sub(start)));
    }
    finish(&header, Source::file(LABEL, header.for_mlx(), file, start, bytes))
}

/// Reads an npy file's bytes from `reader`: all of one array, and nothing behind it.
///
/// The bytes are in memory when this returns; the tensor is still a lazy `Load` of them.
///
/// # Errors
/// As [`load_npy`]; more bytes than memory.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_npy_from, save_npy_to};
/// let mut bytes = Vec::new();
/// save_npy_to(&mut bytes, &tensor![1.5, 2.5])?;
/// assert_eq!(load_npy_from(&bytes[..])?.to_vec::<f32>()?, [1.5, 2.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_npy_from(mut reader: impl Read) -> Result<Tensor> {
    let (header, _) = Header::read(&mut reader)?;
    let mut all = header.for_mlx();
    let start = all.len();
    // Memory grows with what is there: a header may say anything.
    let count = reader.take(header.bytes()).read_to_end(&mut all).map_err(io_error(LOAD))?;
    debug_assert_eq!(start + count, all.len());
    if (count as u64) < header.bytes() {
        return Err(header.cut_off(count as u64));
    }
    finish(&header, Source::bytes(LABEL, all))
}

/// MLX is shown the axes in the file's order; Python, too, turns a column-major array around with a node of its own.
fn finish(header: &Header, source: Source) -> Result<Tensor> {
    let loaded = ffi::io::load_npy(source)?;
    if header.is_column_major() { ffi::TRANSPOSE.call(&loaded) } else { Ok(loaded) }
}

/// Writes `x` to an npy file: computes it, writes beside the file, and renames, so that the file is the old or the
/// new one whole.
///
/// The bytes are those of `mx.save`, which calls a transposed tensor column-major instead of copying it and writes
/// bfloat16 as `<V2`. The path is taken as it is: Python appends `.npy` where it is missing.
///
/// # Errors
/// A computation that fails; a file that cannot be written.
#[doc(alias = "mx.save")]
pub fn save_npy(path: impl AsRef<Path>, x: &Tensor) -> Result<()> {
    let path = path.as_ref();
    let saved = Saved::of(x).map_err(|error| in_file(error, SAVE, path))?;
    file::replace(SAVE, path, |file| saved.write(file))
}

/// [`save_npy`], by Python's name.
///
/// # Errors
/// A computation that fails; a file that cannot be written.
#[doc(alias = "mx.save")]
pub fn save(path: impl AsRef<Path>, x: &Tensor) -> Result<()> {
    save_npy(path, x)
}

/// Computes `x` and writes it to `writer` as [`save_npy`] writes it to a file.
///
/// # Errors
/// A computation that fails; a writer that does.
#[doc(alias = "mx.save")]
pub fn save_npy_to(mut writer: impl Write, x: &Tensor) -> Result<()> {
    Saved::of(x)?.write(&mut writer)?;
    writer.flush().map_err(io_error(SAVE))
}

/// A tensor as it will be written: computed, and without gaps.
struct Saved(Tensor);

impl Saved {
    fn of(x: &Tensor) -> Result<Saved> {
        let saved = ffi::contiguous(x, true)?;
        saved.eval()?;
        Ok(Saved(saved))
    }

    fn write(&self, writer: &mut impl Write) -> Result<()> {
        let Saved(x) = self;
        let (bytes, column_major) = ffi::io::memory(x)?;
        let header = header::text(x.dtype(), header::BIG_ENDIAN, column_major, x.shape());
        file::write_all(SAVE, writer, &[&header, bytes])
    }
}
