//! Activations, compiled as Python compiles them.
//!
//! All but `glu` and `tanh` are `mx.compile(shapeless=True)` of a few ops in Python and here, which is one node, and in
//! float32 other bits than the ops one by one: the generated kernel has the square root of 2 with seven digits. Without a
//! C++ compiler on `PATH` MLX quietly runs the ops one by one on the CPU, in Python and here. Inside transforms the ops
//! are traced one by one.
//!
//! Here: the table's macro. The functions stand in files by kind: `rectifiers` with a kink at 0, `smooth` ones,
//! `thresholds` with constant parts, `along_axis`.

mod along_axis;
mod rectifiers;
mod smooth;
mod thresholds;

pub use along_axis::{glu, log_softmax, softmax, softmin};
pub use rectifiers::{celu, elu, leaky_relu, prelu, relu, relu2, relu6, selu};
pub use smooth::{
    gelu, gelu_approx, gelu_fast_approx, log_sigmoid, mish, sigmoid, silu, softplus, softsign, tanh,
};
pub use thresholds::{hard_shrink, hard_tanh, hardswish, softshrink, step};

/// The table: documentation, name, and the function that is compiled. Parameters after `x` are tensors or weak scalars;
/// each scalar that a function is called with has a kernel of its own, for as long as the process.
macro_rules! activations {
    ($($(#[$doc:meta])* $name:ident $alias:literal = |$x:ident $(, $parameter:ident)*| $body:expr;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// A dtype that MLX refuses; parameters, where there are any, that do not broadcast with `x`, that its dtype
        /// cannot hold, or that are complex scalars.
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(
            $x: &mlx_core::Tensor
            $(, $parameter: impl mlx_core::Operand)*
        ) -> mlx_core::Result<mlx_core::Tensor> {
            fn body(
                $x: &mlx_core::Tensor,
                parameters: &[mlx_core::OperandRef<'_>],
            ) -> mlx_core::Result<mlx_core::Tensor> {
                let [$($parameter),*] = *parameters else {
                    let message = "a compiled function lost a parameter";
                    return Err(mlx_core::Error::new(mlx_core::ErrorKind::Mlx, stringify!($name), message));
                };
                $body
            }
            mlx_core::compile_pointwise(stringify!($name), body, $x, &[$(mlx_core::Operand::operand(&$parameter)),*])
        })*
    };
}
use activations;
