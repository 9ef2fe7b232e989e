//! Files through mlx-c: a reader over any file of ours, so that no path ever reaches C.
//!
//! mlx-c hands messages to printf as formats; a `%` of a path among them would be undefined behaviour.

use super::{
    call::{build, node},
    handle::Handle,
    runtime, status, view,
};
use crate::{ErrorKind, Result, Tensor};
use mlx_link as sys;
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    fs::File,
    sync::atomic::{AtomicU64, Ordering},
};

/// What MLX's lazy `Load` nodes read from, on MLX's threads, for as long as one of them lives.
pub struct Source {
    /// What MLX's messages call it.
    label: &'static CStr,
    /// The start, as it was checked: what MLX reads of it is the same even if the file changes.
    head: Vec<u8>,
    /// Where the rest is, and from which byte on; `head` is everything where there is none.
    rest: Option<(File, u64)>,
    length: u64,
    position: AtomicU64,
}

impl Source {
    /// `head`, and behind it the `rest` bytes of `file` from `start` on.
    #[must_use]
    pub fn file(label: &'static CStr, head: Vec<u8>, file: File, start: u64, rest: u64) -> Source {
        let length = head.len() as u64 + rest;
        Source { label, head, rest: Some((file, start)), length, position: AtomicU64::new(0) }
    }

    /// `all` and nothing more.
    #[must_use]
    pub fn bytes(label: &'static CStr, all: Vec<u8>) -> Source {
        let length = all.len() as u64;
        Source { label, head: all, rest: None, length, position: AtomicU64::new(0) }
    }

    fn seek(&self, offset: i64, whence: c_int) -> c_int {
        let base = match whence {
            0 => 0,
            1 => self.position.load(Ordering::Relaxed),
            _ => self.length,
        };
        let Some(position) = base.checked_add_signed(offset) else { return -1 };
        self.position.store(position, Ordering::Relaxed);
        0
    }

    /// Fills a buffer of mlx-c's.
    fn fill(&self, data: *mut c_char, count: usize, offset: u64) -> usize {
        // SAFETY: mlx-c's buffer has `count` bytes and is its own until the callback returns; it is written before it
        // is seen as a slice.
        let buffer = unsafe {
            std::ptr::write_bytes(data, 0, count);
            std::slice::from_raw_parts_mut(data.cast::<u8>(), count)
        };
        self.read_at(buffer, offset)
    }

    /// As many bytes as there are, up to the buffer's length.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> usize {
        use std::os::unix::fs::FileExt;
        let mut done = 0;
        if let Some(head) = usize::try_from(offset).ok().and_then(|offset| self.head.get(offset..)) {
            done = head.len().min(buffer.len());
            buffer[..done].copy_from_slice(&head[..done]);
        }
        let Some((file, start)) = &self.rest else { return done };
        while done < buffer.len() {
            // Behind the head: the loop above took what `offset` has of it.
            let behind = offset.saturating_add(done as u64).saturating_sub(self.head.len() as u64);
            match file.read_at(&mut buffer[done..], start.saturating_add(behind)) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        done
    }
}

/// The callbacks of a reader that look at its source.
macro_rules! callbacks {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $work:expr;)*) => {
        $(unsafe extern "C" fn $name(source: *mut c_void, $($argument: $type),*) -> $result {
            // SAFETY: mlx-c passes the descriptor that `with_reader` gave it, which lives until `free`; only
            // shared references to it are made.
            let source = unsafe { &*source.cast::<Source>() };
            runtime::foreign(|| $work(source, $($argument),*))
        })*
    };
}

callbacks! {
    label() -> *const c_char = |source: &Source| source.label.as_ptr();
    tell() -> usize = |source: &Source| source.position.load(Ordering::Relaxed) as usize;
    seek(offset: i64, whence: c_int) -> c_int = Source::seek;
    read(data: *mut c_char, count: usize) -> usize = |source: &Source, data, count| {
        let position = source.position.fetch_add(count as u64, Ordering::Relaxed);
        source.fill(data, count, position)
    };
    read_at_offset(data: *mut c_char, count: usize, offset: usize) -> usize =
        |source: &Source, data, count, offset: usize| source.fill(data, count, offset as u64);
}

unsafe extern "C" fn is_open(_source: *mut c_void) -> bool {
    true
}

unsafe extern "C" fn write(_source: *mut c_void, _data: *const c_char, _count: usize) -> usize {
    0
}

unsafe extern "C" fn free(source: *mut c_void) {
    // SAFETY: mlx-c calls this once, when nothing refers to the reader any more.
    runtime::foreign(|| drop(unsafe { Box::from_raw(source.cast::<Source>()) }));
}

/// Calls `load` with a reader of `source` and the stream that files are read on, with the lock held.
fn with_reader<T>(source: Source, load: impl FnOnce(sys::mlx_io_reader, sys::mlx_stream) -> T) -> Result<T> {
    let guard = runtime::enter()?;
    let source = Box::into_raw(Box::new(source));
    let vtable = sys::mlx_io_vtable {
        is_open: Some(is_open),
        good: Some(is_open),
        tell: Some(tell),
        seek: Some(seek),
        read: Some(read),
        read_at_offset: Some(read_at_offset),
        write: Some(write),
        label: Some(label),
        free: Some(free),
    };
    // SAFETY: the reader owns `source` from here on and frees it through the table, when nodes have let go of it, too.
    unsafe {
        let reader = sys::mlx_io_reader_new(source.cast(), vtable);
        let loaded = load(reader, guard.cpu_stream());
        sys::mlx_io_reader_free(reader);
        Ok(loaded)
    }
}

/// The lazy tensor of an npy file, whose header the caller has checked.
///
/// # Errors
/// What MLX refuses.
pub fn load_npy(source: Source) -> Result<Tensor> {
    let mut source = Some(source);
    build("load", |out, _| {
        // SAFETY: the reader lives through the call, and `build` holds the lock.
        let load = |reader, stream| unsafe { sys::mlx_load_reader(out, reader, stream) };
        // A runtime that `build` could enter is there.
        source.take().and_then(|source| with_reader(source, load).ok()).unwrap_or(1)
    })
}

/// The tensor whose memory `mx.save` writes: without gaps, in row-major or column-major order.
///
/// # Errors
/// What MLX refuses.
pub fn without_gaps(x: &Tensor) -> Result<Tensor> {
    node!("contiguous", sys::mlx_contiguous, tensor x, value true).map_err(|e| e.with_operands(&[x.into()]))
}

/// [`without_gaps`] in row-major order.
pub(crate) fn in_order(x: &Tensor) -> Result<Tensor> {
    node!("contiguous", sys::mlx_contiguous, tensor x, value false)
}

/// The memory of a tensor that was evaluated and has no gaps, and whether MLX calls it column-major: it does so of
/// whatever has one axis that counts, too.
///
/// # Errors
/// A tensor without values.
pub fn memory(x: &Tensor) -> Result<(&[u8], bool)> {
    view::of(x).map(|view| (view.memory(), view.is_col_contiguous()))
}

/// Tensors by name, in no particular order, and the file's own metadata.
pub type Loaded = (Vec<(String, Tensor)>, Vec<(String, String)>);

/// The entries of a map of mlx-c's, as `entry` makes them of its key and value.
macro_rules! entries {
    ($map:expr, $new:ident $next:ident $free:ident, $nothing:expr, |$value:ident| $entry:expr) => {{
        let mut found = Vec::new();
        let iterator = sys::$new($map);
        loop {
            let (mut key, mut $value) = (std::ptr::null(), $nothing);
            if sys::$next(&raw mut key, &raw mut $value, iterator) != 0 {
                break;
            }
            if let Some(entry) = $entry {
                found.push((CStr::from_ptr(key).to_string_lossy().into_owned(), entry));
            }
        }
        sys::$free(iterator);
        found
    }};
}

/// The lazy tensors and the metadata of a safetensors file, whose header the caller has checked.
///
/// # Errors
/// What MLX refuses.
pub fn load_safetensors(source: Source) -> Result<Loaded> {
    // SAFETY: the reader lives through the calls and `with_reader` holds the lock; the maps and iterators are made, read
    // and freed here, keys and texts live as long as their map, and each array handle is taken over.
    with_reader(source, |reader, stream| unsafe {
        let (mut arrays, mut texts) =
            (sys::mlx_map_string_to_array_new(), sys::mlx_map_string_to_string_new());
        let status = sys::mlx_load_safetensors_reader(&raw mut arrays, &raw mut texts, reader, stream);
        let loaded = status::check("load_safetensors", ErrorKind::Io, status).map(|()| {
            let tensors = entries!(
                arrays,
                mlx_map_string_to_array_iterator_new mlx_map_string_to_array_iterator_next
                    mlx_map_string_to_array_iterator_free,
                sys::mlx_array { ctx: std::ptr::null_mut() },
                |value| Handle::from_raw(value).map(Tensor)
            );
            let texts = entries!(
                texts,
                mlx_map_string_to_string_iterator_new mlx_map_string_to_string_iterator_next
                    mlx_map_string_to_string_iterator_free,
                std::ptr::null(),
                |value| Some(CStr::from_ptr(value).to_string_lossy().into_owned())
            );
            (tensors, texts)
        });
        sys::mlx_map_string_to_array_free(arrays);
        sys::mlx_map_string_to_string_free(texts);
        loaded
    })?
}
