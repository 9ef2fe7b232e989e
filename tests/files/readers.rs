//! Readers of the caller's, and large tensors of files.

use crate::Folder;
use mlx::{Complex32, ops, prelude::*};
use std::{
    fs,
    io::{Cursor, Read, Seek},
    sync::Arc,
};

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
