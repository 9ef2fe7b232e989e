//! The same memory seen otherwise: view, `as_strided`.
//!
//! Not here: contiguous, copy (`numeric`).

use mlx_core::{Dtype, Error, ErrorKind, IntoShape, Operand, Result, Tensor, ffi, or_panic};

/// The bytes of a tensor or scalar read as another dtype, without a cast; the last size grows or shrinks with the dtype's.
///
/// # Errors
/// A 0-d tensor at a dtype of another size; a last axis whose bytes the dtype does not divide; a size beyond `i32`.
///
/// ```
/// # use mlx_core::{Dtype, tensor};
/// assert_eq!(mlx_ops::view(tensor![1.0], Dtype::Uint32)?.to_vec::<u32>()?, [0x3f80_0000]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.view")]
#[track_caller]
pub fn view(x: impl Operand, dtype: Dtype) -> Result<Tensor> {
    let x = x.operand().to_tensor("view", None)?;
    if let Some(&last) = x.shape().last() {
        // MLX multiplies in 32 bits, which may wrap around to a size that looks good.
        let bytes = i64::from(last) * x.dtype().size() as i64;
        if i32::try_from(bytes / dtype.size() as i64).is_err() {
            let message = format!("{bytes} bytes of the last axis are too many elements of {dtype}");
            return Err(Error::new(ErrorKind::Shape, "view", message).with_operands(&[(&*x).into()]));
        }
    }
    ffi::view(&x, dtype)
}

/// The tensor's elements in row-major order, seen in `shape` with a step of `strides` elements along each axis from the
/// element at `offset`; windows may overlap, nothing is copied.
///
/// # Errors
/// Another number of strides than axes; a negative size; an element outside the tensor, where Python reads foreign memory.
/// When evaluated: a 1-D tensor whose elements are not neighbours, which [`contiguous`](fn@crate::contiguous) puts in order.
///
/// ```
/// # use mlx_core::tensor;
/// let windows = mlx_ops::as_strided(&tensor![1, 2, 3, 4], [3, 2], &[1, 1], 0)?;
/// assert_eq!(windows.to_vec::<i32>()?, [1, 2, 2, 3, 3, 4]);
/// assert!(mlx_ops::as_strided(&tensor![1, 2, 3, 4], [3, 2], &[1, 1], 1).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.as_strided")]
#[track_caller]
pub fn as_strided(x: &Tensor, shape: impl IntoShape, strides: &[i64], offset: usize) -> Result<Tensor> {
    let shape = shape.into_shape()?;
    if let Some(why) = outside(x.size(), &shape, strides, offset) {
        let message =
            format!("[as_strided] shape {:?}, strides {strides:?}, offset {offset}: {why}", &shape[..]);
        return Err(Error::new(ErrorKind::Shape, "as_strided", message).with_operands(&[x.into()]));
    }
    ffi::as_strided(x, &shape, strides, offset)
}

/// Why a window does not lie inside a tensor of `size` elements; nothing where it does, or where MLX refuses it itself.
fn outside(size: usize, shape: &[i32], strides: &[i64], offset: usize) -> Option<String> {
    if shape.len() != strides.len() {
        return Some(format!("{} strides for {} axes", strides.len(), shape.len()));
    }
    if shape.iter().any(|&size| size < 0) {
        return None;
    }
    let (mut first, mut last) = (offset as i128, offset as i128);
    if shape.contains(&0) {
        // No element: the place itself must be one, or the end.
        last -= 1;
    } else {
        for (&size, &stride) in shape.iter().zip(strides) {
            let reach = i128::from(size - 1) * i128::from(stride);
            if reach < 0 { first += reach } else { last += reach }
        }
    }
    let inside = first >= 0 && last < size as i128;
    (!inside).then(|| format!("elements {first} to {last} of {size}"))
}

/// Memory, as methods. Each panics at the caller's line where the free function of its name returns an error.
pub trait StorageOps {
    /// See [`view`](fn@view).
    #[must_use]
    fn view(&self, dtype: Dtype) -> Tensor;

    /// See [`as_strided`](fn@as_strided).
    #[must_use]
    fn as_strided(&self, shape: impl IntoShape, strides: &[i64], offset: usize) -> Tensor;
}

impl StorageOps for Tensor {
    #[track_caller]
    fn view(&self, dtype: Dtype) -> Tensor {
        or_panic(view(self, dtype))
    }

    #[track_caller]
    fn as_strided(&self, shape: impl IntoShape, strides: &[i64], offset: usize) -> Tensor {
        or_panic(as_strided(self, shape, strides, offset))
    }
}
