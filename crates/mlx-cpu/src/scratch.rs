//! Room for floats that a thread keeps for its next kernel.

use std::cell::RefCell;

/// More than this is given back at once.
const KEPT: usize = 4 << 20;

thread_local! {
    static FREE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` with room for `len` floats, whose values are left from earlier uses.
pub(crate) fn with<R>(len: usize, f: impl FnOnce(&mut [f32]) -> R) -> R {
    let mut room = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
    if room.len() < len {
        room.resize(len, 0.0);
    }
    let result = f(&mut room[..len]);
    if room.len() <= KEPT {
        FREE.with_borrow_mut(|free| free.push(room));
    }
    result
}
