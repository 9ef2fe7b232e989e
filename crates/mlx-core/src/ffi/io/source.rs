//! What MLX reads from: a checked start in memory, and behind it bytes, a file or any reader. Safe Rust only.

use crate::ffi::runtime;
use parking_lot::Mutex;
use std::{
    ffi::{CStr, c_int},
    fs::File,
    io::{Read, Seek, SeekFrom},
    mem::MaybeUninit,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
};

/// How much one thread reads of a file at a time; MLX's own file reader takes as much.
const BATCH: usize = 32 << 20;

/// How many threads read a large tensor: as many as MLX's own file reader has.
const THREADS: usize = 4;

/// What a reader of the caller's fills before it is copied to MLX's memory.
const CHUNK: usize = 1 << 20;

/// A reader that tensors can be read from later, on another thread.
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// What MLX's lazy `Load` nodes read from, on MLX's threads, for as long as one of them lives.
pub struct Source {
    /// What MLX's messages call it.
    label: &'static CStr,
    /// The start, as it was checked: what MLX reads of it is the same even if the file changes.
    head: Vec<u8>,
    rest: Rest,
    length: u64,
    position: AtomicU64,
}

/// Where the bytes behind the head are, and from which byte on.
enum Rest {
    Nothing,
    File(File, u64),
    Reader(Mutex<Box<dyn ReadSeek>>, u64),
}

impl Source {
    /// `head`, and behind it the `rest` bytes of `file` from `start` on.
    #[must_use]
    pub fn file(label: &'static CStr, head: Vec<u8>, file: File, start: u64, rest: u64) -> Source {
        Source::new(label, head, Rest::File(file, start), rest)
    }

    /// `head`, and behind it the `rest` bytes of `reader` from its byte `start` on.
    #[must_use]
    pub fn reader(
        label: &'static CStr,
        head: Vec<u8>,
        reader: Box<dyn ReadSeek>,
        start: u64,
        rest: u64,
    ) -> Source {
        Source::new(label, head, Rest::Reader(Mutex::new(reader), start), rest)
    }

    /// `all` and nothing more.
    #[must_use]
    pub fn bytes(label: &'static CStr, all: Vec<u8>) -> Source {
        Source::new(label, all, Rest::Nothing, 0)
    }

    fn new(label: &'static CStr, head: Vec<u8>, rest: Rest, behind: u64) -> Source {
        let length = head.len() as u64 + behind;
        Source { label, head, rest, length, position: AtomicU64::new(0) }
    }

    pub(super) fn label(&self) -> &'static CStr {
        self.label
    }

    pub(super) fn tell(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    pub(super) fn seek(&self, offset: i64, whence: c_int) -> c_int {
        let base = match whence {
            0 => 0,
            1 => self.tell(),
            _ => self.length,
        };
        let Some(position) = base.checked_add_signed(offset) else { return -1 };
        self.position.store(position, Ordering::Relaxed);
        0
    }

    /// The place to read from where none is given, which moves on.
    pub(super) fn advance(&self, count: usize) -> u64 {
        self.position.fetch_add(count as u64, Ordering::Relaxed)
    }

    /// As many bytes as there are, up to the buffer's length, from its start on.
    pub(super) fn read_at(&self, buffer: &mut [MaybeUninit<u8>], offset: u64) -> usize {
        let head = usize::try_from(offset).ok().and_then(|offset| self.head.get(offset..)).unwrap_or(&[]);
        let done = copy(head, buffer);
        let buffer = &mut buffer[done..];
        // Behind the head: what `offset` has of it was copied.
        let behind = offset.saturating_add(done as u64).saturating_sub(self.head.len() as u64);
        done + match &self.rest {
            _ if buffer.is_empty() => 0,
            Rest::Nothing => 0,
            Rest::File(file, start) => read_file(file, buffer, start.saturating_add(behind)),
            // The reader is the caller's code, which may panic: nothing unwinds through C.
            Rest::Reader(reader, start) => catch_unwind(AssertUnwindSafe(|| {
                read_reader(&mut **reader.lock(), buffer, start.saturating_add(behind))
            }))
            .unwrap_or_else(|payload| {
                runtime::discard(payload);
                0
            }),
        }
    }
}

fn copy(from: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    for (to, from) in to.iter_mut().zip(from) {
        to.write(*from);
    }
    from.len().min(to.len())
}

/// One thread is slower than the page cache: large tensors are read by several, as in Python.
fn read_file(file: &File, buffer: &mut [MaybeUninit<u8>], start: u64) -> usize {
    let helpers = buffer.len().div_ceil(BATCH).min(THREADS) - 1;
    let batches = Mutex::new(buffer.chunks_mut(BATCH).enumerate());
    let found = AtomicUsize::new(0);
    let work = || {
        loop {
            let Some((i, batch)) = batches.lock().next() else { break };
            let wanted = batch.len();
            let count = read_batch(file, batch, start.saturating_add((i * BATCH) as u64));
            found.fetch_add(count, Ordering::Relaxed);
            if count < wanted {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Without a helper it takes longer, that is all.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    found.into_inner()
}

fn read_batch(file: &File, buffer: &mut [MaybeUninit<u8>], start: u64) -> usize {
    let mut done = 0;
    while done < buffer.len() {
        // Through rustix, since std's `read_at` wants memory that somebody wrote to, and clearing it first costs as
        // much as a third of the reading.
        match rustix::io::pread(file, &mut buffer[done..], start.saturating_add(done as u64)) {
            Ok(([], _)) => break,
            Ok((read, _)) => done += read.len(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => break,
        }
    }
    done
}

fn read_reader(reader: &mut dyn ReadSeek, buffer: &mut [MaybeUninit<u8>], start: u64) -> usize {
    if reader.seek(SeekFrom::Start(start)).is_err() {
        return 0;
    }
    let mut chunk = vec![0; buffer.len().min(CHUNK)];
    let mut done = 0;
    while done < buffer.len() {
        let wanted = (buffer.len() - done).min(chunk.len());
        match reader.read(&mut chunk[..wanted]) {
            Ok(0) => break,
            // A reader may say anything.
            Ok(count) => done += copy(&chunk[..count.min(wanted)], &mut buffer[done..]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    done
}
