//! "Tensor or scalar": what the arguments of binary ops may be.

use crate::{Dtype, IntoScalar, Result, Scalar, Tensor};
use std::{borrow::Cow, fmt};

mod sealed {
    pub trait Sealed {}
}

/// An argument that is a tensor or a weak scalar: `&Tensor`, `Tensor`, or any [`IntoScalar`] type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a tensor nor a scalar",
    note = "operands are `&Tensor`, `Tensor`, bools, integers, floats and `Complex32`; `tensor![..]` makes a tensor"
)]
pub trait Operand: sealed::Sealed {
    /// The argument, borrowed.
    fn operand(&self) -> OperandRef<'_>;
}

/// A borrowed [`Operand`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum OperandRef<'a> {
    /// A tensor, with its own dtype.
    Tensor(&'a Tensor),
    /// A weak scalar.
    Scalar(Scalar),
}

impl<'a> From<&'a Tensor> for OperandRef<'a> {
    fn from(tensor: &'a Tensor) -> OperandRef<'a> {
        OperandRef::Tensor(tensor)
    }
}

impl fmt::Display for OperandRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandRef::Tensor(tensor) => write!(f, "{} {:?}", tensor.dtype(), tensor.shape()),
            OperandRef::Scalar(scalar) => write!(f, "the scalar {scalar}"),
        }
    }
}

impl sealed::Sealed for Tensor {}
impl Operand for Tensor {
    fn operand(&self) -> OperandRef<'_> {
        OperandRef::Tensor(self)
    }
}

impl sealed::Sealed for &Tensor {}
impl Operand for &Tensor {
    fn operand(&self) -> OperandRef<'_> {
        OperandRef::Tensor(self)
    }
}

impl<S: IntoScalar> sealed::Sealed for S {}
impl<S: IntoScalar> Operand for S {
    fn operand(&self) -> OperandRef<'_> {
        OperandRef::Scalar(self.into_scalar())
    }
}

impl sealed::Sealed for &&Tensor {}
impl Operand for &&Tensor {
    fn operand(&self) -> OperandRef<'_> {
        OperandRef::Tensor(self)
    }
}

impl sealed::Sealed for OperandRef<'_> {}
impl Operand for OperandRef<'_> {
    fn operand(&self) -> OperandRef<'_> {
        *self
    }
}

/// What a bound of a clip may be: an [`Operand`], or `..` for none.
pub trait IntoBound: sealed::Sealed {
    /// The bound, if there is one.
    fn bound(&self) -> Option<OperandRef<'_>>;
}

impl<T: Operand> IntoBound for T {
    fn bound(&self) -> Option<OperandRef<'_>> {
        Some(self.operand())
    }
}

impl sealed::Sealed for std::ops::RangeFull {}
impl IntoBound for std::ops::RangeFull {
    fn bound(&self) -> Option<OperandRef<'_>> {
        None
    }
}

impl<'a> OperandRef<'a> {
    /// The operand as a tensor, a scalar being weak beside `beside`, or at its default dtype beside nothing.
    ///
    /// # Errors
    /// A scalar that the dtype cannot hold.
    #[doc(hidden)]
    pub fn to_tensor(self, op: &'static str, beside: Option<Dtype>) -> Result<Cow<'a, Tensor>> {
        match self {
            OperandRef::Tensor(tensor) => Ok(Cow::Borrowed(tensor)),
            OperandRef::Scalar(scalar) => Tensor::weak(op, scalar, beside).map(Cow::Owned),
        }
    }

    /// The dtype of a tensor; a scalar has none.
    #[doc(hidden)]
    #[must_use]
    pub fn dtype(self) -> Option<Dtype> {
        match self {
            OperandRef::Tensor(tensor) => Some(tensor.dtype()),
            OperandRef::Scalar(_) => None,
        }
    }
}
