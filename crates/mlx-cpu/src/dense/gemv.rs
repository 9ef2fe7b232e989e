//! Products of one to four rows with a matrix: the matrix is read once, as it lies, so that memory sets the pace.

pub(crate) use super::pack::Lines;
use crate::{
    Isa,
    arch::{Dense, Kernel, LANES, dispatch},
    elements::Element,
    share,
};

/// The most rows.
pub(crate) const MAX_ROWS: usize = 4;

/// The sums of a product, a block of columns after the other, in each block row after row.
pub(super) struct Sums {
    values: Vec<f32>,
    rows: usize,
    block: usize,
}

impl Sums {
    /// The sum of a row and a column.
    pub(super) fn at(&self, row: usize, column: usize) -> f32 {
        let (block, within) = (column / self.block, column % self.block);
        self.values[(block * self.rows + row) * self.block + within]
    }
}

/// Multiplies `rows` rows, f32 one after the other, by the columns of a matrix.
pub(super) fn multiply<T: Element>(isa: Isa, rows: usize, left: &[f32], columns: &Lines<T>) -> Sums {
    let (n, k) = (columns.count, columns.steps);
    // Where steps lie whole a block of columns is summed in the first cache.
    let most = if columns.whole { usize::MAX } else { 1024 };
    let block = share::piece(n, LANES, n * k).min(most);
    let mut values = vec![0.0; n.div_ceil(block) * rows * block];
    let items: Vec<_> = values.chunks_mut(rows * block).enumerate().collect();
    share::each(items, |(number, sums)| {
        let first = number * block;
        let columns = Lines { count: block.min(n - first), ..columns.from(first) };
        dispatch(isa, Part { rows, left, columns, sums, block });
    });
    Sums { values, rows, block }
}

/// Rows times a block of columns.
pub(crate) struct Part<'a, T> {
    pub(crate) rows: usize,
    /// The rows, close.
    pub(crate) left: &'a [f32],
    pub(crate) columns: Lines<'a, T>,
    /// The sums of a row after those of another. Columns that lie whole are written, others are added to what is there.
    pub(crate) sums: &'a mut [f32],
    /// From one row's sums to the next; whole vectors.
    pub(crate) block: usize,
}

impl<T: Element> Kernel for Part<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        match (self.rows, self.columns.whole) {
            (1, true) => self.whole::<S, 1, 4>(s),
            (2, true) => self.whole::<S, 2, 2>(s),
            (3, true) => self.whole::<S, 3, 1>(s),
            (_, true) => self.whole::<S, 4, 1>(s),
            (1, false) => self.steps::<S, 1>(s),
            (2, false) => self.steps::<S, 2>(s),
            (3, false) => self.steps::<S, 3>(s),
            (_, false) => self.steps::<S, 4>(s),
        }
    }
}

impl<T: Element> Part<'_, T> {
    /// Columns that lie whole: `C` of them at a time, each a dot product with `R` rows.
    #[inline(always)]
    fn whole<S: Dense, const R: usize, const C: usize>(self, s: S) {
        let (k, count) = (self.columns.steps, self.columns.count);
        let mut column = 0;
        while column + C <= count {
            let lines: [&[T]; C] = std::array::from_fn(|c| self.columns.line(column + c));
            let sums = dots::<T, S, R, C>(s, self.left, k, lines);
            for (r, sums) in sums.iter().enumerate() {
                self.sums[r * self.block + column..][..C].copy_from_slice(sums);
            }
            column += C;
        }
        for column in column..count {
            let sums = dots::<T, S, R, 1>(s, self.left, k, [self.columns.line(column)]);
            for (r, sums) in sums.iter().enumerate() {
                self.sums[r * self.block + column] = sums[0];
            }
        }
    }

    /// Steps that lie whole: eight of them at a time are added to the sums.
    #[inline(always)]
    fn steps<S: Dense, const R: usize>(mut self, s: S) {
        const AT_ONCE: usize = 8;
        let (k, count) = (self.columns.steps, self.columns.count);
        let mut step = 0;
        while step + AT_ONCE <= k {
            self.add::<S, R, AT_ONCE>(s, step, count);
            step += AT_ONCE;
        }
        for step in step..k {
            self.add::<S, R, 1>(s, step, count);
        }
    }

    #[inline(always)]
    fn add<S: Dense, const R: usize, const U: usize>(&mut self, s: S, step: usize, count: usize) {
        let k = self.columns.steps;
        let lines: [&[T]; U] = std::array::from_fn(|u| self.columns.step(step + u, 0, count));
        let mut factors = [[s.splat(0.0); U]; R];
        for (r, factors) in factors.iter_mut().enumerate() {
            for (factor, &x) in factors.iter_mut().zip(&self.left[r * k + step..][..U]) {
                *factor = s.splat(x);
            }
        }
        let mut left = 0;
        while left < count {
            let here = LANES.min(count - left);
            let mut vectors = [s.splat(0.0); U];
            for (vector, line) in vectors.iter_mut().zip(&lines) {
                *vector = T::load_part(s, &line[left..left + here], 0.0);
            }
            for (r, factors) in factors.iter().enumerate() {
                let mut sum = s.mul(factors[0], vectors[0]);
                for (&factor, &vector) in factors.iter().zip(&vectors).skip(1) {
                    sum = s.fma(factor, vector, sum);
                }
                let to: &mut [f32; LANES] = (&mut self.sums[r * self.block + left..][..LANES])
                    .try_into()
                    .expect("blocks are whole vectors");
                s.store(s.add(s.load(to), sum), to);
            }
            left += LANES;
        }
    }
}

/// The dot products of `R` rows of `left` with `C` lines of `k` elements.
#[inline(always)]
fn dots<T: Element, S: Dense, const R: usize, const C: usize>(
    s: S,
    left: &[f32],
    k: usize,
    lines: [&[T]; C],
) -> [[f32; C]; R] {
    let rows: [&[f32]; R] = std::array::from_fn(|r| &left[r * k..][..k]);
    let lines = lines.map(|line| &line[..k]);
    let mut sums = [[s.splat(0.0); C]; R];
    for at in (0..k).step_by(LANES) {
        let here = LANES.min(k - at);
        let mut vectors = [s.splat(0.0); R];
        for (vector, row) in vectors.iter_mut().zip(&rows) {
            *vector = f32::load_part(s, &row[at..at + here], 0.0);
        }
        for (c, line) in lines.iter().enumerate() {
            let line = T::load_part(s, &line[at..at + here], 0.0);
            for (sums, &row) in sums.iter_mut().zip(&vectors) {
                sums[c] = s.fma(row, line, sums[c]);
            }
        }
    }
    let mut out = [[0.0; C]; R];
    for (out, sums) in out.iter_mut().zip(&sums) {
        if let (Some(out), Some(sums)) = (out.first_chunk_mut(), sums.first_chunk()) {
            *out = s.sum4(*sums);
            continue;
        }
        for (out, &sum) in out.iter_mut().zip(sums) {
            *out = s.sum(sum);
        }
    }
    out
}
