//! A slice over the leading axes, as MLX takes it.

use super::items::Index;
use mlx_core::ffi::Span;
use smallvec::SmallVec;

/// A span for each axis, from the first one on.
pub(super) type Region = SmallVec<[Span; 6]>;

/// One position.
#[inline]
pub(super) fn at(position: i32) -> Span {
    Span::new(position, position + 1, 1)
}

/// The spans of items that are slices alone, and good ones, as most are; what is left of them and of others the caller
/// looks into.
#[inline]
pub(super) fn of_slices<'a>(
    sizes: &[i32],
    items: &[Index<'_>],
    spans: &'a mut [Span; 6],
) -> Option<&'a [Span]> {
    let mut done = 0;
    for ((item, span), &size) in items.iter().zip(&mut *spans).zip(sizes) {
        let Index::Slice(slice) = item else { return None };
        *span = slice.raw(size).ok()?;
        done += 1;
    }
    (done == items.len()).then(|| &spans[..done])
}
