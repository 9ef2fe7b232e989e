//! Threads that compute at once get what one gets alone.

use crate::layouts::values;
use mlx::{CpuMode, Device, Stream, Tensor, cpu_mode, fast::quantize, prelude::*, with_stream};
use std::thread;

/// The bits of several products, sums and rows.
fn compute(seed: u64) -> Vec<Vec<u32>> {
    let dtype = if seed.is_multiple_of(2) { Dtype::Float16 } else { Dtype::Bfloat16 };
    let (x, w) = (values(&[7, 192], dtype, seed), values(&[192, 128], dtype, seed + 1));
    let quantized = quantize(&values(&[96, 192], dtype, seed + 2), mlx::fast::QuantMode::Affine).unwrap();
    let one = x.index(..1);
    let results = [
        x.matmul(&w),
        one.matmul(&w),
        x.matmul(&w).softmax(-1).sum(-1),
        mlx::fast::quantized_matmul(&one, &quantized, true).unwrap(),
        mlx::fast::quantized_matmul(&x, &quantized, true).unwrap(),
    ];
    let bits = |x: &Tensor| {
        x.astype(Dtype::Float32).to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
    };
    results.iter().map(bits).collect()
}

pub(crate) fn check() {
    assert_eq!(cpu_mode().unwrap(), CpuMode::Fast);
    let alone: Vec<_> = (0..8).map(compute).collect();
    for _ in 0..20 {
        thread::scope(|scope| {
            for (seed, alone) in alone.iter().enumerate() {
                // A stream has a thread of its own: work on the same one would wait in its queue.
                scope.spawn(move || {
                    let own = Stream::new(Device::cpu()).unwrap();
                    let found = with_stream(&own, || compute(seed as u64)).unwrap();
                    assert_eq!(&found, alone, "{seed}");
                });
            }
        });
    }
}
