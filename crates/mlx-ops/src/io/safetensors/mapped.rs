//! Safetensors files mapped into memory: opened at once whatever their size, read where and when a value is needed.

use super::{LABEL, OP, Opened, SafeTensors, file, load, shards};
use crate::io::progress::{Named, Watch};
use mlx_core::{
    Result, StableFiles,
    ffi::{io::Source, owned::mapped},
};
use std::path::Path;

/// [`load_safetensors`](super::load_safetensors) of a file that stays as it is: its tensors lie in the file, mapped, and are not
/// lazy. Nothing is read before a value is needed, and the system may take back what it read.
///
/// Each tensor has a map of its own, which goes with it. Where MLX computes in place the changed pages are this process's and
/// the file stays as it is. Tensors at an odd address for their dtype, and all where MLX has a GPU's memory, are those
/// of [`load_safetensors`](super::load_safetensors).
///
/// # Errors
/// As [`load_safetensors`](super::load_safetensors); more maps than the system allows.
///
/// ```
/// # use mlx_core::{StableFiles, tensor};
/// # use mlx_ops::{load_safetensors_mmap, save_safetensors};
/// let path = std::env::temp_dir().join(format!("mlx-doc-mmap-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("w", &tensor![[1.0, 2.0], [3.0, 4.0]])])?;
/// // SAFETY: nobody changes the file while the tensors live.
/// let stable = unsafe { StableFiles::promise() };
/// let weight = load_safetensors_mmap(&path, stable)?.tensors.remove("w").unwrap();
/// assert_eq!((weight * 2.0).to_vec::<f32>()?, [2.0, 4.0, 6.0, 8.0]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_safetensors_mmap(path: impl AsRef<Path>, stable: StableFiles) -> Result<SafeTensors> {
    let path = path.as_ref();
    let (tensors, metadata) = open(path, stable).map_err(|error| file::in_file(error, OP, path))?;
    Ok(SafeTensors { tensors: tensors.into_iter().map(Named::into_pair).collect(), metadata })
}

/// [`load_sharded_safetensors`](super::load_sharded_safetensors) with its files as
/// [`load_safetensors_mmap`] opens them.
///
/// # Errors
/// As these two.
#[doc(alias = "mx.load")]
pub fn load_sharded_safetensors_mmap(index: impl AsRef<Path>, stable: StableFiles) -> Result<SafeTensors> {
    shards::opened(index.as_ref(), &mut Watch::nobody(), &|path| open(path, stable))
}

fn open(path: &Path, stable: StableFiles) -> Result<Opened> {
    let (found, length) = file::open(OP, path)?;
    let again = found.try_clone().map_err(file::io_error(OP))?;
    let source = |head, file, start, data| Source::file(LABEL, head, file, start, data);
    load(found, 0, length, source, |offset, lazy| {
        Ok(mapped(OP, &again, offset, lazy.shape(), lazy.dtype(), stable)?.unwrap_or(lazy))
    })
}
