//! Memory of Rust's as tensors, without a copy: of owners, and of files.
//!
//! MLX computes in place in memory that nothing else needs, so it is given what it may write to: an owner that nobody else
//! has, or a private map, whose changed pages are the process's and never the file's. Where MLX has a GPU's memory, and where
//! elements lie at an odd address, it gets a copy. Not here: which files (mlx-ops).

use super::{
    call::{call, data},
    custom::drop_boxed,
    handle::Handle,
    runtime, status,
};
use crate::{Dtype, Error, ErrorKind, Result, Tensor, shape};
use memmap2::MmapOptions;
use mlx_link as sys;
use std::fs::File;

/// The promise that mapped files stay as they are; see [`promise`](StableFiles::promise).
#[derive(Clone, Copy, Debug)]
pub struct StableFiles(());

impl StableFiles {
    /// # Safety
    /// As long as a tensor lives that was mapped with this promise, or was computed from one in place, nobody, in this process
    /// or another, writes to its file or makes it shorter: values would change under a computation, and beyond the end of a
    /// file the process ends (SIGBUS). To replace a file by renaming another to its name is fine, and to remove it.
    ///
    /// ```
    /// // SAFETY: nobody changes the model while this program runs.
    /// let stable = unsafe { mlx_core::StableFiles::promise() };
    /// # let _ = stable;
    /// ```
    #[must_use]
    pub unsafe fn promise() -> StableFiles {
        StableFiles(())
    }
}

/// How the address of an element is aligned.
fn alignment(dtype: Dtype) -> usize {
    if dtype == Dtype::Complex64 { 4 } else { dtype.size() }
}

/// The tensor of the bytes of `file` from `offset` on, mapped: nothing is read before it is needed. `None` where it has to
/// be read.
///
/// # Errors
/// No room in the address space; too many maps.
pub fn mapped(
    op: &'static str,
    file: &File,
    offset: u64,
    sizes: &[i32],
    dtype: Dtype,
    _: StableFiles,
) -> Result<Option<Tensor>> {
    let bytes = shape::element_count(sizes) * dtype.size();
    // Maps begin on pages, so the offset says how the elements lie.
    if bytes == 0 || !offset.is_multiple_of(alignment(dtype) as u64) || !is_shared()? {
        return Ok(None);
    }
    let mut options = MmapOptions::new();
    options.offset(offset).len(bytes).no_reserve_swap();
    // SAFETY: who called gave a promise that the file stays as it is; what is written to the map stays in this process.
    let map = unsafe { options.map_copy(file) };
    let map = map.map_err(|e| Error::new(ErrorKind::Io, op, e.to_string()).with_source(e))?;
    owned(op, map, sizes, dtype, |map| &mut map[..]).map(Some)
}

fn is_shared() -> Result<bool> {
    let _guard = runtime::enter()?;
    Ok(call!(sys::mlxr_owned_is_shared))
}

/// The tensor of an owner's `memory`, which MLX uses until it drops the owner, once and on any thread; a copy where it cannot.
///
/// # Errors
/// What MLX refuses.
///
/// # Panics
/// On less memory than the shape has.
pub(crate) fn owned<O: Send + 'static, T: Copy>(
    op: &'static str,
    owner: O,
    sizes: &[i32],
    dtype: Dtype,
    memory: impl FnOnce(&mut O) -> &mut [T],
) -> Result<Tensor> {
    let bytes = shape::element_count(sizes) * dtype.size();
    let shared = is_shared()?;
    let owner = Box::into_raw(Box::new(owner));
    let mut raw = sys::mlx_array { ctx: std::ptr::null_mut() };
    // SAFETY: the owner lies in a box of its own that nobody but `drop_boxed` touches again, so the memory it lends is as good
    // as borrowed until then; it has all bytes of the shape, where elements of the dtype may lie.
    let status = unsafe {
        let memory = memory(&mut *owner);
        let size = size_of_val(memory);
        if size < bytes {
            drop_boxed::<O>(owner.cast());
            panic!("{op}: {size} bytes do not fill shape {sizes:?} of {dtype}");
        }
        // Not before: who lends the memory may wait for another thread.
        let _guard = runtime::enter()?;
        if bytes == 0 || !shared || !memory.as_ptr().addr().is_multiple_of(alignment(dtype)) {
            raw = data(memory, sizes, dtype);
            drop_boxed::<O>(owner.cast());
            i32::from(raw.ctx.is_null())
        } else {
            let part = sys::mlxr_host_part {
                data: memory.as_mut_ptr().cast(),
                size: shape::element_count(sizes),
                shape: sizes.as_ptr(),
                ndim: sizes.len(),
                dtype: dtype.code(),
            };
            sys::mlxr_owned_new(&raw mut raw, &raw const part, owner.cast(), Some(drop_boxed::<O>))
        }
    };
    status::check(op, ErrorKind::Mlx, status)?;
    Handle::from_raw(raw).map(Tensor).ok_or_else(|| status::failure(op, ErrorKind::Memory))
}
