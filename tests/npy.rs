//! npy files: those Python wrote are read to the same values and nodes, and written again to the same bytes.

#[path = "support/failing.rs"]
mod failing;
#[path = "support/labels.rs"]
mod labels;

use labels::labels;
use mlx::{Complex32, Dtype, Element, ErrorKind, bf16, ops, prelude::*};
use std::{env, fmt::Debug, fs, io::Read, path::PathBuf};

/// A file that tests/npy/make.py wrote.
fn committed(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/npy/{name}.npy"))
}

fn scratch(name: &str) -> PathBuf {
    env::temp_dir().join(format!("mlx-npy-{}-{name}", std::process::id()))
}

/// The file has this array; the nodes below it are those that the script printed for Python.
#[track_caller]
fn check_load<T: Element + PartialEq + Debug>(name: &str, shape: &[i32], wanted: &[T], nodes: &[&str]) {
    let bytes = fs::read(committed(name)).unwrap();
    for x in [ops::load_npy(committed(name)).unwrap(), ops::load_npy_from(&bytes[..]).unwrap()] {
        assert_eq!(labels(&x), nodes);
        assert_eq!((x.dtype(), x.shape()), (T::DTYPE, shape));
        assert_eq!(x.to_vec::<T>().unwrap(), wanted);
    }
}

/// The file has the values of `x`, in this order of axes, and `x` makes its bytes.
#[track_caller]
fn check<T: Element + PartialEq + Debug>(name: &str, x: &Tensor, column_major: bool) {
    let nodes = if column_major { &["Load", "Transpose"][..] } else { &["Load"] };
    check_load(name, x.shape(), &x.to_vec::<T>().unwrap(), nodes);
    check_save(name, x);
}

#[track_caller]
fn check_save(name: &str, x: &Tensor) {
    let (path, mut bytes) = (scratch(name), Vec::new());
    ops::save_npy(&path, x).unwrap();
    ops::save_npy_to(&mut bytes, x).unwrap();
    let python = fs::read(committed(name)).unwrap();
    assert_eq!(bytes, python);
    assert_eq!(fs::read(&path).unwrap(), python);
    fs::remove_file(path).unwrap();
}

#[test]
fn python_s_files_both_ways() {
    let matrix = tensor![[1.0, 2.0, 3.0], [4, 5, 6]];
    check::<f32>("matrix", &matrix, false);
    check::<f32>("transposed", &matrix.t(), true);
    let block = ops::arange(0, 24, 1).unwrap().astype(Dtype::Int16).reshape([2, 3, 4]);
    check::<i16>("swapped", &block.transpose([1, 0, 2]), false);
    check::<i16>("turned", &block.t(), true);
    check::<bool>("broadcast", &tensor![true, false].broadcast_to([2, 2]), false);
    check::<i32>("scalar", &Tensor::scalar(7, Dtype::Int32).unwrap(), true);
    check::<u8>(
        "reversed",
        &Tensor::from_slice(&[0_u8, 1, 2, 3, 4]).unwrap().index(Slice::step(.., -1)),
        true,
    );
    check::<half::f16>("nothing", &ops::zeros([0, 3], Dtype::Float16).unwrap(), true);
    check::<bf16>("bfloat16", &tensor![1.0, -2.5].astype(Dtype::Bfloat16), true);
    check::<Complex32>("complex64", &tensor![Complex32::new(1.0, 2.0), Complex32::new(-0.0, -0.5)], true);
    check::<f64>("float64", &Tensor::from_slice(&[0.1]).unwrap(), true);
    let much = ops::arange(0, 10000, 1).unwrap().astype(Dtype::Uint64);
    check::<u64>("part_of_much", &much.index(5000..5003).reshape([1, 3, 1]), true);
}

#[test]
fn numpy_s_files() {
    check_load("numpy_big_endian", &[2, 3], &[0, 1, 2, 3, 4, 5], &["Load"]);
    check_load("numpy_column_major", &[2, 3], &[0.0_f64, 1.0, 2.0, 3.0, 4.0, 5.0], &["Load", "Transpose"]);
    check_load("numpy_bool", &[2, 1], &[true, false], &["Load"]);
    check_load("numpy_version_2", &[3], &[0_u16, 1, 2], &["Load"]);
}

/// Long enough for version 2 of the format, whose length is what Python wrote for it.
#[test]
fn a_long_header() {
    let x = tensor![1.5].reshape(vec![1_i32; 22000]);
    let mut bytes = Vec::new();
    ops::save_npy_to(&mut bytes, &x).unwrap();
    assert_eq!((bytes.len(), &bytes[..12]), (66084, &b"\x93NUMPY\x02\x00\x14\x02\x01\x00"[..]));
    let back = ops::load_npy_from(&bytes[..]).unwrap();
    assert_eq!((back.ndim(), back.to_vec::<f32>().unwrap()), (22000, vec![1.5]));
}

/// A file is replaced while it is read, what does not compute leaves it alone, and nothing else is left beside it.
#[test]
fn files_are_whole() {
    let folder = scratch("folder");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("x");
    ops::save_npy(&path, &tensor![1, 2]).unwrap();
    let lazy = ops::load_npy(&path).unwrap();
    ops::save_npy(&path, &(&lazy + 1)).unwrap();
    assert_eq!(ops::load_npy(&path).unwrap().to_vec::<i32>().unwrap(), [2, 3]);
    let old = ops::load_npy(&path).unwrap();
    ops::save_npy(&path, &tensor![5.0]).unwrap();
    assert_eq!(old.to_vec::<i32>().unwrap(), [2, 3]);
    let error = ops::save_npy(&path, &failing::failing(1, 3)[0]).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Eval, "save_npy"));
    assert_eq!(ops::load_npy(&path).unwrap().to_vec::<f32>().unwrap(), [5.0]);
    // A link stays one.
    let link = folder.join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    ops::save_npy(&link, &tensor![7]).unwrap();
    assert_eq!(ops::load_npy(&path).unwrap().item::<i32>().unwrap(), 7);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_written() {
    let x = tensor![1];
    for path in [env::temp_dir(), "/dev/null".into(), "".into(), scratch("no/such/folder"), "a\0b".into()] {
        let error = ops::save_npy(&path, &x).unwrap_err();
        assert_eq!((error.kind(), error.op()), (ErrorKind::Io, "save_npy"), "{path:?}");
        assert!(error.message().contains(&path.display().to_string()), "{error}");
    }
    assert_eq!(ops::save_npy_to(&mut [0_u8; 70][..], &x).unwrap_err().kind(), ErrorKind::Io);
    let failed = failing::failing(1, 3);
    let mut bytes = Vec::new();
    assert_eq!(ops::save_npy_to(&mut bytes, &failed[0]).unwrap_err().kind(), ErrorKind::Eval);
    assert!(bytes.is_empty());
}

/// Two arrays in one stream, one after the other.
#[test]
fn a_reader_is_left_behind_the_array() {
    let mut bytes = Vec::new();
    ops::save_npy_to(&mut bytes, &tensor![1, 2]).unwrap();
    ops::save_npy_to(&mut bytes, &tensor![[0.5]]).unwrap();
    let mut reader = &bytes[..];
    assert_eq!(ops::load_npy_from(&mut reader).unwrap().to_vec::<i32>().unwrap(), [1, 2]);
    assert_eq!(ops::load_npy_from(reader.by_ref()).unwrap().to_vec::<f32>().unwrap(), [0.5]);
    assert!(reader.is_empty());
}
