//! The ops of `mlx.core`: each a free function that returns a [`Result`](mlx_core::Result) and a chaining method,
//! on a trait a family, that panics at the caller's line.
//!
//! Not here: operators (mlx-core), fused kernels (mlx-fast). Each file holds a family; most are one table.

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

mod binary;
mod closeness;
mod construct;
mod conv;
mod exponential;
mod family;
mod index;
mod io;
mod matmul;
mod npy;
mod numeric;
mod predicate;
mod reduce;
mod scan;
mod select;
mod shaping;
mod softmax;
mod sort;
mod trigonometry;
mod unary;

pub use binary::*;
pub use closeness::*;
pub use construct::*;
pub use conv::*;
pub use exponential::*;
pub use family::{Entry, Function};
pub use index::*;
pub use io::*;
pub use matmul::*;
pub use npy::*;
pub use numeric::*;
pub use predicate::*;
pub use reduce::*;
pub use scan::*;
pub use select::*;
pub use shaping::*;
pub use softmax::*;
pub use sort::*;
pub use trigonometry::*;
pub use unary::*;

/// The ops of the tables, by Python's name: what the parity runner calls.
#[doc(hidden)]
pub const REGISTRY: &[&[Entry]] = &[
    unary::UNARY,
    exponential::EXPONENTIAL,
    predicate::PREDICATE,
    trigonometry::TRIGONOMETRY,
    binary::BINARY,
    reduce::REDUCE,
    scan::SCAN,
];
