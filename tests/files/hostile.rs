//! Valid files with parts changed: an error, or values that can be read; never an end of the process, and no memory for
//! what is not there.

use crate::committed;
use mlx::{ErrorKind, Result, Tensor, ops};
use proptest::prelude::*;
use std::{collections::HashMap, env, fs, io::Cursor};

type Tensors = HashMap<String, Tensor>;
type Load = fn(&[u8]) -> Result<Tensors>;

/// The formats, each with its reader of bytes and files to begin with.
const FORMATS: [(&str, Load, &[&str]); 4] = [
    ("safetensors", safetensors, &["plain.safetensors", "saved.safetensors"]),
    ("gguf", gguf, &["plain.gguf", "saved.gguf", "types.gguf", "more_types.gguf"]),
    ("npz", npz, &["compressed.npz", "numpy.npz", "saved.npz"]),
    ("npy", npy, &["../npy/matrix.npy", "../npy/complex64.npy", "../npy/numpy_version_2.npy"]),
];

fn safetensors(bytes: &[u8]) -> Result<Tensors> {
    ops::load_safetensors_from(Cursor::new(bytes.to_vec())).map(|found| found.tensors)
}

fn gguf(bytes: &[u8]) -> Result<Tensors> {
    ops::load_gguf_from(Cursor::new(bytes)).map(|found| found.tensors)
}

fn npz(bytes: &[u8]) -> Result<Tensors> {
    ops::load_npz_from(Cursor::new(bytes))
}

fn npy(bytes: &[u8]) -> Result<Tensors> {
    ops::load_npy_from(bytes).map(|array| HashMap::from([(String::new(), array)]))
}

/// Whether it loads; if so, every value can be read, and there are not more bytes of them than the file can hold.
#[track_caller]
fn check(load: Load, bytes: &[u8]) -> bool {
    match load(bytes) {
        Ok(tensors) => {
            for x in tensors.values() {
                assert_eq!(x.to_bytes().unwrap().len(), x.nbytes());
                // Deflate makes at most so much of a byte; GGUF's blocks become less.
                assert!(x.nbytes() <= bytes.len() * 1032);
            }
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            false
        }
    }
}

/// What to do to a file; places and numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Change {
    Byte(usize, u8),
    Number(usize, u64),
    Cut(usize),
    Repeat(usize, usize),
    Remove(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let number = prop_oneof![
        any::<u64>(),
        0..70_u64,
        (0..64_u32).prop_map(|bits| 1 << bits),
        Just(u64::MAX),
        Just(i64::MAX as u64),
        Just(u64::from(u32::MAX)),
    ];
    prop_oneof![
        6 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        3 => (any::<usize>(), number).prop_map(|(at, number)| Change::Number(at, number)),
        1 => any::<usize>().prop_map(Change::Cut),
        1 => (any::<usize>(), 1..64_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
        1 => (any::<usize>(), 1..64_usize).prop_map(|(at, count)| Change::Remove(at, count)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        // Headers are where it matters; the front is changed more often than the rest.
        let length = bytes.len();
        let place = |at: usize| match length {
            0 => 0,
            _ if at.is_multiple_of(3) => at / 3 % length,
            _ => at / 3 % length.min(600),
        };
        match *change {
            Change::Byte(at, byte) => {
                if let Some(old) = bytes.get_mut(place(at)) {
                    *old = byte;
                }
            }
            Change::Number(at, number) => {
                let new = number.to_le_bytes();
                bytes[place(at)..].iter_mut().zip(new).for_each(|(old, new)| *old = new);
            }
            Change::Cut(at) => bytes.truncate(place(at)),
            Change::Repeat(at, count) => {
                let at = place(at);
                let part = bytes[at..(at + count).min(length)].to_vec();
                bytes.splice(at..at, part);
            }
            Change::Remove(at, count) => {
                let at = place(at);
                bytes.drain(at..(at + count).min(length));
            }
        }
    }
    bytes
}

/// `$PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let asked = env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(asked.unwrap_or(1500)) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn changed_files(
        format in 0..FORMATS.len(),
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let (_, load, files) = FORMATS[format];
        let bytes = fs::read(committed(files[file.index(files.len())])).unwrap();
        check(load, &changed(bytes, &changes));
    }

    #[test]
    fn bytes_that_are_no_file(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0..6_usize) {
        let starts: [&[u8]; 6] = [b"", b"GGUF\x03\0\0\0", b"\x93NUMPY\x01\0", b"PK\x03\x04", b"\x20\0\0\0\0\0\0\0{", b"PK\x05\x06"];
        let bytes = [starts[start], &bytes].concat();
        for (_, load, _) in FORMATS {
            check(load, &bytes);
        }
    }
}

/// The same files in each run: every place of the small ones with bytes that matter.
#[test]
fn every_byte_changed() {
    for (format, load, files) in FORMATS {
        let whole = fs::read(committed(files[0])).unwrap();
        assert!(check(load, &whole), "{format}");
        let (mut tried, mut loaded) = (0, 0);
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff, whole[at] ^ 1, whole[at].wrapping_add(1), b'"', b'9', b'{'] {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                tried += 1;
                loaded += usize::from(check(load, &bytes));
            }
        }
        assert!(loaded > 0 && loaded < tried, "{format}: {loaded} of {tried}");
        for length in 0..whole.len() {
            assert!(!check(load, &whole[..length]), "{format} cut at {length} of {}", whole.len());
        }
    }
}
