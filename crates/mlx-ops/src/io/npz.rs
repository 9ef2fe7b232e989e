//! npz: several npy files in a zip archive, by the names of their arrays.

use super::{
    batch::in_map_order,
    file::{self, in_file},
    npy,
    progress::Watch,
};
use mlx_core::{Error, Result, Tensor};
use std::{
    cell::Cell,
    collections::HashMap,
    io::{self, BufReader, Read, Seek, Write},
    path::Path,
};
use zip::{
    CompressionMethod, ZipArchive, ZipWriter, read::ZipFile, result::ZipError, write::SimpleFileOptions,
};

const LOAD: &str = "load_npz";
const SAVE: &str = "savez";
const SAVE_COMPRESSED: &str = "savez_compressed";

/// How much may be read before the archive's index is found: the crate zip looks for it through the whole file.
const MAX_INDEX: u64 = 100_000_000;

/// How many times its size deflated data can become at most: a block of 258 bytes takes two bits.
const MAX_RATIO: u64 = 1032;

/// Reads an npz file, stored or deflated: its arrays by name, without the `.npy` of their files. The values are in
/// memory when this returns.
///
/// # Errors
/// A file that cannot be read or is no zip archive; an entry that is no npy file that
/// [`load_npy`](super::load_npy) takes, by name; a name twice; other compressions and encryption.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_npz, savez};
/// let path = std::env::temp_dir().join(format!("mlx-doc-{}.npz", std::process::id()));
/// savez(&path, [("a", &tensor![1, 2]), ("b", &tensor![[0.5]])])?;
/// let arrays = load_npz(&path)?;
/// assert_eq!((arrays.len(), arrays["a"].to_vec::<i32>()?), (2, vec![1, 2]));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_npz(path: impl AsRef<Path>) -> Result<HashMap<String, Tensor>> {
    watched(path.as_ref(), &mut Watch::nobody())
}

/// Reads an npz file from `reader`; `Cursor<Vec<u8>>` is one of bytes.
///
/// # Errors
/// As [`load_npz`].
#[doc(alias = "mx.load")]
pub fn load_npz_from(reader: impl Read + Seek) -> Result<HashMap<String, Tensor>> {
    load(reader, &mut Watch::nobody())
}

pub(super) fn watched(path: &Path, watch: &mut Watch<'_>) -> Result<HashMap<String, Tensor>> {
    let loaded = file::open(LOAD, path).and_then(|(file, _)| load(file, watch));
    loaded.map_err(|error| in_file(error, LOAD, path))
}

fn load(mut reader: impl Read + Seek, watch: &mut Watch<'_>) -> Result<HashMap<String, Tensor>> {
    let (_, length) = file::extent(LOAD, &mut reader)?;
    let left = Cell::new(MAX_INDEX);
    let reader = Limited { reader: BufReader::new(reader), left: &left };
    let mut archive = ZipArchive::new(reader).map_err(zip_error(LOAD))?;
    left.set(u64::MAX);
    let mut arrays = HashMap::new();
    let (mut bytes, mut packed) = (0_u64, 0_u64);
    for i in 0..archive.len() {
        let entry = archive.by_index_raw(i).map_err(zip_error(LOAD))?;
        bytes = bytes.saturating_add(entry.size());
        packed = packed.saturating_add(entry.compressed_size());
    }
    if packed > length {
        return Err(file::error(LOAD, format!("its entries take {packed} bytes of {length}: they overlap")));
    }
    watch.expect_sizes(archive.len(), bytes);
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(zip_error(LOAD))?;
        let name = entry.name().map_err(zip_error(LOAD))?.into_owned();
        let size = entry.size();
        let array = read(&mut entry).map_err(|error| {
            let message = format!("entry {name:?}: {}", error.message());
            Error::new(error.kind(), LOAD, message).with_source(error)
        })?;
        let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
        watch.done(&name, size);
        if arrays.insert(name.clone(), array).is_some() {
            return Err(file::error(LOAD, format!("the array {name:?} is there twice")));
        }
    }
    Ok(arrays)
}

/// A reader that fails when more was read than `left` says.
struct Limited<'a, R> {
    reader: R,
    left: &'a Cell<u64>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        match self.left.get().checked_sub(count as u64) {
            Some(left) => self.left.set(left),
            None => return Err(io::Error::other("there is no index of its entries near its end")),
        }
        Ok(count)
    }
}

impl<R: Seek> Seek for Limited<'_, R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

/// Reads an array to its end, where the archive's checksum is compared.
fn read<R: Read>(entry: &mut ZipFile<'_, R>) -> Result<Tensor> {
    let (size, packed) = (entry.size(), entry.compressed_size());
    if size > packed.saturating_mul(MAX_RATIO) {
        return Err(file::error(LOAD, format!("{packed} packed bytes cannot become {size}")));
    }
    // An entry of other bytes than it says is one that lies.
    let mut bytes = entry.take(size);
    let array = npy::load_npy_from(&mut bytes)?;
    let behind = io::copy(&mut bytes, &mut io::sink()).map_err(file::io_error(LOAD))?;
    if behind > 0 {
        return Err(file::error(LOAD, format!("{behind} bytes follow the array")));
    }
    let more = io::copy(&mut bytes.into_inner().take(1), &mut io::sink()).map_err(file::io_error(LOAD))?;
    if more > 0 {
        return Err(file::error(LOAD, "it is longer than it says"));
    }
    // In memory once: lazy, it would hold the bytes beside the values.
    array.eval()?;
    Ok(array)
}

/// Writes arrays to an npz file, not compressed: computes them, writes beside the file, and renames.
///
/// Python names arrays without a name `arr_0`, `arr_1` …; here each has one. The path is taken as it is: Python appends
/// `.npz` where it is missing.
///
/// # Errors
/// A computation that fails; a file that cannot be written; a name twice or with a NUL.
#[doc(alias = "mx.savez")]
pub fn savez<'a, N: AsRef<str>>(
    path: impl AsRef<Path>,
    arrays: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    save(SAVE, CompressionMethod::Stored, path.as_ref(), arrays)
}

/// [`savez`], deflated.
///
/// # Errors
/// As [`savez`].
///
/// ```
/// # use mlx_ops::{load_npz, savez_compressed, zeros};
/// # use mlx_core::Dtype;
/// let path = std::env::temp_dir().join(format!("mlx-doc-deflated-{}.npz", std::process::id()));
/// savez_compressed(&path, [("zeros", &zeros([1000, 1000], Dtype::Float32)?)])?;
/// assert!(std::fs::metadata(&path).unwrap().len() < 10_000);
/// assert_eq!(load_npz(&path)?["zeros"].shape(), [1000, 1000]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.savez_compressed")]
pub fn savez_compressed<'a, N: AsRef<str>>(
    path: impl AsRef<Path>,
    arrays: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    save(SAVE_COMPRESSED, CompressionMethod::Deflated, path.as_ref(), arrays)
}

fn save<'a, N: AsRef<str>>(
    op: &'static str,
    method: CompressionMethod,
    path: &Path,
    arrays: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    let arrays = in_map_order(op, arrays.into_iter().map(Ok)).map_err(|error| in_file(error, op, path))?;
    file::replace(op, path, |file| {
        let mut archive = ZipWriter::new(io::BufWriter::new(file));
        // As Python's zipfile: no time but the first that there is, no permissions but the owner's, sizes of 64 bits.
        let options = SimpleFileOptions::DEFAULT
            .compression_method(method)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o600)
            .large_file(true);
        for (name, x) in arrays {
            archive.start_file(format!("{name}.npy"), options).map_err(zip_error(op))?;
            npy::save_npy_to(&mut archive, x).map_err(|error| {
                Error::new(error.kind(), op, error.message().to_owned()).with_source(error)
            })?;
        }
        let mut buffer = archive.finish().map_err(zip_error(op))?;
        buffer.flush().map_err(file::io_error(op))
    })
}

fn zip_error(op: &'static str) -> impl Fn(ZipError) -> Error {
    move |error| file::error(op, format!("not a zip archive that can be read: {error}")).with_source(error)
}
