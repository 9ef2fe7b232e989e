//! CPU kernels on plain slices, in the layouts of MLX: no tensors, no graph, nothing of MLX's is linked.
//!
//! [`quantized`] multiplies by quantized weights. [`isa`] says which instructions the kernels use, [`pool`] shares work
//! among threads, [`arch`] holds the vectors and all unsafe code. Not here: shapes, strides, dtypes of tensors, and
//! who calls which kernel; that is `mlx-core`'s. No node calls [`attention`] yet: it waits for one.

#![deny(unsafe_code)]
#![allow(clippy::inline_always, reason = "what is not inlined into a kernel's entry lacks its instructions")]
#![allow(clippy::needless_range_loop, reason = "loops over lanes and tiles, which the compiler unrolls")]

#[allow(unsafe_code, reason = "the only place for it")]
pub mod arch;
pub mod attention;
pub mod dense;
mod elements;
mod floats;
pub mod isa;
mod math;
pub mod pool;
pub mod quantized;
pub mod reduce;
mod scratch;
mod setting;
pub mod share;

pub use floats::{Floats, FloatsMut};
pub use isa::Isa;
