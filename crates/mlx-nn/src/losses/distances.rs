//! Losses of what predictions and targets differ by.

use super::{Reduction, check_shapes, half};
use mlx_core::{IntoScalar, Result, Tensor};
use mlx_ops::{
    abs, add, divide, less, logaddexp, minimum, multiply, negative, pow, square, subtract, where_,
};
use std::f64::consts::LN_2;

/// `|predictions - targets|`, of one shape; Python's default is [`Reduction::Mean`].
///
/// The result has that shape, or none when it is reduced, and the dtype that both promote to.
///
/// # Errors
/// Shapes that differ.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, l1_loss};
/// let loss = l1_loss(&tensor![1.0, 2.0], &tensor![3.0, 2.0], Reduction::Mean)?;
/// assert_eq!(loss.item::<f32>()?, 1.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.l1_loss")]
#[track_caller]
pub fn l1_loss(predictions: &Tensor, targets: &Tensor, reduction: Reduction) -> Result<Tensor> {
    check_shapes("l1_loss", [predictions, targets], ["Predictions", "targets"])?;
    reduction.of(abs(&subtract(predictions, targets)?)?)
}

/// `(predictions - targets)²`, of one shape; Python's default is [`Reduction::Mean`].
///
/// The result has that shape, or none when it is reduced, and the dtype that both promote to.
///
/// # Errors
/// Shapes that differ.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, mse_loss};
/// let loss = mse_loss(&tensor![1.0, 2.0], &tensor![3.0, 2.0], Reduction::Mean)?;
/// assert_eq!(loss.item::<f32>()?, 2.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.mse_loss")]
#[track_caller]
pub fn mse_loss(predictions: &Tensor, targets: &Tensor, reduction: Reduction) -> Result<Tensor> {
    check_shapes("mse_loss", [predictions, targets], ["Predictions", "targets"])?;
    reduction.of(square(&subtract(predictions, targets)?)?)
}

/// With `d = |predictions - targets|`: `0.5 * d² / beta` where `d < beta`, `d - 0.5 * beta` elsewhere. Both have one
/// shape; Python's defaults are 1.0 and [`Reduction::Mean`].
///
/// The result has that shape, or none when it is reduced, and a float dtype.
///
/// # Errors
/// Shapes that differ; a `beta` that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, smooth_l1_loss};
/// let loss = smooth_l1_loss(&tensor![1.0, 5.0], &tensor![0.0, 0.0], 2.0, Reduction::None)?;
/// assert_eq!(loss.to_vec::<f32>()?, [0.25, 4.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.smooth_l1_loss")]
#[track_caller]
pub fn smooth_l1_loss(
    predictions: &Tensor,
    targets: &Tensor,
    beta: impl IntoScalar,
    reduction: Reduction,
) -> Result<Tensor> {
    check_shapes("smooth_l1_loss", [predictions, targets], ["Predictions", "targets"])?;
    let beta = beta.into_scalar();
    let distance = abs(&subtract(predictions, targets)?)?;
    let near = divide(multiply(square(&distance)?, 0.5)?, beta)?;
    // Python takes the absolute value once more.
    let far = subtract(abs(&distance)?, half(beta))?;
    reduction.of(where_(less(&distance, beta)?, near, far)?)
}

/// With `e = |inputs - targets|` and `q = min(e, delta)`: `0.5 * q² + delta * (e - q)`. Python's defaults are 1.0 and
/// [`Reduction::None`].
///
/// The result has the shape that both broadcast to, or none when it is reduced, and a float dtype.
///
/// # Errors
/// Shapes that do not broadcast; a `delta` that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, huber_loss};
/// let loss = huber_loss(&tensor![1.0, 5.0], &tensor![0.0, 0.0], 2.0, Reduction::None)?;
/// assert_eq!(loss.to_vec::<f32>()?, [0.5, 8.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.huber_loss")]
#[track_caller]
pub fn huber_loss(
    inputs: &Tensor,
    targets: &Tensor,
    delta: impl IntoScalar,
    reduction: Reduction,
) -> Result<Tensor> {
    let delta = delta.into_scalar();
    let distance = abs(&subtract(inputs, targets)?)?;
    let quadratic = minimum(&distance, delta)?;
    let linear = subtract(distance, &quadratic)?;
    let near = multiply(pow(quadratic, 2)?, 0.5)?;
    reduction.of(add(near, multiply(linear, delta)?)?)
}

/// `log(cosh(inputs - targets))`, computed without overflow: with `e` the difference, `log(exp(e) + exp(-e)) - log(2)`.
/// Python's default is [`Reduction::None`].
///
/// The result has the shape that both broadcast to, or none when it is reduced, and a float dtype.
///
/// # Errors
/// Shapes that do not broadcast.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, log_cosh_loss};
/// let loss = log_cosh_loss(&tensor![1.0, -300.0], &tensor![1.0, 300.0], Reduction::None)?;
/// let loss = loss.to_vec::<f32>()?;
/// assert!(loss[0].abs() < 1e-6 && (loss[1] - (600.0 - 2_f32.ln())).abs() < 1e-3);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.log_cosh_loss")]
#[track_caller]
pub fn log_cosh_loss(inputs: &Tensor, targets: &Tensor, reduction: Reduction) -> Result<Tensor> {
    let errors = subtract(inputs, targets)?;
    let opposite = negative(&errors)?;
    reduction.of(subtract(logaddexp(errors, opposite)?, LN_2)?)
}
