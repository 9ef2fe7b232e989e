//! Sorts, partitions and searches.
//!
//! Not here: the places of extremes (`reduce`).

use mlx_core::{IntoAxis, Result, Tensor, ffi, or_panic};

/// The elements in ascending order along an axis, or with `..` all of them in a row; NaN last, equal ones as they stood.
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::sort;
/// assert_eq!(sort(&tensor![[3, 1], [2, 4]], -1)?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// assert_eq!(sort(&tensor![[3, 1], [2, 4]], ..)?.to_vec::<i32>()?, [1, 2, 3, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.sort")]
#[track_caller]
pub fn sort(x: &Tensor, axis: impl IntoAxis) -> Result<Tensor> {
    ffi::sort(x, axis.into_axis())
}

/// The positions that put the elements in ascending order along an axis, or with `..` all of them in a row, as uint32.
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::argsort;
/// assert_eq!(argsort(&tensor![3, 1, 2], -1)?.to_vec::<u32>()?, [1, 2, 0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.argsort")]
#[track_caller]
pub fn argsort(x: &Tensor, axis: impl IntoAxis) -> Result<Tensor> {
    ffi::argsort(x, axis.into_axis())
}

/// The elements in an order where place `kth` has what sorting puts there, none before it is larger and none after it
/// is smaller; along an axis, or with `..` of all elements in a row.
///
/// # Errors
/// An axis or a place out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::partition;
/// assert_eq!(partition(&tensor![3, 1, 2], 1, -1)?.to_vec::<i32>()?[1], 2);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.partition")]
#[track_caller]
pub fn partition(x: &Tensor, kth: i32, axis: impl IntoAxis) -> Result<Tensor> {
    ffi::partition(x, kth, axis.into_axis())
}

/// The positions that put the elements in the order of [`partition`], as uint32.
///
/// # Errors
/// An axis or a place out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::argpartition;
/// assert_eq!(argpartition(&tensor![3, 1, 2], 1, -1)?.to_vec::<u32>()?[1], 2);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.argpartition")]
#[track_caller]
pub fn argpartition(x: &Tensor, kth: i32, axis: impl IntoAxis) -> Result<Tensor> {
    ffi::argpartition(x, kth, axis.into_axis())
}

/// The `k` largest elements along an axis, or with `..` of all elements in a row; in no order.
///
/// # Errors
/// An axis out of range; a `k` below 0 or above the number of elements.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::topk;
/// let mut largest = topk(&tensor![5, 1, 9, 2], 2, -1)?.to_vec::<i32>()?;
/// largest.sort();
/// assert_eq!(largest, [5, 9]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.topk")]
#[track_caller]
pub fn topk(x: &Tensor, k: i32, axis: impl IntoAxis) -> Result<Tensor> {
    ffi::topk(x, k, axis.into_axis())
}

/// Which end of a run of equal elements [`searchsorted`] finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Before the first of them.
    #[default]
    Left,
    /// Behind the last of them.
    Right,
}

/// Where in a sorted vector each of `values` could be put in so that it stays sorted, as uint32.
///
/// # Errors
/// A `sorted` of other than one dimension; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Side, searchsorted};
/// let sorted = tensor![1, 2, 2, 5];
/// assert_eq!(searchsorted(&sorted, &tensor![2, 9], Side::Left)?.to_vec::<u32>()?, [1, 4]);
/// assert_eq!(searchsorted(&sorted, &tensor![2, 9], Side::Right)?.to_vec::<u32>()?, [3, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.searchsorted")]
#[track_caller]
pub fn searchsorted(sorted: &Tensor, values: &Tensor, side: Side) -> Result<Tensor> {
    ffi::searchsorted(sorted, values, side == Side::Right)
}

/// Sorts, as methods.
pub trait SortOps {
    /// See [`sort`](fn@sort); panics at the caller's line on error.
    #[must_use]
    fn sort(&self, axis: impl IntoAxis) -> Tensor;

    /// See [`argsort`](fn@argsort); panics at the caller's line on error.
    #[must_use]
    fn argsort(&self, axis: impl IntoAxis) -> Tensor;

    /// See [`partition`](fn@partition); panics at the caller's line on error.
    #[must_use]
    fn partition(&self, kth: i32, axis: impl IntoAxis) -> Tensor;

    /// See [`argpartition`](fn@argpartition); panics at the caller's line on error.
    #[must_use]
    fn argpartition(&self, kth: i32, axis: impl IntoAxis) -> Tensor;

    /// See [`topk`](fn@topk); panics at the caller's line on error.
    #[must_use]
    fn topk(&self, k: i32, axis: impl IntoAxis) -> Tensor;

    /// See [`searchsorted`](fn@searchsorted), the tensor being the sorted one; panics at the caller's line on error.
    #[must_use]
    fn searchsorted(&self, values: &Tensor, side: Side) -> Tensor;
}

impl SortOps for Tensor {
    #[track_caller]
    fn sort(&self, axis: impl IntoAxis) -> Tensor {
        or_panic(sort(self, axis))
    }

    #[track_caller]
    fn argsort(&self, axis: impl IntoAxis) -> Tensor {
        or_panic(argsort(self, axis))
    }

    #[track_caller]
    fn partition(&self, kth: i32, axis: impl IntoAxis) -> Tensor {
        or_panic(partition(self, kth, axis))
    }

    #[track_caller]
    fn argpartition(&self, kth: i32, axis: impl IntoAxis) -> Tensor {
        or_panic(argpartition(self, kth, axis))
    }

    #[track_caller]
    fn topk(&self, k: i32, axis: impl IntoAxis) -> Tensor {
        or_panic(topk(self, k, axis))
    }

    #[track_caller]
    fn searchsorted(&self, values: &Tensor, side: Side) -> Tensor {
        or_panic(searchsorted(self, values, side))
    }
}
