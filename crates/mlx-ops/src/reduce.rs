//! Reductions: the table, the two that take one number more, and the places of extremes, which take one axis.

use crate::family::reduce_family;
use mlx_core::{Error, ErrorKind, IntoAxes, Result, Tensor, ffi, or_panic};

reduce_family! {
    /// Reductions over axes, as methods.
    ReduceOps, REDUCE;

    /// Whether all elements are other than 0, as bool; of nothing true.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![[1, 0], [2, 3]].all(1).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    all "mx.all" = ALL;

    /// Whether any element is other than 0, as bool; of nothing false.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![[0, 0], [2, 0]].any(1).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    any "mx.any" = ANY;

    /// How many elements are other than 0, as int32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![[0, 1], [2, 3]].count_nonzero(0).to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    count_nonzero "mx.count_nonzero" = COUNT_NONZERO;

    /// `log(sum(exp(x)))`, without overflow; of integers as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1000.0, f64::NEG_INFINITY].logsumexp(..).item::<f32>()?, 1000.0);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logsumexp "mx.logsumexp" = LOGSUMEXP;

    /// The largest element; NaN where there is one.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 3, 2].max(..).to_vec::<i32>()?, [3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    max "mx.max" = MAX;

    /// The mean; of integers as float32, of halves with sums in halves on the CPU.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 2].mean(0).to_vec::<f32>()?, [1.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    mean "mx.mean" = MEAN;

    /// The middle element in order, or the mean of the two in the middle; of integers as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 9, 3, 4].median(..).item::<f32>()?, 3.5);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    median "mx.median" = MEDIAN;

    /// The smallest element; NaN where there is one.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 3, 2].min(..).to_vec::<i32>()?, [1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    min "mx.min" = MIN;

    /// The product; small integers multiply as 32-bit ones.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![2, 3, 4].prod(..).item::<i32>()?, 24);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    prod "mx.prod" = PROD;

    /// The sum; small integers add up as 32-bit ones, halves as halves on the CPU.
    ///
    /// ```
    /// # use mlx_core::{axes, tensor};
    /// # use mlx_ops::ReduceOps;
    /// assert_eq!(tensor![1, 2, 3].sum(axes(0).keep()).to_vec::<i32>()?, [6]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sum "mx.sum" = SUM;
}

/// The standard deviation over `axes`, with the number of elements less `ddof` as divisor; of integers as float32.
///
/// # Errors
/// An axis out of range or named twice; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::std;
/// assert_eq!(std(&tensor![1.0, 3.0], .., 0)?.item::<f32>()?, 1.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.std")]
#[track_caller]
pub fn std(x: &Tensor, axes: impl IntoAxes, ddof: i32) -> Result<Tensor> {
    ffi::std(x, &axes.into_axes(), ddof)
}

/// The variance over `axes`, dividing by the number of elements less `ddof`; of integers as float32.
///
/// # Errors
/// An axis out of range or named twice; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::var;
/// assert_eq!(var(&tensor![1.0, 3.0], .., 1)?.item::<f32>()?, 2.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.var")]
#[track_caller]
pub fn var(x: &Tensor, axes: impl IntoAxes, ddof: i32) -> Result<Tensor> {
    ffi::var(x, &axes.into_axes(), ddof)
}

/// The position of the largest element along one axis, or of all elements in a row, as uint32.
///
/// The first of equal ones; NaN counts only where it stands first.
///
/// # Errors
/// An empty tensor; an axis out of range, or several.
///
/// ```
/// # use mlx_core::{axes, tensor};
/// # use mlx_ops::argmax;
/// let x = tensor![[1, 5], [7, 2]];
/// assert_eq!(argmax(&x, ..)?.item::<u32>()?, 2);
/// assert_eq!(argmax(&x, axes(-1).keep())?.to_vec::<u32>()?, [1, 0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.argmax")]
#[track_caller]
pub fn argmax(x: &Tensor, axis: impl IntoAxes) -> Result<Tensor> {
    let (axis, keep) = one_axis("argmax", x, axis)?;
    ffi::argmax(x, axis, keep)
}

/// The position of the smallest element along one axis, or of all elements in a row, as uint32.
///
/// The first of equal ones; NaN counts only where it stands first.
///
/// # Errors
/// An empty tensor; an axis out of range, or several.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::argmin;
/// assert_eq!(argmin(&tensor![[1, 5], [7, 2]], 0)?.to_vec::<u32>()?, [0, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.argmin")]
#[track_caller]
pub fn argmin(x: &Tensor, axis: impl IntoAxes) -> Result<Tensor> {
    let (axis, keep) = one_axis("argmin", x, axis)?;
    ffi::argmin(x, axis, keep)
}

/// The one axis, or none for all, and whether it is kept.
fn one_axis(op: &'static str, x: &Tensor, axis: impl IntoAxes) -> Result<(Option<i32>, bool)> {
    let axes = axis.into_axes();
    match axes.list() {
        None => Ok((None, axes.keeps())),
        Some(&[axis]) => Ok((Some(axis), axes.keeps())),
        Some(list) => {
            let message = format!("[{op}] takes one axis, or `..` for all elements, and not {list:?}.");
            Err(Error::new(ErrorKind::Shape, op, message).with_operands(&[x.into()]))
        }
    }
}

/// The places of extremes, as methods.
pub trait ExtremeOps {
    /// See [`argmax`](fn@argmax); panics at the caller's line on error.
    #[must_use]
    fn argmax(&self, axis: impl IntoAxes) -> Tensor;

    /// See [`argmin`](fn@argmin); panics at the caller's line on error.
    #[must_use]
    fn argmin(&self, axis: impl IntoAxes) -> Tensor;
}

impl ExtremeOps for Tensor {
    #[track_caller]
    fn argmax(&self, axis: impl IntoAxes) -> Tensor {
        or_panic(argmax(self, axis))
    }

    #[track_caller]
    fn argmin(&self, axis: impl IntoAxes) -> Tensor {
        or_panic(argmin(self, axis))
    }
}

/// The reductions with an argument of their own, as methods.
pub trait VarianceOps {
    /// See [`std`](fn@std); panics at the caller's line on error.
    #[must_use]
    fn std(&self, axes: impl IntoAxes, ddof: i32) -> Tensor;

    /// See [`var`](fn@var); panics at the caller's line on error.
    #[must_use]
    fn var(&self, axes: impl IntoAxes, ddof: i32) -> Tensor;
}

impl VarianceOps for Tensor {
    #[track_caller]
    fn std(&self, axes: impl IntoAxes, ddof: i32) -> Tensor {
        or_panic(std(self, axes, ddof))
    }

    #[track_caller]
    fn var(&self, axes: impl IntoAxes, ddof: i32) -> Tensor {
        or_panic(var(self, axes, ddof))
    }
}
