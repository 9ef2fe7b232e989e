//! The ops of `mlx.core`: each a free function that returns a [`Result`](mlx_core::Result) and a chaining method,
//! on a trait a family, that panics at the caller's line.
//!
//! Not here: operators (mlx-core), fused kernels (mlx-fast). Each file holds a family; most are one table. Python's
//! submodules are modules here: [`random`], [`linalg`], [`fft`].

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

mod axes;
mod binary;
mod closeness;
mod construct;
mod conv;
mod diagonals;
mod exponential;
mod family;
pub mod fft;
mod index;
mod ints;
mod io;
mod joins;
pub mod linalg;
mod numeric;
mod pad;
mod predicate;
mod products;
pub mod random;
mod ranges;
mod reduce;
mod repeats;
mod scan;
mod select;
mod shaping;
mod softmax;
mod sort;
mod storage;
mod trigonometry;
mod unary;

pub use axes::*;
pub use binary::*;
pub use closeness::*;
pub use construct::*;
pub use conv::*;
pub use diagonals::*;
pub use exponential::*;
pub use family::{Entry, Function};
pub use index::*;
pub use ints::*;
pub use io::*;
pub use joins::*;
pub use numeric::*;
pub use pad::*;
pub use predicate::*;
pub use products::*;
pub use ranges::*;
pub use reduce::*;
pub use repeats::*;
pub use scan::*;
pub use select::*;
pub use shaping::*;
pub use softmax::*;
pub use sort::*;
pub use storage::*;
pub use trigonometry::*;
pub use unary::*;

/// Python's other names.
#[doc(no_inline)]
pub use self::{
    concatenate as concat, transpose as matrix_transpose, transpose as permute_dims, zeros as empty,
    zeros_like as empty_like,
};

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
