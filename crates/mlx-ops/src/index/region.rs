//! A slice over all axes, as MLX takes it.

use mlx_core::{Shape, Tensor};

/// Start, stop and step of each axis.
#[derive(Default)]
pub(super) struct Region {
    pub(super) start: Shape,
    pub(super) stop: Shape,
    pub(super) step: Shape,
}

impl Region {
    /// `ranges` of the first axes of `x`, and all of the others.
    pub(super) fn of<const N: usize>(x: &Tensor, ranges: [(i32, i32, i32); N]) -> Region {
        let mut region = Region::default();
        for range in ranges {
            region.push(range);
        }
        region.fill(x.shape());
        region
    }

    /// How many axes have a range so far.
    pub(super) fn axes(&self) -> usize {
        self.start.len()
    }

    /// The range of the next axis.
    pub(super) fn push(&mut self, (start, stop, step): (i32, i32, i32)) {
        self.start.push(start);
        self.stop.push(stop);
        self.step.push(step);
    }

    /// All of those axes that have no range yet, and how many they are.
    pub(super) fn fill(&mut self, sizes: &[i32]) -> usize {
        let left = &sizes[self.axes()..];
        for &size in left {
            self.push((0, size, 1));
        }
        left.len()
    }
}
