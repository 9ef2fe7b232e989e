//! Tensors from and to files: `load` by a file's ending, and a module a format.
//!
//! What all formats keep: headers are checked here before anything is believed, so that a file that is cut off or lies is
//! an error; no path reaches C; saves replace a file whole.

mod batch;
mod gguf;
mod npy;
mod npz;
mod progress;
mod safetensors;

pub use gguf::*;
pub use npy::*;
pub use npz::*;
pub use progress::Progress;
pub use safetensors::*;

use mlx_core::{Error, ErrorKind, Result, Tensor, file};
use progress::{Named, Watch};
use std::{collections::HashMap, path::Path};

const LOAD: &str = "load";

/// What [`load`] found, by format.
#[derive(Debug)]
#[non_exhaustive]
pub enum Loaded {
    /// The array of an npy file.
    Npy(Tensor),
    /// The arrays of an npz file.
    Npz(HashMap<String, Tensor>),
    /// What a safetensors file holds, or several that an index names.
    SafeTensors(SafeTensors),
    /// What a GGUF file holds.
    Gguf(Gguf),
}

impl Loaded {
    /// The tensors by name, whatever the format.
    ///
    /// # Errors
    /// An npy file, whose array has no name.
    pub fn into_tensors(self) -> Result<HashMap<String, Tensor>> {
        match self {
            Loaded::Npz(arrays) => Ok(arrays),
            Loaded::SafeTensors(found) => Ok(found.tensors),
            Loaded::Gguf(found) => Ok(found.tensors),
            Loaded::Npy(_) => {
                Err(Error::new(ErrorKind::Value, LOAD, "an npy file has one array without a name"))
            }
        }
    }

    /// The one array of an npy file.
    ///
    /// # Errors
    /// Another format.
    pub fn into_tensor(self) -> Result<Tensor> {
        match self {
            Loaded::Npy(array) => Ok(array),
            _ => Err(Error::new(ErrorKind::Value, LOAD, "the file has tensors by name, not one array")),
        }
    }
}

/// Loads a file by its ending: `.npy`, `.npz`, `.safetensors`, `.gguf`, and `.json` for the index of a model in several
/// safetensors files.
///
/// # Errors
/// Another ending (Python's words); what the format's own function refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load, save};
/// let path = std::env::temp_dir().join(format!("mlx-doc-load-{}.npy", std::process::id()));
/// save(&path, &tensor![1, 2])?;
/// assert_eq!(load(&path)?.into_tensor()?.to_vec::<i32>()?, [1, 2]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load(path: impl AsRef<Path>) -> Result<Loaded> {
    by_ending(path.as_ref(), &mut Watch::nobody())
}

/// [`load`] that reads every tensor before it returns and tells `progress` after each.
///
/// # Errors
/// As [`load`]; a tensor that cannot be read.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_with_progress, save_safetensors};
/// let path = std::env::temp_dir().join(format!("mlx-doc-progress-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("a", &tensor![1, 2]), ("b", &tensor![3])])?;
/// let mut seen = Vec::new();
/// load_with_progress(&path, |at| seen.push((at.tensors, at.of_tensors, at.of_bytes)))?;
/// assert_eq!(seen, [(1, 2, 12), (2, 2, 12)]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.load")]
pub fn load_with_progress(path: impl AsRef<Path>, mut progress: impl FnMut(Progress<'_>)) -> Result<Loaded> {
    by_ending(path.as_ref(), &mut Watch::of(&mut progress))
}

fn by_ending(path: &Path, watch: &mut Watch<'_>) -> Result<Loaded> {
    let refused = |message: String| Err(Error::new(ErrorKind::Value, LOAD, message));
    let Some(ending) = path.extension() else {
        return refused("[load] Could not infer file format from extension".into());
    };
    match &*ending.to_string_lossy() {
        "npy" => {
            let named = Named { name: String::new(), tensor: load_npy(path)?, bytes: 0 };
            let named = Named { bytes: named.tensor.nbytes() as u64, ..named };
            watch.expect(std::slice::from_ref(&named));
            Ok(Loaded::Npy(watch.read(named)?.1))
        }
        "npz" => npz::watched(path, watch).map(Loaded::Npz),
        "safetensors" => safetensors::watched(path, watch).map(Loaded::SafeTensors),
        "json" => safetensors::sharded(path, watch).map(Loaded::SafeTensors),
        "gguf" => gguf::watched(path, watch).map(Loaded::Gguf),
        other => refused(format!("[load] Unknown file format {other}")),
    }
}
