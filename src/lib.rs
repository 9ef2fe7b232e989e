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
//! The [`guide`] is thirteen short pages to begin with. [`Tensor`] is the type, [`ops`] the functions (those of one tensor and
//! more arguments are methods, too, from the [`prelude`]), [`random`], [`linalg`] and [`fft`] Python's submodules, [`fast`]
//! the fused kernels, [`nn`] the layers, [`optimizers`] what trains them, [`graph`] the graph as text and picture.
//! Operators and methods panic at the caller's line where Python raises; functions return [`Result`].
//!
//! Features, none on by default: `ndarray` converts arrays and views to tensors, and tensors to arrays (`TryFrom`), `approx` compares
//! tensors within a tolerance (`assert_abs_diff_eq!(a.approx(), b.approx(), epsilon = 1e-6)`), `serde` writes and reads
//! [`Dtype`] and [`PrintOptions`], `cuda` links MLX's CUDA build on Linux (a build without it runs on a GPU, too).

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

pub mod guide;
pub mod prelude;

pub use mlx_core::{
    Axes, Complex32, CpuMode, Device, DeviceInfo, DeviceKind, Dtype, DtypeCategory, DtypeClass, DtypeKind,
    Element, Error, ErrorKind, FloatInfo, IntInfo, IntoAxes, IntoAxis, IntoBound, IntoScalar, IntoShape,
    Iter, MLX_VERSION, Operand, Precision, PrintOptions, Promotion, PromotionGuard, Result, Scalar, Shape,
    StableFiles, Stream, Tensor, async_eval, axes, bf16, can_cast, cpu_mode, eval, f16, finfo,
    get_printoptions, iinfo, isdtype, issubdtype, memory, promote_types, result_type, set_printoptions,
    spins, synchronize, tensor, unguarded, with_device, with_printoptions, with_promotion_guard, with_stream,
};

#[cfg(feature = "approx")]
pub use mlx_core::Approx;

/// The functions of `mlx.core`, under their Python names.
pub mod ops {
    #[doc(inline)]
    pub use mlx_ops::*;
}

#[doc(inline)]
pub use mlx_ops::{fft, linalg, random};

/// The fused kernels of `mlx.core.fast`, quantization, and kernels of your own, in Rust, CUDA or Metal.
pub mod fast {
    #[doc(inline)]
    pub use mlx_core::{
        Cuda, CudaKernel, GpuKernel, GpuLanguage, HostInput, HostKernel, HostOutput, KernelError, Launch,
        Metal, MetalCapture, MetalKernel, metal_is_available,
    };
    #[doc(inline)]
    pub use mlx_fast::*;
}

/// `mlx.nn`: layers, activations, losses and initialisers,
/// and `#[derive(Module)]` for models of yours.
pub mod nn {
    #[doc(inline)]
    pub use mlx_nn::*;
}

#[doc(inline)]
pub use mlx_nn::optimizers;

#[doc(inline)]
pub use mlx_core::{graph, transforms, utils};

/// Python's operators as functions that return results.
pub mod operator {
    #[doc(inline)]
    pub use mlx_core::{BinaryOperator, OperandRef, UnaryOperator};
}
