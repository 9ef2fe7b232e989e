//! The owned handle of an MLX array: one pointer, counted by MLX.

use super::{
    call::call,
    runtime::{self, Guard},
};
use crate::Tensor;
use mlx_link as sys;
use std::{ffi::c_void, ptr::NonNull};

/// Owns one reference to an MLX array.
#[repr(transparent)]
pub(crate) struct Handle(NonNull<c_void>);

// SAFETY: the count behind a handle is atomic, and everything that is not is only touched under the library lock.
unsafe impl Send for Handle {}
// SAFETY: as above; metadata, the one thing read without the lock, never changes after construction.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes over `raw`; `None` when it is empty.
    pub(super) fn from_raw(raw: sys::mlx_array) -> Option<Handle> {
        NonNull::new(raw.ctx).map(Handle)
    }

    /// The same array, still owned by `self`.
    pub(super) fn raw(&self) -> sys::mlx_array {
        sys::mlx_array { ctx: self.0.as_ptr() }
    }

    /// The sizes of the dimensions.
    #[inline]
    pub(crate) fn shape(&self) -> &[i32] {
        // SAFETY: a live array keeps its shape unchanged; an empty one may be a null pointer, so its length decides.
        unsafe {
            let mut ndim = 0;
            let sizes = sys::mlxr_array_shape(self.raw(), &raw mut ndim);
            if ndim == 0 { &[] } else { std::slice::from_raw_parts(sizes, ndim) }
        }
    }

    /// The number of dimensions.
    #[inline]
    pub(crate) fn ndim(&self) -> usize {
        call!(sys::mlx_array_ndim, value self.raw())
    }

    /// The number of elements.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        call!(sys::mlx_array_size, value self.raw())
    }

    /// Whether the array's bytes can be addressed; asked of every new node, so one call.
    pub(super) fn fits(&self) -> bool {
        call!(sys::mlxr_array_fits, value self.raw())
    }

    /// The dtype as mlx-c numbers it.
    pub(crate) fn dtype_code(&self) -> u32 {
        call!(sys::mlx_array_dtype, value self.raw())
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        // Only the atomic count of a live array is touched: no lock.
        let mut raw = sys::mlx_array { ctx: std::ptr::null_mut() };
        call!(sys::mlx_array_set, out raw, value self.raw());
        Handle::from_raw(raw).expect("memory for a handle of 16 bytes")
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        runtime::release(self.raw());
    }
}

/// Slices of tensors, of handles and of mlx-c's arrays have one layout.
pub(super) fn raw_slice(tensors: &[Tensor]) -> *const sys::mlx_array {
    const { assert!(size_of::<Tensor>() == size_of::<sys::mlx_array>()) };
    tensors.as_ptr().cast()
}

/// mlx-c takes an empty handle for none.
pub(super) fn raw_or_empty(tensor: Option<&Tensor>) -> sys::mlx_array {
    tensor.map_or(sys::mlx_array { ctx: std::ptr::null_mut() }, |tensor| tensor.0.raw())
}

/// A handle that lives only while the lock is held, so that it is freed without taking it again.
pub(super) struct Temporary<'g> {
    raw: sys::mlx_array,
    _guard: &'g Guard,
}

impl<'g> Temporary<'g> {
    pub(super) fn new(raw: sys::mlx_array, guard: &'g Guard) -> Temporary<'g> {
        Temporary { raw, _guard: guard }
    }

    pub(super) fn raw(&self) -> sys::mlx_array {
        self.raw
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        call!(sys::mlx_array_free, value self.raw);
    }
}
