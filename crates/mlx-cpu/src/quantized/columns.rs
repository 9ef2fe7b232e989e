//! `x @ w`: each row of codes is decoded along the outputs and multiplied by one value of `x`.

use super::{codec::Codec, rows::Rows};
use crate::arch::{Kernel, LANES, Simd};
use std::marker::PhantomData;

/// How many rows of codes are summed before the sums are added up: shorter sums lose fewer bits.
const DEPTH: usize = 64;

/// `out[m, n] = sum over k of x[m, k] * w[k, first + n]` for `width` columns; `out` is rows of `width`.
pub(super) struct Across<'a, C> {
    pub(super) rows: Rows<'a>,
    pub(super) x: &'a [f32],
    /// Whole groups from the first column on.
    pub(super) first: usize,
    pub(super) width: usize,
    pub(super) out: &'a mut [f32],
    pub(super) codec: PhantomData<C>,
}

impl<C: Codec> Kernel for Across<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let count = self.out.len() / self.width;
        let mut m = 0;
        while m + 4 <= count {
            self.band::<S, 4>(s, m);
            m += 4;
        }
        while m < count {
            self.band::<S, 1>(s, m);
            m += 1;
        }
        if C::NIBBLES {
            let (blocks, _) = self.out.as_chunks_mut::<LANES>();
            for block in blocks {
                let lanes = *block;
                for (lane, place) in lanes.iter().zip(S::NIBBLES) {
                    block[place] = *lane;
                }
            }
        }
    }
}

impl<C: Codec> Across<'_, C> {
    /// All columns of `M` rows of `x`.
    #[inline(always)]
    fn band<S: Simd, const M: usize>(&mut self, s: S, m: usize) {
        for i in 0..M {
            self.out[(m + i) * self.width..(m + i + 1) * self.width].fill(0.0);
        }
        for from in (0..self.rows.count).step_by(DEPTH) {
            let mut n = 0;
            while n + 4 * C::VECTORS * LANES <= self.width {
                self.tile::<S, M, 4>(s, m, n, from);
                n += 4 * C::VECTORS * LANES;
            }
            while n < self.width {
                self.tile::<S, M, 1>(s, m, n, from);
                n += C::VECTORS * LANES;
            }
        }
    }

    /// `M` rows of `x` with `N` of the codec's smallest groups, over some rows of codes.
    #[inline(always)]
    fn tile<S: Simd, const M: usize, const N: usize>(&mut self, s: S, m: usize, n: usize, from: usize) {
        let depth = self.rows.count;
        let (unit, bytes) = (C::VECTORS * LANES, C::VECTORS * 2 * C::BITS);
        let at = self.first + n;
        let mut sums = [[[s.splat(0.0); 2]; N]; M];
        for k in from..depth.min(from + DEPTH) {
            let codes = &self.rows.row::<C>(k)[at / unit * bytes..][..N * bytes];
            for i in 0..N {
                let (scale, bias) = self.rows.scale(k, (at + i * unit) / self.rows.group());
                let group = C::group(s, scale, bias);
                let codes = &codes[i * bytes..(i + 1) * bytes];
                for v in 0..C::VECTORS {
                    let w = C::values(s, group, &codes[v * 2 * C::BITS..(v + 1) * 2 * C::BITS]);
                    for j in 0..M {
                        let x = s.splat(self.x[(m + j) * depth + k]);
                        sums[j][i][v] = s.fma(w, x, sums[j][i][v]);
                    }
                }
            }
        }
        for (j, sums) in sums.iter().enumerate() {
            let out = &mut self.out[(m + j) * self.width + n..][..N * unit];
            let (out, _) = out.as_chunks_mut::<LANES>();
            for (i, out) in out.iter_mut().enumerate() {
                let sum = s.add(s.load(out), sums[i / C::VECTORS][i % C::VECTORS]);
                s.store(sum, out);
            }
        }
    }
}
