//! Hostile safetensors files.

use crate::{programs, programs::Program};
use mlx::{Dtype, ErrorKind, Tensor, ops};
use std::{env, fs, os::unix::fs::symlink, path::PathBuf, process::Command};

pub(crate) const PROGRAMS: &[Program] = &[
    ("file_cut_at_every_byte", file_cut_at_every_byte),
    ("file_with_every_byte_changed", file_with_every_byte_changed),
    ("file_that_lies_about_sizes", file_that_lies_about_sizes),
    ("file_with_odd_headers", file_with_odd_headers),
    ("file_with_overlapping_tensors", file_with_overlapping_tensors),
    ("file_with_a_huge_header", file_with_a_huge_header),
    ("file_larger_than_memory", file_larger_than_memory),
    ("file_that_is_none", file_that_is_none),
    ("file_that_never_answers", file_that_never_answers),
    ("file_with_bools_beyond_one", file_with_bools_beyond_one),
    ("file_at_odd_addresses", file_at_odd_addresses),
    ("file_with_a_difficult_path", file_with_a_difficult_path),
    ("file_with_difficult_names", file_with_difficult_names),
    ("file_cut_off_later", file_cut_off_later),
];

fn path(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("mlx-files-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn done() {
    let _ = fs::remove_dir_all(path(""));
    programs::end();
}

fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

const HEADER: &str = r#"{"__metadata__":{"by":"us"},"a":{"dtype":"I32","shape":[2,1],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[],"data_offsets":[8,10]}}"#;
const DATA: [u8; 10] = [1, 0, 0, 0, 2, 0, 0, 0, 0x80, 0x3f];

fn load(bytes: &[u8]) -> mlx::Result<ops::SafeTensors> {
    let path = path("x.safetensors");
    fs::write(&path, bytes).unwrap();
    ops::load_safetensors(&path)
}

/// Refused; the error says which file.
#[track_caller]
fn check(bytes: &[u8]) {
    match load(bytes) {
        Ok(found) => panic!("{found:?} instead of an error"),
        Err(error) => {
            assert_eq!((error.kind(), error.op()), (ErrorKind::Io, "load_safetensors"));
            assert!(error.message().contains("x.safetensors"), "{error}");
        }
    }
}

#[track_caller]
fn check_header(header: &str) {
    check(&file(header, &[0; 64]));
}

fn file_cut_at_every_byte() {
    let whole = file(HEADER, &DATA);
    let found = load(&whole).unwrap();
    assert_eq!(found.tensors["a"].to_vec::<i32>().unwrap(), [1, 2]);
    assert_eq!(found.tensors["b"].to_vec::<half::bf16>().unwrap(), [half::bf16::ONE]);
    assert_eq!((found.tensors.len(), &found.metadata["by"][..]), (2, "us"));
    (0..whole.len()).for_each(|length| check(&whole[..length]));
    done();
}

/// An error or values; which, depends on the byte.
fn file_with_every_byte_changed() {
    let whole = file(HEADER, &DATA);
    for position in 0..whole.len() {
        for change in [0x00, 0xff, whole[position] ^ 1, whole[position] ^ 0x80, b'9', b'"', b'{', b'-', b'[']
        {
            let mut bytes = whole.clone();
            bytes[position] = change;
            for tensor in load(&bytes).map(|found| found.tensors).unwrap_or_default().values() {
                assert_eq!(tensor.to_bytes().unwrap().len(), tensor.nbytes());
            }
        }
    }
    done();
}

fn file_that_lies_about_sizes() {
    let max = u64::MAX;
    for (dtype, shape, offsets) in [
        ("I32", "[3]", "[0,8]".into()),
        ("I32", "[1]", "[0,8]".into()),
        ("I32", "[17]", "[0,68]".into()),
        ("I32", "[2]", "[60,68]".into()),
        ("I32", "[2]", "[8,0]".into()),
        ("I32", "[2]", "[-8,0]".into()),
        ("I32", "[2]", "[0.0,8.0]".into()),
        ("I32", "[2]", format!("[{},{max}]", max - 7)),
        ("U8", "[4294967296,4294967296]", "[0,0]".into()),
        ("I32", "[65536,65536,65536,65536]", "[0,0]".into()),
        ("I64", "[2147483647,2147483647,2147483647]", "[0,8]".into()),
        ("U8", "[2147483648]", "[0,2147483648]".into()),
        ("I32", "[-1]", "[0,4]".into()),
        ("I32", "[-2,-1]", "[0,8]".into()),
        ("I32", "[1e1]", "[0,40]".into()),
        ("I32", "[2]", "[0,8,16]".into()),
        ("I32", "[2]", "[0]".into()),
        ("I32", "[2]", "[]".into()),
        ("I32", "2", "[0,8]".into()),
        ("I31", "[2]", "[0,8]".into()),
        ("i32", "[2]", "[0,8]".into()),
        ("", "[2]", "[0,8]".into()),
    ] {
        check_header(&format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#));
    }
    let empty =
        r#"{"a":{"dtype":"I32","shape":[0,2147483647,2147483647,2147483647],"data_offsets":[64,64]}}"#;
    assert!(load(&file(empty, &[0; 64])).unwrap().tensors["a"].to_vec::<i32>().unwrap().is_empty());
    done();
}

fn file_with_odd_headers() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let entry = r#"{"dtype":"I32","shape":[1],"data_offsets":[0,4]}"#;
    for header in [
        "",
        "{",
        "}",
        "[]",
        "null",
        "0",
        "\"a\"",
        "{\"a\":1}",
        "{\"a\":null}",
        "{\"a\":[]}",
        "{\"a\":{}}",
        "{} {}",
        "{}x",
        "\0",
        r#"{"__metadata__":1}"#,
        r#"{"__metadata__":{"a":1}}"#,
        r#"{"__metadata__":[]}"#,
        r#"{"a":{"shape":[1],"data_offsets":[0,4]}}"#,
        r#"{"a":{"dtype":"I32","data_offsets":[0,4]}}"#,
        r#"{"a":{"dtype":"I32","shape":[1]}}"#,
        r#"{"a":{"dtype":7,"shape":[1],"data_offsets":[0,4]}}"#,
        &deep,
        &format!("{{\"a\":{entry},}}"),
        &format!("{{a:{entry}}}"),
        &format!("\u{feff}{{\"a\":{entry}}}"),
    ] {
        check_header(header);
    }
    let mut not_utf8 = file(&format!("{{\"aaaa\":{entry}}}"), &[0; 64]);
    not_utf8[11] = 0xff;
    check(&not_utf8);
    // Said twice: whatever holds, it is the same for the check and for MLX.
    let twice = r#"{"a":{"dtype":"I32","shape":[9999],"data_offsets":[0,39996]},"a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}"#;
    let inside =
        r#"{"a":{"dtype":"I32","shape":[9999],"shape":[1],"data_offsets":[0,39996],"data_offsets":[0,4]}}"#;
    for header in [twice, inside] {
        for tensor in load(&file(header, &[7; 64])).map(|found| found.tensors).unwrap_or_default().values() {
            assert_eq!(tensor.to_vec::<i32>().unwrap(), [0x0707_0707]);
        }
    }
    for nothing in ["{}", r#"{"__metadata__":null}"#] {
        // The second is what Python MLX writes.
        let found = load(&file(nothing, &[])).unwrap();
        assert!(found.tensors.is_empty() && found.metadata.is_empty());
    }
    done();
}

fn file_with_overlapping_tensors() {
    let header = r#"{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}"#;
    if let Ok(found) = load(&file(header, &[0, 1, 2, 3, 4, 5])) {
        assert_eq!(found.tensors["a"].to_vec::<u8>().unwrap(), [0, 1, 2, 3]);
        assert_eq!(found.tensors["b"].to_vec::<u8>().unwrap(), [2, 3, 4, 5]);
    }
    done();
}

fn file_with_a_huge_header() {
    for length in [65, 1 << 31, 1 << 40, i64::MAX as u64, u64::MAX - 7, u64::MAX] {
        let mut bytes = file("{}", &[0; 64]);
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        bytes.truncate(bytes.len() - 3);
        check(&bytes);
    }
    // The file is as long as it says, and has no byte on the disk.
    let path = path("x.safetensors");
    for length in [1_u64 << 40, 1 << 42] {
        fs::write(&path, length.to_le_bytes()).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length + 8).unwrap();
        assert_eq!(ops::load_safetensors(&path).unwrap_err().kind(), ErrorKind::Io);
    }
    done();
}

fn file_larger_than_memory() {
    let path = path("x.safetensors");
    let size = 1_u64 << 42;
    let header = format!(r#"{{"a":{{"dtype":"I64","shape":[1048576,524288],"data_offsets":[0,{size}]}}}}"#);
    let bytes = file(&header, &[]);
    fs::write(&path, &bytes).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(bytes.len() as u64 + size).unwrap();
    let found = ops::load_safetensors(&path).unwrap();
    assert_eq!(found.tensors["a"].nbytes() as u64, size);
    crate::refused(Ok(found.tensors["a"].clone()), ErrorKind::Eval);
    done();
}

fn file_that_is_none() {
    let folder = path("folder");
    fs::create_dir(&folder).unwrap();
    let dangling = path("dangling");
    symlink(path("nowhere"), &dangling).unwrap();
    for path in [
        folder,
        dangling,
        path("missing"),
        PathBuf::new(),
        "/dev/zero".into(),
        "/dev/null".into(),
        "a\0b".into(),
    ] {
        let error = ops::load_safetensors(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    }
    check(&[]);
    done();
}

/// A pipe nobody writes into.
fn file_that_never_answers() {
    let pipe = path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(ops::load_safetensors(&pipe).unwrap_err().kind(), ErrorKind::Io);
    done();
}

fn file_with_bools_beyond_one() {
    let header =
        |count: usize| format!(r#"{{"a":{{"dtype":"BOOL","shape":[{count}],"data_offsets":[0,{count}]}}}}"#);
    let found = load(&file(&header(4), &[0, 1, 1, 0])).unwrap();
    assert_eq!(found.tensors["a"].to_vec::<bool>().unwrap(), [false, true, true, false]);
    for byte in [2, 128, 255] {
        check(&file(&header(4), &[0, 1, byte, 1]));
        let mut many = vec![1; 200_000];
        many[199_999] = byte;
        check(&file(&header(many.len()), &many));
    }
    done();
}

fn file_at_odd_addresses() {
    for padding in 0..9 {
        let header =
            format!(r#"{{"a":{{"dtype":"C64","shape":[2],"data_offsets":[3,19]}}{}}}"#, " ".repeat(padding));
        let mut data = vec![9; 3];
        for value in [1.0_f32, 2.0, 3.0, 4.0] {
            data.extend(value.to_le_bytes());
        }
        let found = load(&file(&header, &data)).unwrap();
        let wanted = [mlx::Complex32::new(1.0, 2.0), mlx::Complex32::new(3.0, 4.0)];
        assert_eq!(found.tensors["a"].to_vec::<mlx::Complex32>().unwrap(), wanted);
    }
    done();
}

fn file_with_a_difficult_path() {
    for name in [
        "100%s %n %d.safetensors",
        "Füße und 数.safetensors",
        "a b'c\"d.safetensors",
        "-x;,$HOME.safetensors",
        "no ending",
    ] {
        let path = path(name);
        fs::write(&path, file(HEADER, &DATA)).unwrap();
        assert_eq!(ops::load_safetensors(&path).unwrap().tensors["a"].to_vec::<i32>().unwrap(), [1, 2]);
        fs::write(&path, file(HEADER, &DATA[..4])).unwrap();
        assert!(ops::load_safetensors(&path).unwrap_err().message().contains(name));
    }
    done();
}

fn file_with_difficult_names() {
    let entry = r#"{"dtype":"U8","shape":[1],"data_offsets":[0,1]}"#;
    for name in ["%s%n", "", "größe", "a.b/c", "__proto__", &"x".repeat(100_000)] {
        let found = load(&file(&format!("{{\"{name}\":{entry}}}"), &[7])).unwrap();
        assert_eq!(found.tensors[name].to_vec::<u8>().unwrap(), [7]);
    }
    let bad = r#"{"%s%n%n":{"dtype":"%s","shape":[1],"data_offsets":[0,1]}}"#;
    check_header(bad);
    // A NUL would end the name early in C.
    match load(&file(&format!("{{\"a\\u0000b\":{entry}}}"), &[7])) {
        Ok(found) => assert!(found.tensors.contains_key("a\0b"), "{:?}", found.tensors),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Io),
    }
    let many: Vec<String> = (0..20_000).map(|i| format!("\"{i}\":{entry}")).collect();
    assert_eq!(load(&file(&format!("{{{}}}", many.join(",")), &[7])).unwrap().tensors.len(), 20_000);
    done();
}

fn file_cut_off_later() {
    let found = load(&file(HEADER, &DATA)).unwrap();
    let (a, b): (&Tensor, &Tensor) = (&found.tensors["a"], &found.tensors["b"]);
    fs::OpenOptions::new().write(true).open(path("x.safetensors")).unwrap().set_len(8).unwrap();
    for tensor in [a, b] {
        let texts: Vec<String> = (0..2).map(|_| tensor.to_bytes().unwrap_err().to_string()).collect();
        assert_eq!(texts[0], texts[1]);
        assert!(texts[0].contains("unable to read"));
    }
    assert_eq!(a.dtype(), Dtype::Int32);
    done();
}
