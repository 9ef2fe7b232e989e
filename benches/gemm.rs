//! What a float32 product of 1024 x 1024 matrices costs: `MLX_CPU=blas` and `stock`, and numpy with its own OpenBLAS.
//!
//! `cargo bench --bench gemm`. A process fixes its mode at its first tensor, so each mode is a process of its own. With a
//! thread a core, the ratios within a round say more about the scheduler than about the engines: numpy's own times differ
//! by half where a second thread calls it. A mode that is not there is left out, and said so.

mod paired;
mod twin;

use criterion::Criterion;
use mlx::{Dtype, Tensor, ops};
use paired::{Case, Engine, Turns};
use std::{
    env, fs,
    hint::black_box,
    io,
    num::NonZero,
    process::Command,
    thread,
    time::{Duration, Instant},
};
use twin::Twin;

/// Set in a process that is an engine, which its own arguments, criterion's, cannot say.
const ENGINE: &str = "MLX_BENCH_ENGINE";
const SIDE: i32 = 1024;

fn main() {
    if env::var_os(ENGINE).is_some() {
        serve().expect("whoever started this engine reads its answers");
        return;
    }
    let all = thread::available_parallelism().map_or(1, NonZero::get);
    let cases = [
        Case { name: "matmul 1024, f32, one thread", engines: engines(1) },
        Case { name: "matmul 1024, f32, a thread a core", engines: engines(all) },
    ];
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    // OpenBLAS's threads spin for about 100 ms after a product.
    let (turn, rest) = (Duration::ZERO, Duration::from_millis(300));
    let turns = Turns { rounds: 21, turn, rest, columns: &["blas", "stock", "numpy"] };
    paired::run(&cases, criterion, &turns);
}

/// All engines that are there, with so many threads.
fn engines(threads: usize) -> Vec<(&'static str, Engine)> {
    let threads = threads.to_string();
    let found = [
        ("blas", library("blas", &threads)),
        ("stock", library("stock", &threads)),
        ("numpy", Twin::numpy(&threads)),
    ];
    let mut engines = Vec::new();
    for (name, twin) in found {
        match twin {
            Ok(twin) => engines.push((name, engine(twin))),
            Err(why) => println!("Without {name}: {why}"),
        }
    }
    engines
}

fn engine(twin: Twin) -> Engine {
    let side = SIDE.to_string();
    Box::new(move |count| twin.run(&side, count).expect("an engine that has just started"))
}

/// This library in a mode.
fn library(mode: &str, threads: &str) -> Result<Twin, String> {
    let program = env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.env(ENGINE, "1").env("MLX_CPU", mode).env("OPENBLAS_NUM_THREADS", threads);
    let twin = Twin::start(&mut command).map_err(|e| e.to_string())?;
    match (mode, twin.greeting()) {
        (_, "") => Err("the process ended early.".into()),
        ("blas", "no OpenBLAS") => Err("the process has loaded no OpenBLAS.".into()),
        _ => Ok(twin),
    }
}

/// The engine's side: says whether OpenBLAS computes, then answers "SIDE COUNT" with nanoseconds.
fn serve() -> io::Result<()> {
    multiply(&half(64), 1);
    // Only Linux tells what is loaded; elsewhere there is no such mode.
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    println!("{}", if maps.contains("openblas") { "OpenBLAS" } else { "no OpenBLAS" });
    let mut matrix = half(SIDE);
    for line in io::stdin().lines() {
        let line = line?;
        let (side, count) = line.split_once(' ').unwrap_or((&line, "1"));
        let (side, count) = (side.parse().unwrap_or(SIDE), count.parse().unwrap_or(1));
        if matrix.shape()[0] != side {
            matrix = half(side);
        }
        println!("{}", multiply(&matrix, count).as_nanos());
    }
    Ok(())
}

/// An evaluated square of 0.5.
fn half(side: i32) -> Tensor {
    let matrix = ops::full([side, side], 0.5, Dtype::Float32).expect("a small matrix");
    matrix.eval().expect("a small matrix");
    matrix
}

fn multiply(matrix: &Tensor, count: u64) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        let product = ops::matmul(matrix, matrix).expect("two squares");
        product.eval().expect("a small matrix");
        black_box(product);
    }
    start.elapsed()
}
