//! Products of matrices: both operands are packed into panels, a chunk of each at a time, and multiplied tile by tile.

use super::{
    Scale, Write,
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

/// The most steps that are packed at a time: with `COLUMNS` at least, 16 MB. More steps are summed block after block.
const DEPTH: usize = 1 << 14;

/// How many rows' sums are kept from one block of steps to the next.
const BAND: usize = 256;

/// A product of matrices, as lines of `left` and of `right`, into rows of `stride` elements.
pub(super) fn product<T: Element>(
    isa: Isa,
    left: &Lines<T>,
    right: &Lines<T>,
    out: &mut [T],
    stride: usize,
    scale: Scale,
) {
    let cut = Cut::new(isa, left.count, right.count, left.steps);
    let [right_room, left_room, _] = cut.room();
    scratch::with(cut.room().iter().sum(), |room| {
        let (right_panels, room) = room.split_at_mut(right_room);
        let (left_panels, sums) = room.split_at_mut(left_room);
        let mut room = Room { right: right_panels, left: left_panels, sums };
        for column in (0..right.count).step_by(cut.columns) {
            let right = right.lines(column..right.count.min(column + cut.columns));
            for row in (0..left.count).step_by(cut.band) {
                let left = left.lines(row..left.count.min(row + cut.band));
                let out = out[row * stride..].chunks_mut(stride).take(left.count);
                let out = out.map(|out| &mut out[column..][..right.count]).collect();
                cut.band(&left, &right, out, &mut room, scale);
            }
        }
    });
}

/// How a product is cut into what is packed at a time.
struct Cut {
    isa: Isa,
    /// A tile's most rows, and its columns.
    tile: (usize, usize),
    /// Steps.
    depth: usize,
    columns: usize,
    rows: usize,
    /// Rows whose sums are kept; all, where there is one block of steps.
    band: usize,
    /// Whether sums are kept.
    keeps: bool,
}

/// Where both operands are packed, and sums are kept.
struct Room<'a> {
    right: &'a mut [f32],
    left: &'a mut [f32],
    sums: &'a mut [f32],
}

impl Cut {
    /// Of `m` rows and `n` columns, over `k` steps.
    fn new(isa: Isa, m: usize, n: usize, k: usize) -> Cut {
        let tile = dispatch(isa, Shape);
        let depth = k.div_ceil(k.div_ceil(DEPTH));
        let columns = (PACKED / depth).max(COLUMNS).next_multiple_of(tile.1).min(n);
        let rows = (PACKED / depth).max(4 * MAX_ROWS).min(m);
        let keeps = depth < k;
        Cut { isa, tile, depth, columns, rows, band: if keeps { BAND.min(m) } else { m }, keeps }
    }

    /// How many numbers the right panels, the left ones, and the sums are at most.
    fn room(&self) -> [usize; 3] {
        let panels = |count: usize, width: usize| count.next_multiple_of(width) * self.depth;
        let (rows, width) = self.tile;
        // Tiles of fewer rows may take a tile's rows more in all than tiles of the most.
        let left = panels(self.rows, rows) + panels(rows, rows);
        [panels(self.columns, width), left, if self.keeps { self.band * self.columns } else { 0 }]
    }

    /// Some rows of the output and some columns, over all steps.
    fn band<T: Element>(
        &self,
        left: &Lines<T>,
        right: &Lines<T>,
        out: Vec<&mut [T]>,
        room: &mut Room,
        scale: Scale,
    ) {
        if !self.keeps {
            return self.block(left, right, out, (room.right, room.left), scale);
        }
        let sums = &mut room.sums[..left.count * right.count];
        for step in (0..left.steps).step_by(self.depth) {
            let steps = step..left.steps.min(step + self.depth);
            let (left, right) = (left.between(steps.clone()), right.between(steps));
            let added = Scale { alpha: 1.0, beta: if step == 0 { 0.0 } else { 1.0 } };
            let sums = sums.chunks_mut(right.count).collect();
            self.block(&left, &right, sums, (room.right, room.left), added);
        }
        for (out, sums) in out.into_iter().zip(sums.chunks(right.count)) {
            dispatch(self.isa, Write { scale, sums, out });
        }
    }

    /// Some steps of them, into numbers of any type.
    fn block<T: Element, O: Element>(
        &self,
        left: &Lines<T>,
        right: &Lines<T>,
        out: Vec<&mut [O]>,
        (right_panels, left_panels): (&mut [f32], &mut [f32]),
        scale: Scale,
    ) {
        let (isa, (tile_rows, width), steps) = (self.isa, self.tile, left.steps);
        let room = |count: usize, width: usize| count.next_multiple_of(width) * steps;
        let right_panels = &mut right_panels[..room(right.count, width)];
        fill(isa, right, width, right_panels);
        let mut out = out.into_iter();
        for row in (0..left.count).step_by(self.rows) {
            let left = left.lines(row..left.count.min(row + self.rows));
            // As even as may be: 16 rows are two tiles of 8 and not one of 14 and one of 2.
            let rows = left.count.div_ceil(left.count.div_ceil(tile_rows)).next_multiple_of(2);
            let left_panels = &mut left_panels[..room(left.count, rows)];
            fill(isa, &left, rows, left_panels);
            let out = out.by_ref().take(left.count).collect();
            Panels { isa, left: left_panels, right: right_panels, rows, width, steps }.multiply(
                right.count,
                out,
                scale,
            );
        }
    }
}

/// Both operands' packed chunks, and the tile that they are packed for.
struct Panels<'a> {
    isa: Isa,
    left: &'a [f32],
    right: &'a [f32],
    rows: usize,
    width: usize,
    steps: usize,
}

impl Panels<'_> {
    /// Multiplies into rows of `all_columns` numbers.
    fn multiply<O: Element>(&self, all_columns: usize, out: Vec<&mut [O]>, scale: Scale) {
        let (steps, width, all_rows) = (self.steps, self.width, out.len());
        let work = all_rows * all_columns * steps;
        // Few rows are shared by columns instead.
        let few = all_rows <= 4 * self.rows;
        let (rows, columns) = if few {
            (all_rows.next_multiple_of(self.rows), share::piece(all_columns, width, work))
        } else {
            (share::piece(all_rows, self.rows, work), all_columns.next_multiple_of(width))
        };
        let mut items = Vec::new();
        let mut out = out.into_iter();
        for row in (0..all_rows).step_by(rows) {
            let mut rest: Vec<&mut [O]> = out.by_ref().take(rows).collect();
            for column in (0..all_columns).step_by(columns) {
                let here = columns.min(all_columns - column);
                let (now, later) = rest.into_iter().map(|out| out.split_at_mut(here)).unzip();
                rest = later;
                items.push((row, column, now));
            }
        }
        share::each(items, |(row, column, out): (_, _, Vec<&mut [O]>)| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_does_not_grow_with_the_steps() {
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
            for (m, n) in [(5, 5), (8, 8), (1 << 20, 8), (8, 1 << 20), (1 << 20, 1 << 20)] {
                for steps in [1, DEPTH, DEPTH + 1, 200_000, 1 << 24, 1 << 40] {
                    let room: usize = Cut::new(isa, m, n, steps).room().iter().sum();
                    assert!(room < 6 << 20, "{m} {n} {steps} on {isa}: {room}");
                }
            }
        }
    }
}
