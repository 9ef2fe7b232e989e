//! Panels for `tile`: a matrix's rows or columns, a few beside each other, in the order in which they are multiplied.

use super::tile::Tile;
use crate::arch::{Dense, LANES, dense::Block};

/// One operand: `count` lines (rows of the left matrix, columns of the right one) of `steps` elements each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines<'a, T> {
    pub(super) data: &'a [T],
    /// From one line to the next where lines lie whole, else from one step to the next.
    pub(super) stride: usize,
    /// Whether a line's elements follow each other.
    pub(super) whole: bool,
    pub(super) count: usize,
    pub(super) steps: usize,
}

impl<'a, T: Copy> Lines<'a, T> {
    /// Whether the slice holds all lines.
    ///
    /// # Errors
    /// It is shorter; says by how much.
    pub(super) fn check(&self) -> Result<(), String> {
        let (outer, inner) = if self.whole { (self.count, self.steps) } else { (self.steps, self.count) };
        if outer == 0 || inner == 0 {
            return Ok(());
        }
        let needed = (outer - 1).checked_mul(self.stride).and_then(|n| n.checked_add(inner));
        if needed.is_some_and(|needed| needed <= self.data.len()) {
            return Ok(());
        }
        let needed = needed.map_or("more than memory has".into(), |n| n.to_string());
        Err(format!("stride {} needs {needed} elements, the slice has {}", self.stride, self.data.len()))
    }

    /// The same without the first lines.
    pub(super) fn from(self, first: usize) -> Lines<'a, T> {
        let data = &self.data[if self.whole { first * self.stride } else { first }..];
        Lines { data, count: self.count - first, ..self }
    }

    /// The elements of line `i`, where lines lie whole.
    #[inline(always)]
    pub(super) fn line(&self, i: usize) -> &'a [T] {
        &self.data[i * self.stride..][..self.steps]
    }

    /// The elements of `count` lines from `first` on at a step, where steps lie whole; none behind the last step.
    #[inline(always)]
    pub(super) fn step(&self, step: usize, first: usize, count: usize) -> &'a [T] {
        if step < self.steps { &self.data[step * self.stride + first..][..count] } else { &[] }
    }

    /// The elements of line `i`, wherever they lie.
    pub(super) fn one(&self, i: usize) -> impl Iterator<Item = T> + 'a {
        let (data, stride) = (self.data, self.stride);
        let (start, step) = if self.whole { (i * stride, 1) } else { (i, stride) };
        (0..self.steps).map(move |k| data[start + k * step])
    }
}

/// How many lanes a line of `steps` elements takes.
pub(super) fn lanes<T, K: Tile<T>>(steps: usize) -> usize {
    steps.div_ceil(K::DEPTH)
}

/// Fills a panel of `width` lines from `first` on, those behind the last with zeros; false if the tile refuses one.
#[inline(always)]
pub(super) fn pack<T: Copy, K: Tile<T>>(tile: K, lines: &Lines<T>, first: usize, width: usize, panel: &mut [u32]) -> bool {
    if lines.whole {
        pack_whole(tile, lines, first, width, panel)
    } else {
        pack_steps(tile, lines, first, width, panel)
    }
}

#[inline(always)]
fn pack_whole<T: Copy, K: Tile<T>>(tile: K, lines: &Lines<T>, first: usize, width: usize, panel: &mut [u32]) -> bool {
    let here = width.min(lines.count - first);
    let refused = (0..here).fold(false, |any, i| any | tile.refuses(lines.line(first + i)));
    for left in (0..width).step_by(LANES) {
        let beside = (width - left).min(LANES);
        for (at, panel) in panel.chunks_mut(LANES * width).enumerate() {
            let from = at * LANES * K::DEPTH;
            let mut block: Block = [[0; LANES]; LANES];
            for (i, row) in block.iter_mut().enumerate().take(here.saturating_sub(left)) {
                *row = tile.along(&lines.line(first + left + i)[from..]);
            }
            tile.set().transpose(&mut block);
            for (row, panel) in block.iter().zip(panel.chunks_exact_mut(width)) {
                if let Some(panel) = panel[left..].first_chunk_mut() {
                    *panel = *row;
                } else {
                    panel[left..].copy_from_slice(&row[..beside]);
                }
            }
        }
    }
    !refused
}

#[inline(always)]
fn pack_steps<T: Copy, K: Tile<T>>(tile: K, lines: &Lines<T>, first: usize, width: usize, panel: &mut [u32]) -> bool {
    let here = width.min(lines.count - first);
    let mut refused = false;
    for (lane, panel) in panel.chunks_exact_mut(width).enumerate() {
        let steps: [&[T]; 2] = std::array::from_fn(|i| lines.step(lane * K::DEPTH + i, first, here));
        refused |= steps.iter().take(K::DEPTH).fold(false, |any, step| any | tile.refuses(step));
        for (left, panel) in panel.chunks_mut(LANES).enumerate() {
            let row = tile.across(steps.map(|step| &step[(left * LANES).min(step.len())..]));
            panel.copy_from_slice(&row[..panel.len()]);
        }
    }
    !refused
}
