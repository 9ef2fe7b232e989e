//! Calls of scans, sorts and searches: along one axis, or over all elements in a row.
//!
//! MLX's scans of empty tensors and its sorts along empty axes end the process when they are computed; building them is
//! safe and tells shape and dtype, so the node is built for those and not used (`guard`).

use super::{call::node, reshape};
use crate::{Dtype, Result, Tensor, guard};
use mlx_link as sys;

/// What a scan runs along, from which end, and whether each element counts itself.
#[derive(Clone, Copy)]
pub struct Along {
    /// The axis; none for all elements in a row.
    pub axis: Option<i32>,
    /// From the last element to the first.
    pub reverse: bool,
    /// Whether an element is in its own result.
    pub inclusive: bool,
    /// Without an axis: flatten as Python's methods do, where its functions reshape.
    pub flattens: bool,
}

/// Scans without a dtype of their own, for which Python reshapes to one axis where it names none; and those `typed`, for
/// which MLX flattens.
macro_rules! scans {
    (typed $($(#[$doc:meta])* $name:ident = $all:ident $axis:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses: an axis out of range.
        #[track_caller]
        pub fn $name(x: &Tensor, along: Along, dtype: Option<Dtype>) -> Result<Tensor> {
            let Along { axis, reverse, inclusive, .. } = along;
            let has_value = dtype.is_some();
            let dtype = sys::mlx_optional_dtype { value: dtype.unwrap_or(Dtype::Bool).code(), has_value };
            guard::scanned(x, match axis {
                Some(axis) => node!(
                    stringify!($name), sys::$axis, tensor x, value axis, value reverse, value inclusive,
                    value dtype
                ),
                None => node!(
                    stringify!($name), sys::$all, tensor x, value reverse, value inclusive, value dtype
                ),
            }?)
        })*
    };
    ($($(#[$doc:meta])* $name:ident = $all:ident $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses: an axis out of range.
        #[track_caller]
        pub fn $name(x: &Tensor, along: Along) -> Result<Tensor> {
            let Along { axis, reverse, inclusive, flattens } = along;
            if axis.is_none() && flattens {
                let node = node!(stringify!($name), sys::$all, tensor x, value reverse, value inclusive)?;
                return guard::scanned(x, node);
            }
            let x = match axis {
                Some(_) => x,
                // Python's -1 is a node for a row too; of nothing MLX cannot infer it.
                None => &reshape(x, &[if x.size() == 0 { 0 } else { -1 }])?,
            };
            let axis = axis.unwrap_or(0);
            guard::scanned(x, node!(
                stringify!($name), sys::$symbol, tensor x, value axis, value reverse, value inclusive
            )?)
        })*
    };
}

scans! {
    /// `mx.cummax(x, axis, reverse, inclusive)`
    cummax = mlx_cummax mlx_cummax_axis;
    /// `mx.cummin(x, axis, reverse, inclusive)`
    cummin = mlx_cummin mlx_cummin_axis;
    /// `mx.logcumsumexp(x, axis, reverse, inclusive)`
    logcumsumexp = mlx_logcumsumexp mlx_logcumsumexp_axis;
}

scans! { typed
    /// `mx.cumprod(x, axis, reverse, inclusive, dtype)`
    cumprod = mlx_cumprod mlx_cumprod_axis;
    /// `mx.cumsum(x, axis, reverse, inclusive, dtype)`
    cumsum = mlx_cumsum mlx_cumsum_axis;
}

/// Sorts, and those that look for one or several places, with a number before the axis; each with its guard.
macro_rules! sorts {
    ($($(#[$doc:meta])* $name:ident($($number:ident)?) = $all:ident $axis:ident $guard:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses: an axis or a place out of range.
        #[track_caller]
        pub fn $name(x: &Tensor, $($number: i32,)? axis: Option<i32>) -> Result<Tensor> {
            let node = match axis {
                Some(axis) => {
                    node!(stringify!($name), sys::$axis, tensor x, $(value $number,)? value axis)
                }
                None => node!(stringify!($name), sys::$all, tensor x $(, value $number)?),
            };
            guard::$guard(x, axis, node?)
        })*
    };
}

sorts! {
    /// `mx.argpartition(x, kth, axis)`
    argpartition(kth) = mlx_argpartition mlx_argpartition_axis partitioned;
    /// `mx.argsort(x, axis)`
    argsort() = mlx_argsort mlx_argsort_axis sorted;
    /// `mx.partition(x, kth, axis)`
    partition(kth) = mlx_partition mlx_partition_axis partitioned;
    /// `mx.sort(x, axis)`
    sort() = mlx_sort mlx_sort_axis sorted;
    /// `mx.topk(x, k, axis)`
    topk(k) = mlx_topk mlx_topk_axis partitioned;
}

/// `mx.diff(x, n, axis)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn diff(x: &Tensor, n: i32, axis: i32) -> Result<Tensor> {
    node!("diff", sys::mlx_diff, tensor x, value n, value axis)
}

/// `mx.searchsorted(sorted, values, side)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn searchsorted(sorted: &Tensor, values: &Tensor, right: bool) -> Result<Tensor> {
    let side = if right { c"right" } else { c"left" };
    node!("searchsorted", sys::mlx_searchsorted, tensor sorted, tensor values, text side)
}
