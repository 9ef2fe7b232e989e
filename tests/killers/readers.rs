//! Readers of the caller's that panic, lie, or do what they must not, on MLX's thread.

use crate::{programs, programs::Program};
use mlx::{ErrorKind, Result, Tensor, ops};
use std::io::{self, Cursor, Read, Seek, SeekFrom};

pub(crate) const PROGRAMS: &[Program] = &[
    ("reader_that_panics", reader_that_panics),
    ("reader_that_panics_as_it_goes", reader_that_panics_as_it_goes),
    ("reader_that_says_too_much", reader_that_says_too_much),
    ("reader_that_fails_later", reader_that_fails_later),
    ("reader_that_uses_tensors", reader_that_uses_tensors),
    ("reader_that_claims_to_be_endless", reader_that_claims_to_be_endless),
];

/// A reader whose first 8 bytes and header are in order, and whose data are what `data` does.
struct Odd<F> {
    bytes: Cursor<Vec<u8>>,
    header: u64,
    data: F,
}

impl<F: FnMut(&mut [u8]) -> io::Result<usize>> Read for Odd<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.position() < self.header { self.bytes.read(buffer) } else { (self.data)(buffer) }
    }
}

impl<F> Seek for Odd<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

fn odd<F>(data: F) -> Odd<F> {
    let mut bytes = Vec::new();
    ops::save_safetensors_to(&mut bytes, [("x", &mlx::tensor![1, 2])], [("", ""); 0]).unwrap();
    let header = bytes.len() as u64 - 8;
    Odd { bytes: Cursor::new(bytes), header, data }
}

fn load(data: impl FnMut(&mut [u8]) -> io::Result<usize> + Send + 'static) -> Result<Tensor> {
    ops::load_safetensors_from(odd(data)).map(|mut found| found.tensors.remove("x").unwrap())
}

/// The value cannot be read, and says so twice.
#[track_caller]
fn refused(x: &Tensor) {
    for _ in 0..2 {
        let error = x.to_bytes().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Eval);
        assert!(error.message().contains("unable to read 8 bytes"), "{error}");
    }
}

fn reader_that_panics() {
    let x = load(|_| panic!("the reader panics")).unwrap();
    refused(&x);
    assert_eq!(mlx::tensor![1, 2].to_vec::<i32>().unwrap(), [1, 2]);
    programs::end();
}

fn reader_that_panics_as_it_goes() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the reader panics as it goes");
        }
    }
    let bomb = Bomb;
    let x = load(move |buffer| {
        let _ = &bomb;
        buffer.fill(7);
        Ok(buffer.len())
    })
    .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0x0707_0707; 2]);
    drop(x);
    mlx::synchronize().unwrap();
    programs::end();
}

fn reader_that_says_too_much() {
    let x = load(|buffer| {
        buffer.fill(7);
        Ok(usize::MAX)
    })
    .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0x0707_0707; 2]);
    programs::end();
}

fn reader_that_fails_later() {
    refused(&load(|_| Ok(0)).unwrap());
    refused(&load(|_| Err(io::Error::other("the disk is on fire"))).unwrap());
    let mut turns = 0;
    let x = load(move |buffer| {
        turns += 1;
        if turns % 2 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        buffer[0] = 7;
        Ok(1)
    })
    .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0x0707_0707; 2]);
    programs::end();
}

/// It would wait for itself; it is an error there instead.
fn reader_that_uses_tensors() {
    let y = mlx::tensor![1, 2];
    let x = load(move |buffer| {
        assert!(y.to_vec::<i32>().is_err());
        assert!(ops::zeros([2], mlx::Dtype::Int32).is_err());
        buffer.fill(7);
        Ok(buffer.len())
    })
    .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0x0707_0707; 2]);
    programs::end();
}

/// As long as an address can tell, and with nothing in it.
fn reader_that_claims_to_be_endless() {
    struct Endless(u64, u64);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let start = (self.1).to_le_bytes();
            let rest = start.get(self.0 as usize..).unwrap_or(&[]);
            let count = buffer.len().min(rest.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            self.0 += count as u64;
            Ok(count)
        }
    }
    impl Seek for Endless {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            match to {
                SeekFrom::Start(at) => self.0 = at,
                SeekFrom::End(_) => self.0 = u64::MAX,
                SeekFrom::Current(_) => {}
            }
            Ok(self.0)
        }
    }
    let gguf = u64::from_le_bytes(*b"GGUF\x03\0\0\0");
    for start in [0, 2, 99_999_999, 1 << 40, u64::MAX - 8, u64::MAX, gguf] {
        let errors = [
            ops::load_safetensors_from(Endless(0, start)).unwrap_err(),
            ops::load_gguf_from(Endless(0, start)).unwrap_err(),
            ops::load_npz_from(Endless(0, start)).unwrap_err(),
            ops::load_npy_from(Endless(0, start)).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| error.kind() == ErrorKind::Io), "{errors:?}");
    }
    programs::end();
}
