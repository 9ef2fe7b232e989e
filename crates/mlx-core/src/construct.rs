//! Tensors from data: slices and scalars.
//!
//! Not here: literals (`literal`), other crates' arrays (`interop`), zeros, ones, full, arange (mlx-ops), files (mlx-ops).

use crate::{
    Dtype, Element, Error, ErrorKind, IntoScalar, IntoShape, Result, Scalar, Tensor, ffi, scalar,
    shape::{check_size, check_sizes, element_count},
};

impl Tensor {
    /// A 1-D tensor with a copy of `values`, of their type's dtype: `f64` values make a float64 tensor.
    ///
    /// # Errors
    /// More values than `i32` counts.
    ///
    /// ```
    /// # use mlx_core::{Dtype, Tensor};
    /// assert_eq!(Tensor::from_slice(&[1_i64, 2, 3])?.dtype(), Dtype::Int64);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn from_slice<T: Element>(values: &[T]) -> Result<Tensor> {
        Tensor::from_shape_slice([values.len()], values)
    }

    /// A tensor of `shape` with a copy of `values` in row-major order.
    ///
    /// # Errors
    /// A negative size; another number of values than the shape has.
    ///
    /// ```
    /// # use mlx_core::Tensor;
    /// let x = Tensor::from_shape_slice([2, 3], &[1_u8, 2, 3, 4, 5, 6])?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// assert!(Tensor::from_shape_slice([2, 2], &[1_u8, 2, 3]).is_err());
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn from_shape_slice<T: Element>(shape: impl IntoShape, values: &[T]) -> Result<Tensor> {
        const OP: &str = "from_slice";
        let shape = shape.into_shape()?;
        check_sizes(OP, &shape)?;
        check_size(OP, &shape, T::DTYPE)?;
        if element_count(&shape) != values.len() {
            let message =
                format!("{} values of {} do not fill shape {:?}", values.len(), T::DTYPE, &shape[..]);
            return Err(Error::new(ErrorKind::Shape, OP, message));
        }
        ffi::from_elements(OP, values, &shape)
    }

    /// A tensor of `shape` with the values in `owner`'s memory, in row-major order, without a copy: a `Vec`, a `Box` of a slice,
    /// a map of memory, or what else lends its values and belongs to nobody else.
    ///
    /// MLX computes in place where nothing else needs the values, so it may write to the memory. The owner is dropped once,
    /// with the last tensor that lies in its memory, on any thread. Values of bool, and all values where MLX has a GPU's
    /// memory, are copied.
    ///
    /// # Errors
    /// A negative size; another number of values than the shape has.
    ///
    /// ```
    /// # use mlx_core::Tensor;
    /// let values = vec![1.0_f32, 2.0, 3.0];
    /// let place = values.as_ptr();
    /// let x = Tensor::from_owner([3], values)?;
    /// assert_eq!(x.as_slice::<f32>()?.as_ptr(), place);
    /// assert_eq!((&x * 2.0).to_vec::<f32>()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn from_owner<T: Element, O: AsMut<[T]> + Send + 'static>(
        shape: impl IntoShape,
        mut owner: O,
    ) -> Result<Tensor> {
        const OP: &str = "from_owner";
        let shape = shape.into_shape()?;
        check_sizes(OP, &shape)?;
        check_size(OP, &shape, T::DTYPE)?;
        let values = owner.as_mut();
        if element_count(&shape) != values.len() {
            let message =
                format!("{} values of {} do not fill shape {:?}", values.len(), T::DTYPE, &shape[..]);
            return Err(Error::new(ErrorKind::Shape, OP, message));
        }
        if T::DTYPE == Dtype::Bool {
            // In place MLX may leave bytes that are no bools, and the owner's own drop may look.
            return ffi::from_elements(OP, values, &shape);
        }
        ffi::owned::owned(OP, owner, &shape, T::DTYPE, |owner| owner.as_mut())
    }

    /// A 0-d tensor of `value`, cast to `dtype` as `mx.array(value, dtype)` casts: unchecked and wrapping.
    ///
    /// # Errors
    /// An integer beyond 64 bits with a sign.
    ///
    /// ```
    /// # use mlx_core::{Dtype, Tensor};
    /// assert_eq!(Tensor::scalar(0.5, Dtype::Bfloat16)?.dtype(), Dtype::Bfloat16);
    /// assert_eq!(Tensor::scalar(300, Dtype::Uint8)?.item::<u8>()?, 44);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn scalar(value: impl IntoScalar, dtype: Dtype) -> Result<Tensor> {
        ffi::from_constant("scalar", scalar::cast("scalar", value.into_scalar(), dtype)?)
    }

    /// The 0-d constant that `value` is beside a tensor of dtype `beside`, by the weak-scalar rule.
    #[doc(hidden)]
    pub fn weak(op: &'static str, value: Scalar, beside: Option<Dtype>) -> Result<Tensor> {
        let constant = match beside {
            Some(dtype) => scalar::weak(op, value, dtype)?,
            None => scalar::alone(op, value)?,
        };
        ffi::from_constant(op, constant)
    }
}
