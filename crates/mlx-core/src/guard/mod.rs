//! Guards for what kills the process in Python MLX or hangs it: integer division (`division`), positions that data decide
//! (`positions`), and reductions of nothing that does not lie in order.
//!
//! Values that the host can read are checked and refused with an error, and the graph stays Python's; lazy ones get guard
//! nodes.

mod division;
mod positions;

pub(crate) use division::{Division, divide};
pub(crate) use positions::{positions, starts};

use crate::{Result, Tensor, ffi};
use std::{borrow::Cow, cell::Cell};

thread_local! {
    static UNGUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` without guard nodes and without the checks of host-readable divisors and positions: its graphs are exactly
/// Python's, but for reductions of empty tensors, which stay guarded.
///
/// # Safety
/// Within `work` and whenever one of its graphs is evaluated later, no integer is divided by 0 and no smallest
/// integer by -1: the processor traps and the process ends. Each value of an index tensor lies within its axis: others
/// read and write foreign memory.
#[allow(unsafe_code)]
pub unsafe fn unguarded<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            UNGUARDED.set(self.0);
        }
    }
    let _restore = Restore(UNGUARDED.replace(true));
    work()
}

/// `x` as a reduction may have it. Of a tensor that is not in row-major order MLX counts an empty axis like one of size 1:
/// it reads foreign memory or never ends. An empty tensor that may be such a one gets a node that puts it in order.
pub(crate) fn reducible(x: &Tensor) -> Result<Cow<'_, Tensor>> {
    if x.size() > 0 || ffi::view::if_readable(x)?.is_some_and(|view| view.is_flagged_row_contiguous()) {
        return Ok(Cow::Borrowed(x));
    }
    ffi::io::in_order(x).map(Cow::Owned)
}
