//! Values out of tensors: whole copies, borrowed slices, single items.

use crate::{
    Dtype, Element, Error, ErrorKind, Result, Tensor,
    ffi::{self, view::View},
    shape,
};

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
        const OP: &str = "to_vec";
        self.expect_dtype::<T>(OP)?;
        let (view, mut values) = self.with_room(OP)?;
        let in_order = view.is_row_contiguous() && T::DTYPE != Dtype::Bool;
        match in_order.then(|| view.elements::<T>()).flatten() {
            Some(elements) => values.extend_from_slice(elements),
            None => self.visit(&view, |bytes| {
                values.extend(bytes.chunks_exact(T::DTYPE.size()).map(T::from_bytes));
            }),
        }
        Ok(values)
    }

    /// The bytes of the elements in row-major order and the machine's byte order; computes the tensor first.
    ///
    /// # Errors
    /// A failed computation; more bytes than memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (view, mut all) = self.with_room("to_bytes")?;
        self.visit(&view, |bytes| all.extend_from_slice(bytes));
        Ok(all)
    }

    /// Computes the tensor: its memory, and room for a copy.
    fn with_room<T>(&self, op: &'static str) -> Result<(View<'_>, Vec<T>)> {
        self.eval()?;
        let view = ffi::view::of(self)?;
        let mut room = Vec::new();
        room.try_reserve_exact(self.nbytes() / size_of::<T>()).map_err(|e| {
            let message = format!("there is no memory for {} bytes", self.nbytes());
            Error::new(ErrorKind::Memory, op, message).with_operands(&[self.into()]).with_source(e)
        })?;
        Ok((view, room))
    }

    /// Gives `take` the bytes of the elements in row-major order, one element or all at once.
    fn visit(&self, view: &View<'_>, mut take: impl FnMut(&[u8])) {
        match view.in_order() {
            Some(bytes) => take(bytes),
            None => for_each_offset(self.shape(), view.strides(), |offset| take(view.element(offset))),
        }
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
