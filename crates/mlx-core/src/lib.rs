//! Tensor, its operators and weak scalars, dtypes, shapes, evaluation, reading and errors over MLX.
//!
//! What does not compile: a float other than `f64` on the left, and data that outlives its tensor.
//!
//! ```compile_fail
//! let _ = 2.0_f32 * &mlx_core::tensor![1.0];
//! ```
//! ```compile_fail
//! let slice = mlx_core::tensor![1.0].as_slice::<f32>().unwrap();
//! println!("{slice:?}");
//! ```
//!
//! Not here: the op families (mlx-ops), fused kernels (mlx-fast), layers (mlx-nn). Everything `unsafe` of the
//! workspace's Rust stands in [`ffi`].

#![deny(unsafe_code)]
// Where operators are inlined the operands' kinds are known and their checks vanish: 2 % of `&a + &b` (benches/record).
#![allow(clippy::inline_always)]

mod construct;
mod cpu;
mod device;
mod dtype;
mod dtype_kind;
mod element;
mod error;
mod eval;
#[doc(hidden)]
pub mod file;
mod format;
pub mod graph;
mod guard;
mod host;
mod interop;
mod iter;
mod kernel;
mod literal;
pub mod memory;
mod operand;
mod operator;
mod promotion;
mod read;
mod scalar;
mod shape;
mod std_ops;
mod tensor;
pub mod transforms;
pub mod utils;

#[doc(hidden)]
#[allow(unsafe_code)]
pub mod ffi;

#[doc(hidden)]
pub use cpu::blas_library;
pub use cpu::{CpuMode, cpu_mode};
pub use device::{Device, DeviceInfo, DeviceKind, Stream, with_device, with_stream};
pub use dtype::{Dtype, promote_types};
pub use dtype_kind::{
    DtypeCategory, DtypeClass, DtypeKind, FloatInfo, IntInfo, can_cast, finfo, iinfo, isdtype, issubdtype,
    result_type,
};
pub use element::Element;
#[doc(hidden)]
pub use error::or_panic;
pub use error::{Error, ErrorKind, Result};
pub use eval::{async_eval, eval, spins, synchronize};
pub use ffi::owned::StableFiles;
#[doc(hidden)]
pub use ffi::{Pointwise, pointwise as compile_pointwise};
pub use format::{Precision, PrintOptions, get_printoptions, set_printoptions, with_printoptions};
pub use guard::unguarded;
pub use host::{HostInput, HostKernel, HostOutput, KernelError};
#[cfg(feature = "approx")]
pub use interop::approx::Approx;
pub use iter::Iter;
pub use kernel::{
    Cuda, CudaKernel, GpuKernel, GpuLanguage, Launch, Metal, MetalCapture, MetalKernel, metal_is_available,
};
#[doc(hidden)]
pub use literal::{literal_1, literal_2, literal_3};
pub use operand::{IntoBound, Operand, OperandRef};
pub use operator::{BinaryOperator, UnaryOperator};
pub use promotion::{Promotion, PromotionGuard, with_promotion_guard};
pub use scalar::{IntoScalar, Scalar};
pub use shape::{Axes, IntoAxes, IntoAxis, IntoShape, Shape, axes};
pub use tensor::Tensor;

pub use half::{bf16, f16};

/// Complex numbers with `f32` parts: the element type of [`Dtype::Complex64`].
pub type Complex32 = num_complex::Complex<f32>;

/// The version of MLX this library is built for and checks at its first call.
pub const MLX_VERSION: &str = mlx_link::MLX_VERSION;
