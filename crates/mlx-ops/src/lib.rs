//! The ops of `mlx.core`: each a free function that returns a [`Result`](mlx_core::Result) and a chaining method,
//! on a trait a family, that panics at the caller's line.
//!
//! Not here: operators (mlx-core), fused kernels (mlx-fast). Each file holds a family; most are one table. Python's submodules are modules here: [`random`],
//! [`linalg`], [`fft`].

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

mod binary;
mod construct;
mod conv;
mod family;
pub mod fft;
mod index;
mod io;
pub mod linalg;
mod matmul;
mod npy;
pub mod random;
mod reduce;
mod select;
mod shaping;
mod softmax;
mod unary;

pub use binary::*;
pub use construct::*;
pub use conv::*;
pub use family::{Entry, Function};
pub use index::*;
pub use io::*;
pub use matmul::*;
pub use npy::*;
pub use reduce::*;
pub use select::*;
pub use shaping::*;
pub use softmax::*;
pub use unary::*;

/// The ops of the tables, by Python's name: what the parity runner calls.
#[doc(hidden)]
pub const REGISTRY: &[&[Entry]] = &[unary::UNARY, binary::BINARY, reduce::REDUCE];
