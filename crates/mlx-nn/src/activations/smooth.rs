//! Activations without a kink, and [`softsign`].

use super::activations;
use mlx_core::{Result, Tensor};
use mlx_ops::{abs, add, divide, erf, logaddexp, multiply, negative};
use std::f64::consts::{PI, SQRT_2};

activations! {
    /// The Gaussian error linear unit, `x * (1 + erf(x / sqrt(2))) / 2`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::gelu(&tensor![0.0, 10.0, -10.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 10.0, 0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    gelu "nn.gelu" = |x| {
        let cumulative = add(erf(&divide(x, SQRT_2)?)?, 1)?;
        divide(multiply(x, cumulative)?, 2)
    };

    /// [`gelu`] by a hyperbolic tangent, within 0.0005 of it in [-6, 6]:
    /// `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x³)))`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::gelu_approx(&tensor![0.0, 10.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 10.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    gelu_approx "nn.gelu_approx" = |x| {
        let half = multiply(x, 0.5)?;
        let cube = multiply(mlx_ops::pow(x, 3)?, 0.044_715)?;
        let inner = multiply(add(x, cube)?, (2.0 / PI).sqrt())?;
        multiply(half, add(mlx_ops::tanh(&inner)?, 1)?)
    };

    /// [`gelu`] by a sigmoid, within 0.015 of it in [-6, 6]: `x * sigmoid(1.702 * x)`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::gelu_fast_approx(&tensor![0.0, 20.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 20.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    gelu_fast_approx "nn.gelu_fast_approx" = |x| multiply(x, mlx_ops::sigmoid(&multiply(x, 1.702)?)?);

    /// `log(sigmoid(x))`, computed as `-log(1 + exp(-x))`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::log_sigmoid(&tensor![200.0, -100.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, -100.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    log_sigmoid "nn.log_sigmoid" = |x| negative(&logaddexp(negative(x)?, 0)?);

    /// `x * tanh(log(1 + exp(x)))`
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::mish(&tensor![0.0, 50.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 50.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    mish "nn.mish" = |x| multiply(x, mlx_ops::tanh(&logaddexp(x, 0)?)?);

    /// The logistic function, `1 / (1 + exp(-x))`; of integers as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::sigmoid(&tensor![0.0, 50.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.5, 1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sigmoid "nn.sigmoid" = |x| mlx_ops::sigmoid(x);

    /// The sigmoid linear unit, `x * sigmoid(x)`, which is also called swish.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::silu(&tensor![0.0, 100.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 100.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    silu "nn.silu" = |x| multiply(x, mlx_ops::sigmoid(x)?);

    /// `log(1 + exp(x))`, without overflow.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::softplus(&tensor![100.0, -200.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [100.0, 0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    softplus "nn.softplus" = |x| logaddexp(x, 0);

    /// `x / (1 + |x|)`
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::softsign(&tensor![1.0, -3.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.5, -0.75]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    softsign "nn.softsign" = |x| divide(x, add(abs(x)?, 1)?);
}

/// The hyperbolic tangent: `mx.tanh`, not compiled.
///
/// # Errors
/// A dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_nn::tanh(&tensor![0.0, 50.0])?.to_vec::<f32>()?, [0.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.tanh")]
#[track_caller]
pub fn tanh(x: &Tensor) -> Result<Tensor> {
    mlx_ops::tanh(x)
}
