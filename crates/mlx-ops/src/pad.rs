//! Padding.

use mlx_core::{Error, ErrorKind, Operand, OperandRef, Result, Scalar, Shape, Tensor, ffi, or_panic};
use smallvec::{SmallVec, smallvec};
use std::ffi::CStr;

mod sealed {
    pub trait Sealed {}
    pub trait Fill {}
}

/// What pad widths may be: `1` on all sides, `(1, 2)` before and after every axis, `[(1, 2), (0, 3)]` for each axis.
pub trait IntoPadding: sealed::Sealed {
    /// The widths.
    fn into_padding(self) -> Padding;
}

/// How many elements to put before and after the axes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Padding {
    /// Before and after every axis.
    Every(i32, i32),
    /// Before and after each axis; a list of one is for every axis.
    Each(SmallVec<[(i32, i32); 4]>),
}

impl sealed::Sealed for Padding {}
impl IntoPadding for Padding {
    fn into_padding(self) -> Padding {
        self
    }
}

impl sealed::Sealed for i32 {}
impl IntoPadding for i32 {
    fn into_padding(self) -> Padding {
        Padding::Every(self, self)
    }
}

impl sealed::Sealed for (i32, i32) {}
impl IntoPadding for (i32, i32) {
    fn into_padding(self) -> Padding {
        Padding::Every(self.0, self.1)
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $type:ty;)*) => {
        $(impl<$($generics)*> sealed::Sealed for $type {}
        impl<$($generics)*> IntoPadding for $type {
            fn into_padding(self) -> Padding {
                Padding::Each(SmallVec::from_slice(&self[..]))
            }
        })*
    };
}

lists! {
    [const N: usize] [(i32, i32); N];
    [const N: usize] &[(i32, i32); N];
    [] &[(i32, i32)];
    [] Vec<(i32, i32)>;
    [] &Vec<(i32, i32)>;
}

/// What padding takes from the tensor itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PadMode {
    /// The element at the edge.
    Edge,
    /// The elements from the edge inward, the one at the edge not again.
    Reflect,
    /// The elements from the edge inward, the one at the edge again.
    Symmetric,
}

/// What fills the padding: a scalar, weak beside the tensor, a tensor of one element, or a [`PadMode`].
pub trait IntoFill: sealed::Fill {
    /// The filling.
    fn fill(&self) -> Fill<'_>;
}

/// A filling, borrowed.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Fill<'a> {
    /// One value everywhere.
    Constant(OperandRef<'a>),
    /// Elements of the tensor.
    Mode(PadMode),
}

impl<T: Operand> sealed::Fill for T {}
impl<T: Operand> IntoFill for T {
    fn fill(&self) -> Fill<'_> {
        Fill::Constant(self.operand())
    }
}

impl sealed::Fill for PadMode {}
impl IntoFill for PadMode {
    fn fill(&self) -> Fill<'_> {
        Fill::Mode(*self)
    }
}

/// The tensor with `widths` more elements before and after its axes: a constant, or what [`PadMode`] takes from the tensor.
///
/// # Errors
/// A negative width; another number of widths than axes; a size beyond `i32`; a scalar that the dtype cannot hold; a
/// constant without an element; an empty axis where there is nothing to reflect.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{PadMode, pad};
/// assert_eq!(pad(&tensor![1, 2], 1, 0)?.to_vec::<i32>()?, [0, 1, 2, 0]);
/// assert_eq!(pad(&tensor![1, 2], [(0, 2)], PadMode::Edge)?.to_vec::<i32>()?, [1, 2, 2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.pad")]
#[track_caller]
pub fn pad(x: &Tensor, widths: impl IntoPadding, fill: impl IntoFill) -> Result<Tensor> {
    let ndim = x.ndim();
    let pairs = match widths.into_padding() {
        Padding::Every(low, high) => smallvec![(low, high); ndim],
        Padding::Each(pairs) if pairs.len() == 1 => smallvec![pairs[0]; ndim],
        Padding::Each(pairs) => pairs,
    };
    let refuse =
        |message: String| Err(Error::new(ErrorKind::Shape, "pad", message).with_operands(&[x.into()]));
    if pairs.len() != ndim {
        return refuse(format!("Invalid number of padding sizes passed to pad with axes of size {ndim}"));
    }
    let (value, mode): (_, &CStr) = match fill.fill() {
        Fill::Constant(value) => (value.to_tensor("pad", Some(x.dtype()))?, c"constant"),
        Fill::Mode(mode) => {
            (OperandRef::Scalar(Scalar::Int(0)).to_tensor("pad", Some(x.dtype()))?, mode.name())
        }
    };
    if value.size() == 0 {
        // MLX reads one all the same.
        return refuse(format!("a constant of shape {:?} has no element", value.shape()));
    }
    let (mut axes, mut low, mut high) = (Shape::new(), Shape::new(), Shape::new());
    for (axis, &(before, behind)) in pairs.iter().enumerate() {
        axes.push(axis as i32);
        low.push(before);
        high.push(behind);
    }
    ffi::pad(x, &axes, &low, &high, &value, mode)
}

impl PadMode {
    fn name(self) -> &'static CStr {
        match self {
            PadMode::Edge => c"edge",
            PadMode::Reflect => c"reflect",
            PadMode::Symmetric => c"symmetric",
        }
    }
}

/// Padding, as a method.
pub trait PadOps {
    /// See [`pad`](fn@pad); panics at the caller's line on error.
    #[must_use]
    fn pad(&self, widths: impl IntoPadding, fill: impl IntoFill) -> Tensor;
}

impl PadOps for Tensor {
    #[track_caller]
    fn pad(&self, widths: impl IntoPadding, fill: impl IntoFill) -> Tensor {
        or_panic(pad(self, widths, fill))
    }
}
