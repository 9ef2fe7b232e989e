//! Elements repeated, shifted and turned round: tile, repeat, roll, flip.

use crate::ints::{IntoInts, IntoIntsOrAll};
use mlx_core::{Error, ErrorKind, IntoAxes, Result, Tensor, ffi, or_panic};

/// The whole tensor repeated along its axes, the last number being that of the last axis; more numbers than axes make
/// new leading ones.
///
/// # Errors
/// A negative number; a size beyond `i32`.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::tile(&tensor![1, 2], 2)?.to_vec::<i32>()?, [1, 2, 1, 2]);
/// assert_eq!(mlx_ops::tile(&tensor![1, 2], [2, 1])?.shape(), [2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.tile")]
#[track_caller]
pub fn tile(x: &Tensor, reps: impl IntoInts) -> Result<Tensor> {
    ffi::tile(x, reps.into_ints().list())
}

/// Each element repeated along an axis; `..` takes all elements in one dimension.
///
/// # Errors
/// A negative number; a size beyond `i32`; an axis out of range, or several.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::repeat(&tensor![1, 2], 2, 0)?.to_vec::<i32>()?, [1, 1, 2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.repeat")]
#[track_caller]
pub fn repeat(x: &Tensor, repeats: i32, axis: impl IntoAxes) -> Result<Tensor> {
    match axis.into_axes().plain("repeat")? {
        None => ffi::repeat(x, repeats),
        Some(&[axis]) => ffi::repeat_axis(x, repeats, axis),
        Some(axes) => {
            let message = format!("elements repeat along one axis, not along {axes:?}");
            Err(Error::new(ErrorKind::Shape, "repeat", message).with_operands(&[x.into()]))
        }
    }
}

/// The elements shifted along axes, those that leave at the end entering at the start; `..` takes all elements in one
/// dimension. One shift holds for every axis; of several each has its axis of a list, or they add up along one axis alone.
///
/// # Errors
/// Fewer shifts than axes; an axis out of range; shifts whose sum is beyond `i32`.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::roll(&tensor![1, 2, 3], 1, 0)?.to_vec::<i32>()?, [3, 1, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.roll")]
#[track_caller]
pub fn roll(x: &Tensor, shift: impl IntoInts, axes: impl IntoIntsOrAll) -> Result<Tensor> {
    let shift = shift.into_ints();
    let Some(axes) = axes.into_ints_or_all() else { return ffi::roll(x, shift.list()) };
    match (shift.alone(), axes.alone()) {
        (_, Some(axis)) => ffi::roll_axis(x, shift.list(), axis),
        (Some(one), None) => ffi::roll_axes(x, &vec![one; axes.list().len()], axes.list()),
        (None, None) => ffi::roll_axes(x, shift.list(), axes.list()),
    }
}

/// The elements in reverse order along axes; `..` takes every axis.
///
/// # Errors
/// An axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::flip(&tensor![1, 2, 3], 0)?.to_vec::<i32>()?, [3, 2, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.flip")]
#[track_caller]
pub fn flip(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    match axes.into_axes().plain("flip")? {
        None => ffi::FLIP.call(x),
        Some(axes) => ffi::flip_axes(x, axes),
    }
}

/// Repeats and shifts, as methods. Each panics at the caller's line where the free function of its name returns an error.
pub trait RepeatOps {
    /// See [`tile`](fn@tile).
    #[must_use]
    fn tile(&self, reps: impl IntoInts) -> Tensor;

    /// See [`repeat`](fn@repeat).
    #[must_use]
    fn repeat(&self, repeats: i32, axis: impl IntoAxes) -> Tensor;

    /// See [`roll`](fn@roll).
    #[must_use]
    fn roll(&self, shift: impl IntoInts, axes: impl IntoIntsOrAll) -> Tensor;

    /// See [`flip`](fn@flip).
    #[must_use]
    fn flip(&self, axes: impl IntoAxes) -> Tensor;
}

impl RepeatOps for Tensor {
    #[track_caller]
    fn tile(&self, reps: impl IntoInts) -> Tensor {
        or_panic(tile(self, reps))
    }

    #[track_caller]
    fn repeat(&self, repeats: i32, axis: impl IntoAxes) -> Tensor {
        or_panic(repeat(self, repeats, axis))
    }

    #[track_caller]
    fn roll(&self, shift: impl IntoInts, axes: impl IntoIntsOrAll) -> Tensor {
        or_panic(roll(self, shift, axes))
    }

    #[track_caller]
    fn flip(&self, axes: impl IntoAxes) -> Tensor {
        or_panic(flip(self, axes))
    }
}
