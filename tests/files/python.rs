//! Python MLX reads what we write, where the folder is there into which `cargo xtask parity` installs it.

use crate::{
    Folder, pairs, python_mlx,
    same_as_python::{saved, saved_gguf, texts},
};
use mlx::ops;
use std::path::PathBuf;

/// Reads each file by its ending and compares it with the one that Python wrote beside make.py.
const COMPARE: &str = r#"
import os
import sys
import mlx.core as mx
ours, python = sys.argv[1:]
for name in ("saved.safetensors", "saved.npz", "saved.gguf"):
    x, y = mx.load(f"{ours}/{name}"), mx.load(f"{python}/{name}")
    assert x.keys() == y.keys(), (x.keys(), y.keys())
    for key in x:
        same = x[key].dtype == y[key].dtype and x[key].shape == y[key].shape and mx.array_equal(x[key], y[key])
        assert same, (name, key)
for name in ("saved.safetensors", "saved.gguf"):
    x, y = (mx.load(f"{folder}/{name}", return_metadata=True)[1] for folder in (ours, python))
    assert str(sorted(x.items())) == str(sorted(y.items())), (x, y)
x = mx.load(f"{ours}/compressed.npz")
assert {key: (x[key].dtype, x[key].tolist()) for key in x} == {"a": (mx.int32, [1, 2]), "b": (mx.bool_, [[True]])}
x = mx.load(f"{ours}/x.npy")
assert x.dtype == mx.float32 and x.tolist() == [[1.5], [2.5]]
# Python MLX may end its process on the way out ("terminate called …").
os._exit(0)
"#;

#[test]
fn python_reads_ours() {
    let Some(site) = python_mlx::site() else { return };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new("python");
    ops::save_safetensors_with(folder.path("saved.safetensors"), pairs(&saved()), texts()).unwrap();
    let (tensors, values) = saved_gguf();
    ops::save_gguf_with(folder.path("saved.gguf"), pairs(&tensors), values).unwrap();
    let arrays = ops::load_npz(root.join("tests/files/saved.npz")).unwrap();
    ops::savez(folder.path("saved.npz"), &arrays).unwrap();
    let (a, b) = (mlx::tensor![1, 2], mlx::tensor![[true]]);
    ops::savez_compressed(folder.path("compressed.npz"), [("a", &a), ("b", &b)]).unwrap();
    ops::save(folder.path("x.npy"), &mlx::tensor![[1.5], [2.5]]).unwrap();
    python_mlx::run(&site, COMPARE, &[folder.path(""), root.join("tests/files")]);
}
