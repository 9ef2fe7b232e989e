//! Files through mlx-c: a reader over any [`Source`] of ours, so that no path ever reaches C.
//!
//! mlx-c hands messages to printf as formats; a `%` of a path among them would be undefined behaviour.

mod source;

pub use source::{ReadSeek, Source};

use super::{
    build::build,
    call::{call, data},
    handle::Handle,
    runtime, status, view,
};
use crate::{Dtype, ErrorKind, Result, Tensor, shape};
use mlx_link as sys;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    mem::MaybeUninit,
};

/// Fills a buffer of mlx-c's; one of no bytes lies nowhere on a GPU.
fn fill(source: &Source, data: *mut c_char, count: usize, offset: u64) -> usize {
    if count == 0 {
        return 0;
    }
    // SAFETY: mlx-c's buffer has `count` bytes and is its own until the callback returns; it may be unwritten.
    let buffer = unsafe { std::slice::from_raw_parts_mut(data.cast::<MaybeUninit<u8>>(), count) };
    source.read_at(buffer, offset)
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
    label() -> *const c_char = |source: &Source| source.label().as_ptr();
    tell() -> usize = |source: &Source| source.tell() as usize;
    seek(offset: i64, whence: c_int) -> c_int = Source::seek;
    read(data: *mut c_char, count: usize) -> usize =
        |source: &Source, data, count| fill(source, data, count, source.advance(count));
    read_at_offset(data: *mut c_char, count: usize, offset: usize) -> usize =
        |source: &Source, data, count, offset: usize| fill(source, data, count, offset as u64);
}

unsafe extern "C" fn is_open(_source: *mut c_void) -> bool {
    true
}

unsafe extern "C" fn write(_source: *mut c_void, _data: *const c_char, _count: usize) -> usize {
    0
}

unsafe extern "C" fn free(source: *mut c_void) {
    // SAFETY: mlx-c calls this once, when nothing refers to the reader any more.
    let source = unsafe { Box::from_raw(source.cast::<Source>()) };
    runtime::discard_soon(source);
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

/// The memory of a tensor that was evaluated and has no gaps, and whether MLX calls it column-major: it does so of
/// whatever has one axis that counts, too.
///
/// # Errors
/// A tensor without values.
pub fn memory(x: &Tensor) -> Result<(&[u8], bool)> {
    view::of(x).map(|view| (view.memory(), view.is_col_contiguous()))
}

/// The tensor of bytes in row-major order and the machine's byte order, copied.
///
/// # Errors
/// Other sizes than the bytes have; no memory for a copy.
///
/// # Panics
/// On fewer bytes than the shape has.
pub fn from_bytes(op: &'static str, bytes: &[u8], sizes: &[i32], dtype: Dtype) -> Result<Tensor> {
    shape::check_sizes(op, sizes)?;
    shape::check_size(op, sizes, dtype)?;
    let _guard = runtime::enter()?;
    let raw = data(bytes, sizes, dtype);
    Handle::from_raw(raw).map(Tensor).ok_or_else(|| status::failure(op, ErrorKind::Memory))
}

/// Names in the order in which MLX's map, a `std::unordered_map` filled in the given order, walks them: the order in
/// which Python's saves write.
///
/// # Errors
/// What MLX refuses.
pub fn map_order(names: &[CString]) -> Result<Vec<String>> {
    let _guard = runtime::enter()?;
    let map = call!(sys::mlx_map_string_to_string_new);
    for name in names {
        call!(sys::mlx_map_string_to_string_insert, value map, text name, text c"");
    }
    let order = texts(map).into_iter().map(|(name, _)| name).collect();
    call!(sys::mlx_map_string_to_string_free, value map);
    Ok(order)
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

/// The entries of a map, which the caller has made and frees.
fn texts(map: sys::mlx_map_string_to_string) -> Vec<(String, String)> {
    // SAFETY: the iterator is made and freed here; keys and texts live as long as their map, and are copied.
    unsafe {
        entries!(
            map,
            mlx_map_string_to_string_iterator_new mlx_map_string_to_string_iterator_next
                mlx_map_string_to_string_iterator_free,
            std::ptr::null(),
            |value| Some(CStr::from_ptr(value).to_string_lossy().into_owned())
        )
    }
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
            (tensors, self::texts(texts))
        });
        sys::mlx_map_string_to_array_free(arrays);
        sys::mlx_map_string_to_string_free(texts);
        loaded
    })?
}

#[cfg(test)]
mod tests {
    use super::{Source, fill};
    use std::ptr;

    #[test]
    fn no_bytes_are_read_to_nowhere() {
        let source = Source::bytes(c"bytes", vec![1, 2]);
        assert_eq!(fill(&source, ptr::null_mut(), 0, 1), 0);
    }
}
