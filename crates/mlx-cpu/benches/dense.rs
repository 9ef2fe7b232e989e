//! How fast dense products are: GFLOP/s of large ones, GB/s of those with few rows. Arguments name sets; without, the best.
#![allow(missing_docs, reason = "a program")]

use half::{bf16, f16};
use mlx_cpu::{
    Floats, FloatsMut, Isa,
    dense::{Layout, Matmul},
    pool,
};
use std::{hint::black_box, time::Instant};

/// The least time of a call, of those in half a second.
fn seconds(mut call: impl FnMut()) -> f64 {
    call();
    let (start, mut least) = (Instant::now(), f64::INFINITY);
    while start.elapsed().as_secs_f64() < 0.5 {
        let one = Instant::now();
        call();
        least = least.min(one.elapsed().as_secs_f64());
    }
    least
}

/// Seconds for f32, f16 and bf16.
fn times(isa: Isa, m: usize, n: usize, b: Layout) -> [f64; 3] {
    let product = Matmul { b, ..Matmul::new(m, n, n) };
    let x: Vec<f32> = (0..n * n).map(|i| (i * 7919 % 1000) as f32 / 500.0 - 1.0).collect();
    let halves: Vec<f16> = x.iter().map(|&x| f16::from_f32(x)).collect();
    let brains: Vec<bf16> = x.iter().map(|&x| bf16::from_f32(x)).collect();
    let run = |x: Floats, out: FloatsMut| product.run(isa, x, x, out).expect("layouts are right");
    let (mut a, mut b, mut c) = (vec![0f32; m * n], vec![f16::ZERO; m * n], vec![bf16::ZERO; m * n]);
    [
        seconds(|| run(Floats::F32(&x), FloatsMut::F32(black_box(&mut a)))),
        seconds(|| run(Floats::F16(&halves), FloatsMut::F16(black_box(&mut b)))),
        seconds(|| run(Floats::Bf16(&brains), FloatsMut::Bf16(black_box(&mut c)))),
    ]
}

fn main() {
    let named: Vec<Isa> = std::env::args().filter_map(|name| name.parse().ok()).collect();
    for isa in if named.is_empty() { vec![Isa::best()] } else { named } {
        println!("{isa}, {} threads; f32, f16, bf16", pool::threads());
        for n in [256, 512, 1024, 2048] {
            for b in [Layout::rows(n), Layout::columns(n)] {
                let rates = times(isa, n, n, b).map(|s| format!("{:.0}", 2e-9 * (n as f64).powi(3) / s));
                println!("{n} cubed, transposed {}: {} GFLOP/s", b.transposed, rates.join(" "));
            }
        }
        let n = 4096;
        let (from, mut to) = (vec![1u8; 256 << 20], vec![0u8; 256 << 20]);
        let copy = seconds(|| black_box(&mut to).copy_from_slice(black_box(&from)));
        println!("copy of 256 MiB on one thread: {:.1} GB/s", 0.268_435_456 / copy);
        for m in [1, 4, 8, 16] {
            for b in [Layout::columns(n), Layout::rows(n)] {
                let [f32s, f16s, bf16s] = times(isa, m, n, b).map(|s| (n * n) as f64 * 1e-9 / s);
                let rates = [f32s * 4.0, f16s * 2.0, bf16s * 2.0].map(|rate| format!("{rate:.1}"));
                println!("{m} rows of {n}, transposed {}: {} GB/s", b.transposed, rates.join(" "));
            }
        }
    }
}
