//! safetensors, npz and GGUF: what Python wrote is read to the same values, and written again to the same bytes.

#[path = "support/failing.rs"]
mod failing;

use mlx::{Complex32, Dtype, ErrorKind, Result, ops, ops::GgufValue, prelude::*};
use std::{
    collections::HashMap,
    env, fs,
    io::{Cursor, Read, Seek},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file that tests/files/make.py wrote.
fn committed(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// A folder of a test's own, which goes with it; its name is one that C's formats and shells trip over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = env::temp_dir().join(format!("mlx %s größe {}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
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

/// The tensors of saved.safetensors, in the script's order.
fn saved() -> Vec<(String, Tensor)> {
    let dtypes = [
        ("bool_", Dtype::Bool),
        ("uint8", Dtype::Uint8),
        ("uint16", Dtype::Uint16),
        ("uint32", Dtype::Uint32),
        ("uint64", Dtype::Uint64),
        ("int8", Dtype::Int8),
        ("int16", Dtype::Int16),
        ("int32", Dtype::Int32),
        ("int64", Dtype::Int64),
        ("float16", Dtype::Float16),
        ("bfloat16", Dtype::Bfloat16),
        ("float32", Dtype::Float32),
        ("complex64", Dtype::Complex64),
    ];
    let matrix = ops::arange(0, 6, 1).unwrap().reshape([2, 3]);
    let mut tensors: Vec<_> = dtypes.map(|(name, dtype)| named(name, numbers(&[0, 1], dtype))).into();
    tensors.extend([
        named("transposed", matrix.t()),
        named("reversed", matrix.index((.., Slice::step(.., -1)))),
        named("scalar", Tensor::scalar(1.5, Dtype::Float32).unwrap()),
        named("nothing", ops::zeros([0, 3], Dtype::Float32).unwrap()),
        named("größe \"\n\x7f/%s", numbers(&[7], Dtype::Uint8)),
        named("", numbers(&[8], Dtype::Uint8)),
    ]);
    tensors.extend((0..40).map(|i| named(format!("layers.{i}.weight"), numbers(&[i], Dtype::Uint8))));
    tensors
}

fn texts() -> Vec<(String, String)> {
    let mut texts =
        vec![("format".to_owned(), "mlx".to_owned()), ("ключ".to_owned(), "a \"b\"\t\\".to_owned())];
    texts.extend((0..20).map(|i| (i.to_string(), (i * i).to_string())));
    texts
}

#[test]
fn python_s_safetensors_both_ways() {
    let (wanted, texts) = (saved(), texts());
    let path = committed("saved.safetensors");
    let bytes = fs::read(&path).unwrap();
    let readers = [ops::load_safetensors(&path), ops::load_safetensors_from(Cursor::new(bytes.clone()))];
    for found in readers.map(Result::unwrap) {
        same(&found.tensors, &owned(&wanted));
        assert_eq!(found.metadata, texts.iter().cloned().collect());
    }
    let (folder, mut written) = (Folder::new("safetensors"), Vec::new());
    ops::save_safetensors_to(&mut written, pairs(&wanted), texts.clone()).unwrap();
    assert_eq!(written, bytes);
    ops::save_safetensors_with(folder.path("x"), pairs(&wanted), texts).unwrap();
    assert_eq!(fs::read(folder.path("x")).unwrap(), bytes);
    ops::save_safetensors(folder.path("x"), [("x", &tensor![1.0, 2.0])]).unwrap();
    assert_eq!(fs::read(folder.path("x")).unwrap(), fs::read(committed("plain.safetensors")).unwrap());
    assert_eq!(folder.files(), 1);
}

#[test]
fn python_s_npz_both_ways() {
    let mut wanted: Vec<_> =
        (0..20).map(|i| named(format!("layers.{i}"), numbers(&[i, 2], Dtype::Int32))).collect();
    wanted.push(named("m", ops::ones([2, 3], Dtype::Float32).unwrap().t()));
    same(&ops::load_npz(committed("saved.npz")).unwrap(), &owned(&wanted));
    let reader = Cursor::new(fs::read(committed("saved.npz")).unwrap());
    same(&ops::load_npz_from(reader).unwrap(), &owned(&wanted));
    let folder = Folder::new("npz");
    ops::savez(folder.path("x.npz"), pairs(&wanted)).unwrap();
    same(&ops::load_npz(folder.path("x.npz")).unwrap(), &owned(&wanted));
    // The index behind the entries differs: it has each size in 64 bits a second time.
    let entries = |path| {
        let bytes = fs::read(path).unwrap();
        let end = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
        bytes[..end].to_vec()
    };
    assert!(entries(folder.path("x.npz")) == entries(committed("saved.npz")));

    let wanted = [
        named("zeros", ops::zeros([100, 100], Dtype::Float32).unwrap()),
        named("half", tensor![0.5].astype(Dtype::Bfloat16)),
    ];
    same(&ops::load_npz(committed("compressed.npz")).unwrap(), &owned(&wanted));
    ops::savez_compressed(folder.path("y.npz"), pairs(&wanted)).unwrap();
    assert!(fs::metadata(folder.path("y.npz")).unwrap().len() < 1000);
    same(&ops::load_npz(folder.path("y.npz")).unwrap(), &owned(&wanted));

    let found = ops::load_npz(committed("numpy.npz")).unwrap();
    assert_eq!(found["a"].to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!((found["b/c"].shape(), found["b/c"].item::<f64>().unwrap()), (&[][..], 2.5));
}

/// The tensors and values of saved.gguf, in the script's order.
fn saved_gguf() -> (Vec<(String, Tensor)>, Vec<(String, GgufValue)>) {
    let all = ops::arange(0, 24, 1).unwrap();
    let kinds = [
        ("float16", Dtype::Float16),
        ("float32", Dtype::Float32),
        ("int8", Dtype::Int8),
        ("int16", Dtype::Int16),
        ("int32", Dtype::Int32),
    ];
    let mut tensors: Vec<_> = kinds.map(|(name, dtype)| named(name, all.index(..5).astype(dtype))).into();
    tensors.push(named("turned", all.astype(Dtype::Int16).reshape([2, 3, 4]).t()));
    tensors.push(named("scalar", Tensor::scalar(1.5, Dtype::Float32).unwrap()));
    tensors.extend((0..20).map(|i| named(format!("blk.{i}"), numbers(&[i], Dtype::Int8))));
    let lists =
        ["bool_", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32"];
    let lists = saved().into_iter().filter(|(name, _)| lists.contains(&&**name));
    let mut values: Vec<(String, GgufValue)> = lists.map(|(name, x)| (name, x.into())).collect();
    values.extend([
        ("number".to_owned(), Tensor::scalar(7, Dtype::Int32).unwrap().into()),
        ("truth".to_owned(), Tensor::scalar(true, Dtype::Bool).unwrap().into()),
        ("text".to_owned(), "ключ %s".into()),
        ("texts".to_owned(), ["a", "", "bc"].map(String::from).to_vec().into()),
        ("none".to_owned(), Vec::<String>::new().into()),
    ]);
    (tensors, values)
}

#[test]
fn python_s_gguf_both_ways() {
    let (wanted, values) = saved_gguf();
    let path = committed("saved.gguf");
    let bytes = fs::read(&path).unwrap();
    let readers = [ops::load_gguf(&path), ops::load_gguf_from(Cursor::new(bytes.clone()))];
    for found in readers.map(Result::unwrap) {
        same(&found.tensors, &owned(&wanted));
        assert_eq!(found.metadata.len(), values.len());
        for (key, value) in &values {
            match (value, &found.metadata[key]) {
                (GgufValue::Tensor(x), GgufValue::Tensor(y)) => {
                    assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()), "{key}");
                    assert_eq!(x.to_bytes().unwrap(), y.to_bytes().unwrap(), "{key}");
                }
                (x, y) => {
                    assert_eq!((x.as_text(), x.as_texts()), (y.as_text(), y.as_texts()), "{key}");
                }
            }
        }
    }
    let (folder, mut written) = (Folder::new("gguf"), Vec::new());
    ops::save_gguf_to(&mut written, pairs(&wanted), values.clone()).unwrap();
    assert_eq!(written, bytes);
    ops::save_gguf_with(folder.path("x"), pairs(&wanted), &values.into_iter().collect::<HashMap<_, _>>())
        .unwrap();
    same(&ops::load_gguf(folder.path("x")).unwrap().tensors, &owned(&wanted));
    ops::save_gguf(folder.path("x"), [("x", &tensor![1.0, 2.0])]).unwrap();
    assert_eq!(fs::read(folder.path("x")).unwrap(), fs::read(committed("plain.gguf")).unwrap());
}

/// The types that MLX reads right have Python's names, dtypes and bits.
#[test]
fn gguf_s_types_as_python_s() {
    let found = ops::load_gguf(committed("types.gguf")).unwrap();
    same(&found.tensors, &ops::load_safetensors(committed("types.safetensors")).unwrap().tensors);
    let alignment = found.metadata["general.alignment"].as_tensor().unwrap();
    assert_eq!((alignment.ndim(), alignment.item::<u32>().unwrap()), (0, 64));
}

/// The types that MLX reads wrongly or not at all have the values of the format's own package.
#[test]
fn gguf_s_other_types() {
    let mut found = ops::load_gguf(committed("more_types.gguf")).unwrap().tensors;
    let mut wanted = ops::load_safetensors(committed("more_types.safetensors")).unwrap().tensors;
    assert_eq!(found.remove("f64").unwrap().to_vec::<f64>().unwrap(), [0.1, -1e300]);
    let [weight, scales, biases] =
        ["weight", "scales", "biases"].map(|part| found.remove(&format!("q4_k.{part}")).unwrap());
    assert_eq!((weight.dtype(), weight.shape()), (Dtype::Uint32, &[4, 64][..]));
    let values = |x: &Tensor| x.astype(Dtype::Float32).to_vec::<f32>().unwrap();
    let (words, scales, biases) = (weight.to_vec::<u32>().unwrap(), values(&scales), values(&biases));
    let decoded: Vec<f32> = (0..2048)
        .map(|i| ((words[i / 8] >> (4 * (i % 8))) & 15) as f32 * scales[i / 32] + biases[i / 32])
        .collect();
    assert_eq!(decoded, wanted.remove("q4_k.weight").unwrap().to_vec::<f32>().unwrap());
    same(&found, &wanted);
}

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

/// A reader that counts how many of it live, and begins in the middle of what it holds.
struct Counted {
    bytes: Cursor<Vec<u8>>,
    _alive: Arc<()>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let some = buffer.len().min(3);
        self.bytes.read(&mut buffer[..some])
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.bytes.seek(to)
    }
}

#[test]
fn readers_live_as_long_as_their_tensors() {
    let mut bytes = b"something else".to_vec();
    let (x, y) = (tensor![Complex32::new(1.0, 2.0)], ops::arange(0, 1000, 1).unwrap());
    ops::save_safetensors_to(&mut bytes, [("x", &x), ("y", &y)], [("", ""); 0]).unwrap();
    let mut cursor = Cursor::new(bytes);
    cursor.set_position(14);
    let alive = Arc::new(());
    let found = ops::load_safetensors_from(Counted { bytes: cursor, _alive: alive.clone() }).unwrap();
    assert_eq!(Arc::strong_count(&alive), 2);
    let mut tensors = found.tensors;
    assert_eq!(tensors.remove("x").unwrap().to_vec::<Complex32>().unwrap(), [Complex32::new(1.0, 2.0)]);
    assert_eq!(Arc::strong_count(&alive), 2);
    let y = tensors.remove("y").unwrap();
    assert_eq!(y.to_vec::<i32>().unwrap(), (0..1000).collect::<Vec<_>>());
    drop(y);
    mlx::synchronize().unwrap();
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// More than one batch of the threads that read a large tensor.
#[test]
fn large_tensors_are_read_in_parts() {
    let folder = Folder::new("large");
    let path = folder.path("x.safetensors");
    let x = ops::arange(0, 20_000_000, 1).unwrap();
    ops::save_safetensors(&path, [("before", &tensor![1_u8]), ("x", &x)]).unwrap();
    let found = ops::load_safetensors(&path).unwrap();
    assert!(found.tensors["x"].as_slice::<i32>().unwrap().iter().enumerate().all(|(i, &x)| i as i32 == x));
    let found = ops::load_safetensors(&path).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 40_000_000).unwrap();
    let error = found.tensors["x"].eval().unwrap_err();
    assert!(error.message().contains("unable to read 80000000 bytes"), "{error}");
}
