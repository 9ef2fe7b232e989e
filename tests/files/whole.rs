//! Files by their ending and by an index; saves that are whole or not there, and what they refuse.

use crate::{Folder, committed, failing, named, owned, same};
use mlx::{Dtype, ErrorKind, Result, ops, ops::GgufValue, prelude::*};
use std::{env, fs, io::Cursor, path::Path};

#[test]
fn by_ending() {
    let folder = Folder::new("ending");
    ops::save(folder.path("x.npy"), &tensor![1, 2]).unwrap();
    let x = ops::load(folder.path("x.npy")).unwrap().into_tensor().unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2]);
    for name in ["saved.safetensors", "saved.npz", "saved.gguf"] {
        let mut seen = Vec::new();
        let loaded = ops::load_with_progress(committed(name), |at| {
            assert_eq!(at.tensors, seen.len() + 1);
            seen.push((at.name.to_owned(), at.of_tensors, at.bytes, at.of_bytes));
        });
        let tensors = loaded.unwrap().into_tensors().unwrap();
        same(&ops::load(committed(name)).unwrap().into_tensors().unwrap(), &tensors);
        let (_, count, bytes, all) = seen.last().unwrap();
        assert_eq!((seen.len(), *count, bytes), (tensors.len(), tensors.len(), all), "{name}");
        assert!(seen.iter().all(|(name, ..)| tensors.contains_key(name)));
    }
    for (name, words) in [
        ("x.foo", "[load] Unknown file format foo"),
        ("x", "[load] Could not infer file format from extension"),
    ] {
        assert_eq!(ops::load(folder.path(name)).unwrap_err().message(), words);
    }
    assert!(ops::load(committed("saved.gguf")).unwrap().into_tensor().is_err());
    assert!(ops::load(folder.path("x.npy")).unwrap().into_tensors().is_err());
}

#[test]
fn models_in_several_files() {
    let folder = Folder::new("shards");
    let index = folder.path("model.safetensors.index.json");
    let save = |name: &str, tensors: &[(&str, &Tensor)], by: &str| {
        ops::save_safetensors_with(folder.path(name), tensors.iter().copied(), [("format", by)]).unwrap();
    };
    save("model-1.safetensors", &[("a", &tensor![1]), ("b", &tensor![2])], "first");
    save("model-2.safetensors", &[("c", &tensor![3]), ("unnamed", &tensor![4])], "second");
    let load = |map: &str| {
        fs::write(&index, format!(r#"{{"metadata": {{"total_size": 12}}, "weight_map": {map}}}"#)).unwrap();
        ops::load_sharded_safetensors(&index)
    };
    let whole = r#"{"a": "model-1.safetensors", "b": "model-1.safetensors", "c": "model-2.safetensors"}"#;
    let found = load(whole).unwrap();
    let wanted = [named("a", tensor![1]), named("b", tensor![2]), named("c", tensor![3])];
    same(&found.tensors, &owned(&wanted));
    assert_eq!(found.metadata["format"], "first");
    let mut seen = Vec::new();
    let loaded = ops::load_with_progress(&index, |at| seen.push((at.tensors, at.of_tensors))).unwrap();
    same(&loaded.into_tensors().unwrap(), &owned(&wanted));
    assert_eq!(seen, [(1, 3), (2, 3), (3, 3)]);
    for (map, words) in [
        (r#"{"a": "model-3.safetensors"}"#, "model-3.safetensors"),
        (r#"{"c": "model-1.safetensors"}"#, "tensor \"c\", which \"model-1.safetensors\" does not hold"),
        (r#"{"a": "../model-1.safetensors"}"#, "none beside it"),
        (r#"{"a": "/etc/passwd"}"#, "none beside it"),
        (r#"{"a": ".."}"#, "none beside it"),
        (r#"{"a": ""}"#, "none beside it"),
        (r#"{"a": 1}"#, "no text"),
        ("[]", "no weight_map"),
        ("null", "no weight_map"),
        ("", "no JSON"),
    ] {
        let error = load(map).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.message().contains(words) && error.message().contains("index.json"), "{error}");
    }
}

/// What a save reads from is replaced behind it, what fails leaves the file alone, and nothing is left beside it.
#[test]
fn files_are_whole() {
    type Save = fn(&Path, &[(&str, &Tensor)]) -> Result<()>;
    let saves: [(&str, Save); 4] = [
        ("safetensors", |path, x| ops::save_safetensors(path, x.iter().copied())),
        ("gguf", |path, x| ops::save_gguf(path, x.iter().copied())),
        ("npz", |path, x| ops::savez(path, x.iter().copied())),
        ("npz", |path, x| ops::savez_compressed(path, x.iter().copied())),
    ];
    for (ending, save) in saves {
        let folder = Folder::new(&format!("whole-{ending}"));
        let path = folder.path(&format!("x.{ending}"));
        let read = |path: &Path| ops::load(path).unwrap().into_tensors().unwrap()["x"].clone();
        save(&path, &[("x", &tensor![1, 2])]).unwrap();
        let lazy = read(&path);
        save(&path, &[("x", &(&lazy + 1))]).unwrap();
        assert_eq!(read(&path).to_vec::<i32>().unwrap(), [2, 3]);
        let failed = &failing::failing(1, 3)[0];
        let error = save(&path, &[("y", &tensor![1]), ("x", failed)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Eval, "{error}");
        for twice in [["x", "x"], ["x", "a\0b"]] {
            assert!(save(&path, &twice.map(|name| (name, &lazy))).is_err());
        }
        assert_eq!(read(&path).to_vec::<i32>().unwrap(), [2, 3]);
        assert_eq!(folder.files(), 1);
        let x = tensor![1];
        for path in [env::temp_dir(), "/dev/null".into(), "".into(), folder.path("no/folder"), "a\0b".into()]
        {
            let error = save(&path, &[("x", &x)]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io, "{path:?}");
            assert!(error.message().contains(&path.display().to_string()), "{error}");
        }
    }
}

#[test]
fn what_python_refuses_to_write() {
    let path = env::temp_dir().join("mlx-never-written");
    let of = |dtype| ops::zeros([2], dtype).unwrap();
    let error = ops::save_safetensors(&path, [("x", &of(Dtype::Float64))]).unwrap_err();
    assert!(error.message().ends_with(": [save_safetensors] received invalid dtype."), "{error}");
    assert!(ops::save_safetensors(&path, [("__metadata__", &tensor![1])]).is_err());
    for dtype in [Dtype::Bfloat16, Dtype::Int64, Dtype::Uint32, Dtype::Bool, Dtype::Uint8, Dtype::Float64] {
        let error = ops::save_gguf(&path, [("x", &of(dtype))]).unwrap_err();
        let words = format!(": [save_gguf] dtype {dtype} is not supported");
        assert!(error.message().ends_with(&words), "{error}");
    }
    let deep = ops::zeros([1; 9], Dtype::Float32).unwrap();
    assert!(ops::save_gguf(&path, [("x", &deep)]).unwrap_err().message().contains("9 axes"));
    for (value, words) in [
        (ops::zeros([0], Dtype::Float32).unwrap(), "[save_gguf] Cannot save empty arrays."),
        (
            ops::zeros([2, 2], Dtype::Float32).unwrap(),
            "[save_gguf] Cannot save arrays with more than one dimension.",
        ),
        (of(Dtype::Float16), "[save_gguf] array type float16 not support for metadata."),
    ] {
        let metadata = [("x", GgufValue::from(value))];
        let error = ops::save_gguf_with(&path, [("x", &tensor![1])], metadata).unwrap_err();
        assert!(error.message().ends_with(words), "{error}");
    }
    assert!(!path.exists());
}

/// Python aligns to 32 bytes whatever the file says; what it wrote then cannot be read.
#[test]
fn an_alignment_is_kept() {
    let alignment = [("general.alignment", GgufValue::from(Tensor::scalar(256, Dtype::Uint32).unwrap()))];
    let mut bytes = Vec::new();
    let (a, b) = (tensor![1.0, 2.0], tensor![3, 4]);
    ops::save_gguf_to(&mut bytes, [("a", &a), ("b", &b)], alignment).unwrap();
    assert_eq!(bytes.len(), 512 + 8);
    let found = ops::load_gguf_from(Cursor::new(bytes)).unwrap();
    same(&found.tensors, &owned(&[named("a", a), named("b", b)]));
    let odd = [("general.alignment", GgufValue::from("64"))];
    assert!(ops::save_gguf_to(Vec::new(), [("a", &tensor![1])], odd).is_err());
}
