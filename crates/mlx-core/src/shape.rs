//! Shapes and axes: what arguments may be, and the checks made before C sees them.

use crate::{Dtype, Error, ErrorKind, Result};
use smallvec::{SmallVec, smallvec};

/// The sizes of a tensor's dimensions, kept inline up to six of them.
pub type Shape = SmallVec<[i32; 6]>;

mod sealed {
    pub trait Sealed {}
}

/// What a shape argument may be: arrays, slices and vectors of `i32` or `usize`, `()` for a 0-d tensor.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape",
    note = "shapes are arrays, slices or vectors of `i32` or `usize`: `[2, 3]`; `()` is a 0-d tensor's"
)]
pub trait IntoShape: sealed::Sealed {
    /// The shape.
    ///
    /// # Errors
    /// A size beyond `i32`.
    fn into_shape(self) -> Result<Shape>;
}

impl sealed::Sealed for () {}
impl IntoShape for () {
    fn into_shape(self) -> Result<Shape> {
        Ok(Shape::new())
    }
}

macro_rules! into_shape {
    ($element:ty, |$sizes:ident| $convert:expr) => {
        into_shape!(@ [const N: usize] [$element; N], $element, |$sizes| $convert);
        into_shape!(@ [const N: usize] &[$element; N], $element, |$sizes| $convert);
        into_shape!(@ [] &[$element], $element, |$sizes| $convert);
        into_shape!(@ [] Vec<$element>, $element, |$sizes| $convert);
        into_shape!(@ [] &Vec<$element>, $element, |$sizes| $convert);
    };
    (@ [$($generics:tt)*] $type:ty, $element:ty, |$sizes:ident| $convert:expr) => {
        impl<$($generics)*> sealed::Sealed for $type {}
        impl<$($generics)*> IntoShape for $type {
            #[inline]
            fn into_shape(self) -> Result<Shape> {
                let $sizes: &[$element] = &self[..];
                $convert
            }
        }
    };
}

into_shape!(i32, |sizes| Ok(Shape::from_slice(sizes)));
into_shape!(usize, |sizes| sizes.iter().map(|&size| size_of_axis(size)).collect());

impl sealed::Sealed for &Shape {}
impl IntoShape for &Shape {
    fn into_shape(self) -> Result<Shape> {
        Ok(self.clone())
    }
}

impl sealed::Sealed for Shape {}
impl IntoShape for Shape {
    fn into_shape(self) -> Result<Shape> {
        Ok(self)
    }
}

fn size_of_axis(size: usize) -> Result<i32> {
    i32::try_from(size)
        .map_err(|_| Error::new(ErrorKind::Shape, "shape", format!("a dimension of {size} is beyond i32")))
}

/// `Err` for negative sizes.
pub(crate) fn check_sizes(op: &'static str, shape: &[i32]) -> Result<()> {
    match shape.iter().find(|&&size| size < 0) {
        Some(size) => Err(Error::new(
            ErrorKind::Shape,
            op,
            format!("a dimension of {size} in shape {shape:?} is negative"),
        )),
        None => Ok(()),
    }
}

/// `Err` for more bytes than an address can tell apart: MLX's own product wraps around and the memory is too small.
pub(crate) fn check_size(op: &'static str, shape: &[i32], dtype: Dtype) -> Result<()> {
    let mut bytes = dtype.size();
    let mut overflow = false;
    for &size in shape {
        let (product, over) = bytes.overflowing_mul(size as u32 as usize);
        bytes = product;
        overflow |= over;
    }
    if !overflow && isize::try_from(bytes).is_ok() || shape.contains(&0) {
        return Ok(());
    }
    Err(too_large(op, shape, dtype))
}

/// The error for more bytes than an address can tell apart.
#[cold]
pub(crate) fn too_large(op: &'static str, shape: &[i32], dtype: Dtype) -> Error {
    let message = if shape.iter().any(|&size| size < 0) {
        format!("the sizes of shape {shape:?} wrapped around")
    } else {
        format!("shape {shape:?} of {dtype} takes more than {} bytes", isize::MAX)
    };
    Error::new(ErrorKind::Shape, op, message)
}

/// The number of elements of a shape that was checked.
pub(crate) fn element_count(shape: &[i32]) -> usize {
    // A 0 behind sizes whose product overflows makes the whole 0.
    if shape.contains(&0) { 0 } else { shape.iter().map(|&size| size as usize).product() }
}

/// The axes of a reduction, and whether reduced axes stay with size 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes {
    list: Option<SmallVec<[i32; 4]>>,
    keep: bool,
}

/// The axes of a reduction: `axes([0, -1])`, `axes(..)`, with [`Axes::keep`] to keep them with size 1.
#[must_use]
pub fn axes(axes: impl IntoAxes) -> Axes {
    axes.into_axes()
}

impl Axes {
    /// The same axes, kept with size 1 (Python's `keepdims=True`).
    #[must_use]
    pub fn keep(mut self) -> Axes {
        self.keep = true;
        self
    }

    /// The axes of an op that keeps none.
    ///
    /// # Errors
    /// Axes with [`keep`](Axes::keep), which would be lost.
    #[doc(hidden)]
    #[inline]
    pub fn plain(&self, op: &'static str) -> Result<Option<&[i32]>> {
        if self.keep {
            return Err(Error::new(ErrorKind::Value, op, "only reductions keep axes"));
        }
        Ok(self.list())
    }

    /// Whether reduced axes stay.
    #[must_use]
    #[inline]
    pub fn keeps(&self) -> bool {
        self.keep
    }

    /// The axes, or `None` for all of them.
    #[must_use]
    #[inline]
    pub fn list(&self) -> Option<&[i32]> {
        self.list.as_deref()
    }
}

/// What an axes argument may be: `-1`, `..` for all, `[0, 1]`, a slice or vector, or [`Axes`]; of `i32` or `usize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no axes",
    note = "axes are `-1`, `[0, 1]`, a slice or vector of `i32` or `usize`, or `..` for all"
)]
pub trait IntoAxes: sealed::Sealed {
    /// The axes.
    fn into_axes(self) -> Axes;
}

impl sealed::Sealed for Axes {}
impl IntoAxes for Axes {
    fn into_axes(self) -> Axes {
        self
    }
}

impl sealed::Sealed for &Axes {}
impl IntoAxes for &Axes {
    fn into_axes(self) -> Axes {
        self.clone()
    }
}

impl sealed::Sealed for std::ops::RangeFull {}
impl IntoAxes for std::ops::RangeFull {
    fn into_axes(self) -> Axes {
        Axes::default()
    }
}

macro_rules! into_axes {
    ($element:ty, |$axis:ident| $convert:expr) => {
        impl sealed::Sealed for $element {}
        impl IntoAxes for $element {
            #[inline]
            fn into_axes(self) -> Axes {
                let $axis = self;
                Axes { list: Some(smallvec![$convert]), keep: false }
            }
        }
        into_axes!(@ [const N: usize] [$element; N], $element, |$axis| $convert);
        into_axes!(@ [const N: usize] &[$element; N], $element, |$axis| $convert);
        into_axes!(@ [] &[$element], $element, |$axis| $convert);
        into_axes!(@ [] Vec<$element>, $element, |$axis| $convert);
        into_axes!(@ [] &Vec<$element>, $element, |$axis| $convert);
    };
    (@ [$($generics:tt)*] $type:ty, $element:ty, |$axis:ident| $convert:expr) => {
        impl<$($generics)*> IntoAxes for $type {
            #[inline]
            fn into_axes(self) -> Axes {
                let axes: &[$element] = &self[..];
                // Not collected: `extend` is a call, and asks for room at each of them.
                let mut list = SmallVec::from_elem(0, axes.len());
                for (place, &$axis) in list.iter_mut().zip(axes) {
                    *place = $convert;
                }
                Axes { list: Some(list), keep: false }
            }
        }
    };
}

into_axes!(i32, |axis| axis);
// No tensor has so many axes that one beyond i32 could be in range.
into_axes!(usize, |axis| i32::try_from(axis).unwrap_or(i32::MAX));

/// What the axis of an op that takes one may be: a number, `..` for all elements in a row, or one of both as an `Option`.
pub trait IntoAxis: sealed::Sealed {
    /// The axis, or `None` for all elements.
    fn into_axis(self) -> Option<i32>;
}

impl IntoAxis for i32 {
    #[inline]
    fn into_axis(self) -> Option<i32> {
        Some(self)
    }
}

impl IntoAxis for usize {
    #[inline]
    fn into_axis(self) -> Option<i32> {
        Some(i32::try_from(self).unwrap_or(i32::MAX))
    }
}

impl IntoAxis for std::ops::RangeFull {
    #[inline]
    fn into_axis(self) -> Option<i32> {
        None
    }
}

impl sealed::Sealed for Option<i32> {}
impl IntoAxis for Option<i32> {
    #[inline]
    fn into_axis(self) -> Option<i32> {
        self
    }
}
