//! What a host kernel sees while it runs: typed slices of its inputs and outputs.

use crate::{Dtype, Element, Error, ErrorKind, Result, ffi::host::Part};

/// An input of a [`HostKernel`](crate::HostKernel) while it runs.
pub struct HostInput<'a>(Part<'a>);

/// An output of a [`HostKernel`](crate::HostKernel) while it runs, of zeros at first.
pub struct HostOutput<'a>(Part<'a>);

fn expect<T: Element>(part: &Part<'_>) -> Result<()> {
    if part.dtype() == T::DTYPE {
        return Ok(());
    }
    let message = format!("a slice of {} was asked for and the dtype is {}", T::DTYPE, part.dtype());
    Err(Error::new(ErrorKind::Dtype, "host_kernel", message))
}

impl<'a> HostInput<'a> {
    pub(super) fn new(part: Part<'a>) -> Self {
        HostInput(part)
    }

    /// The sizes of the dimensions.
    #[must_use]
    pub fn shape(&self) -> &'a [i32] {
        self.0.shape()
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        self.0.dtype()
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// Another dtype than `T`'s; bools that are neither 0 nor 1, of a view of other elements.
    pub fn slice<T: Element>(&self) -> Result<&'a [T]> {
        expect::<T>(&self.0)?;
        if T::DTYPE == Dtype::Bool && self.0.bytes().iter().any(|&byte| byte > 1) {
            let message = "some bools are neither 0 nor 1";
            return Err(Error::new(ErrorKind::Value, "host_kernel", message));
        }
        Ok(self.0.elements())
    }

    /// The bytes of the elements in row-major order and the machine's byte order.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.0.bytes()
    }
}

impl<'a> HostOutput<'a> {
    pub(super) fn new(part: Part<'a>) -> Self {
        HostOutput(part)
    }

    /// The sizes of the dimensions.
    #[must_use]
    pub fn shape(&self) -> &'a [i32] {
        self.0.shape()
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        self.0.dtype()
    }

    /// The elements in row-major order, to be written.
    ///
    /// # Errors
    /// Another dtype than `T`'s.
    pub fn slice_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        expect::<T>(&self.0)?;
        Ok(self.0.elements_mut())
    }
}
