//! `x @ w^T` for many rows of `x`: some rows of codes are decoded once, then multiplied as plain floats.

use super::{
    codec::{Codec, Groups, SCALES},
    rows::{ROWS, Rows},
};
use crate::arch::{Kernel, LANES, Simd};
use std::{marker::PhantomData, ops::Range};

/// How many products a lane sums before the sums are added up: shorter sums lose fewer bits.
const BLOCK: usize = 32;

/// `out[m, n] = x[m] · w[first + n]` for `width` rows of codes; `out` is rows of `width`.
pub(super) struct Many<'a, C> {
    pub(super) rows: Rows<'a>,
    /// Rows as the codec orders them.
    pub(super) x: &'a [f32],
    pub(super) first: usize,
    pub(super) width: usize,
    pub(super) out: &'a mut [f32],
    /// Room for `width` rows of floats, rounded up to whole tiles.
    pub(super) panel: &'a mut [f32],
    pub(super) codec: PhantomData<C>,
}

impl<C: Codec> Kernel for Many<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let count = self.out.len() / self.width;
        for n in 0..self.width.next_multiple_of(ROWS) {
            self.decode(s, n);
        }
        let mut m = 0;
        while S::ROOMY && m + 6 <= count {
            for n in (0..self.width).step_by(4) {
                self.tile::<S, 6, 4>(s, m, n);
            }
            m += 6;
        }
        while !S::ROOMY && m + 3 <= count {
            for n in (0..self.width).step_by(2) {
                self.tile::<S, 3, 2>(s, m, n);
            }
            m += 3;
        }
        while m < count {
            for n in (0..self.width).step_by(2) {
                self.tile::<S, 2, 2>(s, m, n);
            }
            m += 2;
        }
    }
}

impl<C: Codec> Many<'_, C> {
    /// Decodes a row of codes into the panel.
    #[inline(always)]
    fn decode<S: Simd>(&mut self, s: S, n: usize) {
        let (columns, bytes) = (self.rows.columns, C::VECTORS * 2 * C::BITS);
        let codes = self.rows.row::<C>(self.first + n);
        let (shared, groups) = (self.rows.shared::<C>(), columns / self.rows.group());
        let (panel, _) = self.panel[n * columns..(n + 1) * columns].as_chunks_mut::<LANES>();
        let mut scales = Groups::NONE;
        for from in (0..groups).step_by(SCALES) {
            let count = SCALES.min(groups - from);
            self.rows.read(s, self.first + n, from, count, &mut scales);
            for scale in 0..count.min(SCALES) {
                let group = C::group(s, scales.scales[scale], scales.biases[scale]);
                for unit in (from + scale) * shared..(from + scale + 1) * shared {
                    let codes = &codes[unit * bytes..(unit + 1) * bytes];
                    let panel = &mut panel[unit * C::VECTORS..(unit + 1) * C::VECTORS];
                    for v in 0..C::VECTORS {
                        let w = C::values(s, group, &codes[v * 2 * C::BITS..(v + 1) * 2 * C::BITS]);
                        s.store(w, &mut panel[v]);
                    }
                }
            }
        }
    }

    /// `M` rows of `x` with `N` rows of the panel; beyond the last row of `x`, the last one again.
    #[inline(always)]
    fn tile<S: Simd, const M: usize, const N: usize>(&mut self, s: S, m: usize, n: usize) {
        let (columns, count) = (self.rows.columns, self.out.len() / self.width);
        let (mut x, mut w) = ([self.x; M], [&*self.panel; N]);
        for i in 0..M {
            let m = (m + i).min(count - 1);
            x[i] = &self.x[m * columns..(m + 1) * columns];
        }
        for i in 0..N {
            w[i] = &self.panel[(n + i) * columns..(n + i + 1) * columns];
        }
        let mut sums = [[s.splat(0.0); N]; M];
        for from in (0..columns).step_by(BLOCK * LANES) {
            let part = dot(s, from..columns.min(from + BLOCK * LANES), &x, &w);
            for i in 0..M {
                for j in 0..N {
                    sums[i][j] = s.add(sums[i][j], part[i][j]);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate().take(count - m) {
            let mut four = [s.splat(0.0); ROWS];
            four[..N].copy_from_slice(sums);
            let four = s.sum4(four);
            let out = &mut self.out[(m + i) * self.width..(m + i + 1) * self.width][n..];
            for (out, sum) in out.iter_mut().zip(&four[..N]) {
                *out = *sum;
            }
        }
    }
}

/// The products of some columns, summed.
#[inline(always)]
fn dot<S: Simd, const M: usize, const N: usize>(
    s: S,
    columns: Range<usize>,
    x: &[&[f32]; M],
    w: &[&[f32]; N],
) -> [[S::F; N]; M] {
    let (mut xs, mut ws) = ([[].as_slice(); M], [[].as_slice(); N]);
    let steps = columns.len() / LANES;
    for i in 0..M {
        xs[i] = &x[i][columns.clone()].as_chunks().0[..steps];
    }
    for j in 0..N {
        ws[j] = &w[j][columns.clone()].as_chunks().0[..steps];
    }
    let mut sums = [[s.splat(0.0); N]; M];
    for at in 0..steps {
        let mut values = [s.splat(0.0); N];
        for j in 0..N {
            values[j] = s.load(&ws[j][at]);
        }
        for i in 0..M {
            let x = s.load(&xs[i][at]);
            for j in 0..N {
                sums[i][j] = s.fma(values[j], x, sums[i][j]);
            }
        }
    }
    sums
}
