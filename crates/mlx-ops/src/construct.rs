//! Tensors from a rule: zeros, ones, full, arange.
//!
//! Not here: tensors from data (mlx-core).

use mlx_core::{
    Dtype, Error, ErrorKind, IntoScalar, IntoShape, Operand, Result, Scalar, Tensor, ffi, promote_types,
};

/// Zeros of `shape`.
///
/// # Errors
/// A negative size; more bytes than can be addressed.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::zeros([2], Dtype::Int32)?.to_vec::<i32>()?, [0, 0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.zeros")]
pub fn zeros(shape: impl IntoShape, dtype: Dtype) -> Result<Tensor> {
    ffi::full(&shape.into_shape()?, &Tensor::scalar(0, dtype)?, dtype)
}

/// Ones of `shape`.
///
/// # Errors
/// As [`zeros`].
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::ones([2], Dtype::Float32)?.to_vec::<f32>()?, [1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.ones")]
pub fn ones(shape: impl IntoShape, dtype: Dtype) -> Result<Tensor> {
    ffi::full(&shape.into_shape()?, &Tensor::scalar(1, dtype)?, dtype)
}

/// `shape` filled with `value`: a weak scalar beside `dtype`, so that 2.5 beside int32 makes float32, or a tensor
/// that broadcasts to the shape and keeps its own dtype.
///
/// # Errors
/// A negative size; a scalar that the dtype cannot hold; a tensor that does not broadcast to the shape.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!(mlx_ops::full([2], 7, Dtype::Uint8)?.to_vec::<u8>()?, [7, 7]);
/// assert_eq!(mlx_ops::full([2], 2.5, Dtype::Int32)?.dtype(), Dtype::Float32);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.full")]
pub fn full(shape: impl IntoShape, value: impl Operand, dtype: Dtype) -> Result<Tensor> {
    let value = value.operand().to_tensor("full", Some(dtype))?;
    ffi::full(&shape.into_shape()?, &value, value.dtype())
}

/// `start`, `start + step`, … below `stop` (above it for a negative step); int32 for integers, float32 where one of
/// the three is a float.
///
/// # Errors
/// Bools; a step of 0; NaN or infinity; more values than `i32` counts.
///
/// ```
/// # use mlx_ops::arange;
/// assert_eq!(arange(0, 6, 2)?.to_vec::<i32>()?, [0, 2, 4]);
/// assert_eq!(arange(1.0, 0.0, -0.5)?.to_vec::<f32>()?, [1.0, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.arange")]
pub fn arange(start: impl IntoScalar, stop: impl IntoScalar, step: impl IntoScalar) -> Result<Tensor> {
    let scalars = [start.into_scalar(), stop.into_scalar(), step.into_scalar()];
    let [start, stop, step] = scalars.map(|scalar| scalar.dtype_alone("arange"));
    let (start, stop, step) = (start?, stop?, step?);
    range(scalars, promote_types(start, promote_types(step, stop)))
}

/// [`arange`] with values of `dtype`.
///
/// # Errors
/// As [`arange`].
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::arange_dtype;
/// assert_eq!(arange_dtype(0, 2, 1, Dtype::Uint8)?.to_vec::<u8>()?, [0, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn arange_dtype(
    start: impl IntoScalar,
    stop: impl IntoScalar,
    step: impl IntoScalar,
    dtype: Dtype,
) -> Result<Tensor> {
    range([start.into_scalar(), stop.into_scalar(), step.into_scalar()], dtype)
}

fn range(scalars: [Scalar; 3], dtype: Dtype) -> Result<Tensor> {
    let [start, stop, step] = scalars.map(as_f64);
    let (start, stop, step) = (start?, stop?, step?);
    ffi::arange(start, stop, step, dtype)
}

fn as_f64(scalar: Scalar) -> Result<f64> {
    match scalar {
        Scalar::Bool(value) => Ok(u8::from(value).into()),
        Scalar::Int(value) => Ok(value as f64),
        Scalar::Float(value) => Ok(value),
        other => Err(Error::new(ErrorKind::Value, "arange", format!("{other} is not a real number"))),
    }
}
