//! Products with quantized weights, in MLX's packing: `x @ w^T` and `x @ w`, one matrix or one chosen for each `x`.
//!
//! Weights are decoded to `f32` as `scale * code + bias`, sums are `f32`, and results are rounded once. Not here: how
//! numbers become codes, and which tensors these slices were.

mod codec;
mod columns;
mod format;
mod gather;
mod pack;
mod panel;
mod product;
mod rows;

pub use format::{Error, Format, Scales, Weights};
pub use gather::gather;
pub use product::{Product, matmul};
