//! Picking elements out by position, and writing at positions; the nodes that Python's `x[…]`, `x[…] = v` and `x.at[…]`
//! issue, and those of `take` and its kin.
//!
//! Here: the methods. `items` is what an index is made of, `region` what its slices reach, `read` and `update` what is done
//! there, `gather` and `scatter` how, where an item is a tensor.

mod gather;
mod items;
mod read;
mod region;
mod scatter;
mod take;
mod update;

pub use items::{Ellipsis, Index, IndexSpec, NewAxis, Slice};
pub use read::index;
pub use take::{put_along_axis, slice, slice_update, take, take_along_axis};
pub use update::{At, Update, index_update, set_index};

use mlx_core::{IntoAxes, IntoShape, Operand, Tensor, or_panic};

/// Indexing, as methods. Each panics at the caller's line where the free function returns an error.
pub trait IndexOps {
    /// See [`index`](fn@index).
    #[must_use]
    fn index<'i>(&self, index: impl Into<IndexSpec<'i>>) -> Tensor;

    /// `x[index] = value`: gives `self` the tensor that [`set_index`](fn@set_index) returns, as `+=` does; clones made
    /// before keep the old values.
    fn set_index<'i>(&mut self, index: impl Into<IndexSpec<'i>>, value: impl Operand);

    /// The places at `index`, to be updated: `x.at((0, ..)).add(1)`.
    fn at<'a>(&'a self, index: impl Into<IndexSpec<'a>>) -> At<'a>;

    /// See [`take`](fn@take).
    #[must_use]
    fn take(&self, indices: impl Operand, axis: impl IntoAxes) -> Tensor;

    /// See [`take_along_axis`](fn@take_along_axis).
    #[must_use]
    fn take_along_axis(&self, indices: &Tensor, axis: impl IntoAxes) -> Tensor;

    /// See [`put_along_axis`](fn@put_along_axis).
    #[must_use]
    fn put_along_axis(&self, indices: &Tensor, values: &Tensor, axis: impl IntoAxes) -> Tensor;

    /// See [`slice`](fn@slice).
    #[must_use]
    fn slice(&self, start: &Tensor, axes: impl IntoAxes, sizes: impl IntoShape) -> Tensor;

    /// See [`slice_update`](fn@slice_update).
    #[must_use]
    fn slice_update(&self, update: &Tensor, start: &Tensor, axes: impl IntoAxes) -> Tensor;
}

impl IndexOps for Tensor {
    #[inline]
    #[track_caller]
    fn index<'i>(&self, spec: impl Into<IndexSpec<'i>>) -> Tensor {
        or_panic(index(self, spec))
    }

    #[inline]
    #[track_caller]
    fn set_index<'i>(&mut self, spec: impl Into<IndexSpec<'i>>, value: impl Operand) {
        *self = or_panic(set_index(self, spec, value));
    }

    #[inline]
    fn at<'a>(&'a self, spec: impl Into<IndexSpec<'a>>) -> At<'a> {
        At::new(self, spec.into())
    }

    #[track_caller]
    fn take(&self, indices: impl Operand, axis: impl IntoAxes) -> Tensor {
        or_panic(take(self, indices, axis))
    }

    #[track_caller]
    fn take_along_axis(&self, indices: &Tensor, axis: impl IntoAxes) -> Tensor {
        or_panic(take_along_axis(self, indices, axis))
    }

    #[track_caller]
    fn put_along_axis(&self, indices: &Tensor, values: &Tensor, axis: impl IntoAxes) -> Tensor {
        or_panic(put_along_axis(self, indices, values, axis))
    }

    #[track_caller]
    fn slice(&self, start: &Tensor, axes: impl IntoAxes, sizes: impl IntoShape) -> Tensor {
        or_panic(slice(self, start, axes, sizes))
    }

    #[track_caller]
    fn slice_update(&self, update: &Tensor, start: &Tensor, axes: impl IntoAxes) -> Tensor {
        or_panic(slice_update(self, update, start, axes))
    }
}
