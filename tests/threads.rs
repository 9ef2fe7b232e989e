//! Threads: shared lazy tensors built on, evaluated, cloned and dropped from eight threads, with failing ones among
//! them; work in flight that another thread reads; who gets an error and who does not.

#[path = "support/failing.rs"]
mod failing;

use failing::failing;
use mlx::{Device, Tensor, async_eval, eval, ops, prelude::*};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

const THREADS: u64 = 8;
const ROUNDS: u64 = 2000;
const SIZE: usize = 24;
const NO_MEMORY: &str = "Unable to allocate";

/// The values a tensor must have; `None` when it must fail.
type Wanted = Option<Vec<i32>>;

/// Every element, or the failure, twice.
#[track_caller]
fn check(tensor: &Tensor, wanted: Option<&[i32]>) {
    for _ in 0..2 {
        match (tensor.to_vec::<i32>(), wanted) {
            (Ok(found), Some(wanted)) => assert_eq!(found, wanted),
            (Err(error), None) => told(&error, "unable to read"),
            (found, wanted) => panic!("{found:?} instead of {wanted:?}"),
        }
    }
}

#[track_caller]
fn told(error: &mlx::Error, words: &str) {
    assert_eq!(error.kind(), ErrorKind::Eval);
    assert!(error.message().contains(words), "a stranger's words: {error}");
}

/// Ends the process when `work` hangs.
fn in_time(work: impl FnOnce()) {
    let (done, over) = mpsc::channel::<()>();
    thread::spawn(move || {
        if over.recv_timeout(Duration::from_secs(120)) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("hung");
            std::process::exit(99);
        }
    });
    work();
    drop(done);
}

/// Numbers in no order (xorshift), the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn map(values: &Wanted, f: impl Fn(i32) -> i32) -> Wanted {
    values.as_ref().map(|values| values.iter().map(|&value| f(value)).collect())
}

fn sum(a: &Wanted, b: &Wanted) -> Wanted {
    Some(a.as_ref()?.iter().zip(b.as_ref()?).map(|(a, b)| a.wrapping_add(*b)).collect())
}

/// Tensors that all threads take from and put into, most of them lazy, some that fail.
struct Pool(Vec<Mutex<(Tensor, Wanted)>>);

impl Pool {
    fn new(size: usize) -> Pool {
        let slot = |i: usize| {
            let values: Vec<i32> = (0..SIZE).map(|j| (i * 100 + j) as i32).collect();
            let tensor = Tensor::from_slice(&values).unwrap() + 0;
            Mutex::new((tensor, Some(values)))
        };
        Pool((0..size).map(slot).collect())
    }

    fn take(&self, dice: &mut Dice) -> (Tensor, Wanted) {
        self.0[dice.roll(self.0.len())].lock().unwrap().clone()
    }

    fn put(&self, dice: &mut Dice, tensor: Tensor, wanted: Wanted) {
        let slot = dice.roll(self.0.len());
        // Failing tensors keep to a few slots, so that they do not spread over all.
        let slot = if wanted.is_none() { slot % 4 } else { slot };
        let old = std::mem::replace(&mut *self.0[slot].lock().unwrap(), (tensor, wanted));
        drop(old);
    }
}

fn round(pool: &Pool, dice: &mut Dice, fail: &mut impl Iterator<Item = Tensor>) {
    let (a, a_wanted) = pool.take(dice);
    match dice.roll(8) {
        0 | 1 => {
            let lazy = &a * 3 + 7;
            pool.put(dice, lazy, map(&a_wanted, |v| v.wrapping_mul(3).wrapping_add(7)));
        }
        2 => check(&a, a_wanted.as_deref()),
        3 => {
            let (b, b_wanted) = pool.take(dice);
            check(&(&a + &b), sum(&a_wanted, &b_wanted).as_deref());
        }
        4 => {
            let clones: Vec<Tensor> = (0..8).map(|_| a.clone()).collect();
            let (half, rest) = (a.index(..SIZE as i32 / 2), a.index(SIZE as i32 / 2..));
            drop(a);
            drop(clones);
            check(&half, a_wanted.as_ref().map(|v| &v[..SIZE / 2]));
            check(&rest, a_wanted.as_ref().map(|v| &v[SIZE / 2..]));
        }
        5 => {
            let doubled = &a * 2;
            assert!(async_eval([&doubled]).is_ok() || a_wanted.is_none());
            pool.put(dice, doubled, map(&a_wanted, |v| v.wrapping_mul(2)));
        }
        6 => {
            let (b, c) = (&a - 5, &a * -1);
            assert_eq!(eval([&b, &c]).is_ok(), a_wanted.is_some());
            check(&b, map(&a_wanted, |v| v.wrapping_sub(5)).as_deref());
            check(&c, map(&a_wanted, i32::wrapping_neg).as_deref());
        }
        _ => fail_beside(&a, &a_wanted, pool, dice, &fail.next().expect("one a round")),
    }
}

/// A failing computation that rests on an innocent tensor, evaluated before so that it is no part of the failure.
fn fail_beside(innocent: &Tensor, wanted: &Wanted, pool: &Pool, dice: &mut Dice, fails: &Tensor) {
    let _ = innocent.eval();
    let between = fails * 2;
    let top = &between + innocent;
    assert!(top.eval().is_err());
    check(&top, None);
    check(&between, None);
    check(&(&top + 1), None);
    check(innocent, wanted.as_deref());
    pool.put(dice, &top - 1, None);
}

#[test]
fn eight_threads_on_shared_lazy_tensors() {
    in_time(|| {
        let pool = Pool::new(32);
        thread::scope(|scope| {
            for seed in 1..=THREADS {
                let pool = &pool;
                scope.spawn(move || {
                    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    let mut fail = std::iter::repeat_with(|| failing(100, SIZE)).flatten();
                    (0..ROUNDS).for_each(|_| round(pool, &mut dice, &mut fail));
                });
            }
        });
        for slot in pool.0 {
            let (tensor, wanted) = slot.into_inner().unwrap();
            check(&tensor, wanted.as_deref());
        }
    });
}

#[test]
fn several_threads_evaluate_the_same_tensor() {
    in_time(|| {
        for turn in 0..300 {
            let x = Tensor::from_slice(&[turn; SIZE]).unwrap() * 3 + 1;
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| check(&x, Some(&[turn * 3 + 1; SIZE])));
                }
            });
        }
    });
}

#[test]
fn several_threads_evaluate_the_same_failing_tensor() {
    in_time(|| {
        for fails in failing(300, SIZE) {
            let top = &fails + 1;
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| check(&top, None));
                    scope.spawn(|| check(&(&top * 2), None));
                }
                scope.spawn(|| check(&(Tensor::from_slice(&[5]).unwrap() + 1), Some(&[6])));
            });
        }
    });
}

/// Evaluations that run one behind the other on one stream: each failure goes to its own.
#[test]
fn a_failure_reaches_its_own_thread_only() {
    in_time(|| {
        thread::scope(|scope| {
            scope.spawn(|| failing(1000, SIZE).iter().for_each(|fails| check(&(fails + 1), None)));
            for _ in 0..2 {
                scope.spawn(|| {
                    for turn in 0..3000 {
                        check(&(Tensor::from_slice(&[turn; 2]).unwrap() + 1), Some(&[turn + 1; 2]));
                    }
                });
            }
        });
    });
}

#[test]
fn work_in_flight_is_read_on_another_thread() {
    in_time(|| {
        let (sender, receiver) = mpsc::channel::<(Tensor, f32)>();
        let producer = thread::spawn(move || {
            for turn in 0..60 {
                let value = (turn % 7) as f32;
                let a = ops::full([192, 192], value, Dtype::Float32).unwrap();
                let product = a.matmul(&a);
                async_eval([&product]).unwrap();
                sender.send((product.clone(), value * value * 192.0)).unwrap();
                assert_eq!(product.to_vec::<f32>().unwrap(), vec![value * value * 192.0; 192 * 192]);
            }
        });
        for (product, value) in receiver {
            let next = (&product + 1.0).to_vec::<f32>().unwrap();
            assert_eq!(next, vec![value + 1.0; 192 * 192]);
            assert_eq!(product.to_vec::<f32>().unwrap(), vec![value; 192 * 192]);
        }
        producer.join().unwrap();
    });
}

/// Starts what will fail; where the work is a GPU's, its inputs from files are waited for, and tell already.
fn started<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) {
    if let Err(error) = async_eval(tensors) {
        assert_ne!(Device::current().unwrap(), Device::cpu(), "{error}");
        told(&error, "unable to read");
    }
}

#[test]
fn a_tensor_built_on_work_in_flight_that_fails_fails_too() {
    in_time(|| {
        for fails in failing(300, SIZE) {
            let middle = &fails + 1;
            started([&middle]);
            let top = &middle * 2;
            thread::spawn(move || check(&top, None)).join().unwrap();
            check(&middle, None);
            check(&fails, None);
        }
    });
}

#[test]
fn nobody_is_poisoned_by_a_batch_that_is_refused() {
    let fails = failing(1, SIZE).remove(0);
    check(&fails, None);
    let (held, innocent) = (Tensor::from_slice(&[1]).unwrap() + 1, Tensor::from_slice(&[2]).unwrap() + 1);
    let top = &held * 2;
    assert!(eval([&top, &fails, &innocent]).is_err());
    assert!(async_eval([&innocent, &fails]).is_err());
    check(&held, Some(&[2]));
    check(&top, Some(&[4]));
    check(&innocent, Some(&[3]));
}

/// A computation that MLX refuses while it schedules: what it had scheduled before runs on, and is nobody's failure.
fn refused_while_scheduling() {
    let held = tensor![0, 1, 2, 3, 4] + 1;
    let beside = &held * 2;
    // More memory than an address space.
    let refused = ops::zeros([1 << 30, 1 << 20], Dtype::Int32).unwrap() + held.index(0);
    let top = &refused + 1;
    // On a GPU the words are CUDA's, and what was scheduled with it fails too.
    if Device::current().unwrap() != Device::cpu() {
        assert!(top.eval().is_err() && eval([&beside, &refused]).is_err());
        // CUDA keeps the error with the thread; what comes after is not its.
        return check(&(tensor![0, 1, 2, 3, 4] + 7), Some(&[7, 8, 9, 10, 11]));
    }
    for _ in 0..2 {
        told(&top.eval().unwrap_err(), NO_MEMORY);
        told(&(&top * 2).eval().unwrap_err(), NO_MEMORY);
        told(&eval([&beside, &refused]).unwrap_err(), NO_MEMORY);
    }
    check(&held, Some(&[1, 2, 3, 4, 5]));
    check(&beside, Some(&[2, 4, 6, 8, 10]));
    check(&(&held + 1), Some(&[2, 3, 4, 5, 6]));
}

#[test]
fn a_failure_to_schedule_neither_hangs_nor_poisons() {
    in_time(|| {
        thread::scope(|scope| {
            scope.spawn(|| (0..300).for_each(|_| refused_while_scheduling()));
            scope.spawn(|| failing(300, SIZE).iter().for_each(|fails| check(&(fails + 1), None)));
            for turn in 0..1000 {
                check(&(Tensor::from_slice(&[turn]).unwrap() + 1), Some(&[turn + 1]));
            }
        });
    });
}

/// MLX's own synchronize takes the error of whatever failed last.
#[test]
fn synchronizing_takes_nobodys_error() {
    in_time(|| {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        mlx::synchronize().unwrap();
                    }
                });
            }
            for fails in failing(2000, SIZE) {
                check(&(fails + 1), None);
            }
            done.store(true, Ordering::Relaxed);
        });
    });
}

#[test]
fn a_failure_dropped_unread_reaches_nobody() {
    in_time(|| {
        for (turn, fails) in failing(500, SIZE).into_iter().enumerate() {
            let top = &fails + 1;
            started([&top]);
            drop((top, fails));
            check(&(Tensor::from_slice(&[turn as i32]).unwrap() + 1), Some(&[turn as i32 + 1]));
        }
        mlx::synchronize().unwrap();
    });
}
