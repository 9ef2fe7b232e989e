//! PyTorch's files of weights: both forms, what is refused and in which words, files with changed bytes.
//!
//! `tests/pth/make.py` wrote the files, whose storages hold 1 to 6, -7, and 1 and -2.

use mlx::prelude::*;
use mlx_examples::torch;
use proptest::prelude::*;
use std::{collections::HashMap, path::Path};

const ZIPPED: &[u8] = include_bytes!("pth/zipped.pth");
const LEGACY: &[u8] = include_bytes!("pth/legacy.pth");

#[test]
fn both_forms_hold_the_same_tensors() -> Result<()> {
    for file in [ZIPPED, LEGACY] {
        let tensors = torch::read(file).unwrap();
        assert_eq!(tensors.len(), 5);
        let floats = |name: &str| tensors[name].to_vec::<f32>();
        assert_eq!((tensors["a.weight"].shape(), tensors["a.turned"].shape()), (&[2, 3][..], &[3, 2][..]));
        let turned = tensors["a.weight"].transpose(..).eq(&tensors["a.turned"]);
        assert!(turned.all(..).item::<bool>()?);
        assert!(floats("a.weight")?.iter().zip(1_u8..).all(|(&a, b)| a.to_bits() == f32::from(b).to_bits()));
        assert_eq!(format!("{:?}", floats("a.part")?), "[5.0, 6.0]");
        assert_eq!((tensors["count"].shape(), tensors["count"].item::<i64>()?), (&[][..], -7));
        assert_eq!(tensors["half"].dtype(), Dtype::Bfloat16);
        assert_eq!(format!("{:?}", tensors["half"].astype(Dtype::Float32).to_vec::<f32>()?), "[1.0, -2.0]");
    }
    Ok(())
}

/// The first pickle of a file in the older form, which is read before anything else of it.
fn first(pickle: &[u8]) -> String {
    let mut file = LEGACY.to_vec();
    // The two pickles before the tensors' stay.
    let machine = file.windows(3).position(|part| part == b"}q\0").unwrap() - 2;
    file.truncate(machine);
    file.extend(pickle);
    torch::read(&file).unwrap_err().to_string()
}

#[test]
fn what_no_weights_need_is_named() {
    for (pickle, words) in [
        (
            &b"\x80\x02cposix\nsystem\n."[..],
            "GLOBAL (0x63) at byte 2: \"posix system\" is not what weights need",
        ),
        (b"\x80\x04\x95", "FRAME (0x95) at byte 2: files of weights need no such opcode"),
        (b"\x80\x02}\x81.", "NEWOBJ (0x81) at byte 3"),
        (b"\xff.", "an unknown opcode (0xff) at byte 0"),
        (b"K", "BININT1 (0x4b) at byte 0: the file ends in it"),
        (b"X\xff\xff\xff\xff ", "BINUNICODE (0x58) at byte 0: the file ends in it"),
        (b"K\x01K\x02", "it ends at byte 4, without STOP"),
        (b"R", "REDUCE (0x52) at byte 0: the stack has too few values"),
        (b"ccollections\nOrderedDict\nK\x01R", "collections OrderedDict is not called so"),
        (b"h\x07", "nothing was remembered as number 7"),
        (b"]q\0h\0", "number 0 is a list or a dict, met again"),
        (b"(K\x01\x85(\x85", "TUPLE1 (0x85) at byte 5: the stack has too few values"),
        (b"u", "SETITEMS (0x75) at byte 0: there is no mark"),
        (b"K\x01Q", "BINPERSID (0x51) at byte 2: no tuple"),
        (b"\x8a\xff", "LONG1 (0x8a) at byte 0: the file ends in it"),
    ] {
        let said = first(pickle);
        assert!(said.contains(words), "{said}\n{words}");
    }
    // Recursion that would end the process, in three kinds of containers; a tuple of 2^50 items.
    for (open, inner, close) in [("", ")", "\u{85}"), ("(", "", "t"), ("}K\u{1}", "N", "s"), ("]", "N", "a")]
    {
        let pickle = [&open.repeat(100_000), inner, &close.repeat(100_000)].concat();
        let pickle: Vec<u8> = pickle.chars().map(|byte| byte as u8).collect();
        let said = first(&pickle);
        assert!(said.contains("more than 16 containers in each other"), "{said}");
    }
    assert!(first(&[&b")"[..], &b"q\0h\0\x86".repeat(50)].concat()).contains("more than 16 containers"));
}

#[test]
fn files_that_are_none_are_named() {
    let missing = torch::load(Path::new("/nowhere/weights.pth")).unwrap_err().to_string();
    assert!(missing.starts_with("/nowhere/weights.pth: "), "{missing}");
    assert!(torch::read(b"").unwrap_err().to_string().contains("no file of PyTorch's"));
    assert!(torch::read(b"PK\x03\x04").is_err());
    let big = replaced(ZIPPED, b"little", b"big   ");
    assert!(torch::read(&big).unwrap_err().to_string().contains("small/byteorder"));
    let renamed = replaced(ZIPPED, b"small/data/2", b"small/data/9");
    assert!(torch::read(&renamed).unwrap_err().to_string().contains("half: small/data/2"));
}

/// `file` with each `from` as `to`.
fn replaced(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    while let Some(at) = file.windows(from.len()).position(|part| part == from) {
        file[at..at + to.len()].copy_from_slice(to);
    }
    file
}

/// A changed file is an error, or small tensors that can be computed.
fn survives(file: &[u8]) {
    if let Ok(tensors) = torch::read(file) {
        let tensors: HashMap<String, Tensor> = tensors;
        for tensor in tensors.values() {
            tensor.eval().unwrap();
            assert!(tensor.size() <= 8);
        }
    }
}

#[test]
fn each_byte_may_change_and_the_file_may_end_anywhere() {
    for original in [ZIPPED, LEGACY] {
        let mut refused = 0;
        for at in 0..original.len() {
            for change in [1, 0x80, original[at], !original[at], original[at] ^ b'.'] {
                let mut file = original.to_vec();
                file[at] ^= change;
                survives(&file);
                refused += usize::from(torch::read(&file).is_err());
            }
            survives(&original[..at]);
        }
        assert!(refused > original.len(), "{refused}");
    }
}

proptest! {
    #[test]
    fn several_bytes_may_change(
        legacy in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = if legacy { LEGACY } else { ZIPPED }.to_vec();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        survives(&file);
    }
}
