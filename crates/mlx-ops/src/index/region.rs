//! A slice over all axes, as MLX takes it.

use mlx_core::Shape;

/// Start, stop and step of each axis.
pub(super) struct Region {
    pub(super) start: Shape,
    pub(super) stop: Shape,
    pub(super) step: Shape,
}

impl Region {
    /// All of each axis.
    #[inline]
    pub(super) fn whole(sizes: &[i32]) -> Region {
        let each = |value| match sizes.len() {
            // Two writes of registers; `from_elem` counts.
            ndim @ ..=6 => Shape::from_buf_and_len([value; 6], ndim),
            ndim => Shape::from_elem(value, ndim),
        };
        Region { start: each(0), stop: Shape::from_slice(sizes), step: each(1) }
    }

    /// Of one axis only a range.
    #[inline]
    pub(super) fn set(&mut self, axis: usize, (start, stop, step): (i32, i32, i32)) {
        self.start[axis] = start;
        self.stop[axis] = stop;
        self.step[axis] = step;
    }
}
