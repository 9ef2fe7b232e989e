//! Files through mlx-c: a reader over any file of ours, so that no path ever reaches C.
//!
//! mlx-c hands messages to printf as formats; a `%` of a path among them would be undefined behaviour.

use super::{handle::Handle, runtime, status};
use crate::{ErrorKind, Result, Tensor};
use mlx_link as sys;
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    fs::File,
    sync::atomic::{AtomicU64, Ordering},
};

/// What MLX's lazy `Load` nodes read from, on MLX's threads, for as long as one of them lives.
struct Source {
    /// The start of the file as it was checked: what MLX reads of it is the same even if the file changes.
    head: Vec<u8>,
    file: File,
    length: u64,
    position: AtomicU64,
}

impl Source {
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
        while done < buffer.len() {
            match self.file.read_at(&mut buffer[done..], offset.saturating_add(done as u64)) {
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
            // SAFETY: mlx-c passes the descriptor that `load_safetensors` gave it, which lives until `free`; only
            // shared references to it are made.
            let source = unsafe { &*source.cast::<Source>() };
            runtime::foreign(|| $work(source, $($argument),*))
        })*
    };
}

callbacks! {
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

unsafe extern "C" fn label(_source: *mut c_void) -> *const c_char {
    c"the safetensors file".as_ptr()
}

unsafe extern "C" fn free(source: *mut c_void) {
    // SAFETY: mlx-c calls this once, when nothing refers to the reader any more.
    runtime::foreign(|| drop(unsafe { Box::from_raw(source.cast::<Source>()) }));
}

/// Tensors by name, in no particular order, and the file's own metadata.
pub type Loaded = (Vec<(String, Tensor)>, Vec<(String, String)>);

/// The lazy tensors and the metadata of a safetensors file, whose start (`head`: the header and its length) the caller
/// has checked.
///
/// # Errors
/// What MLX refuses.
pub fn load_safetensors(head: Vec<u8>, file: File, length: u64) -> Result<Loaded> {
    let guard = runtime::enter()?;
    let source = Box::into_raw(Box::new(Source { head, file, length, position: AtomicU64::new(0) }));
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
    // SAFETY: the reader owns `source` from here on and frees it through the table; the maps are made, read and freed
    // here, and the lock is held.
    unsafe {
        let reader = sys::mlx_io_reader_new(source.cast(), vtable);
        let (mut arrays, mut texts) =
            (sys::mlx_map_string_to_array_new(), sys::mlx_map_string_to_string_new());
        let status =
            sys::mlx_load_safetensors_reader(&raw mut arrays, &raw mut texts, reader, guard.cpu_stream());
        let loaded = status::check("load_safetensors", ErrorKind::Io, status)
            .map(|()| (tensors(arrays), strings(texts)));
        sys::mlx_map_string_to_array_free(arrays);
        sys::mlx_map_string_to_string_free(texts);
        sys::mlx_io_reader_free(reader);
        loaded
    }
}

/// # Safety
/// `map` is a live map, and the lock is held.
unsafe fn tensors(map: sys::mlx_map_string_to_array) -> Vec<(String, Tensor)> {
    let mut found = Vec::new();
    // SAFETY: the caller's promise; keys live as long as the map, and each array handle is taken over.
    unsafe {
        let iterator = sys::mlx_map_string_to_array_iterator_new(map);
        loop {
            let (mut key, mut value) = (std::ptr::null(), sys::mlx_array { ctx: std::ptr::null_mut() });
            if sys::mlx_map_string_to_array_iterator_next(&raw mut key, &raw mut value, iterator) != 0 {
                break;
            }
            let name = CStr::from_ptr(key).to_string_lossy().into_owned();
            found.extend(Handle::from_raw(value).map(|handle| (name, Tensor(handle))));
        }
        sys::mlx_map_string_to_array_iterator_free(iterator);
    }
    found
}

/// # Safety
/// `map` is a live map, and the lock is held.
unsafe fn strings(map: sys::mlx_map_string_to_string) -> Vec<(String, String)> {
    let mut found = Vec::new();
    // SAFETY: the caller's promise; keys and values live as long as the map.
    unsafe {
        let iterator = sys::mlx_map_string_to_string_iterator_new(map);
        let text = |raw| CStr::from_ptr(raw).to_string_lossy().into_owned();
        loop {
            let (mut key, mut value) = (std::ptr::null(), std::ptr::null());
            if sys::mlx_map_string_to_string_iterator_next(&raw mut key, &raw mut value, iterator) != 0 {
                break;
            }
            found.push((text(key), text(value)));
        }
        sys::mlx_map_string_to_string_iterator_free(iterator);
    }
    found
}
