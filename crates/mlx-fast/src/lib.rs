//! Fused kernels and quantization: `mlx.core.fast`, and from `mlx.core` what belongs with them.
//!
//! Each function takes its tensors, and what else there is in one struct of options with Python's defaults. Not here:
//! layers over these (mlx-nn), the ops they are made of (mlx-ops).

#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

mod attention;
mod hadamard;
mod norm;
mod quantize;
mod rope;

pub use attention::{Attention, Mask, scaled_dot_product_attention};
pub use hadamard::hadamard_transform;
pub use norm::rms_norm;
pub use quantize::{
    QuantMode, Quantization, Quantized, dequantize, dequantize_dtype, quantize, quantize_scaled,
    quantized_matmul,
};
pub use rope::{Frequencies, Offset, Rope, rope};

/// The functions by Python's name, with its module: what tidy wants a parity case for.
#[doc(hidden)]
pub const NAMES: &[&str] = &[
    "fast.rms_norm",
    "fast.rope",
    "fast.scaled_dot_product_attention",
    "mx.dequantize",
    "mx.hadamard_transform",
    "mx.quantize",
    "mx.quantized_matmul",
];
