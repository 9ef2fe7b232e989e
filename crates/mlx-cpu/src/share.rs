//! Values handed out to the pool's threads, one a part: how kernels give each part its piece of an output.

use crate::pool;
use parking_lot::Mutex;

/// Calls `part` once with each item, on this thread and the pool's.
pub fn each<I: Send>(items: Vec<I>, part: impl Fn(I) + Sync) {
    let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    pool::run(items.len(), |number| {
        let item = items[number].lock().take();
        if let Some(item) = item {
            part(item);
        }
    });
}

/// Whether so many products take less time than waking a thread.
#[must_use]
pub fn is_little(work: usize) -> bool {
    work < 1 << 15
}

/// How large pieces of `all` are, in multiples of `step`, so that each thread gets a few; one piece for little `work`.
pub(crate) fn piece(all: usize, step: usize, work: usize) -> usize {
    let pieces = if is_little(work) { 1 } else { pool::threads() * 4 };
    all.div_ceil(pieces).next_multiple_of(step).max(step)
}
