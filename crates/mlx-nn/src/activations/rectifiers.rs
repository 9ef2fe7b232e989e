//! Activations that are the identity, or a multiple of it, above 0.

use super::activations;
use mlx_core::{BinaryOperator::Divide, BinaryOperator::Multiply, Operand, OperandRef, Result, Tensor};
use mlx_ops::{add, exp, greater, maximum, minimum, multiply, square, subtract, where_};

/// `elu` within a function that is compiled.
fn elu_of(x: &Tensor, alpha: OperandRef<'_>) -> Result<Tensor> {
    let below = Multiply.apply(alpha, subtract(exp(x)?, 1)?.operand())?;
    where_(greater(x, 0)?, x, below)
}

activations! {
    /// The continuously differentiable exponential linear unit, `max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)`;
    /// Python's default for `alpha` is 1.0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::celu(&tensor![3.0, -200.0], 2.0)?;
    /// assert_eq!(y.to_vec::<f32>()?, [3.0, -2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    celu "nn.celu" = |x, alpha| {
        let above = maximum(x, 0.0)?;
        let below = exp(&Divide.apply(minimum(x, 0.0)?.operand(), alpha)?)?;
        add(above, Multiply.apply(alpha, subtract(below, 1)?.operand())?)
    };

    /// The exponential linear unit, `x` above 0 and `alpha * (exp(x) - 1)` below; Python's default for `alpha` is 1.0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::elu(&tensor![3.0, -200.0], 0.5)?;
    /// assert_eq!(y.to_vec::<f32>()?, [3.0, -0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    elu "nn.elu" = |x, alpha| elu_of(x, alpha);

    /// The leaky rectified linear unit, `max(negative_slope * x, x)`; Python's default for `negative_slope` is 0.01.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::leaky_relu(&tensor![-2.0, 2.0], 0.5)?;
    /// assert_eq!(y.to_vec::<f32>()?, [-1.0, 2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    leaky_relu "nn.leaky_relu" = |x, negative_slope| maximum(Multiply.apply(negative_slope, x.operand())?, x);

    /// The rectified linear unit with slopes below 0, `max(0, x) + alpha * min(0, x)`. In Python `alpha` is a tensor,
    /// which broadcasts with `x`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::prelu(&tensor![-2.0, 2.0, -2.0], tensor![0.5, 0.5, 0.25])?;
    /// assert_eq!(y.to_vec::<f32>()?, [-1.0, 2.0, -0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    prelu "nn.prelu" = |x, alpha| {
        let above = maximum(0, x)?;
        add(above, Multiply.apply(alpha, minimum(0, x)?.operand())?)
    };

    /// The rectified linear unit, `max(x, 0)`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::relu(&tensor![-1.0, 2.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    relu "nn.relu" = |x| maximum(x, 0);

    /// The square of [`relu`], `max(x, 0)²`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::relu2(&tensor![-1.0, 3.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 9.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    relu2 "nn.relu2" = |x| square(&maximum(x, 0)?);

    /// [`relu`] up to 6, `min(max(x, 0), 6)`; of integers as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::relu6(&tensor![-1.0, 3.0, 9.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 3.0, 6.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    relu6 "nn.relu6" = |x| minimum(maximum(x, 0)?, 6.0);

    /// The scaled exponential linear unit, [`elu`] with `alpha` 1.67326, times 1.0507.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::selu(&tensor![0.0, 2.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 2.1014]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    selu "nn.selu" = |x| multiply(elu_of(x, 1.67326.operand())?, 1.0507);
}
