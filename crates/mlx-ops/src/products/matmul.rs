//! Matrix products.

use mlx_core::{Result, Tensor, ffi, ffi::products, or_panic};

/// The matrix product, batched over leading dimensions; 1-D operands are rows on the left and columns on the right.
///
/// # Errors
/// Inner sizes that differ; 0-d operands; dtypes that are no floats.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::matmul;
/// let a = Tensor::from_shape_slice([2, 2], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(matmul(&a, &a)?.to_vec::<f32>()?, [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.matmul")]
#[doc(alias = "@")]
#[track_caller]
pub fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    products::matmul(a, b)
}

/// `beta * c + alpha * (a @ b)` in one node, whose roundings are not always those of the ops one by one.
///
/// # Errors
/// As [`matmul`]; a `c` that does not broadcast to the product.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::addmm;
/// let a = Tensor::from_shape_slice([1, 2], &[1.0_f32, 2.0])?;
/// let b = Tensor::from_shape_slice([2, 1], &[3.0_f32, 4.0])?;
/// assert_eq!(addmm(&tensor![0.5], &a, &b, 2.0, 1.0)?.to_vec::<f32>()?, [22.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.addmm")]
#[track_caller]
pub fn addmm(c: &Tensor, a: &Tensor, b: &Tensor, alpha: f32, beta: f32) -> Result<Tensor> {
    ffi::addmm(c, a, b, alpha, beta)
}

/// Matrix products as methods.
pub trait MatmulOps {
    /// See [`matmul`](fn@matmul); panics at the caller's line on error.
    #[must_use]
    fn matmul(&self, other: &Tensor) -> Tensor;
}

impl MatmulOps for Tensor {
    #[track_caller]
    fn matmul(&self, other: &Tensor) -> Tensor {
        or_panic(matmul(self, other))
    }
}
