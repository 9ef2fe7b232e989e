//! Axes joined, taken apart, moved and added: flatten, unflatten, moveaxis, swapaxes, `atleast_1d` and its kin.
//!
//! Not here: reshape, transpose, `expand_dims`, squeeze (`shaping`).

use crate::joins::axis_size;
use mlx_core::{Error, ErrorKind, IntoShape, Result, Tensor, ffi, or_panic};
use std::ops::{RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

mod sealed {
    pub trait Sealed {}
}

/// The axes that flatten joins: `..`, `1..`, `..=-2`, `0..=1`. The last axis counts in, as in Python, and negative ones
/// count from the end.
pub trait IntoAxisRange: sealed::Sealed {
    /// The first and the last axis.
    fn into_axis_range(self) -> (i32, i32);
}

macro_rules! ranges {
    ($($type:ty, |$range:pat_param| $ends:expr;)*) => {
        $(impl sealed::Sealed for $type {}
        impl IntoAxisRange for $type {
            fn into_axis_range(self) -> (i32, i32) {
                let $range = self;
                $ends
            }
        })*
    };
}

ranges! {
    RangeFull, |_| (0, -1);
    RangeFrom<i32>, |RangeFrom { start }| (start, -1);
    RangeToInclusive<i32>, |RangeToInclusive { end }| (0, end);
    RangeInclusive<i32>, |range| range.into_inner();
}

/// Axes that follow each other joined into one: `..` for all, `1..`, `..=-2`, `0..=1`.
///
/// # Errors
/// A first axis behind the last; a joined size beyond `i32`.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([1, 2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(mlx_ops::flatten(&x, ..)?.shape(), [6]);
/// assert_eq!(mlx_ops::flatten(&x, ..=1)?.shape(), [2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.flatten")]
#[track_caller]
pub fn flatten(x: &Tensor, axes: impl IntoAxisRange) -> Result<Tensor> {
    let (start, end) = axes.into_axis_range();
    ffi::flatten(x, start, end)
}

/// An axis taken apart into several, of which one size may be -1 and is inferred.
///
/// # Errors
/// An axis out of range; sizes that do not make the axis; no sizes, sizes below -1, or one that cannot be inferred.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::unflatten(&tensor![1, 2, 3, 4], 0, [2, -1])?.shape(), [2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.unflatten")]
#[track_caller]
pub fn unflatten(x: &Tensor, axis: i32, shape: impl IntoShape) -> Result<Tensor> {
    let shape = shape.into_shape()?;
    match axis_size(x, axis) {
        // Without an axis there is no division yet.
        Some(size) if !has_product(&shape) => {
            let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
            let sizes = sizes.join(",");
            let message =
                format!("[Unflatten] Cannot unflatten axis {axis} with size {size} into shape ({sizes}).");
            Err(Error::new(ErrorKind::Shape, "unflatten", message).with_operands(&[x.into()]))
        }
        _ => ffi::unflatten(x, axis, &shape),
    }
}

/// Whether the sizes have a product that MLX can compare and divide by: it divides by 0 to infer a size, takes a product
/// that wrapped around, and that of two negative sizes.
fn has_product(shape: &[i32]) -> bool {
    let (inferred, empty) = (shape.contains(&-1), shape.contains(&0));
    let mut sizes = shape.iter().filter(|&&size| size != -1).map(|&size| i64::from(size));
    let negative = sizes.clone().any(|size| size < 0);
    let product = sizes.try_fold(1_i64, i64::checked_mul);
    !negative && if empty { !inferred } else { product.is_some() }
}

/// The dimension `source` moved to `destination`, the others in their order.
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([1, 2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(mlx_ops::moveaxis(&x, 0, -1)?.shape(), [2, 3, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.moveaxis")]
#[track_caller]
pub fn moveaxis(x: &Tensor, source: i32, destination: i32) -> Result<Tensor> {
    ffi::moveaxis(x, source, destination)
}

/// Two dimensions exchanged.
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([1, 2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(mlx_ops::swapaxes(&x, 0, 2)?.shape(), [3, 2, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.swapaxes")]
#[track_caller]
pub fn swapaxes(x: &Tensor, axis1: i32, axis2: i32) -> Result<Tensor> {
    ffi::swapaxes(x, axis1, axis2)
}

/// Functions of one tensor that call a symbol.
macro_rules! at_least {
    ($($(#[$doc:meta])* $name:ident $alias:literal = $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// None that is known.
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(x: &Tensor) -> Result<Tensor> {
            ffi::$symbol.call(x)
        })*
    };
}

at_least! {
    /// The tensor, or for a 0-d one its element in one dimension.
    ///
    /// ```
    /// # use mlx_core::{Dtype, Tensor};
    /// assert_eq!(mlx_ops::atleast_1d(&Tensor::scalar(1, Dtype::Int32)?)?.shape(), [1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    atleast_1d "mx.atleast_1d" = ATLEAST_1D;

    /// The tensor with leading dimensions of size 1 up to two dimensions.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// assert_eq!(mlx_ops::atleast_2d(&tensor![1, 2])?.shape(), [1, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    atleast_2d "mx.atleast_2d" = ATLEAST_2D;

    /// The tensor with dimensions of size 1 up to three: a vector lies in the middle one, a matrix in the first two.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// assert_eq!(mlx_ops::atleast_3d(&tensor![1, 2])?.shape(), [1, 2, 1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    atleast_3d "mx.atleast_3d" = ATLEAST_3D;
}

/// Axes, as methods. Each panics at the caller's line where the free function of its name returns an error.
pub trait AxisOps {
    /// See [`flatten`](fn@flatten).
    #[must_use]
    fn flatten(&self, axes: impl IntoAxisRange) -> Tensor;

    /// See [`unflatten`](fn@unflatten).
    #[must_use]
    fn unflatten(&self, axis: i32, shape: impl IntoShape) -> Tensor;

    /// See [`moveaxis`](fn@moveaxis).
    #[must_use]
    fn moveaxis(&self, source: i32, destination: i32) -> Tensor;

    /// See [`swapaxes`](fn@swapaxes).
    #[must_use]
    fn swapaxes(&self, axis1: i32, axis2: i32) -> Tensor;

    /// See [`atleast_1d`](fn@atleast_1d).
    #[must_use]
    fn atleast_1d(&self) -> Tensor;

    /// See [`atleast_2d`](fn@atleast_2d).
    #[must_use]
    fn atleast_2d(&self) -> Tensor;

    /// See [`atleast_3d`](fn@atleast_3d).
    #[must_use]
    fn atleast_3d(&self) -> Tensor;
}

impl AxisOps for Tensor {
    #[track_caller]
    fn flatten(&self, axes: impl IntoAxisRange) -> Tensor {
        or_panic(flatten(self, axes))
    }

    #[track_caller]
    fn unflatten(&self, axis: i32, shape: impl IntoShape) -> Tensor {
        or_panic(unflatten(self, axis, shape))
    }

    #[track_caller]
    fn moveaxis(&self, source: i32, destination: i32) -> Tensor {
        or_panic(moveaxis(self, source, destination))
    }

    #[track_caller]
    fn swapaxes(&self, axis1: i32, axis2: i32) -> Tensor {
        or_panic(swapaxes(self, axis1, axis2))
    }

    #[track_caller]
    fn atleast_1d(&self) -> Tensor {
        or_panic(atleast_1d(self))
    }

    #[track_caller]
    fn atleast_2d(&self) -> Tensor {
        or_panic(atleast_2d(self))
    }

    #[track_caller]
    fn atleast_3d(&self) -> Tensor {
        or_panic(atleast_3d(self))
    }
}
