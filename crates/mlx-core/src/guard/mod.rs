//! Guards for what kills the process in Python MLX or hangs it: integer division (`division`), positions that data decide
//! (`positions`, `matrices`), reductions, scans and sorts of nothing (`empty`), views that MLX takes for what they are not
//! (`views`) and convolutions by another one's plan (`plans`).
//!
//! Values that the host can read are checked and refused with an error, and the graph stays Python's; lazy ones get guard
//! nodes.

/// Calls a function that is generic over an element type, with the type of an integer dtype and what makes its values i64;
/// `$wide64` does for uint64, which has more. `$other` is for the other dtypes.
macro_rules! with_integer {
    ($dtype:expr, $function:ident($($argument:expr),*), $wide64:expr, $other:expr) => {
        match $dtype {
            $crate::Dtype::Uint8 => $function::<u8>($($argument,)* Into::into),
            $crate::Dtype::Uint16 => $function::<u16>($($argument,)* Into::into),
            $crate::Dtype::Uint32 => $function::<u32>($($argument,)* Into::into),
            $crate::Dtype::Uint64 => $function::<u64>($($argument,)* $wide64),
            $crate::Dtype::Int8 => $function::<i8>($($argument,)* Into::into),
            $crate::Dtype::Int16 => $function::<i16>($($argument,)* Into::into),
            $crate::Dtype::Int32 => $function::<i32>($($argument,)* Into::into),
            $crate::Dtype::Int64 => $function::<i64>($($argument,)* |value| value),
            _ => $other,
        }
    };
}

mod division;
mod empty;
mod matrices;
mod plans;
mod positions;
mod transforms;
mod views;

pub(crate) use division::{Division, divide, safe_operands};
pub(crate) use empty::{partitioned, reducible, scanned, sorted};
pub(crate) use matrices::{indices, segments};
pub(crate) use plans::may_have_plan;
pub(crate) use positions::{positions, starts};
pub(crate) use transforms::{Inside, enter, fill, is_derived, is_derived_vectorised, pair};
pub(crate) use views::{orderly, splittable, viewable, windows};

use std::cell::Cell;

thread_local! {
    static UNGUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` without guard nodes and without the checks of host-readable divisors and positions: its graphs are exactly
/// Python's, but for reductions, scans and sorts of empty tensors and splits of reversed ones and of ones with gaps, which
/// stay guarded.
///
/// # Safety
/// Within `work` and whenever one of its graphs is evaluated later, no integer is divided by 0 and no smallest
/// integer by -1: the processor traps and the process ends. Each value of an index tensor lies within its axis: others
/// read and write foreign memory. Windows that overlap ([`as_strided`]) are neither reduced nor sliced, and a tensor whose last
/// axis has one position is not viewed as a narrower dtype.
///
/// [`as_strided`]: https://ml-explore.github.io/mlx/build/html/python/_autosummary/mlx.core.as_strided.html
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

/// Whether the code runs within [`unguarded`].
pub(crate) fn is_off() -> bool {
    UNGUARDED.get()
}
