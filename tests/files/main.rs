//! safetensors, npz and GGUF: what Python wrote is read to the same values and written again to the same bytes; what files
//! lie about is an error.

#[path = "../support/failing.rs"]
mod failing;
#[path = "../support/folder.rs"]
mod folder;
mod hostile;
mod python;
#[path = "../support/python.rs"]
mod python_mlx;
mod readers;
mod same_as_python;
mod whole;

use folder::Folder;
use mlx::{Dtype, prelude::*};
use std::{collections::HashMap, path::PathBuf};

/// A file that tests/files/make.py wrote.
fn committed(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

#[track_caller]
fn same(found: &HashMap<String, Tensor>, wanted: &HashMap<String, Tensor>) {
    let names = |map: &HashMap<String, Tensor>| {
        let mut names: Vec<String> = map.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(found), names(wanted));
    for (name, x) in wanted {
        let y = &found[name];
        assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()), "{name}");
        assert_eq!(x.to_bytes().unwrap(), y.to_bytes().unwrap(), "{name}");
    }
}

fn owned(tensors: &[(String, Tensor)]) -> HashMap<String, Tensor> {
    tensors.iter().cloned().collect()
}

fn pairs(tensors: &[(String, Tensor)]) -> impl Iterator<Item = (&String, &Tensor)> {
    tensors.iter().map(|(name, x)| (name, x))
}

/// Small numbers of a dtype.
fn numbers(values: &[i32], dtype: Dtype) -> Tensor {
    Tensor::from_slice(values).unwrap().astype(dtype)
}

fn named(name: impl ToString, x: Tensor) -> (String, Tensor) {
    (name.to_string(), x)
}
