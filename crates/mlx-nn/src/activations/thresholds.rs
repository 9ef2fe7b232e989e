//! Activations with constant parts.

use super::activations;
use mlx_core::{BinaryOperator::Greater, BinaryOperator::GreaterEqual, BinaryOperator::Multiply, Operand};
use mlx_ops::{abs, add, divide, maximum, minimum, multiply, sign, subtract, where_};

activations! {
    /// `x` where `|x| > lambd`, 0 elsewhere; Python's default for `lambd` is 0.5.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::hard_shrink(&tensor![-1.0, 0.25, 0.5], 0.25)?;
    /// assert_eq!(y.to_vec::<f32>()?, [-1.0, 0.0, 0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    hard_shrink "nn.hard_shrink" = |x, lambd| where_(Greater.apply(abs(x)?.operand(), lambd)?, x, 0);

    /// `min(max(x, min_val), max_val)`; Python's defaults are -1.0 and 1.0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::hard_tanh(&tensor![-3.0, 0.5, 3.0], -1.0, 2.0)?;
    /// assert_eq!(y.to_vec::<f32>()?, [-1.0, 0.5, 2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    hard_tanh "nn.hard_tanh" = |x, min_val, max_val| minimum(maximum(x, min_val)?, max_val);

    /// `x * min(max(x + 3, 0), 6) / 6`
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::hardswish(&tensor![-4.0, 0.0, 5.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 0.0, 5.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    hardswish "nn.hardswish" = |x| {
        let gate = minimum(maximum(add(x, 3)?, 0)?, 6)?;
        divide(multiply(x, gate)?, 6)
    };

    /// `x - sign(x) * lambd` where `|x| > lambd`, 0 elsewhere; Python's default for `lambd` is 0.5.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::softshrink(&tensor![-1.0, 0.25, 0.75], 0.5)?;
    /// assert_eq!(y.to_vec::<f32>()?, [-0.5, 0.0, 0.25]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    softshrink "nn.softshrink" = |x, lambd| {
        let beyond = Greater.apply(abs(x)?.operand(), lambd)?;
        let shrunk = subtract(x, Multiply.apply(sign(x)?.operand(), lambd)?)?;
        where_(beyond, shrunk, 0)
    };

    /// 1 where `x >= threshold`, 0 elsewhere, as int32; Python's default for `threshold` is 0.0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::step(&tensor![-1.0, 0.0, 2.0], 0.0)?;
    /// assert_eq!(y.to_vec::<i32>()?, [0, 1, 1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    step "nn.step" = |x, threshold| where_(GreaterEqual.apply(x.operand(), threshold)?, 1, 0);
}
