//! The library lock: reentrant, taken by one atomic exchange, given back by a plain store.
//!
//! It is taken twice an op, to build a node and to drop one. A general mutex gives back by a second exchange, to know
//! whether to wake somebody; here a waiter that just misses being woken looks again after a millisecond.

use super::runtime::{self, Job};
use parking_lot::{Condvar, Mutex};
use std::{
    cell::Cell,
    hint,
    marker::PhantomData,
    mem,
    sync::atomic::{AtomicU32, AtomicUsize, Ordering},
    time::Duration,
};

/// A critical section is shorter than this many pauses, most of the time.
const SPINS: u32 = 100;

thread_local! {
    /// Its address is the thread's name.
    static HERE: Cell<u8> = const { Cell::new(0) };
}

/// A lock that the thread which holds it can take again.
pub(super) struct Lock {
    /// The name of the thread that holds the lock; 0 for none.
    owner: AtomicUsize,
    /// How often that thread took it again; no other thread looks.
    again: AtomicU32,
    /// Threads that wait, and jobs that are left.
    waiting: AtomicU32,
    left: Mutex<Vec<Job>>,
    sleep: Mutex<()>,
    wake: Condvar,
}

/// The lock, held by this thread.
pub(super) struct Held {
    lock: &'static Lock,
    /// Not `Send`: the thread that took the lock gives it back.
    _thread: PhantomData<*const ()>,
}

impl Lock {
    pub(super) const fn new() -> Lock {
        Lock {
            owner: AtomicUsize::new(0),
            again: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            left: Mutex::new(Vec::new()),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Takes the lock unless another thread holds it.
    #[inline]
    pub(super) fn try_lock(&'static self) -> Option<Held> {
        let me = HERE.with(|here| std::ptr::from_ref(here).addr());
        match self.owner.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => {}
            Err(owner) if owner == me => {
                self.again.store(self.again.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            }
            Err(_) => return None,
        }
        Some(Held { lock: self, _thread: PhantomData })
    }

    /// Takes the lock.
    #[inline]
    pub(super) fn lock(&'static self) -> Held {
        self.try_lock().unwrap_or_else(|| self.wait())
    }

    /// Whether this thread holds the lock.
    pub(super) fn is_mine(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == HERE.with(|here| std::ptr::from_ref(here).addr())
    }

    /// Leaves a job until the lock is given back, by this thread, which holds it.
    pub(super) fn leave(&self, job: Job) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.left.lock().push(job);
    }

    /// Gives the lock back, however often this thread took it, and says how often that was again.
    pub(super) fn give_up(&'static self) -> u32 {
        let again = self.again.swap(0, Ordering::Relaxed);
        drop(Held { lock: self, _thread: PhantomData });
        again
    }

    /// Takes the lock as often as it was given up.
    pub(super) fn take_back(&'static self, again: u32) {
        std::mem::forget(self.lock());
        self.again.store(again, Ordering::Relaxed);
    }

    #[cold]
    fn wait(&'static self) -> Held {
        for _ in 0..SPINS {
            hint::spin_loop();
            if self.owner.load(Ordering::Relaxed) == 0
                && let Some(held) = self.try_lock()
            {
                return held;
            }
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut sleep = self.sleep.lock();
        let held = loop {
            if let Some(held) = self.try_lock() {
                break held;
            }
            self.wake.wait_for(&mut sleep, Duration::from_millis(1));
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        held
    }

    #[cold]
    fn wake(&self) {
        self.wake.notify_one();
        runtime::run_left(|| {
            let jobs = mem::take(&mut *self.left.lock());
            self.waiting.fetch_sub(jobs.len() as u32, Ordering::Relaxed);
            jobs
        });
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        let lock = self.lock;
        match lock.again.load(Ordering::Relaxed) {
            0 => {
                lock.owner.store(0, Ordering::Release);
                if lock.waiting.load(Ordering::Relaxed) > 0 {
                    lock.wake();
                }
            }
            again => lock.again.store(again - 1, Ordering::Relaxed),
        }
    }
}
