//! Values out of tensors: whole copies, borrowed slices, single items.

use crate::{Dtype, Element, Error, ErrorKind, Result, Tensor, ffi, shape};

impl Tensor {
    /// The elements in row-major order; computes the tensor first.
    ///
    /// # Errors
    /// Another dtype than `T`'s; a failed computation; more bytes than memory.
    ///
    /// ```
    /// # use mlx_core::{ErrorKind, tensor};
    /// assert_eq!(tensor![1, 2].to_vec::<i32>()?, [1, 2]);
    /// assert_eq!(tensor![1, 2].to_vec::<f32>().unwrap_err().kind(), ErrorKind::Dtype);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect_dtype::<T>("to_vec")?;
        let mut values = Vec::new();
        self.visit("to_vec", &mut values, |values, bytes| {
            values.extend(bytes.chunks_exact(T::DTYPE.size()).map(T::from_bytes));
        })?;
        Ok(values)
    }

    /// The bytes of the elements in row-major order and the machine's byte order; computes the tensor first.
    ///
    /// # Errors
    /// A failed computation; more bytes than memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        self.visit("to_bytes", &mut all, Vec::extend_from_slice)?;
        Ok(all)
    }

    /// Computes the tensor and gives `take` the bytes of its elements in row-major order, one element or all at once,
    /// after making room for them.
    fn visit<T>(&self, op: &'static str, into: &mut Vec<T>, take: impl Fn(&mut Vec<T>, &[u8])) -> Result<()> {
        self.eval()?;
        let view = ffi::view::of(self)?;
        into.try_reserve_exact(self.nbytes() / size_of::<T>()).map_err(|e| {
            let message = format!("there is no memory for {} bytes", self.nbytes());
            Error::new(ErrorKind::Memory, op, message).with_operands(&[self.into()]).with_source(e)
        })?;
        if view.is_row_contiguous() {
            take(into, view.bytes());
        } else {
            for_each_offset(self.shape(), view.strides(), |offset| take(into, view.element(offset)));
        }
        Ok(())
    }

    /// The elements without a copy, where they lie in row-major order; computes the tensor first.
    ///
    /// # Errors
    /// Another dtype than `T`'s; a view whose elements lie otherwise or at an odd address (copy it with
    /// [`to_vec`](Tensor::to_vec)); bools that are neither 0 nor 1; a failed computation.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let x = tensor![1.0, 2.0, 3.0];
    /// assert_eq!(x.as_slice::<f32>()?.iter().sum::<f32>(), 6.0);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        const OP: &str = "as_slice";
        self.expect_dtype::<T>(OP)?;
        self.eval()?;
        let view = ffi::view::of(self)?;
        let refused = |why: &str| {
            Err(Error::new(ErrorKind::Shape, OP, format!("{why}; to_vec copies them in order"))
                .with_operands(&[self.into()]))
        };
        if !view.is_row_contiguous() {
            return refused("the elements do not lie in row-major order");
        }
        if T::DTYPE == Dtype::Bool && view.bytes().iter().any(|&byte| byte > 1) {
            return refused("some bools are neither 0 nor 1");
        }
        match view.elements() {
            Some(elements) => Ok(elements),
            None => refused("the elements lie at an odd address"),
        }
    }

    /// The one element of a tensor of size 1; computes the tensor first.
    ///
    /// # Errors
    /// More or fewer elements; another dtype than `T`'s; a failed computation.
    ///
    /// ```
    /// # use mlx_core::{Dtype, Tensor};
    /// assert_eq!(Tensor::scalar(7, Dtype::Int32)?.item::<i32>()?, 7);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn item<T: Element>(&self) -> Result<T> {
        const OP: &str = "item";
        self.expect_dtype::<T>(OP)?;
        if self.size() != 1 {
            let message = "[convert] Only length-1 arrays can be converted to Python scalars.";
            return Err(Error::new(ErrorKind::Shape, OP, message).with_operands(&[self.into()]));
        }
        Ok(T::from_bytes(&self.to_bytes()?))
    }

    fn expect_dtype<T: Element>(&self, op: &'static str) -> Result<()> {
        if self.dtype() == T::DTYPE {
            return Ok(());
        }
        let message = format!("the tensor is {} and {} was asked for", self.dtype(), T::DTYPE);
        Err(Error::new(ErrorKind::Dtype, op, message).with_operands(&[self.into()]))
    }
}

/// Calls `visit` with the offset of each element, in row-major order.
pub(crate) fn for_each_offset(sizes: &[i32], strides: &[i64], mut visit: impl FnMut(i64)) {
    if sizes.contains(&0) {
        return;
    }
    let mut index = shape::Shape::from_elem(0, sizes.len());
    let mut offset = 0;
    loop {
        visit(offset);
        let mut axis = sizes.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            offset += strides[axis];
            if index[axis] < sizes[axis] {
                break;
            }
            offset -= strides[axis] * i64::from(sizes[axis]);
            index[axis] = 0;
        }
    }
}
