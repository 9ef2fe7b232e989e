//! Panels for `tile`: a matrix's rows or columns, a few beside each other, in the order in which they are multiplied.

use crate::{
    arch::{Dense, LANES, dense::Block},
    elements::Element,
};
use std::ops::Range;

/// One operand: `count` lines (rows of the left matrix, columns of the right one) of `steps` elements each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'a, T> {
    pub(super) data: &'a [T],
    /// From one line to the next where lines lie whole, else from one step to the next.
    pub(super) stride: usize,
    /// Whether a line's elements follow each other.
    pub(super) whole: bool,
    pub(super) count: usize,
    pub(super) steps: usize,
}

impl<'a, T: Copy> Lines<'a, T> {
    /// Lines that lie whole.
    pub(crate) fn whole(data: &'a [T], stride: usize, count: usize, steps: usize) -> Lines<'a, T> {
        Lines { data, stride, whole: true, count, steps }
    }

    /// Lines whose steps lie whole.
    pub(crate) fn steps(data: &'a [T], stride: usize, count: usize, steps: usize) -> Lines<'a, T> {
        Lines { data, stride, whole: false, count, steps }
    }

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

    /// Some lines.
    pub(super) fn lines(self, range: Range<usize>) -> Lines<'a, T> {
        Lines { count: range.len(), ..self.from(range.start) }
    }

    /// Some steps of all lines.
    pub(super) fn between(self, range: Range<usize>) -> Lines<'a, T> {
        let data = &self.data[if self.whole { range.start } else { range.start * self.stride }..];
        Lines { data, steps: range.len(), ..self }
    }

    /// The elements of line `i`, where lines lie whole.
    #[inline(always)]
    pub(super) fn line(&self, i: usize) -> &'a [T] {
        &self.data[i * self.stride..][..self.steps]
    }

    /// The elements of `count` lines from `first` on at a step, where steps lie whole.
    #[inline(always)]
    pub(super) fn step(&self, step: usize, first: usize, count: usize) -> &'a [T] {
        &self.data[step * self.stride + first..][..count]
    }

    /// The elements of line `i`, wherever they lie.
    pub(super) fn one(&self, i: usize) -> impl Iterator<Item = T> + 'a {
        let (data, stride) = (self.data, self.stride);
        let (start, step) = if self.whole { (i * stride, 1) } else { (i, stride) };
        (0..self.steps).map(move |k| data[start + k * step])
    }
}

/// Fills a panel of `width` lines from `first` on, step after step; zeros for lines behind the last.
#[inline(always)]
pub(super) fn pack<T: Element, S: Dense>(
    s: S,
    lines: &Lines<T>,
    first: usize,
    width: usize,
    panel: &mut [f32],
) {
    let here = width.min(lines.count - first);
    if lines.whole {
        for left in (0..width).step_by(LANES) {
            let wanted = first + here.min(left)..first + here.min(left + LANES);
            columns(s, lines, wanted, panel, width, left);
        }
        return;
    }
    for (step, panel) in panel.chunks_exact_mut(width).enumerate() {
        let step = lines.step(step, first, here);
        for (left, panel) in panel.chunks_mut(LANES).enumerate() {
            let from = step.get(left * LANES..).unwrap_or_default();
            f32::store_part(s, T::load_part(s, from, 0.0), panel);
        }
    }
}

/// Up to sixteen lines that lie whole, to columns `left` and on of a panel; zeros beside them.
#[inline(always)]
fn columns<T: Element, S: Dense>(
    s: S,
    lines: &Lines<T>,
    wanted: Range<usize>,
    panel: &mut [f32],
    width: usize,
    left: usize,
) {
    let mut block: Block = [[0.0; LANES]; LANES];
    for (at, panel) in panel.chunks_mut(LANES * width).enumerate() {
        for (line, row) in wanted.clone().zip(&mut block) {
            s.store(T::load_part(s, &lines.line(line)[at * LANES..], 0.0), row);
        }
        let mut turned = block;
        s.transpose(&mut turned);
        for (row, panel) in turned.iter().zip(panel.chunks_exact_mut(width)) {
            let panel = &mut panel[left..];
            if let Some(panel) = panel.first_chunk_mut() {
                *panel = *row;
            } else {
                let width = panel.len();
                panel.copy_from_slice(&row[..width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Isa,
        arch::{Kernel, dispatch},
    };

    struct Packs<'a>(Lines<'a, f32>, usize, &'a mut [f32]);

    impl Kernel for Packs<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Dense>(self, s: S) {
            pack(s, &self.0, 0, self.1, self.2);
        }
    }

    #[test]
    fn nothing_of_an_earlier_use_is_left() {
        const STEPS: usize = 37;
        let data = [1.0; 40 * 40];
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
            for (width, count) in [(32, 1), (32, 16), (32, 17), (32, 32), (16, 5), (14, 3)] {
                for whole in [false, true] {
                    let mut panel = vec![f32::NAN; width * STEPS];
                    let lines = Lines { data: &data, stride: 40, whole, count, steps: STEPS };
                    dispatch(isa, Packs(lines, width, &mut panel));
                    for (i, value) in panel.iter().enumerate() {
                        let expected = if i % width < count { 1.0_f32 } else { 0.0 };
                        assert_eq!(value.to_bits(), expected.to_bits(), "{isa} {width} {count} {whole} {i}");
                    }
                }
            }
        }
    }
}
