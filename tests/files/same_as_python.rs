//! Python's files both ways, and GGUF's types.

use crate::{Folder, committed, named, numbers, owned, pairs, same};
use mlx::{Dtype, Result, ops, ops::GgufValue, prelude::*};
use std::{collections::HashMap, fs, io::Cursor};

/// Tensors and values of a GGUF file, in order.
type Values = (Vec<(String, Tensor)>, Vec<(String, GgufValue)>);

/// The tensors of saved.safetensors, in the script's order.
pub(crate) fn saved() -> Vec<(String, Tensor)> {
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

pub(crate) fn texts() -> Vec<(String, String)> {
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
pub(crate) fn saved_gguf() -> Values {
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
