//! Products of matrices: both operands are packed into panels, a chunk of each at a time, and multiplied tile by tile.

use super::{
    Scale,
    pack::{Lines, pack},
    tile::{MAX_ROWS, multiply, shape},
};
use crate::{
    Isa,
    arch::{Dense, Kernel, LANES, dispatch},
    elements::Element,
    scratch, share,
};

/// How many numbers of each operand are packed at a time: 4 MB, which the processor's last cache keeps.
const PACKED: usize = 1 << 20;

/// The right matrix's columns are packed at least this many at a time, that the left one need not be packed often.
const COLUMNS: usize = 256;

/// A product of matrices, as lines of `left` and of `right`, into rows of `stride` elements.
pub(super) fn product<T: Element>(
    isa: Isa,
    left: &Lines<T>,
    right: &Lines<T>,
    out: &mut [T],
    stride: usize,
    scale: Scale,
) {
    let (tile_rows, width) = dispatch(isa, Shape);
    let columns = (PACKED / left.steps).max(COLUMNS).next_multiple_of(width);
    let rows = (PACKED / left.steps).max(4 * MAX_ROWS);
    let room = |count: usize, width: usize| count.next_multiple_of(width) * left.steps;
    // Tiles of fewer rows may take a tile's rows more in all than tiles of the most.
    let left_room = room(rows.min(left.count), tile_rows) + room(tile_rows, tile_rows);
    scratch::with(room(columns.min(right.count), width) + left_room, |both| {
        let (left_panels, right_panels) = both.split_at_mut(left_room);
        for column in (0..right.count).step_by(columns) {
            let right = Lines { count: columns.min(right.count - column), ..right.from(column) };
            let right_panels = &mut right_panels[..room(right.count, width)];
            fill(isa, &right, width, right_panels);
            for row in (0..left.count).step_by(rows) {
                let left = Lines { count: rows.min(left.count - row), ..left.from(row) };
                // As even as may be: 16 rows are two tiles of 8 and not one of 14 and one of 2.
                let rows = left.count.div_ceil(left.count.div_ceil(tile_rows)).next_multiple_of(2);
                let left_panels = &mut left_panels[..room(left.count, rows)];
                fill(isa, &left, rows, left_panels);
                let out = out[row * stride..].chunks_mut(stride).take(left.count);
                let out = out.map(|out| &mut out[column..][..right.count]).collect();
                Panels { isa, left: left_panels, right: right_panels, rows, width }
                    .multiply(&left, &right, out, scale);
            }
        }
    });
}

/// Both operands' packed chunks, and the tile that they are packed for.
struct Panels<'a> {
    isa: Isa,
    left: &'a [f32],
    right: &'a [f32],
    rows: usize,
    width: usize,
}

impl Panels<'_> {
    fn multiply<T: Element>(&self, left: &Lines<T>, right: &Lines<T>, out: Vec<&mut [T]>, scale: Scale) {
        let (steps, width) = (left.steps, self.width);
        let work = left.count * right.count * steps;
        // Few rows are shared by columns instead.
        let few = left.count <= 4 * self.rows;
        let (rows, columns) = if few {
            (left.count.next_multiple_of(self.rows), share::piece(right.count, width, work))
        } else {
            (share::piece(left.count, self.rows, work), right.count.next_multiple_of(width))
        };
        let mut items = Vec::new();
        let mut out = out.into_iter();
        for row in (0..left.count).step_by(rows) {
            let mut rest: Vec<&mut [T]> = out.by_ref().take(rows).collect();
            for column in (0..right.count).step_by(columns) {
                let here = columns.min(right.count - column);
                let (now, later) = rest.into_iter().map(|out| out.split_at_mut(here)).unzip();
                rest = later;
                items.push((row, column, now));
            }
        }
        share::each(items, |(row, column, out): (_, _, Vec<&mut [T]>)| {
            let (left, right) = (&self.left[row * steps..], &self.right[column * steps..]);
            dispatch(self.isa, Work { rows: self.rows, left, right, steps, out, scale });
        });
    }
}

/// Packs all lines into panels of `width`, on all threads.
fn fill<T: Element>(isa: Isa, lines: &Lines<T>, width: usize, panels: &mut [f32]) {
    let some = share::piece(lines.count, width, lines.count * lines.steps);
    share::each(panels.chunks_mut(some * lines.steps).enumerate().collect(), |(number, panels)| {
        dispatch(isa, Pack { lines, first: number * some, width, panels });
    });
}

struct Shape;

impl Kernel for Shape {
    type Output = (usize, usize);
    #[inline(always)]
    fn run<S: Dense>(self, _s: S) -> (usize, usize) {
        shape::<S>()
    }
}

/// Panels to fill with lines from `first` on.
struct Pack<'a, T> {
    lines: &'a Lines<'a, T>,
    first: usize,
    width: usize,
    panels: &'a mut [f32],
}

impl<T: Element> Kernel for Pack<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        let (width, steps) = (self.width, self.lines.steps);
        for (number, panel) in self.panels.chunks_mut(width * steps).enumerate() {
            pack(s, self.lines, self.first + number * width, width, panel);
        }
    }
}

/// Panels to multiply, and the rows of the output that they give.
struct Work<'a, T> {
    rows: usize,
    left: &'a [f32],
    right: &'a [f32],
    steps: usize,
    out: Vec<&'a mut [T]>,
    scale: Scale,
}

impl<T: Element> Kernel for Work<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        let Work { rows, left, right, steps, mut out, scale } = self;
        let width = shape::<S>().1;
        let mut sums = [[0.0; 2 * LANES]; MAX_ROWS];
        let columns = out.first().map_or(0, |out| out.len());
        for column in (0..columns).step_by(width) {
            let right = &right[column * steps..][..width * steps];
            let here = width.min(columns - column);
            for (tile, out) in out.chunks_mut(rows).enumerate() {
                multiply(s, rows, &left[tile * rows * steps..][..rows * steps], right, &mut sums);
                for (out, sums) in out.iter_mut().zip(&sums) {
                    scale.write(s, &sums[..here], &mut out[column..][..here]);
                }
            }
        }
    }
}
