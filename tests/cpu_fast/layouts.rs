//! Values in no pattern, and the ways in which they may lie in memory.

use mlx::{Tensor, ops::Slice, prelude::*};

/// Numbers around 0 of different sizes, the same in each run, as `dtype`.
pub(crate) fn values(shape: &[i32], dtype: Dtype, seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let count: i32 = shape.iter().product();
    let numbers: Vec<f32> = (0..count).map(|_| next() * (2.0 + next())).collect();
    let laid = Tensor::from_slice(&numbers).unwrap().reshape(shape).astype(dtype);
    laid.eval().unwrap();
    laid
}

/// The same values, lying otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    /// Row by row.
    Rows,
    /// Column by column.
    Columns,
    /// Rows that are parts of longer ones, at an odd place.
    Parts,
    /// Columns that are parts of longer ones.
    PartsOfColumns,
    /// From the last row to the first.
    Reversed,
    /// Every other column.
    Gaps,
    /// Where there are three dimensions or more, the second before the first, as heads of attention lie.
    Heads,
}

impl Layout {
    pub(crate) const ALL: [Layout; 7] = [
        Layout::Rows,
        Layout::Columns,
        Layout::Parts,
        Layout::PartsOfColumns,
        Layout::Reversed,
        Layout::Gaps,
        Layout::Heads,
    ];

    /// `x`, so laid.
    pub(crate) fn of(self, x: &Tensor) -> Tensor {
        let stored = |x: &Tensor| {
            x.eval().unwrap();
            x.clone()
        };
        let padded = |x: &Tensor| {
            let other = x.negative();
            stored(&mlx::ops::concatenate(&[other.clone(), x.clone(), other], -1).unwrap())
        };
        let width = *x.shape().last().unwrap();
        let turned = |x: &Tensor| mlx::ops::contiguous(&x.swapaxes(-1, -2)).unwrap();
        match self {
            Layout::Columns => stored(&turned(x)).swapaxes(-1, -2),
            Layout::Parts => padded(x).index((Ellipsis, width..2 * width)),
            Layout::PartsOfColumns => {
                let height = x.shape()[x.ndim() - 2];
                padded(&turned(x)).index((Ellipsis, height..2 * height)).swapaxes(-1, -2)
            }
            Layout::Reversed => stored(&x.flip(-2)).flip(-2),
            Layout::Gaps => stored(&x.repeat(2, -1)).index((Ellipsis, Slice::step(.., 2))),
            Layout::Heads if x.ndim() > 2 => {
                let turned = mlx::ops::contiguous(&x.swapaxes(-2, -3)).unwrap();
                stored(&turned).swapaxes(-2, -3)
            }
            Layout::Rows | Layout::Heads => x.clone(),
        }
    }
}
