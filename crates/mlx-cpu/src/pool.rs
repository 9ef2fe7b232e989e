//! Threads that share the parts of one kernel: the caller and a few workers that spin briefly, then sleep.
//!
//! A worker that is asleep costs the caller a wake-up and no waiting: the caller takes parts itself, and waits only for
//! parts that were begun. Work that comes while another thread has the workers runs on its own thread alone.

use crate::{
    arch::shared::{Lender, Slot},
    setting,
};
use parking_lot::Mutex;
use std::{
    any::Any,
    num::{IntErrorKind, NonZeroUsize},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

/// How long a worker looks for more work before it sleeps: the gap between two kernels of a decode step.
const SPIN: Duration = Duration::from_micros(60);

/// The most threads.
const MOST: usize = 256;

struct Worker {
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

struct Pool {
    slot: &'static Slot,
    lender: Mutex<Lender>,
    workers: Vec<Worker>,
}

/// How many threads work on one kernel, the caller included: `MLX_CPU_THREADS` if that is set and not empty, else what the
/// system offers; at most 256, to which a larger number is cut. [`Isa::chosen`](crate::Isa::chosen) refuses what is no number.
#[must_use]
pub fn threads() -> usize {
    pool().workers.len() + 1
}

/// Calls `part` once for each number below `parts`, on this thread and the workers, and returns when all are done.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let sum = AtomicUsize::new(0);
/// mlx_cpu::pool::run(10, |part| {
///     sum.fetch_add(part, Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 45);
/// ```
///
/// # Panics
/// With what the first part to panic panicked with. The other parts have run, but where this thread did them all alone:
/// then those after it have not.
pub fn run(parts: usize, part: impl Fn(usize) + Sync) {
    let pool = pool();
    let alone = || (0..parts).for_each(&part);
    if parts < 2 || pool.workers.is_empty() {
        return alone();
    }
    let Some(mut lender) = pool.lender.try_lock() else { return alone() };
    let panicked: OnceLock<Mutex<Option<Box<dyn Any + Send>>>> = OnceLock::new();
    let caught = |number: usize| {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| part(number))) {
            panicked.get_or_init(|| Mutex::new(None)).lock().get_or_insert(payload);
        }
    };
    Slot::lend(&mut lender, &caught, parts, || {
        pool.wake(parts - 1);
        pool.slot.visit();
    });
    drop(lender);
    if let Some(payload) = panicked.into_inner().and_then(Mutex::into_inner) {
        resume_unwind(payload);
    }
}

impl Pool {
    fn wake(&self, at_most: usize) {
        for worker in self.workers.iter().take(at_most) {
            if worker.asleep.swap(false, Ordering::SeqCst)
                && let Some(thread) = worker.thread.get()
            {
                thread.unpark();
            }
        }
    }

    /// A worker's life; it ends with the process.
    fn serve(&self, number: usize) {
        let worker = &self.workers[number];
        worker.thread.get_or_init(thread::current);
        let mut seen = 0;
        loop {
            if !self.spin(seen) {
                worker.asleep.store(true, Ordering::SeqCst);
                // Whoever lends after this look sees that the worker sleeps.
                while worker.asleep.load(Ordering::SeqCst) && self.slot.round() == seen {
                    thread::park();
                }
                worker.asleep.store(false, Ordering::SeqCst);
            }
            seen = self.slot.round();
            self.slot.visit();
        }
    }

    /// Whether there is a new round, within the time for spinning.
    fn spin(&self, seen: usize) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..32 {
                if self.slot.round() != seen {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() > SPIN {
                return false;
            }
            // Where the caller waits for this very core, it gets it at once.
            thread::yield_now();
        }
    }
}

fn pool() -> &'static Pool {
    static POOL: OnceLock<&'static Pool> = OnceLock::new();
    POOL.get_or_init(|| {
        let (slot, lender) = Lender::new();
        let worker = |_| Worker { asleep: AtomicBool::new(false), thread: OnceLock::new() };
        let workers = (1..wanted().unwrap_or_else(|_| offered())).map(worker).collect();
        let pool: &'static Pool = Box::leak(Box::new(Pool { slot, lender: Mutex::new(lender), workers }));
        for number in 0..pool.workers.len() {
            let thread = thread::Builder::new().name(format!("mlx-cpu {number}"));
            // A worker that does not start is one that never comes; the callers take its parts.
            drop(thread.spawn(move || pool.serve(number)));
        }
        pool
    })
}

/// How many threads are asked for.
///
/// # Errors
/// `MLX_CPU_THREADS` is no number from 1 on.
pub(crate) fn wanted() -> Result<usize, String> {
    setting::read("MLX_CPU_THREADS")?.map_or_else(|| Ok(offered()), |text| number(&text))
}

fn number(text: &str) -> Result<usize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(threads) => Ok(threads.get().min(MOST)),
        // More than a `usize` holds is a number all the same.
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(MOST),
        Err(_) => Err(format!("MLX_CPU_THREADS={text}: not a number of threads, 1 or more")),
    }
}

fn offered() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn numbers_of_threads_are_read_and_others_refused() {
        for (text, threads) in
            [("1", 1), ("17", 17), ("256", 256), ("257", 256), ("99999999999999999999", 256)]
        {
            assert_eq!(number(text), Ok(threads));
        }
        for text in ["0", "abc", "-1", "1.5", " 2"] {
            let said = format!("MLX_CPU_THREADS={text}: not a number of threads, 1 or more");
            assert_eq!(number(text), Err(said));
        }
    }

    #[test]
    fn every_part_runs_once_however_many_callers() {
        thread::scope(|scope| {
            for caller in 1..5 {
                scope.spawn(move || {
                    for round in 0..2000 {
                        let parts = (round * caller) % 23;
                        let counts: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
                        run(parts, |part| {
                            counts[part].fetch_add(1, Ordering::Relaxed);
                        });
                        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_comes_out_and_the_next_run_is_right() {
        for _ in 0..50 {
            let ran = AtomicUsize::new(0);
            let payload = catch_unwind(AssertUnwindSafe(|| {
                run(9, |part| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    assert!(part != 4, "part four");
                });
            }));
            assert_eq!(*payload.unwrap_err().downcast::<&str>().unwrap(), "part four");
            let ran_after = AtomicUsize::new(0);
            run(9, |_| {
                ran_after.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(ran_after.into_inner(), 9);
        }
    }

    #[test]
    fn a_run_within_a_run_is_done_by_its_own_thread() {
        let sum = AtomicUsize::new(0);
        run(4, |_| {
            run(4, |part| {
                sum.fetch_add(part, Ordering::Relaxed);
            });
        });
        assert_eq!(sum.into_inner(), 24);
    }
}
