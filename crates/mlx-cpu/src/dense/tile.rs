//! The innermost loop of a matrix product: a few rows times one or two vectors of columns, out of packed panels.

use crate::arch::{Dense, LANES};

/// The most rows that a tile has.
pub(super) const MAX_ROWS: usize = 14;

/// A set's most rows and its columns in a tile.
#[inline(always)]
pub(super) const fn shape<S: Dense>() -> (usize, usize) {
    (S::ROWS, if S::WIDE { 2 * LANES } else { LANES })
}

/// The sums of `R` rows and `W` vectors of columns, over all steps of two panels.
#[inline(always)]
fn sums<S: Dense, const R: usize, const W: usize>(s: S, a: &[f32], b: &[f32], to: &mut [[f32; 2 * LANES]]) {
    let mut sums = [[s.splat(0.0); W]; R];
    for (a, b) in a.chunks_exact(R).zip(b.chunks_exact(W * LANES)) {
        // Loops, here and below: a closure might stay a function of its own, without the set's instructions.
        let mut columns = [s.splat(0.0); W];
        for (column, b) in columns.iter_mut().zip(b.as_chunks().0) {
            *column = s.load(b);
        }
        for (sums, &a) in sums.iter_mut().zip(a) {
            let a = s.splat(a);
            for (sum, &column) in sums.iter_mut().zip(&columns) {
                *sum = s.fma(a, column, *sum);
            }
        }
    }
    for (sums, to) in sums.iter().zip(to) {
        for (&sum, to) in sums.iter().zip(to.as_chunks_mut().0) {
            s.store(sum, to);
        }
    }
}

/// The sums of a tile of `rows` (even, at most the set's) by the set's width.
#[inline(always)]
pub(super) fn multiply<S: Dense>(
    s: S,
    rows: usize,
    a: &[f32],
    b: &[f32],
    to: &mut [[f32; 2 * LANES]; MAX_ROWS],
) {
    macro_rules! by_rows {
        ($width:literal, $($rows:literal)*) => {
            match rows {
                $($rows if $rows <= S::ROWS => sums::<S, $rows, $width>(s, a, b, to),)*
                _ => unreachable!("a tile of {rows} rows"),
            }
        };
    }
    if S::WIDE { by_rows!(2, 2 4 6 8 10 12 14) } else { by_rows!(1, 2 4 6 8 10 12 14) }
}
