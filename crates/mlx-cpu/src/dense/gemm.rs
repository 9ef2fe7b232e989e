//! Products of matrices: both operands are packed into panels, a chunk of each at a time, and multiplied tile by tile.

use super::{
    Scale,
    pack::{Lines, lanes, pack},
    tile::{MAX_ROWS, Single, Tile, multiply},
};
use crate::{
    Isa,
    arch::{Dense, Kernel, LANES, dispatch},
    elements::Element,
    share,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many lanes of each operand are packed at a time: 4 MB, which the processor's last cache keeps.
const PACKED: usize = 1 << 20;

/// The right matrix's columns are packed at least this many at a time, that the left one need not be packed often.
const COLUMNS: usize = 256;

/// A set and a way to multiply on it, outside of code that is compiled for the set: each method enters that.
pub(super) trait Engine<T: Element>: Copy + Send + Sync {
    /// The most rows of a tile, and its columns.
    fn shape(self) -> (usize, usize);
    /// Lanes of a line.
    fn lanes(self, steps: usize) -> usize;
    /// Fills panels of `width` lines from line `first` on; false where elements may not be multiplied this way.
    fn pack(self, lines: &Lines<T>, first: usize, width: usize, panels: &mut [u32]) -> bool;
    /// Multiplies a run of the left's panels by a run of the right's.
    fn multiply(self, work: Work<T>);
}

/// Panels to multiply, and the rows of the output that they give.
pub(super) struct Work<'a, T> {
    rows: usize,
    left: &'a [u32],
    right: &'a [u32],
    lanes: usize,
    out: Vec<&'a mut [T]>,
    scale: Scale,
}

/// A product of matrices into rows of `stride` elements, with `engine`; where that refuses, with `other`.
pub(super) fn product<T: Element, E: Engine<T>, O: Engine<T>>(
    engine: E,
    other: O,
    (left, right): (&Lines<T>, &Lines<T>),
    out: &mut [T],
    stride: usize,
    scale: Scale,
) {
    let depth = engine.lanes(left.steps).max(1);
    let columns = (PACKED / depth).max(COLUMNS).next_multiple_of(engine.shape().1);
    let rows = (PACKED / depth).max(4 * MAX_ROWS);
    let mut panels = Panels::default();
    for column in (0..right.count).step_by(columns) {
        let right = Lines { count: columns.min(right.count - column), ..right.from(column) };
        let tame = panels.right(engine, &right);
        for row in (0..left.count).step_by(rows) {
            let left = Lines { count: rows.min(left.count - row), ..left.from(row) };
            let out: Vec<&mut [T]> = out[row * stride..]
                .chunks_mut(stride)
                .take(left.count)
                .map(|out| &mut out[column..][..right.count])
                .collect();
            if tame && panels.left(engine, &left) {
                panels.multiply(engine, &left, &right, out, scale);
            } else {
                let mut panels = Panels::default();
                panels.right(other, &right);
                panels.left(other, &left);
                panels.multiply(other, &left, &right, out, scale);
            }
        }
    }
}

/// Both operands' packed chunks.
#[derive(Default)]
struct Panels {
    left: Vec<u32>,
    right: Vec<u32>,
    rows: usize,
}

impl Panels {
    fn left<T: Element, E: Engine<T>>(&mut self, engine: E, lines: &Lines<T>) -> bool {
        // As even as may be: 16 rows are two tiles of 8 and not one of 14 and one of 2.
        let tiles = lines.count.div_ceil(engine.shape().0);
        self.rows = lines.count.div_ceil(tiles).next_multiple_of(2);
        fill(engine, lines, self.rows, &mut self.left)
    }

    fn right<T: Element, E: Engine<T>>(&mut self, engine: E, lines: &Lines<T>) -> bool {
        fill(engine, lines, engine.shape().1, &mut self.right)
    }

    fn multiply<T: Element, E: Engine<T>>(&self, engine: E, left: &Lines<T>, right: &Lines<T>, out: Vec<&mut [T]>, scale: Scale) {
        let (lanes, width) = (engine.lanes(left.steps), engine.shape().1);
        let work = left.count * right.count * left.steps;
        let rows = share::piece(left.count, self.rows, work);
        // Few rows are shared by columns instead.
        let few = left.count <= 4 * self.rows;
        let columns = if few { share::piece(right.count, width, work) } else { right.count.next_multiple_of(width) };
        let rows = if few { left.count.next_multiple_of(self.rows) } else { rows };
        let mut items = Vec::new();
        let mut out = out.into_iter();
        for row in (0..left.count).step_by(rows) {
            let mut rest: Vec<&mut [T]> = out.by_ref().take(rows).collect();
            for column in (0..right.count).step_by(columns) {
                let here = columns.min(right.count - column);
                let (now, later) = rest.into_iter().map(|out| out.split_at_mut(here)).unzip();
                rest = later;
                items.push((row / self.rows, column / width, here.div_ceil(width), now));
            }
        }
        share::each(items, |(row, column, count, out): (_, _, _, Vec<&mut [T]>)| {
            let left = &self.left[row * self.rows * lanes..][..out.len().div_ceil(self.rows) * self.rows * lanes];
            let right = &self.right[column * width * lanes..][..count * width * lanes];
            engine.multiply(Work { rows: self.rows, left, right, lanes, out, scale });
        });
    }
}

/// Packs all lines into panels of `width`, on all threads.
fn fill<T: Element, E: Engine<T>>(engine: E, lines: &Lines<T>, width: usize, panels: &mut Vec<u32>) -> bool {
    let panel = engine.lanes(lines.steps) * width;
    panels.clear();
    panels.resize(lines.count.div_ceil(width) * panel, 0);
    if panel == 0 {
        return true;
    }
    let tame = AtomicBool::new(true);
    let some = share::piece(lines.count, width, lines.count * lines.steps) / width;
    share::each(panels.chunks_mut(some * panel).enumerate().collect(), |(number, panels)| {
        if !engine.pack(lines, number * some * width, width, panels) {
            tame.store(false, Ordering::Relaxed);
        }
    });
    tame.into_inner()
}

#[inline(always)]
fn pack_all<T: Element, K: Tile<T>>(tile: K, lines: &Lines<T>, first: usize, width: usize, panels: &mut [u32]) -> bool {
    let panel = lanes::<T, K>(lines.steps) * width;
    let mut tame = true;
    for (number, panel) in panels.chunks_mut(panel).enumerate() {
        tame &= pack(tile, lines, first + number * width, width, panel);
    }
    tame
}

#[inline(always)]
fn multiply_all<T: Element, K: Tile<T>>(tile: K, work: Work<T>) {
    let Work { rows, left, right, lanes, mut out, scale } = work;
    let width = if K::Set::WIDE { 2 * LANES } else { LANES };
    let mut sums = [[0.0; 2 * LANES]; MAX_ROWS];
    for number in 0..out.first().map_or(0, |out| out.len().div_ceil(width)) {
        let right = &right[number * width * lanes..][..width * lanes];
        for (tile_row, out) in out.chunks_mut(rows).enumerate() {
            let left = &left[tile_row * rows * lanes..][..rows * lanes];
            multiply::<T, K>(tile, rows, left, right, &mut sums);
            for (out, sums) in out.iter_mut().zip(&sums) {
                let out = &mut out[number * width..];
                let here = width.min(out.len());
                scale.write(tile.set(), &sums[..here], &mut out[..here]);
            }
        }
    }
}

/// One f32 a lane, on a set.
#[derive(Clone, Copy)]
pub(super) struct Singles {
    isa: Isa,
    shape: (usize, usize),
}

impl Singles {
    pub(super) fn new(isa: Isa) -> Singles {
        Singles { isa, shape: dispatch(isa, Shape) }
    }
}

impl<T: Element> Engine<T> for Singles {
    fn shape(self) -> (usize, usize) {
        self.shape
    }
    fn lanes(self, steps: usize) -> usize {
        steps
    }
    fn pack(self, lines: &Lines<T>, first: usize, width: usize, panels: &mut [u32]) -> bool {
        dispatch(self.isa, Pack { lines, first, width, panels })
    }
    fn multiply(self, work: Work<T>) {
        dispatch(self.isa, work);
    }
}

struct Shape;

impl Kernel for Shape {
    type Output = (usize, usize);
    #[inline(always)]
    fn run<S: Dense>(self, _s: S) -> (usize, usize) {
        (S::ROWS, if S::WIDE { 2 * LANES } else { LANES })
    }
}

struct Pack<'a, T> {
    lines: &'a Lines<'a, T>,
    first: usize,
    width: usize,
    panels: &'a mut [u32],
}

impl<T: Element> Kernel for Pack<'_, T> {
    type Output = bool;
    #[inline(always)]
    fn run<S: Dense>(self, s: S) -> bool {
        pack_all(Single(s), self.lines, self.first, self.width, self.panels)
    }
}

impl<T: Element> Kernel for Work<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        multiply_all(Single(s), self);
    }
}

/// Two bf16 a lane, on AVX-512.
#[cfg(target_arch = "x86_64")]
mod pairs {
    use super::{Engine, Lines, Pack, Work, multiply_all, pack_all};
    use crate::arch::{Bf16Pairs, Dense, PairKernel, LANES, Avx512};
    use half::bf16;

    impl Engine<bf16> for Bf16Pairs {
        fn shape(self) -> (usize, usize) {
            (Avx512::ROWS, 2 * LANES)
        }
        fn lanes(self, steps: usize) -> usize {
            steps.div_ceil(2)
        }
        fn pack(self, lines: &Lines<bf16>, first: usize, width: usize, panels: &mut [u32]) -> bool {
            self.enter(Pack { lines, first, width, panels })
        }
        fn multiply(self, work: Work<bf16>) {
            self.enter(work);
        }
    }

    impl PairKernel for Pack<'_, bf16> {
        type Output = bool;
        #[inline(always)]
        fn run(self, set: Bf16Pairs) -> bool {
            pack_all(set, self.lines, self.first, self.width, self.panels)
        }
    }

    impl PairKernel for Work<'_, bf16> {
        type Output = ();
        #[inline(always)]
        fn run(self, set: Bf16Pairs) {
            multiply_all(set, self);
        }
    }
}
