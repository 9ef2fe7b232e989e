//! mlx-c's vector of arrays, alive while the lock is held.

use super::{call::call, handle::Handle, runtime::Guard};
use crate::{OperandRef, Tensor};
use mlx_link as sys;
use smallvec::SmallVec;
use std::borrow::Borrow;

/// An owned vector. Whoever makes one holds the lock until it is dropped.
pub(super) struct Vector(sys::mlx_vector_array);

impl Vector {
    pub(super) fn empty(_guard: &Guard) -> Vector {
        Vector(call!(sys::mlx_vector_array_new))
    }

    /// No vector yet: the call that is given its place makes it.
    pub(super) fn unmade(_guard: &Guard) -> Vector {
        Vector(sys::mlx_vector_array { ctx: std::ptr::null_mut() })
    }

    /// The same arrays, counted once more.
    pub(super) fn of<T: Borrow<Tensor>>(tensors: &[T]) -> Vector {
        Vector(call!(sys::mlx_vector_array_new_data, handles tensors))
    }

    pub(super) fn raw(&self) -> sys::mlx_vector_array {
        self.0
    }

    /// Where mlx-c writes a vector that this one then owns.
    pub(super) fn place(&mut self) -> *mut sys::mlx_vector_array {
        &raw mut self.0
    }

    pub(super) fn tensors(&self) -> Vec<Tensor> {
        Vector::read(self.0)
    }

    /// The arrays of a vector that somebody else owns.
    pub(super) fn read(raw: sys::mlx_vector_array) -> Vec<Tensor> {
        let count = call!(sys::mlx_vector_array_size, value raw);
        let mut tensors = Vec::with_capacity(count);
        for i in 0..count {
            let mut out = sys::mlx_array { ctx: std::ptr::null_mut() };
            call!(sys::mlx_vector_array_get, out out, value raw, value i);
            tensors.extend(Handle::from_raw(out).map(Tensor));
        }
        tensors
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        call!(sys::mlx_vector_array_free, value self.0);
    }
}

/// The handles of tensors, which still own them.
#[inline]
pub(super) fn handles<T: Borrow<Tensor>>(tensors: &[T]) -> SmallVec<[sys::mlx_array; 8]> {
    let none = sys::mlx_array { ctx: std::ptr::null_mut() };
    let mut arrays = SmallVec::from_elem(none, tensors.len());
    for (array, tensor) in arrays.iter_mut().zip(tensors) {
        *array = tensor.borrow().0.raw();
    }
    arrays
}

/// A tensor of a list as an operand.
pub(super) fn operand<T: Borrow<Tensor>>(tensor: &T) -> OperandRef<'_> {
    OperandRef::Tensor(tensor.borrow())
}
