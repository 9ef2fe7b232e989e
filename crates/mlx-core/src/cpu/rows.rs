//! What is computed along rows, in float32: softmax and sums of halves.

use super::run::Float;
use crate::ffi::cpu::{Part, Work};
use mlx_cpu::{pool, share};

/// Elements of fewer rows than this are no work for several threads.
const LITTLE: usize = 1 << 14;

/// Sums that run beside each other, so that the processor can add several at once.
const LANES: usize = 32;

pub(super) fn softmax<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) {
    let inner = work.numbers().inner;
    let per_piece = inner * rows_per_piece(work);
    let pieces = inputs[0].elements::<T>().chunks(per_piece).zip(out.chunks_mut(per_piece));
    share::each(pieces.collect(), |(x, out)| {
        let mut wide = vec![0.0; inner];
        for (x, out) in x.chunks(inner).zip(out.chunks_mut(inner)) {
            for (wide, &x) in wide.iter_mut().zip(x) {
                *wide = x.widen();
            }
            // A NaN is lost here and found again in each difference.
            let most = wide.iter().fold(f32::NEG_INFINITY, |most, &x| most.max(x));
            wide.iter_mut().for_each(|x| *x = (*x - most).exp());
            let total = total(&wide, |x| x);
            for (&wide, out) in wide.iter().zip(out) {
                *out = T::narrow(wide / total);
            }
        }
    });
}

pub(super) fn sum<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) {
    let inner = work.numbers().inner;
    let rows = rows_per_piece(work);
    let pieces = inputs[0].elements::<T>().chunks(inner * rows).zip(out.chunks_mut(rows));
    share::each(pieces.collect(), |(x, out)| {
        for (x, out) in x.chunks(inner).zip(out) {
            *out = T::narrow(total(x, Float::widen));
        }
    });
}

fn rows_per_piece(work: &Work<'_>) -> usize {
    let numbers = work.numbers();
    let little = numbers.rows * numbers.inner < LITTLE;
    numbers.rows.div_ceil(if little { 1 } else { pool::threads() * 4 })
}

/// Blocks are summed on their own, so that errors grow with the number of blocks and not of values.
fn total<T: Copy>(values: &[T], widen: impl Fn(T) -> f32) -> f32 {
    values
        .chunks(LANES * 64)
        .map(|block| {
            let mut lanes = [0.0_f32; LANES];
            let chunks = block.chunks_exact(LANES);
            for (lane, &value) in lanes.iter_mut().zip(chunks.remainder()) {
                *lane = widen(value);
            }
            for chunk in chunks {
                for (lane, &value) in lanes.iter_mut().zip(chunk) {
                    *lane += widen(value);
                }
            }
            lanes.iter().sum::<f32>()
        })
        .sum()
}
