//! Stacks for MLX's transforms, which walk graphs by recursion, node by node: a thread's own would not do.
//!
//! Each thread keeps one when it is done, since a new one costs a third of a small gradient.

use crate::{Error, ErrorKind, Result};
use rustix::mm::{self, MapFlags, MprotectFlags, ProtFlags};
use std::{
    cell::Cell,
    ffi::c_void,
    panic::{self, AssertUnwindSafe},
    ptr,
};

/// Address space only, as long as nothing is deep.
const SIZE: usize = 512 << 20;
/// Behind the end of a stack, for whoever recurses without end.
const GUARD: usize = 1 << 20;

/// The nodes that fit: MLX takes less than 256 bytes of stack for each.
pub(super) const NODES: usize = SIZE / 2 / 256;

/// A stack on which more than this many nodes were walked is not kept: it holds memory.
const KEPT_NODES: usize = 20_000;

thread_local! {
    /// The lowest address of the stack that this thread is on, where that is one of these; else 0.
    static ON: Cell<usize> = const { Cell::new(0) };
    static SPARE: Cell<Option<Stack>> = const { Cell::new(None) };
    static DEEP: Cell<bool> = const { Cell::new(false) };
}

struct Stack(*mut c_void);

impl Stack {
    fn map() -> Result<Stack> {
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE);
        // SAFETY: a new mapping at an address of the system's choice, whose lower end is then made inaccessible.
        let mapped = unsafe {
            mm::mmap_anonymous(ptr::null_mut(), SIZE, access, flags)
                .map(Stack)
                .and_then(|stack| mm::mprotect(stack.0, GUARD, MprotectFlags::empty()).map(|()| stack))
        };
        mapped.map_err(|e| {
            let message = format!("no address space for a stack of {} MiB: {e}", SIZE >> 20);
            Error::new(ErrorKind::Memory, "transform", message)
        })
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and nothing runs on it. Failing leaves address space behind.
        let _ = unsafe { mm::munmap(self.0, SIZE) };
    }
}

/// Whether this thread is on such a stack, with half of it left.
pub(super) fn is_here() -> bool {
    let on = ON.get();
    on != 0 && psm::stack_pointer().addr() - on > SIZE / 2
}

/// Notes how many nodes were walked on the stack that this thread is on.
pub(super) fn note(nodes: usize) {
    if nodes > KEPT_NODES {
        DEEP.set(true);
    }
}

/// Runs `work` on such a stack.
pub(super) fn run<R>(work: impl FnOnce() -> R) -> Result<R> {
    if is_here() {
        return Ok(work());
    }
    let spare = SPARE.try_with(Cell::take).ok().flatten();
    let stack = spare.map_or_else(Stack::map, Ok)?;
    let before = ON.replace(stack.0.addr());
    // SAFETY: the mapping is aligned to pages, in use by nobody else and as long as said; nothing unwinds out of it.
    let result =
        unsafe { psm::on_stack(stack.0.cast(), SIZE, || panic::catch_unwind(AssertUnwindSafe(work))) };
    ON.set(before);
    if !DEEP.take() {
        // A thread whose locals are gone keeps none.
        let _ = SPARE.try_with(|spare| spare.set(Some(stack)));
    }
    result.map_err(|payload| panic::resume_unwind(payload))
}
