//! Gradients within a norm.

use super::refused;
use crate::python::float;
use mlx_core::{
    OperandRef, Result, Scalar, Tensor,
    transforms::Tree,
    utils::{tree_map, tree_reduce},
};
use mlx_ops::{add, divide, minimum, multiply, sqrt, square, sum};

/// The gradients, scaled down where the norm of all of them together is above `max_norm`, and that norm.
///
/// `grads` is a map by key, as [`value_and_grad`](crate::value_and_grad) gives, or any other tree; the norm has no axes.
///
/// # Errors
/// A negative `max_norm`.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::optimizers::clip_grad_norm;
/// let ([w1, w2], norm) = clip_grad_norm(&[tensor![6.0], tensor![-8.0]], 5.0)?;
/// assert_eq!(norm.item::<f32>()?, 10.0);
/// assert!((w1.item::<f32>()? - 3.0).abs() < 1e-5 && (w2.item::<f32>()? + 4.0).abs() < 1e-5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "optim.clip_grad_norm")]
pub fn clip_grad_norm<T: Tree>(grads: &T, max_norm: f64) -> Result<(T, Tensor)> {
    const OP: &str = "clip_grad_norm";
    if max_norm < 0.0 {
        let max_norm = float(max_norm);
        return refused(OP, format!("max_norm should be >=0, {max_norm} was provided instead"));
    }
    let add_square = |before: Result<Option<Tensor>>, grad: &Tensor| {
        let squared = sum(&square(grad)?, ..)?;
        // Python begins with the number 0.
        before?.map_or_else(|| add(&squared, 0.0), |before| add(before, &squared)).map(Some)
    };
    let norm_squared = match tree_reduce(add_square, grads, Ok(None))? {
        Some(sum) => sum,
        None => OperandRef::Scalar(Scalar::Float(0.0)).to_tensor(OP, None)?.into_owned(),
    };
    let norm = sqrt(&norm_squared)?;
    let scale = minimum(divide(max_norm, add(&norm, 1e-6)?)?, 1.0)?;
    Ok((tree_map(|grad| multiply(grad, &scale), grads)?, norm))
}
