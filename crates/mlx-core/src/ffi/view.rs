//! The values of an evaluated tensor, as the host sees them.

use super::{call::call, runtime};
use crate::{Element, Error, ErrorKind, Result, Tensor, shape};
use mlx_link as sys;
use std::cell::Cell;

/// The memory of a tensor whose values are there, borrowed from it: while the tensor lives, MLX neither moves nor
/// reuses the memory.
pub(crate) struct View<'a> {
    sizes: &'a [i32],
    raw: sys::mlxr_view,
    item: usize,
}

/// The view of a tensor that was evaluated.
pub(crate) fn of(tensor: &Tensor) -> Result<View<'_>> {
    match if_readable(tensor)? {
        Some(view) => Ok(view),
        None => Err(Error::new(ErrorKind::Eval, "read", "the tensor's values are not there")
            .with_operands(&[tensor.into()])),
    }
}

/// The view of a tensor whose values happen to be there already; `None` for lazy ones.
pub(crate) fn if_readable(tensor: &Tensor) -> Result<Option<View<'_>>> {
    let _guard = runtime::enter()?;
    let mut raw = sys::mlxr_view {
        data: std::ptr::null(),
        strides: std::ptr::null(),
        row_contiguous: false,
        col_contiguous: false,
    };
    // SAFETY: the array is live and the lock is held.
    let there = unsafe { sys::mlxr_array_view(&raw mut raw, tensor.0.raw()) };
    Ok(there.then(|| View { sizes: tensor.shape(), raw, item: tensor.dtype().size() }))
}

/// Whether it is seen at once that every value of an index is a position of an axis of `size`; where not, nothing is said.
#[inline]
pub(crate) fn are_positions(index: &Tensor, size: i64) -> Result<bool> {
    let _guard = runtime::enter()?;
    Ok(call!(sys::mlxr_positions_fit, tensor index, value size))
}

thread_local! {
    /// Whether a question about strides met a placeholder, whose strides nobody knows yet.
    static MET_PLACEHOLDER: Cell<bool> = const { Cell::new(false) };
}

/// Whether `work` asked for the strides of a placeholder: then what comes in its place has to lie in order.
pub(super) fn meets_placeholder<T>(work: impl FnOnce() -> T) -> (T, bool) {
    let before = MET_PLACEHOLDER.replace(false);
    let result = work();
    (result, MET_PLACEHOLDER.replace(before))
}

/// Notes for whoever asks [`meets_placeholder`] further out.
pub(super) fn note_placeholder() {
    MET_PLACEHOLDER.set(true);
}

/// Whether the tensor, computed or not, may have a stride below 0 along an axis with more than one position.
pub(crate) fn may_step_back(tensor: &Tensor) -> Result<bool> {
    let _guard = runtime::enter()?;
    let mut unknown = false;
    let found = call!(sys::mlxr_array_may_step_back, tensor tensor, out unknown);
    MET_PLACEHOLDER.set(MET_PLACEHOLDER.get() || unknown);
    Ok(found)
}

/// Whether the tensor, computed or not, may have gaps between its elements.
pub(crate) fn may_have_gaps(tensor: &Tensor) -> Result<bool> {
    let _guard = runtime::enter()?;
    let mut unknown = false;
    let found = call!(sys::mlxr_array_may_have_gaps, tensor tensor, out unknown);
    MET_PLACEHOLDER.set(MET_PLACEHOLDER.get() || unknown);
    Ok(found)
}

/// Whether the tensor depends on the arguments of a function that this thread is transforming.
pub(crate) fn is_tracer(tensor: &Tensor) -> bool {
    call!(sys::mlxr_array_is_tracer, tensor tensor)
}

impl<'a> View<'a> {
    /// Whether the elements lie in order, by the strides: of a transposed part of a split MLX's flag is not true.
    pub(crate) fn is_row_contiguous(&self) -> bool {
        if self.sizes.contains(&0) {
            return true;
        }
        let mut wanted = 1;
        self.raw.row_contiguous
            && self.sizes.iter().zip(self.strides()).rev().all(|(&size, &stride)| {
                let lies_so = size == 1 || stride == wanted;
                wanted *= i64::from(size);
                lies_so
            })
    }

    /// MLX's flag, which an empty tensor may lack.
    pub(crate) fn is_flagged_row_contiguous(&self) -> bool {
        self.raw.row_contiguous
    }

    /// MLX's flag: also where the order makes no difference.
    pub(crate) fn is_col_contiguous(&self) -> bool {
        self.raw.col_contiguous
    }

    /// The size of each axis.
    pub(crate) fn sizes(&self) -> &'a [i32] {
        self.sizes
    }

    /// The step of each axis, in elements.
    pub(crate) fn strides(&self) -> &'a [i64] {
        match self.sizes.len() {
            0 => &[],
            // SAFETY: an evaluated array has as many strides as dimensions and keeps them while it lives.
            ndim => unsafe { std::slice::from_raw_parts(self.raw.strides, ndim) },
        }
    }

    /// The bytes, where the elements lie in order.
    pub(crate) fn in_order(&self) -> Option<&'a [u8]> {
        self.is_row_contiguous().then(|| self.gapless())
    }

    /// The bytes of a row-contiguous tensor.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.in_order().expect("only row-contiguous memory is in order")
    }

    /// The bytes of a row-contiguous or column-contiguous tensor, as they lie.
    pub(crate) fn memory(&self) -> &'a [u8] {
        assert!(
            self.is_row_contiguous() || self.raw.row_contiguous || self.raw.col_contiguous,
            "only contiguous memory has no gaps"
        );
        self.gapless()
    }

    /// The bytes of contiguous memory, which the caller has seen it is.
    fn gapless(&self) -> &'a [u8] {
        match shape::element_count(self.sizes) * self.item {
            0 => &[],
            // SAFETY: contiguous memory holds every element without gaps, and nobody writes it while the tensor, from
            // which `self` borrows, lives.
            length => unsafe { std::slice::from_raw_parts(self.raw.data.cast(), length) },
        }
    }

    /// The elements of a row-contiguous tensor; `None` when the address is no multiple of their alignment.
    ///
    /// The caller has checked that the dtype is `T`'s and that bools are 0 or 1.
    pub(crate) fn elements<T: Element>(&self) -> Option<&'a [T]> {
        let bytes = self.bytes();
        assert_eq!(self.item, size_of::<T>(), "the dtype was checked");
        // SAFETY: every `Element` but bool takes any bits, and bool's bytes were checked.
        let (head, elements, tail) = unsafe { bytes.align_to::<T>() };
        (head.is_empty() && tail.is_empty()).then_some(elements)
    }

    /// The bytes of the element at `offset` elements from the first one.
    ///
    /// The caller adds up strides of indices within the shape.
    pub(crate) fn element(&self, offset: i64) -> &'a [u8] {
        // SAFETY: strides of an evaluated array lead, for every index within its shape, to an element of its
        // memory; that memory lives and stays unwritten as long as the tensor.
        unsafe {
            std::slice::from_raw_parts(
                self.raw.data.cast::<u8>().offset(offset as isize * self.item as isize),
                self.item,
            )
        }
    }
}
