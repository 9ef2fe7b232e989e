//! The guards of views: tensors in the memory of others, whose strides or flags MLX takes for what they are not. It reads
//! foreign memory through them, or writes behind what is computed with them.

use crate::{Dtype, Result, Shape, Tensor, ffi};
use std::borrow::Cow;

/// `x` as a split along `axis` may have it; where its parts would be mistaken it gets a node that puts it in order.
///
/// MLX counts only strides above 0 when it asks whether the parts have gaps, and takes those of a reversed tensor for
/// gapless. And where `x` has gaps and a part has none, the part is in row-major order and not gapless to it: a transpose
/// leaves both as they are, and reductions go by the first.
pub(crate) fn splittable(x: &Tensor, axis: i32) -> Result<Cow<'_, Tensor>> {
    if ffi::view::may_step_back(x)? || may_lie_in_order(x, axis) && ffi::view::may_have_gaps(x)? {
        ffi::contiguous(x, false).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(x))
    }
}

/// `x` with its elements in order, for a place where a view may be mistaken.
pub(crate) fn orderly(x: &Tensor) -> Result<Cow<'_, Tensor>> {
    if ffi::view::may_step_back(x)? || ffi::view::may_have_gaps(x)? {
        ffi::contiguous(x, false).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(x))
    }
}

/// Whether a part of one position along `axis` may lie in order where `x` does not, with axes that can change places.
fn may_lie_in_order(x: &Tensor, axis: i32) -> bool {
    let (sizes, ndim) = (x.shape(), x.ndim() as i32);
    let at = if axis < 0 { axis.saturating_add(ndim) } else { axis };
    let Some((before, from)) = usize::try_from(at).ok().and_then(|at| sizes.split_at_checked(at)) else {
        return false;
    };
    let behind = from.iter().skip(1).filter(|&&size| size > 1).count();
    before.iter().all(|&size| size == 1) && behind > 1
}

/// `x` as a view of a dtype may have it. MLX keeps the stride of the last axis, which is anything where that axis has one
/// position; of a narrower dtype it has several. Laid out twice the stride is 1, and nothing is copied.
pub(crate) fn viewable(x: &Tensor, dtype: Dtype) -> Result<Cow<'_, Tensor>> {
    let grows = x.shape().last() == Some(&1) && dtype.size() < x.dtype().size();
    let is_one = |view: ffi::view::View<'_>| view.strides().last() == Some(&1);
    if !grows || super::is_off() || ffi::view::if_readable(x)?.is_some_and(is_one) {
        return Ok(Cow::Borrowed(x));
    }
    let mut longer = Shape::from_slice(x.shape());
    longer.push(1);
    ffi::reshape(&ffi::reshape(x, &longer)?, x.shape()).map(Cow::Owned)
}

/// Windows of `shape` and `strides`; those that overlap as a copy, with one place for each element. MLX takes the stride of a
/// reduced axis for a number of results, and the steps of a slice, back and forth, for a row without gaps.
pub(crate) fn windows(node: Tensor, shape: &[i32], strides: &[i64]) -> Result<Tensor> {
    if super::is_off() || !overlap(shape, strides) { Ok(node) } else { ffi::contiguous(&node, false) }
}

/// Whether axes share places otherwise than all of an axis's positions do, as in a broadcast: whether a step along an axis is
/// shorter than what the axes of shorter steps reach.
fn overlap(shape: &[i32], strides: &[i64]) -> bool {
    if shape.contains(&0) {
        return false;
    }
    let mut axes: Vec<(u64, u64)> = shape
        .iter()
        .zip(strides)
        .filter(|&(&size, &stride)| size > 1 && stride != 0)
        .map(|(&size, &stride)| (stride.unsigned_abs(), u64::from(size.unsigned_abs()) - 1))
        .collect();
    axes.sort_unstable();
    let mut reach = 0_u64;
    axes.into_iter().any(|(stride, steps)| {
        let overlaps = stride <= reach;
        reach = reach.saturating_add(stride.saturating_mul(steps));
        overlaps
    })
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn windows_overlap_where_two_elements_share_a_place() {
        for (shape, strides) in [
            (&[4, 3][..], &[2, 1][..]),
            (&[2, 2], &[1, -1]),
            (&[2, 2, 4], &[-3, 1, -1]),
            (&[2, 2], &[i64::MAX, i64::MIN]),
        ] {
            assert!(overlap(shape, strides), "{shape:?} {strides:?}");
        }
        for (shape, strides) in [
            (&[][..], &[][..]),
            (&[4, 3], &[3, 1]),
            (&[4, 3], &[-1, 4]),
            (&[4, 3], &[0, 1]),
            (&[4, 1, 3], &[3, 1, 1]),
            (&[0, 9], &[1, 1]),
        ] {
            assert!(!overlap(shape, strides), "{shape:?} {strides:?}");
        }
    }
}
