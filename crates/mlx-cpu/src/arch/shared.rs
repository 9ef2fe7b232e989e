//! A closure that other threads may call while its owner waits for them. Not here: who calls it, and when.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

const OPEN: u32 = 1 << 31;

/// A borrowed closure over part numbers, as a thin pair of pointers.
#[derive(Clone, Copy)]
struct Borrowed<'a> {
    closure: &'a (dyn Fn(usize) + Sync),
}

/// A slot through which one closure at a time is lent.
pub(crate) struct Slot {
    /// `OPEN`, and how many guests are inside.
    door: AtomicU32,
    job: AtomicPtr<Borrowed<'static>>,
    next: AtomicUsize,
    parts: AtomicUsize,
    round: AtomicUsize,
}

impl Slot {
    /// A slot with its door shut.
    #[must_use]
    pub(crate) const fn new() -> Slot {
        Slot {
            door: AtomicU32::new(0),
            job: AtomicPtr::new(std::ptr::null_mut()),
            next: AtomicUsize::new(0),
            parts: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
        }
    }

    /// A number that changes with each closure lent.
    #[must_use]
    pub(crate) fn round(&self) -> usize {
        self.round.load(Ordering::SeqCst)
    }

    /// Lends `closure` for the time of `host`, which may call [`Slot::visit`] as guests do, and waits for the guests.
    ///
    /// One thread at a time may lend: `&mut` says so.
    pub(crate) fn lend(
        lender: &mut Lender,
        closure: &(dyn Fn(usize) + Sync),
        parts: usize,
        host: impl FnOnce(),
    ) {
        let slot = lender.slot;
        let mut job = Borrowed { closure };
        let shut = Shut(slot);
        slot.job.store((&raw mut job).cast(), Ordering::Relaxed);
        slot.next.store(0, Ordering::Relaxed);
        slot.parts.store(parts, Ordering::Relaxed);
        slot.door.store(OPEN, Ordering::SeqCst);
        // Who sees the round finds the door open, or has missed it.
        slot.round.fetch_add(1, Ordering::SeqCst);
        host();
        drop(shut);
    }

    /// Enters if the door is open, calls the lent closure for parts that nobody took, and leaves; whether it was open.
    pub(crate) fn visit(&self) -> bool {
        let open = |door: u32| (door & OPEN != 0).then_some(door + 1);
        if self.door.fetch_update(Ordering::SeqCst, Ordering::SeqCst, open).is_err() {
            return false;
        }
        let _leave = Leave(self);
        self.work();
        true
    }

    /// Calls the lent closure for parts that nobody took.
    fn work(&self) {
        let job = self.job.load(Ordering::Acquire);
        let parts = self.parts.load(Ordering::Relaxed);
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return;
            }
            // SAFETY: the caller is counted in `door`, and `Shut` lets the closure go only when nobody is.
            let closure = unsafe { (*job).closure };
            closure(part);
        }
    }
}

impl Default for Slot {
    fn default() -> Slot {
        Slot::new()
    }
}

/// The right to lend through a slot: there is one for each.
pub(crate) struct Lender {
    slot: &'static Slot,
}

impl Lender {
    /// A slot that lives for ever, and its only lender.
    #[must_use]
    pub(crate) fn new() -> (&'static Slot, Lender) {
        let slot: &'static Slot = Box::leak(Box::new(Slot::new()));
        (slot, Lender { slot })
    }
}

/// Shuts the door and waits for the guests, also when the host unwinds.
struct Shut(&'static Slot);

impl Drop for Shut {
    fn drop(&mut self) {
        self.0.door.fetch_and(!OPEN, Ordering::SeqCst);
        let mut rounds = 0_u32;
        while self.0.door.load(Ordering::SeqCst) != 0 {
            rounds += 1;
            if rounds < 2000 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        self.0.job.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}

/// Counts a guest out, also when the closure unwinds.
struct Leave<'a>(&'a Slot);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.door.fetch_sub(1, Ordering::SeqCst);
    }
}
