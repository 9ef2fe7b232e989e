//! Hostile GGUF and npz files: Python's GGUF reader maps the file and follows what it says.

use crate::{programs, programs::Program};
use mlx::{ErrorKind, ops};
use std::{
    env, fs,
    io::{Cursor, Write},
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("gguf_that_lies_about_counts", gguf_that_lies_about_counts),
    ("gguf_with_odd_values", gguf_with_odd_values),
    ("gguf_with_odd_tensors", gguf_with_odd_tensors),
    ("gguf_with_odd_alignments", gguf_with_odd_alignments),
    ("gguf_of_types_that_python_drops", gguf_of_types_that_python_drops),
    ("gguf_larger_than_it_is", gguf_larger_than_it_is),
    ("gguf_that_is_no_file", gguf_that_is_no_file),
    ("npz_with_odd_entries", npz_with_odd_entries),
    ("npz_that_lies_about_sizes", npz_that_lies_about_sizes),
    ("npz_of_a_terabyte_of_nothing", npz_of_a_terabyte_of_nothing),
];

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

/// A key with its type and value.
fn key(name: &str, code: u32, value: &[u8]) -> Vec<u8> {
    [text(name), code.to_le_bytes().into(), value.to_vec()].concat()
}

/// An array of values of a type.
fn list(name: &str, code: u32, count: u64, values: &[u8]) -> Vec<u8> {
    key(name, 9, &[&code.to_le_bytes()[..], &count.to_le_bytes(), values].concat())
}

fn tensor(name: &str, sizes: &[u64], code: u32, offset: u64) -> Vec<u8> {
    let mut bytes = text(name);
    bytes.extend((sizes.len() as u32).to_le_bytes());
    for size in sizes {
        bytes.extend(size.to_le_bytes());
    }
    bytes.extend(code.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes
}

fn file_of(counts: [u64; 2], keys: &[u8], tensors: &[u8], data: usize) -> Vec<u8> {
    let counts = counts.map(u64::to_le_bytes).concat();
    let mut bytes = [b"GGUF\x03\0\0\0", &counts[..], keys, tensors].concat();
    bytes.resize(bytes.len().next_multiple_of(32) + data, 1);
    bytes
}

fn file(keys: &[Vec<u8>], tensors: &[Vec<u8>], data: usize) -> Vec<u8> {
    file_of([tensors.len() as u64, keys.len() as u64], &keys.concat(), &tensors.concat(), data)
}

#[track_caller]
fn check(bytes: &[u8], words: &str) {
    let error = ops::load_gguf_from(Cursor::new(bytes)).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Io, "load_gguf"));
    assert!(error.message().contains(words), "{error}");
}

fn gguf_that_lies_about_counts() {
    let one = tensor("x", &[8], 0, 0);
    let whole = file(&[key("a", 4, &[1, 0, 0, 0])], std::slice::from_ref(&one), 32);
    let found = ops::load_gguf_from(Cursor::new(&whole)).unwrap();
    assert_eq!((found.tensors["x"].shape(), found.metadata.len()), (&[8][..], 1));
    for count in [2, 1 << 31, 1 << 60, u64::MAX] {
        check(&file_of([count, 0], &[], &one, 32), "");
        check(&file_of([1, count], &[], &one, 32), "");
    }
    check(&file_of([1 << 40, 0], &[], &one, 32), "1099511627776 tensors do not fit");
    for length in [1 << 20, 1 << 40, i64::MAX as u64, u64::MAX] {
        let long = [&length.to_le_bytes()[..], b"a"].concat();
        check(&file_of([1, 0], &[], &long, 64), "it ends within its header");
        check(&file_of([0, 1], &long, &[], 64), "it ends within its header");
        check(&file(&[key("a", 8, &long)], &[], 64), "it ends within its header");
        for code in [0, 6, 8, 11] {
            check(&file(&[list("a", code, length, &[])], &[], 64), "do not fit");
        }
    }
    for (version, words) in
        [(0_u32, "version 0"), (1, "version 1"), (4, "version 4"), (3 << 24, "version 50331648")]
    {
        let mut bytes = whole.clone();
        bytes[4..8].copy_from_slice(&version.to_le_bytes());
        check(&bytes, words);
    }
    check(b"GGML\x03\0\0\0", "does not start with GGUF");
    check(b"", "it ends within its header");
    programs::end();
}

fn gguf_with_odd_values() {
    for (value, words) in [
        (key("a", 13, &[0; 8]), "key \"a\": there is no type 13"),
        (key("a", u32::MAX, &[0; 8]), "there is no type 4294967295"),
        (list("a", 13, 1, &[0; 8]), "there is no type 13"),
        (list("a", 9, 1, &[0; 12]), "arrays of arrays"),
        (key("a", 7, &[2]), "neither 0 nor 1"),
        (list("a", 7, 3, &[0, 1, 255]), "neither 0 nor 1"),
        (key("a", 8, &[1, 0, 0, 0, 0, 0, 0, 0, 0xff]), "the text of key \"a\" is not UTF-8"),
        (list("a", 8, 1, &[1, 0, 0, 0, 0, 0, 0, 0, 0xc3]), "a text of key \"a\" is not UTF-8"),
        (key("%s%n", 99, &[0; 8]), "key \"%s%n\""),
    ] {
        check(&file(&[value], &[], 0), words);
    }
    let twice = [key("a", 4, &[1, 0, 0, 0]), key("a", 8, &text("b"))];
    check(&file(&twice, &[], 0), "the key \"a\" is there twice");
    // Python steps over half of each float64, and reads what follows as something else.
    let doubles = [1.5_f64, -2.5].map(f64::to_le_bytes).concat();
    let values = [
        key("one", 12, &doubles[..8]),
        list("two", 12, 2, &doubles),
        list("none", 6, 0, &[]),
        key("", 8, &text("\0")),
    ];
    let found = ops::load_gguf_from(Cursor::new(file(&values, &[], 0))).unwrap().metadata;
    assert_eq!(found["one"].as_tensor().unwrap().to_vec::<f64>().unwrap(), [1.5]);
    assert_eq!(found["two"].as_tensor().unwrap().to_vec::<f64>().unwrap(), [1.5, -2.5]);
    assert_eq!(found["none"].as_tensor().unwrap().shape(), [0]);
    assert_eq!(found[""].as_text(), Some("\0"));
    programs::end();
}

fn gguf_with_odd_tensors() {
    let most = i32::MAX as u64;
    for (one, words) in [
        (tensor("x", &[9], 0, 0), "tensor \"x\": 36 bytes from 0 on lie outside the file's 32 bytes"),
        (tensor("x", &[8], 0, 32), "lie outside"),
        (tensor("x", &[8], 0, 1 << 62), "lie outside"),
        (tensor("x", &[8], 0, u64::MAX - 31), "lie outside"),
        (tensor("x", &[1], 0, 4), "its offset 4 is no multiple of the alignment 32"),
        (tensor("x", &[1; 9], 0, 0), "9 axes are more than 8"),
        (tensor("x", &[1 << 31], 24, 0), "beyond i32"),
        (tensor("x", &[u64::MAX], 0, 0), "beyond i32"),
        (tensor("x", &[most, most, most], 0, 0), "more bytes than an address"),
        (tensor("x", &[1 << 16; 4], 0, 0), "more bytes than an address"),
        (tensor("x", &[most, most], 24, 0), "lie outside"),
        (tensor("x", &[31], 2, 0), "no blocks of 32 Q4_0"),
        (tensor("x", &[], 2, 0), "no blocks of 32 Q4_0"),
        (tensor("x", &[128, 2], 14, 0), "no blocks of 256 Q6_K"),
        (tensor("x", &[1], 4, 0), "there is no type 4"),
        (tensor("x", &[1], 200, 0), "there is no type 200"),
    ] {
        check(&file(&[], &[one], 32), words);
    }
    let one = tensor("x", &[1], 0, 0);
    check(&file(&[], &[one.clone(), one], 32), "the tensor \"x\" is there twice");
    let clash = [tensor("a.weight", &[32], 2, 0), tensor("a.scales", &[1], 0, 0)];
    check(&file(&[], &clash, 32), "two tensors become \"a.scales\"");
    check(&file(&[], &[tensor("größererer", &[32], 2, 0), tensor("ab\u{20ac}234567", &[32], 2, 0)], 32), "");
    check(&file(&[], &[tensor("a\u{20ac}56789", &[32], 2, 0)], 32), "no name in UTF-8");
    let empty = [tensor("x", &[0, most, most, most], 0, 0), tensor("y", &[0, 2], 2, 0)];
    let found = ops::load_gguf_from(Cursor::new(file(&[], &empty, 0))).unwrap();
    assert_eq!(found.tensors["x"].shape(), [i32::MAX, i32::MAX, i32::MAX, 0]);
    assert_eq!(found.tensors["y"].shape(), [2, 0]);
    programs::end();
}

/// An alignment of 0 divides by it in Python.
fn gguf_with_odd_alignments() {
    let of =
        |code, value: &[u8]| file(&[key("general.alignment", code, value)], &[tensor("x", &[1], 0, 0)], 64);
    for (number, words) in [(0_u32, "is 0"), (1, "is 1"), (33, "is 33")] {
        check(&of(4, &number.to_le_bytes()), words);
    }
    check(&of(4, &(1_u32 << 31).to_le_bytes()), "lie outside");
    check(&of(10, &[32, 0, 0, 0, 0, 0, 0, 0]), "no uint32");
    check(&of(8, &text("32")), "no uint32");
    assert!(ops::load_gguf_from(Cursor::new(of(4, &[8, 0, 0, 0]))).is_ok());
    programs::end();
}

/// There the tensor and all behind it are missing, and nobody says so.
fn gguf_of_types_that_python_drops() {
    for (code, block, name) in
        [(34, 256, "TQ1_0"), (35, 256, "TQ2_0"), (39, 32, "MXFP4"), (20, 32, "IQ4_NL"), (16, 256, "IQ2_XXS")]
    {
        let tensors = [tensor("x", &[1], 0, 0), tensor("y", &[block], code, 32), tensor("z", &[1], 0, 0)];
        check(&file(&[], &tensors, 512), &format!("tensor \"y\": its type {name} is not supported"));
    }
    programs::end();
}

/// A file whose data are cut off after its header was written, and one without a byte on the disk.
fn gguf_larger_than_it_is() {
    let path = env::temp_dir().join(format!("mlx-sparse-%s-{}.gguf", std::process::id()));
    let bytes = file(&[], &[tensor("x", &[1 << 20, 1 << 20], 0, 0)], 0);
    fs::write(&path, &bytes).unwrap();
    let error = ops::load_gguf(&path).unwrap_err();
    assert!(error.message().contains("lie outside") && error.message().contains("%s"), "{error}");
    fs::remove_file(&path).unwrap();
    programs::end();
}

fn gguf_that_is_no_file() {
    for path in ["/dev/zero", "/dev/null", "/", "", "/no/such/100%s.gguf", "a\0b"] {
        for error in [ops::load_gguf(path).unwrap_err(), ops::load_npz(path).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.message().contains(path), "{error}");
        }
    }
    programs::end();
}

/// A zip archive of one stored entry, written by hand: what it says of the entry's bytes is for the caller to choose.
fn zip(name: &str, method: u16, size: u32, data: &[u8]) -> Vec<u8> {
    let mut checksum = flate2::Crc::new();
    checksum.update(data);
    let both = [
        &[20_u16, 0, method, 0, 33].map(u16::to_le_bytes).concat()[..],
        &[checksum.sum(), data.len() as u32, size].map(u32::to_le_bytes).concat(),
        &[name.len() as u16, 0].map(u16::to_le_bytes).concat(),
    ]
    .concat();
    let mut bytes = [b"PK\x03\x04", &both[..], name.as_bytes(), data].concat();
    let start = bytes.len() as u32;
    bytes.extend([b"PK\x01\x02\x14\x03", &both[..], &[0; 14], name.as_bytes()].concat());
    let length = bytes.len() as u32 - start;
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend([length, start].map(u32::to_le_bytes).concat());
    bytes.extend([0; 2]);
    bytes
}

#[track_caller]
fn check_npz(bytes: &[u8], words: &str) {
    let error = ops::load_npz_from(Cursor::new(bytes)).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Io, "load_npz"), "{error}");
    assert!(error.message().contains(words), "{error}");
}

fn array() -> Vec<u8> {
    let mut bytes = Vec::new();
    ops::save_npy_to(&mut bytes, &mlx::tensor![1, 2]).unwrap();
    bytes
}

fn npz_with_odd_entries() {
    let (array, size) = (array(), array().len() as u32);
    let found = ops::load_npz_from(Cursor::new(zip("../%s/x.npy", 0, size, &array))).unwrap();
    assert_eq!(found["../%s/x"].to_vec::<i32>().unwrap(), [1, 2]);
    check_npz(&zip("a.txt", 0, 5, b"hello"), "entry \"a.txt\": not an npy file");
    check_npz(&zip("a.npy", 0, 0, b""), "entry \"a.npy\"");
    check_npz(&zip("folder/", 0, 0, b""), "entry \"folder/\"");
    let more = [&array[..], b"more"].concat();
    check_npz(&zip("a.npy", 0, more.len() as u32, &more), "4 bytes follow the array");
    for method in [1, 12, 14, 93, 99] {
        check_npz(&zip("a.npy", method, size, &array), "");
    }
    let mut broken = zip("a.npy", 0, size, &array);
    let last = 30 + "a.npy".len() + array.len() - 1;
    broken[last] ^= 1;
    check_npz(&broken, "hecksum");
    programs::end();
}

/// Zeros, packed as tightly as can be, and entries that say they are of another size.
fn npz_that_lies_about_sizes() {
    let header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000000,), }";
    let mut array = [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header].concat();
    let start = array.len();
    array.resize(start + 1_000_000, 0);
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&array).unwrap();
    let packed = packer.finish().unwrap();
    let size = array.len() as u32;
    for wrong in [0, 100, size - 1, size + 1, size * 2, 1 << 30, u32::MAX - 1] {
        check_npz(&zip("a.npy", 8, wrong, &packed), "");
    }
    check_npz(&zip("a.npy", 8, 1 << 30, &packed), "cannot become 1073741824");
    check_npz(&zip("a.npy", 0, 1 << 30, &array[..200]), "");
    // Two entries of the same bytes: a few thousand would be a terabyte.
    let one = zip("a.npy", 8, size, &packed);
    let index = one.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let (end, entry) = (one.len() - 22, &one[index..one.len() - 22]);
    let mut two = [&one[..end], entry, &one[end..]].concat();
    let (name, count) = (end + 46, two.len() - 14);
    two[name] = b'b';
    two[count..count + 4].copy_from_slice(&[2, 0, 2, 0]);
    let length = (2 * entry.len() as u32).to_le_bytes();
    two[count + 4..count + 8].copy_from_slice(&length);
    check_npz(&two, "they overlap");
    programs::end();
}

/// No search for an archive's end goes through all of it.
fn npz_of_a_terabyte_of_nothing() {
    let path = env::temp_dir().join(format!("mlx-sparse-%s-{}.npz", std::process::id()));
    let whole = zip("a.npy", 0, array().len() as u32, &array());
    for (start, end) in
        [(&[][..], &[][..]), (&whole, &[]), (&[], b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x50\0\0\0\xf0\0\0\0\0\0")]
    {
        let mut file = fs::File::create(&path).unwrap();
        file.write_all(start).unwrap();
        file.set_len(1 << 40).unwrap();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
        file.write_all(end).unwrap();
        assert_eq!(ops::load_npz(&path).unwrap_err().kind(), ErrorKind::Io);
    }
    fs::remove_file(&path).unwrap();
    programs::end();
}
