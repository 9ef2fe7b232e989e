//! Activations, compiled as Python compiles them.
//!
//! Each is `mx.compile(shapeless=True)` of a few ops in Python and here, which is one node, and in float32 other bits
//! than the ops one by one: the generated kernel has the square root of 2 with seven digits. Without a C++ compiler on
//! `PATH` MLX quietly runs the ops one by one on the CPU, in Python and here.

use mlx_core::{Result, Tensor, compile_pointwise};
use mlx_ops::{erf, logaddexp, maximum, sigmoid, tanh};
use std::f64::consts::{PI, SQRT_2};

/// The table: documentation, name, and the function that is compiled.
macro_rules! activations {
    ($($(#[$doc:meta])* $name:ident $alias:literal = |$x:ident| $body:expr;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// A dtype that MLX refuses.
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(x: &Tensor) -> Result<Tensor> {
            fn body(inputs: &[Tensor], _constants: &[f64]) -> Result<Tensor> {
                let $x = &inputs[0];
                $body
            }
            compile_pointwise(stringify!($name), body, std::slice::from_ref(x), &[])
        })*
    };
}

activations! {
    /// The Gaussian error linear unit, `x * (1 + erf(x / sqrt(2))) / 2`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::gelu(&tensor![0.0, 10.0, -10.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 10.0, 0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    gelu "nn.gelu" = |x| Ok(x * (1 + erf(&(x / SQRT_2))?) / 2);

    /// [`gelu`] by a hyperbolic tangent, within 0.0005 of it in [-6, 6].
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::gelu_approx(&tensor![0.0, 10.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 10.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    gelu_approx "nn.gelu_approx" = |x| {
        let cube = mlx_ops::pow(x, 3)?;
        Ok(0.5 * x * (1 + tanh(&((2.0 / PI).sqrt() * (x + 0.044_715 * cube)))?))
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

    /// The sigmoid linear unit, `x * sigmoid(x)`, which is also called swish.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::silu(&tensor![0.0, 100.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [0.0, 100.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    silu "nn.silu" = |x| Ok(x * sigmoid(x)?);

    /// `log(1 + exp(x))`
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// let y = mlx_nn::softplus(&tensor![100.0, -200.0])?;
    /// assert_eq!(y.to_vec::<f32>()?, [100.0, 0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    softplus "nn.softplus" = |x| logaddexp(x, 0);
}
