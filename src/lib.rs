//! Lazy, operator-overloaded tensors over Apple's MLX: the same graph, the same bits as Python MLX.
//!
//! ```
//! use mlx::prelude::*;
//!
//! let x = tensor![1.0, 2.0, 3.0].astype(Dtype::Bfloat16);
//! let y = 0.5 * &x * (1.0 + (&x * 0.8).tanh()); // lazy, and still bfloat16
//! assert_eq!(y.dtype(), Dtype::Bfloat16);
//! println!("{y}"); // computed here
//! ```
//!
//! [`Tensor`] is the type, [`ops`] the functions (each also a method, from the [`prelude`]), [`fast`] the fused
//! kernels, [`nn`] the layers, [`graph`] the graph as text. Operators and methods panic at the caller's line where Python
//! raises; functions return [`Result`].

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

pub mod prelude;

pub use mlx_core::{
    Axes, Complex32, Dtype, Element, Error, ErrorKind, IntoAxes, IntoBound, IntoScalar, IntoShape,
    MLX_VERSION, Operand, Promotion, PromotionGuard, Result, Scalar, Shape, Tensor, async_eval, axes, bf16,
    eval, f16, promote_types, spins, synchronize, tensor, unguarded, with_promotion_guard,
};

/// The functions of `mlx.core`, under their Python names.
pub mod ops {
    #[doc(inline)]
    pub use mlx_ops::*;
}

/// The fused kernels of `mlx.core.fast`, and quantization.
pub mod fast {
    #[doc(inline)]
    pub use mlx_fast::*;
}

/// The layers and activations of `mlx.nn`.
pub mod nn {
    #[doc(inline)]
    pub use mlx_nn::*;
}

/// The computation graph below tensors.
pub mod graph {
    #[doc(inline)]
    pub use mlx_core::dot;
}

/// Python's operators as functions that return results.
pub mod operator {
    #[doc(inline)]
    pub use mlx_core::{BinaryOperator, OperandRef, UnaryOperator};
}
