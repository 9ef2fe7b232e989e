//! The end of a process: `main` returns, or ends it, whatever other threads do with tensors at that moment.

#[path = "support/exported.rs"]
mod exported;
#[path = "support/failing.rs"]
mod failing;
#[path = "support/folder.rs"]
mod folder;
#[path = "support/programs.rs"]
mod programs;

use exported::import;
use failing::failing;
use folder::Folder;
use mlx::{
    Device, Stream, async_eval,
    fast::HostKernel,
    ops,
    prelude::*,
    transforms::{ImportedFunction, compile, export_function},
    with_stream,
};
use std::{
    cell::RefCell,
    process::ExitCode,
    sync::{Barrier, OnceLock, mpsc},
    thread,
    time::Duration,
};

fn main() -> ExitCode {
    programs::main(
        &[
            ("main_returns_while_threads_compute", returns_while_threads_compute),
            ("main_exits_while_threads_compute", exits_while_threads_compute),
            ("main_returns_while_threads_end", returns_while_threads_end),
            ("main_returns_with_thread_locals", returns_with_thread_locals),
            ("main_returns_with_random_keys", returns_with_random_keys),
            ("main_returns_while_thread_locals_drop", returns_while_thread_locals_drop),
            ("main_returns_with_work_in_flight", returns_with_work_in_flight),
            ("main_returns_while_threads_wait", returns_while_threads_wait),
            ("main_returns_while_evaluations_fail", returns_while_evaluations_fail),
            ("main_returns_while_a_thread_starts_mlx", returns_while_a_thread_starts_mlx),
            ("main_returns_with_tensors_in_statics", returns_with_tensors_in_statics),
            ("main_returns_while_threads_make_streams", returns_while_threads_make_streams),
            (
                "main_returns_while_threads_call_compiled_functions",
                returns_while_threads_call_compiled_functions,
            ),
            (
                "main_returns_while_threads_call_imported_functions",
                returns_while_threads_call_imported_functions,
            ),
            ("main_returns_while_host_kernels_run", returns_while_host_kernels_run),
            ("main_never_used_mlx", never_used_mlx),
        ],
        20,
    )
}

/// Builds, evaluates and reads; every element must be right until the very end.
fn check(value: i32) {
    let x = Tensor::from_slice(&[value; 100]).unwrap();
    assert_eq!((&x * 2 + 1).to_vec::<i32>().unwrap(), [value * 2 + 1; 100]);
}

/// Detached threads that compute for ever; returns when all of them do.
fn computing_threads(count: usize) {
    let (sender, receiver) = mpsc::channel();
    for number in 0..count {
        let sender = sender.clone();
        thread::spawn(move || {
            check(0);
            sender.send(()).unwrap();
            for turn in 0.. {
                check(turn % 1000 + number as i32);
            }
        });
    }
    receiver.iter().take(count).for_each(drop);
}

fn a_moment() {
    thread::sleep(Duration::from_micros(u64::from(std::process::id()) * 7919 % 8000));
}

fn returns_while_threads_compute() {
    computing_threads(4);
    a_moment();
    programs::end();
}

/// Each thread has a stream of its own, made while others end the process.
fn returns_while_threads_make_streams() {
    let (sender, receiver) = mpsc::channel();
    for number in 0..4 {
        let sender = sender.clone();
        thread::spawn(move || {
            for turn in 0..50 {
                let stream = Stream::new(Device::cpu()).unwrap();
                with_stream(&stream, || check(turn + number)).unwrap();
                sender.send(()).unwrap();
            }
        });
    }
    receiver.iter().take(8).for_each(drop);
    a_moment();
    programs::end();
}

fn exits_while_threads_compute() {
    computing_threads(4);
    a_moment();
    programs::end();
    std::process::exit(0);
}

fn returns_while_threads_end() {
    let barrier: &'static Barrier = Box::leak(Box::new(Barrier::new(9)));
    for _ in 0..8 {
        thread::spawn(|| {
            check(3);
            barrier.wait();
        });
    }
    barrier.wait();
    programs::end();
}

thread_local! {
    static KEPT: RefCell<Vec<Tensor>> = const { RefCell::new(Vec::new()) };
}

fn keep(count: i32) {
    KEPT.with_borrow_mut(|kept| {
        for value in 0..count {
            let lazy = Tensor::from_slice(&[value; 100]).unwrap() + 1;
            let done = &lazy * 2;
            done.eval().unwrap();
            kept.extend([lazy, done]);
        }
    });
}

fn returns_with_thread_locals() {
    keep(20);
    for _ in 0..4 {
        thread::spawn(|| keep(20)).join().unwrap();
    }
    check(1);
    programs::end();
}

/// Each thread's key is a lazy tensor in a thread-local of the library's own.
fn returns_with_random_keys() {
    let draw = |seed| {
        mlx::random::seed(seed).unwrap();
        let first = mlx::random::uniform(0, 1, [3]).unwrap();
        let _never_evaluated = mlx::random::normal([3]).unwrap();
        assert_eq!(first.to_vec::<f32>().unwrap().len(), 3);
    };
    for seed in 0..4 {
        thread::spawn(move || draw(seed));
    }
    draw(4);
    programs::end();
}

fn returns_while_thread_locals_drop() {
    let barrier: &'static Barrier = Box::leak(Box::new(Barrier::new(5)));
    for _ in 0..4 {
        thread::spawn(|| {
            keep(200);
            barrier.wait();
        });
    }
    keep(20);
    barrier.wait();
    a_moment();
    programs::end();
}

fn product() -> Tensor {
    let a = ops::ones([400, 400], Dtype::Float32).unwrap();
    (0..8).fold(a.clone(), |product, _| product.matmul(&a) * 0.0025)
}

fn returns_with_work_in_flight() {
    let product = product();
    async_eval([&product]).unwrap();
    async_eval([&(&product + 1.0)]).unwrap();
    programs::end();
}

fn returns_while_threads_wait() {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..3 {
        let sender = sender.clone();
        thread::spawn(move || {
            let product = product();
            sender.send(()).unwrap();
            product.eval().unwrap();
        });
    }
    receiver.iter().take(3).for_each(drop);
    programs::end();
}

fn returns_while_evaluations_fail() {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..3 {
        let sender = sender.clone();
        thread::spawn(move || {
            for fails in (0..).flat_map(|_| failing(50, 4)) {
                assert!((&fails + 1).eval().unwrap_err().message().contains("unable to read"));
                let _ = sender.send(());
            }
        });
    }
    receiver.iter().take(20).for_each(drop);
    a_moment();
    programs::end();
}

fn returns_while_a_thread_starts_mlx() {
    for _ in 0..2 {
        thread::spawn(|| check(5));
    }
    thread::sleep(Duration::from_micros(u64::from(std::process::id()) * 7919 % 3000));
    programs::end();
}

fn returns_with_tensors_in_statics() {
    static LAZY: OnceLock<Tensor> = OnceLock::new();
    static DONE: OnceLock<Tensor> = OnceLock::new();
    let lazy = LAZY.get_or_init(|| Tensor::from_slice(&[1, 2]).unwrap() + 1);
    let done = DONE.get_or_init(|| lazy * 2);
    assert_eq!(done.to_vec::<i32>().unwrap(), [4, 6]);
    programs::end();
}

/// Two threads end with their traces while `main` returns.
fn returns_while_threads_call_compiled_functions() {
    static HALF: OnceLock<Tensor> = OnceLock::new();
    let half = HALF.get_or_init(|| tensor![0.5, 0.5] * 1.0);
    let f = compile(move |x: &Tensor| (x * half).sum(..));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let f = f.clone();
            thread::spawn(move || {
                for turn in 0..50 {
                    let x = Tensor::from_slice(&[turn as f32; 2]).unwrap();
                    assert_eq!(f.call(&x).unwrap().to_vec::<f32>().unwrap(), [turn as f32]);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    for _ in 0..2 {
        let f = f.clone();
        thread::spawn(move || {
            loop {
                assert_eq!(f.call(&tensor![1.0, 2.0]).unwrap().to_vec::<f32>().unwrap(), [1.5]);
            }
        });
    }
    a_moment();
    programs::end();
}

/// Functions in a static, in thread-locals of threads that end and of `main`, and in threads that go on.
fn returns_while_threads_call_imported_functions() {
    thread_local! {
        static MINE: RefCell<Option<ImportedFunction>> = const { RefCell::new(None) };
    }
    static SHARED: OnceLock<ImportedFunction> = OnceLock::new();
    let folder = Folder::new("exit");
    let half = tensor![0.5, 0.5] * 1.0;
    export_function(folder.path("f"), |x: &Tensor| (x * &half).sum(..), &tensor![0.0, 0.0]).unwrap();
    let shared = SHARED.get_or_init(|| import(folder.path("f")).unwrap());
    let call = |f: &ImportedFunction, turn: f64| {
        let y = f.call(&tensor![turn, turn]).unwrap();
        assert_eq!(y[0].to_vec::<f32>().unwrap(), [turn as f32]);
    };
    let own = || {
        let f = import(folder.path("f")).unwrap();
        call(&f, 2.0);
        MINE.set(Some(f));
    };
    own();
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(own))));
    for _ in 0..2 {
        thread::spawn(move || {
            loop {
                call(shared, 3.0);
            }
        });
    }
    a_moment();
    drop(folder);
    programs::end();
}

/// Kernels compute, fail and are dropped on MLX's threads; one is in a static.
fn returns_while_host_kernels_run() {
    static KEPT: OnceLock<(HostKernel, Tensor)> = OnceLock::new();
    let kernel = |turn: usize| {
        let kept = vec![turn; 100];
        HostKernel::new("kept", move |_, outputs| {
            if turn.is_multiple_of(3) {
                return Err("a third".into());
            }
            outputs[0].slice_mut::<u64>()?[0] = kept[99] as u64;
            Ok(())
        })
        .output([1], Dtype::Uint64)
    };
    KEPT.get_or_init(|| (kernel(1), kernel(2).call_one([]).unwrap()));
    let (sender, receiver) = mpsc::channel();
    for number in 0..3 {
        let sender = sender.clone();
        thread::spawn(move || {
            for turn in number.. {
                let y = kernel(turn).call_one([]).unwrap();
                match turn % 3 {
                    0 => assert!(y.eval().is_err()),
                    _ => assert_eq!(y.to_vec::<u64>().unwrap(), [turn as u64]),
                }
                let _ = sender.send(());
            }
        });
    }
    receiver.iter().take(20).for_each(drop);
    a_moment();
    programs::end();
}

fn never_used_mlx() {
    programs::end();
}
