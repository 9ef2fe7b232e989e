//! An output matrix cut into blocks of columns, each written by one thread. Not here: what is written.

use crate::pool;
use std::marker::PhantomData;

/// Some columns of a matrix, in every row.
pub struct Block<'a, T> {
    matrix: Matrix<T>,
    first: usize,
    width: usize,
    borrow: PhantomData<&'a mut [T]>,
}

struct Matrix<T> {
    start: *mut T,
    rows: usize,
    columns: usize,
}

impl<T> Clone for Matrix<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Matrix<T> {}

// SAFETY: threads reach the matrix through blocks alone, which share no value.
unsafe impl<T: Send> Sync for Matrix<T> {}

/// Calls `part` once with each block of at most `width` columns of `out`, whose rows have `columns` values, on the pool.
///
/// # Panics
/// When `out` is not whole rows, or with what a part panicked with.
pub fn blocks<T: Send>(out: &mut [T], columns: usize, width: usize, part: impl Fn(Block<'_, T>) + Sync) {
    if out.is_empty() {
        return;
    }
    assert!(out.len().is_multiple_of(columns), "{} values are not rows of {columns}", out.len());
    let width = width.clamp(1, columns);
    let matrix = Matrix { start: out.as_mut_ptr(), rows: out.len() / columns, columns };
    let matrix = &matrix;
    pool::run(columns.div_ceil(width), |number| {
        let first = number * width;
        part(Block { matrix: *matrix, first, width: width.min(columns - first), borrow: PhantomData });
    });
}

impl<T> Block<'_, T> {
    /// The number of the first column.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// How many columns there are.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// This block's part of a row.
    ///
    /// # Panics
    /// When the matrix has no such row.
    pub fn row(&mut self, row: usize) -> &mut [T] {
        let Matrix { start, rows, columns } = self.matrix;
        assert!(row < rows, "row {row} of {rows}");
        // SAFETY: the matrix is borrowed for as long as its blocks live, the pool makes each block once, and `first`
        // and `width` lie within a row.
        unsafe { std::slice::from_raw_parts_mut(start.add(row * columns + self.first), self.width) }
    }
}
