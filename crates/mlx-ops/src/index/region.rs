//! A slice over the leading axes, as MLX takes it.

use mlx_core::ffi::Span;
use smallvec::SmallVec;

/// A span for each axis, from the first one on.
pub(super) type Region = SmallVec<[Span; 6]>;

/// One position.
#[inline]
pub(super) fn at(position: i32) -> Span {
    Span::new(position, position + 1, 1)
}
