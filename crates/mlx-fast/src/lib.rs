//! Fused kernels and quantization: `mlx.core.fast`, and from `mlx.core` what belongs with them.
//!
//! Each function takes its tensors, and what else there is in one struct of options with Python's defaults. Not here:
//! layers over these (mlx-nn), the ops they are made of (mlx-ops).

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

mod attention;
mod cross_entropy;
mod decoding;
mod hadamard;
mod norm;
mod quantize;
mod quantized_products;
mod rope;
mod storage;

pub use attention::{Attention, Mask, scaled_dot_product_attention};
pub use cross_entropy::cross_entropy;
pub use decoding::{apply_token_bitmask, normalized_argmax};
pub use hadamard::hadamard_transform;
pub use norm::{LayerNorm, layer_norm, rms_norm};
pub use quantize::{
    QuantMode, Quantization, QuantizedTensor, dequantize, dequantize_dtype, quantize, quantize_scaled,
};
pub use quantized_products::{
    Gather, QqmmWeight, gather_qmm, gather_qqmm, qqmm, quantized_matmul, quantized_matmul_rows,
};
pub use rope::{Frequencies, Offset, Rope, rope};
pub use storage::{cached_arange, materialize};

/// The functions by Python's name, with its module: what tidy wants a parity case for.
#[doc(hidden)]
pub const NAMES: &[&str] = &[
    "fast.cross_entropy",
    "fast.layer_norm",
    "fast.rms_norm",
    "fast.rope",
    "fast.scaled_dot_product_attention",
    "mx.dequantize",
    "mx.gather_qmm",
    "mx.gather_qqmm",
    "mx.hadamard_transform",
    "mx.qqmm",
    "mx.quantize",
    "mx.quantized_matmul",
];
