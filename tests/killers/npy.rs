//! Hostile npy files.

use crate::{programs, programs::Program};
use mlx::{ErrorKind, Tensor, ops};
use std::{env, fs, io, path::PathBuf, process::Command};

pub(crate) const PROGRAMS: &[Program] = &[
    ("npy_cut_at_every_byte", npy_cut_at_every_byte),
    ("npy_with_every_byte_changed", npy_with_every_byte_changed),
    ("npy_with_odd_headers", npy_with_odd_headers),
    ("npy_with_unusual_headers", npy_with_unusual_headers),
    ("npy_of_other_dtypes", npy_of_other_dtypes),
    ("npy_that_lies_about_sizes", npy_that_lies_about_sizes),
    ("npy_of_other_versions", npy_of_other_versions),
    ("npy_that_is_no_file", npy_that_is_no_file),
    ("npy_cut_off_later", npy_cut_off_later),
    ("npy_from_readers_that_fail", npy_from_readers_that_fail),
    ("npy_with_bools_beyond_one", npy_with_bools_beyond_one),
];

fn path(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("mlx-npy-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn done() {
    let _ = fs::remove_dir_all(path(""));
    programs::end();
}

fn file(version: [u8; 2], header: &[u8], data: &[u8]) -> Vec<u8> {
    let length = (header.len() as u32).to_le_bytes();
    let width = if version[0] == 1 { 2 } else { 4 };
    [b"\x93NUMPY", &version[..], &length[..width], header, data].concat()
}

/// The file and the reader say the same; a file's error says which file.
#[track_caller]
fn load(bytes: &[u8]) -> mlx::Result<Tensor> {
    let path = path("%s x.npy");
    fs::write(&path, bytes).unwrap();
    let (file, reader) = (ops::load_npy(&path), ops::load_npy_from(bytes));
    match (&file, &reader) {
        (Ok(file), Ok(reader)) => {
            assert_eq!((file.dtype(), file.shape()), (reader.dtype(), reader.shape()));
            assert_eq!(file.to_bytes().unwrap(), reader.to_bytes().unwrap());
            assert_eq!(file.to_bytes().unwrap().len(), file.nbytes());
        }
        (Err(file), Err(reader)) => {
            assert_eq!((file.kind(), file.op()), (ErrorKind::Io, "load_npy"));
            assert!(
                file.message().contains("%s x.npy") && file.message().ends_with(reader.message()),
                "{file}"
            );
        }
        (file, reader) => panic!("{file:?} and {reader:?}"),
    }
    file
}

/// Refused, with a reason that holds `words`.
#[track_caller]
fn check(bytes: &[u8], words: &str) {
    match load(bytes) {
        Ok(found) => panic!("{found:?} instead of an error"),
        Err(error) => assert!(error.message().contains(words), "{error} lacks {words:?}"),
    }
}

#[track_caller]
fn check_header(header: &str, words: &str) {
    check(&file([1, 0], header.as_bytes(), &[0; 64]), words);
}

const HEADER: &str = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }\n";
const DATA: [u8; 8] = [1, 0, 0, 0, 2, 0, 0, 0];

fn npy_cut_at_every_byte() {
    for version in [[1, 0], [2, 0]] {
        let whole = file(version, HEADER.as_bytes(), &DATA);
        assert_eq!(load(&whole).unwrap().to_vec::<i32>().unwrap(), [1, 2]);
        (0..whole.len()).for_each(|length| check(&whole[..length], "npy"));
        let longer = [&whole[..], b"more"].concat();
        assert_eq!(load(&longer).unwrap().to_vec::<i32>().unwrap(), [1, 2]);
    }
    done();
}

/// An error or values; which, depends on the byte.
fn npy_with_every_byte_changed() {
    let whole = file([1, 0], HEADER.as_bytes(), &DATA);
    for position in 0..whole.len() {
        for change in
            [0x00, 0xff, whole[position] ^ 1, whole[position] ^ 0x80, b'9', b'\'', b'(', b'-', b',', b'>']
        {
            let mut bytes = whole.clone();
            bytes[position] = change;
            let _ = load(&bytes);
        }
    }
    done();
}

fn npy_with_odd_headers() {
    for (header, words) in [
        ("", "lacks a '{'"),
        ("{}", "no \"descr\""),
        ("{'descr': '<i4', 'shape': (2,)}", "no \"fortran_order\""),
        ("{'descr': '<i4', 'fortran_order': False}", "no \"shape\""),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)", "lacks a '}'"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} {}", "goes on behind"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}\0", "goes on behind"),
        ("{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", "\"descr\" twice"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "unknown key \"more\""),
        ("{'descr': '<i4', 'fortran_order': None, 'shape': (2,)}", "\"None\", neither"),
        ("{'descr': '<i4', 'fortran_order': 0, 'shape': (2,)}", "\"0\", neither"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': 2}", "no tuple"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': [2]}", "no tuple"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2)}", "number in parentheses"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (,)}", "no tuple"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2 3)}", "lacks a ')'"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (2L,)}", "lacks a ')'"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': ('2',)}", "no tuple of sizes"),
        ("{'descr: '<i4'}", "lacks a ':'"),
        ("{descr: '<i4'}", "a text in quotes"),
        ("{'descr' '<i4'}", "lacks a ':'"),
        ("{'descr': <i4}", "a text in quotes"),
        ("{'descr': '<i4", "a text in quotes"),
        ("\u{e9}", "not ASCII"),
    ] {
        check_header(header, words);
    }
    let deep = format!("{{'descr': {}", "[".repeat(60_000));
    check_header(&deep, "structures");
    let tuple = format!("{{'shape': {}", "(".repeat(60_000));
    check_header(&tuple, "no tuple of sizes");
    let long = format!("{{'shape': ({})", "9".repeat(60_000));
    check_header(&long, "its shape has the size 999");
    done();
}

/// Headers that Python's numpy takes, and that MLX alone would misread.
fn npy_with_unusual_headers() {
    for header in [
        "{'shape':(2,1),'fortran_order':False,'descr':'<i4'}",
        "{\"descr\": \"<i4\", \"fortran_order\": False, \"shape\": (2, 1)}",
        "  { 'descr' : '=i4' , 'fortran_order' : False , 'shape' : ( 2 , 1 , ) , }  \n\n",
        "{'descr': '|i4', 'fortran_order': False, 'shape': (2, 1)}",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 1)}",
    ] {
        let x = load(&file([1, 0], header.as_bytes(), &DATA)).unwrap();
        assert_eq!((x.shape(), x.to_vec::<i32>().unwrap()), (&[2, 1][..], vec![1, 2]), "{header}");
    }
    let column_major = b"{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3)}";
    let x = load(&file([2, 0], column_major, &[0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 0])).unwrap();
    assert_eq!(x.to_vec::<u16>().unwrap(), [1, 3, 5, 2, 4, 256]);
    done();
}

fn npy_of_other_dtypes() {
    for (descr, words) in [
        ("'|O'", "Python objects"),
        ("'<U4'", "no dtype for \"<U4\""),
        ("'|S4'", "no dtype"),
        ("'<c16'", "no dtype"),
        ("'<f16'", "no dtype"),
        ("'<M8[ns]'", "no dtype"),
        ("'|V4'", "no dtype"),
        ("'i4'", "no dtype for \"i4\""),
        ("'<i'", "no dtype"),
        ("'<'", "no dtype"),
        ("''", "no dtype"),
        ("'int32'", "no dtype"),
        ("[('a', '<i4')]", "structures"),
        ("('<i4', (2,))", "a text in quotes"),
        ("'>c8'", "exchanges the parts"),
    ] {
        check_header(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}"), words);
    }
    done();
}

fn npy_that_lies_about_sizes() {
    for (shape, words) in [
        ("(17,)", "cut off: shape [17] of int32 takes 68 bytes and there are 64"),
        ("(-1,)", "the size -1"),
        ("(-2, -8)", "the size -2"),
        ("(2147483648,)", "the size 2147483648"),
        ("(99999999999999999999,)", "the size 99999999999999999999"),
        ("(4294967297,)", "the size 4294967297"),
        ("(2147483647, 268435456)", "cut off"),
        ("(2147483647, 2147483647, 2147483647)", "more bytes than an address"),
        ("(65536, 65536, 65536, 65536)", "more bytes than an address"),
    ] {
        check_header(&format!("{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"), words);
    }
    let empty =
        b"{'descr': '<i4', 'fortran_order': True, 'shape': (0, 2147483647, 2147483647, 2147483647), }";
    assert_eq!(load(&file([1, 0], empty, &[])).unwrap().size(), 0);
    let mut huge = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    huge.resize(100, b' ');
    check(&huge, "a header of 4294967295 bytes is longer");
    // A terabyte of nothing on disk.
    let header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (262144, 1048576), }";
    let sparse = path("sparse.npy");
    fs::write(&sparse, file([1, 0], header, &[])).unwrap();
    fs::OpenOptions::new().write(true).open(&sparse).unwrap().set_len(1 << 41).unwrap();
    let x = ops::load_npy(&sparse).unwrap();
    assert_eq!(x.shape(), [262_144, 1_048_576]);
    done();
}

fn npy_of_other_versions() {
    for version in [[0, 0], [0, 1], [1, 1], [2, 1], [3, 0], [4, 0], [255, 255]] {
        let words = format!("version {}.{} is not supported", version[0], version[1]);
        check(&file(version, HEADER.as_bytes(), &DATA), &words);
    }
    check(b"\x93NUMPX\x01\x00", "does not start");
    check(b"PK\x03\x04\x14\0\0\0\x08\0", "does not start");
    done();
}

fn npy_that_is_no_file() {
    let refused = |path: PathBuf| {
        let error = ops::load_npy(&path).unwrap_err();
        assert_eq!((error.kind(), error.op()), (ErrorKind::Io, "load_npy"));
        assert!(error.message().contains(&*path.to_string_lossy()), "{error}");
    };
    [path(""), path("missing.npy"), "/dev/zero".into(), "/dev/null".into(), "".into()]
        .into_iter()
        .for_each(refused);
    let pipe = path("pipe.npy");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    refused(pipe.clone());
    let error = ops::save_npy(&pipe, &mlx::tensor![1]).unwrap_err();
    assert!(error.message().contains("not a regular file"), "{error}");
    done();
}

fn npy_cut_off_later() {
    let path = path("later.npy");
    fs::write(&path, file([1, 0], HEADER.as_bytes(), &DATA)).unwrap();
    let x = ops::load_npy(&path).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(8).unwrap();
    let texts: Vec<String> = (0..2).map(|_| x.to_bytes().unwrap_err().to_string()).collect();
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("unable to read"), "{}", texts[0]);
    done();
}

fn npy_from_readers_that_fail() {
    struct Failing<'a>(&'a [u8]);
    impl io::Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() { Err(io::Error::other("the disk is on fire")) } else { self.0.read(buffer) }
        }
    }
    let whole = file([1, 0], HEADER.as_bytes(), &DATA);
    for length in 0..whole.len() {
        let error = ops::load_npy_from(Failing(&whole[..length])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.message().contains("on fire"), "{length}: {error}");
    }
    assert_eq!(ops::load_npy_from(Failing(&whole)).unwrap().to_vec::<i32>().unwrap(), [1, 2]);
    done();
}

/// Values in MLX, and none that Rust would call bools.
fn npy_with_bools_beyond_one() {
    let header = b"{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }";
    let bools = load(&file([1, 0], header, &[0, 1, 2, 255])).unwrap();
    assert_eq!(bools.to_vec::<bool>().unwrap(), [false, true, true, true]);
    assert!(bools.as_slice::<bool>().is_err());
    assert_eq!(ops::index(&bools, 2).unwrap().item::<bool>().ok(), Some(true));
    assert!(ops::logical_not(&bools).unwrap().eval().is_ok());
    done();
}
