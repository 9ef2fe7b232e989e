//! `x @ w^T`: each output is a dot product of a row of `x` with a row of codes, decoded in registers.
//!
//! For few rows of `x`. Not here: many rows, for which rows of codes are decoded once (`panel`).

use super::{
    codec::{Codec, Groups, SCALES, byte_scale, one, sixteen},
    format::{Format, Scales, Weights},
};
use crate::arch::{Kernel, LANES, Simd};
use std::marker::PhantomData;

/// How many rows of codes are decoded side by side: they share the loads of `x`.
pub(super) const ROWS: usize = 4;

/// How many products a lane sums before the sums are added up: shorter sums lose fewer bits.
const BLOCK: usize = 16;

/// Some rows of codes of one matrix.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    codes: &'a [u8],
    scales: Scales<'a>,
    format: Format,
    /// The number of the matrix's first row within the stack.
    start: usize,
    pub(super) count: usize,
    pub(super) columns: usize,
}

impl<'a> Rows<'a> {
    /// A matrix of a stack that was checked.
    pub(super) fn of(weights: &Weights<'a>, matrix: usize) -> Rows<'a> {
        let Weights { format, codes, scales, rows, columns, .. } = *weights;
        Rows { codes, scales, format, start: matrix * rows, count: rows, columns }
    }

    /// The codes of a row, or of the last one where there is none.
    #[inline(always)]
    pub(super) fn row<C: Codec>(&self, row: usize) -> &'a [u8] {
        let bytes = self.columns / LANES * (2 * C::BITS);
        let row = self.start + row.min(self.count - 1);
        &self.codes[row * bytes..(row + 1) * bytes]
    }

    /// How many of the codec's smallest groups share a scale.
    #[inline(always)]
    pub(super) fn shared<C: Codec>(&self) -> usize {
        self.format.group() / (C::VECTORS * LANES)
    }

    /// Reads the scales of some groups of a row.
    #[inline(always)]
    pub(super) fn read<S: Simd>(&self, s: S, row: usize, first: usize, count: usize, to: &mut Groups) {
        let row = self.start + row.min(self.count - 1);
        let first = row * (self.columns / self.format.group()) + first;
        to.read(s, self.scales, self.format == Format::Nvfp4, first, count);
    }

    /// The scale and the bias of one group of a row.
    #[inline(always)]
    pub(super) fn scale(&self, row: usize, group: usize) -> (f32, f32) {
        let at = (self.start + row) * (self.columns / self.format.group()) + group;
        match self.scales {
            Scales::Affine { scales, biases } => (one(scales, at), one(biases, at)),
            Scales::Bytes { scales, global } => {
                (byte_scale(self.format == Format::Nvfp4, scales[at]) * global, 0.0)
            }
        }
    }

    /// How many codes share a scale.
    #[inline(always)]
    pub(super) fn group(&self) -> usize {
        self.format.group()
    }
}

/// `out[m, n] = x[m] · w[first + n]` for `width` rows of codes; `out` is rows of `width`.
pub(super) struct Few<'a, C> {
    pub(super) rows: Rows<'a>,
    /// Rows as the codec orders them.
    pub(super) x: &'a [f32],
    pub(super) first: usize,
    pub(super) width: usize,
    pub(super) out: &'a mut [f32],
    pub(super) codec: PhantomData<C>,
}

impl<C: Codec> Kernel for Few<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let count = self.out.len() / self.width;
        for n in (0..self.width).step_by(ROWS) {
            let mut m = 0;
            while S::ROOMY && m + 4 <= count {
                self.tile::<S, 4>(s, m, n);
                m += 4;
            }
            while m + 2 <= count {
                self.tile::<S, 2>(s, m, n);
                m += 2;
            }
            if m < count {
                self.tile::<S, 1>(s, m, n);
            }
        }
    }
}

impl<C: Codec> Few<'_, C> {
    /// `M` rows of `x` with four rows of codes.
    #[inline(always)]
    fn tile<S: Simd, const M: usize>(&mut self, s: S, m: usize, n: usize) {
        let columns = self.rows.columns;
        let (mut codes, mut x) = ([self.rows.codes; ROWS], [self.x; M]);
        for i in 0..ROWS {
            codes[i] = self.rows.row::<C>(self.first + n + i);
        }
        for i in 0..M {
            x[i] = &self.x[(m + i) * columns..(m + i + 1) * columns];
        }
        let (shared, groups) = (self.rows.shared::<C>(), columns / self.rows.group());
        let mut scales = [Groups::NONE; ROWS];
        let mut sums = [[s.splat(0.0); ROWS]; M];
        for from in (0..groups).step_by(SCALES) {
            let count = SCALES.min(groups - from);
            for i in 0..ROWS {
                self.rows.read(s, self.first + n + i, from, count, &mut scales[i]);
            }
            let block = (BLOCK * LANES / self.rows.group()).max(1);
            for start in (0..count).step_by(block) {
                let groups = (from, start, count.min(start + block));
                let part = dot::<S, C, M>(s, groups, shared, codes, x, &scales);
                for i in 0..M {
                    for n in 0..ROWS {
                        sums[i][n] = s.add(sums[i][n], part[i][n]);
                    }
                }
            }
        }
        for i in 0..M {
            let four = s.sum4(sums[i]);
            let out = &mut self.out[(m + i) * self.width..(m + i + 1) * self.width][n..];
            match out.first_chunk_mut::<ROWS>() {
                Some(out) => *out = four,
                None => out.copy_from_slice(&four[..out.len()]),
            }
        }
    }
}

/// The products of some groups, summed: of the scales `start..end`, the first of which is the row's `from`th.
#[inline(always)]
fn dot<S: Simd, C: Codec, const M: usize>(
    s: S,
    (from, start, end): (usize, usize, usize),
    shared: usize,
    codes: [&[u8]; ROWS],
    x: [&[f32]; M],
    scales: &[Groups; ROWS],
) -> [[S::F; ROWS]; M] {
    let (bytes, values) = (C::VECTORS * 2 * C::BITS, C::VECTORS * LANES);
    let mut sums = [[s.splat(0.0); ROWS]; M];
    for scale in start..end.min(SCALES) {
        for unit in (from + scale) * shared..(from + scale + 1) * shared {
            for n in 0..ROWS {
                let group = C::group(s, scales[n].scales[scale], scales[n].biases[scale]);
                let codes = &codes[n][unit * bytes..(unit + 1) * bytes];
                for v in 0..C::VECTORS {
                    let w = C::values(s, group, &codes[v * 2 * C::BITS..(v + 1) * 2 * C::BITS]);
                    for m in 0..M {
                        let x = s.load(sixteen(x[m], unit * values + v * LANES));
                        sums[m][n] = s.fma(w, x, sums[m][n]);
                    }
                }
            }
        }
    }
    sums
}
