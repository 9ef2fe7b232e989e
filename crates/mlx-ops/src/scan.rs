//! Scans: cumulative sums, products and extremes; differences of neighbours.

use crate::family::scan_family;
use mlx_core::{Dtype, Error, ErrorKind, IntoAxis, Result, Tensor, ffi, or_panic};

/// What a scan runs along, from which end, and whether each element counts in its own result.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{ScanOps, scan};
/// let x = tensor![1, 2, 3];
/// assert_eq!(x.cumsum(0).to_vec::<i32>()?, [1, 3, 6]);
/// assert_eq!(x.cumsum(scan(..).reverse().exclusive()).to_vec::<i32>()?, [5, 3, 0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scan {
    /// The axis; none for all elements in a row.
    pub axis: Option<i32>,
    /// Whether it runs from the last element to the first.
    pub reverse: bool,
    /// Whether an element is left out of its own result (Python's `inclusive=False`).
    pub exclusive: bool,
}

/// A scan along an axis, or with `..` along all elements in a row, to say more about.
#[must_use]
pub fn scan(axis: impl IntoAxis) -> Scan {
    Scan { axis: axis.into_axis(), ..Scan::default() }
}

impl Scan {
    /// From the last element to the first.
    #[must_use]
    pub fn reverse(mut self) -> Scan {
        self.reverse = true;
        self
    }

    /// Each result without its own element: the first is the neutral one.
    #[must_use]
    pub fn exclusive(mut self) -> Scan {
        self.exclusive = true;
        self
    }

    fn along(self) -> ffi::Along {
        ffi::Along { axis: self.axis, reverse: self.reverse, inclusive: !self.exclusive, flattens: false }
    }

    /// As Python's methods have it.
    fn as_method(self) -> ffi::Along {
        ffi::Along { flattens: true, ..self.along() }
    }
}

impl From<i32> for Scan {
    fn from(axis: i32) -> Scan {
        scan(axis)
    }
}

impl From<usize> for Scan {
    fn from(axis: usize) -> Scan {
        scan(axis)
    }
}

impl From<std::ops::RangeFull> for Scan {
    fn from(all: std::ops::RangeFull) -> Scan {
        scan(all)
    }
}

scan_family! {
    /// Scans, as methods.
    ScanOps, SCAN;

    /// The largest element so far; NaN from where there is one.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ScanOps;
    /// assert_eq!(tensor![1, 3, 2].cummax(0).to_vec::<i32>()?, [1, 3, 3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cummax "mx.cummax" = |x, along| ffi::cummax(x, along);

    /// The smallest element so far; NaN from where there is one.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ScanOps;
    /// assert_eq!(tensor![2, 3, 1].cummin(0).to_vec::<i32>()?, [2, 2, 1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cummin "mx.cummin" = |x, along| ffi::cummin(x, along);

    /// The product of the elements so far, in their dtype; of bools as int32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ScanOps;
    /// assert_eq!(tensor![2, 3, 4].cumprod(0).to_vec::<i32>()?, [2, 6, 24]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cumprod "mx.cumprod" "mx.cumulative_prod" = |x, along| ffi::cumprod(x, along, None);

    /// The sum of the elements so far, in their dtype; of bools as int32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ScanOps;
    /// assert_eq!(tensor![[1, 2], [3, 4]].cumsum(1).to_vec::<i32>()?, [1, 3, 3, 7]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cumsum "mx.cumsum" "mx.cumulative_sum" = |x, along| ffi::cumsum(x, along, None);

    /// `log(cumsum(exp(x)))`, without overflow.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ScanOps;
    /// let x = tensor![1000.0, f64::NEG_INFINITY];
    /// assert_eq!(x.logcumsumexp(0).to_vec::<f32>()?, [1000.0, 1000.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logcumsumexp "mx.logcumsumexp" = |x, along| ffi::logcumsumexp(x, along);
}

/// [`cumsum`] computed in `dtype`.
///
/// # Errors
/// An axis out of range; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::{Dtype, tensor};
/// # use mlx_ops::{ShapingOps, cumsum_dtype};
/// let x = tensor![100, 100].astype(Dtype::Int8);
/// assert_eq!(cumsum_dtype(&x, 0, Dtype::Int32)?.to_vec::<i32>()?, [100, 200]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn cumsum_dtype(x: &Tensor, scan: impl Into<Scan>, dtype: Dtype) -> Result<Tensor> {
    ffi::cumsum(x, scan.into().along(), Some(dtype))
}

/// [`cumprod`] computed in `dtype`.
///
/// # Errors
/// An axis out of range; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::{Dtype, tensor};
/// # use mlx_ops::{ShapingOps, cumprod_dtype};
/// let x = tensor![100, 2].astype(Dtype::Int8);
/// assert_eq!(cumprod_dtype(&x, 0, Dtype::Int32)?.to_vec::<i32>()?, [100, 200]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn cumprod_dtype(x: &Tensor, scan: impl Into<Scan>, dtype: Dtype) -> Result<Tensor> {
    ffi::cumprod(x, scan.into().along(), Some(dtype))
}

/// The most differences of differences: each is three nodes, and MLX builds them before it returns.
const MOST_ORDERS: i32 = 1 << 14;

/// The differences of neighbours along an axis, `n` times over; of bools whether they differ.
///
/// # Errors
/// An axis out of range; an `n` below 0, or above 16384.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::diff;
/// assert_eq!(diff(&tensor![1, 4, 9], 1, -1)?.to_vec::<i32>()?, [3, 5]);
/// assert_eq!(diff(&tensor![1, 4, 9], 2, 0)?.to_vec::<i32>()?, [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.diff")]
#[track_caller]
pub fn diff(x: &Tensor, n: i32, axis: i32) -> Result<Tensor> {
    if n > MOST_ORDERS {
        let message = format!("[diff] Order `n` is {n}, and must be {MOST_ORDERS} at most.");
        return Err(Error::new(ErrorKind::Value, "diff", message).with_operands(&[x.into()]));
    }
    ffi::diff(x, n, axis)
}

/// Scans with arguments of their own, as methods.
pub trait CumulativeOps {
    /// See [`cumsum_dtype`](fn@cumsum_dtype); panics at the caller's line on error.
    #[must_use]
    fn cumsum_dtype(&self, scan: impl Into<Scan>, dtype: Dtype) -> Tensor;

    /// See [`cumprod_dtype`](fn@cumprod_dtype); panics at the caller's line on error.
    #[must_use]
    fn cumprod_dtype(&self, scan: impl Into<Scan>, dtype: Dtype) -> Tensor;

    /// See [`diff`](fn@diff); panics at the caller's line on error.
    #[must_use]
    fn diff(&self, n: i32, axis: i32) -> Tensor;
}

impl CumulativeOps for Tensor {
    #[track_caller]
    fn cumsum_dtype(&self, scan: impl Into<Scan>, dtype: Dtype) -> Tensor {
        or_panic(cumsum_dtype(self, scan, dtype))
    }

    #[track_caller]
    fn cumprod_dtype(&self, scan: impl Into<Scan>, dtype: Dtype) -> Tensor {
        or_panic(cumprod_dtype(self, scan, dtype))
    }

    #[track_caller]
    fn diff(&self, n: i32, axis: i32) -> Tensor {
        or_panic(diff(self, n, axis))
    }
}
