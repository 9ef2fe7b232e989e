//! Calls of mlx-c's fused kernels and quantization.
//!
//! Not here: the options as users write them and the guards (mlx-fast), which the callers of these have passed.

use super::{
    call::{node, nodes},
    place,
};
use crate::{Dtype, Result, Tensor, guard};
use mlx_link as sys;
use std::ffi::CStr;

/// `mx.fast.rms_norm(x, weight, eps)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn rms_norm(x: &Tensor, weight: Option<&Tensor>, eps: f32) -> Result<Tensor> {
    let x = &*guard::reducible(x)?;
    node!("rms_norm", sys::mlx_fast_rms_norm, tensor x, option weight, value eps)
}

/// What both forms of rope take.
pub struct Rope<'a> {
    /// How many features are rotated.
    pub dims: i32,
    /// Whether neighbours are rotated, instead of halves.
    pub traditional: bool,
    /// The base of the frequencies, when there are no `freqs`.
    pub base: Option<f32>,
    /// The factor of positions.
    pub scale: f32,
    /// The frequencies, when there is no `base`.
    pub freqs: Option<&'a Tensor>,
}

/// `mx.fast.rope` with an offset known now.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn rope(x: &Tensor, how: &Rope<'_>, offset: i32) -> Result<Tensor> {
    let Rope { dims, traditional, scale, freqs, .. } = *how;
    let base = optional_float(how.base);
    node!(
        "rope", sys::mlx_fast_rope, tensor x, value dims, value traditional, value base, value scale,
        value offset, option freqs
    )
}

/// `mx.fast.rope` with offsets in a tensor.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn rope_dynamic(x: &Tensor, how: &Rope<'_>, offset: &Tensor) -> Result<Tensor> {
    let Rope { dims, traditional, scale, freqs, .. } = *how;
    let base = optional_float(how.base);
    let offset = &offset_for_gpu(x, offset)?;
    node!(
        "rope", sys::mlx_fast_rope_dynamic, tensor x, value dims, value traditional, value base, value scale,
        tensor offset, option freqs
    )
}

/// The offset as MLX's CUDA kernel reads it: 32 bits each, and one a batch row where it has a dimension.
fn offset_for_gpu(x: &Tensor, offset: &Tensor) -> Result<Tensor> {
    let mut offset = offset.clone();
    if !place::on_gpu()? || !offset.dtype().is_integer() {
        return Ok(offset);
    }
    if offset.dtype().size() != 4 {
        offset = super::astype(&offset, Dtype::Int32)?;
    }
    if offset.shape() == [1] && x.shape().first() != Some(&1) {
        offset = super::reshape(&offset, &[])?;
    }
    Ok(offset)
}

/// The mask and the sinks of attention.
pub struct Attention<'a> {
    /// The factor of the scores.
    pub scale: f32,
    /// Whether each query sees only the keys up to its own.
    pub causal: bool,
    /// A bool or additive mask.
    pub mask: Option<&'a Tensor>,
    /// The attention sinks, one a head.
    pub sinks: Option<&'a Tensor>,
    /// Whether only a fused kernel will do.
    pub force_fused: bool,
}

/// `mx.fast.scaled_dot_product_attention`; the caller has refused keys without heads.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn attention(q: &Tensor, k: &Tensor, v: &Tensor, how: &Attention<'_>) -> Result<Tensor> {
    let Attention { scale, causal, mask, sinks, force_fused } = *how;
    let mode = if causal { c"causal" } else { c"" };
    node!(
        "scaled_dot_product_attention", sys::mlx_fast_scaled_dot_product_attention, tensor q, tensor k,
        tensor v, value scale, text mode, option mask, option sinks, value force_fused
    )
}

/// A quantization in mlx-c's terms.
#[derive(Clone, Copy)]
pub struct Quantization {
    /// The mode's name.
    pub mode: &'static CStr,
    /// How many elements share a scale.
    pub group_size: i32,
    /// How many bits an element takes.
    pub bits: i32,
}

/// `mx.quantize(w, group_size, bits, mode, global_scale)`: two or three tensors; the caller has refused sizes below 1.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn quantize(w: &Tensor, how: Quantization, global_scale: Option<&Tensor>) -> Result<Vec<Tensor>> {
    let (group_size, bits) = (some_int(how.group_size), some_int(how.bits));
    nodes!(
        "quantize", sys::mlx_quantize, tensor w, value group_size, value bits, text how.mode,
        option global_scale
    )
}

/// The tensors of a quantized matrix.
#[derive(Clone, Copy)]
pub struct QuantizedParts<'a> {
    /// The packed elements.
    pub weight: &'a Tensor,
    /// A scale for each group.
    pub scales: &'a Tensor,
    /// A bias for each group, in affine mode.
    pub biases: Option<&'a Tensor>,
    /// The factor of all scales, which only `dequantize` takes.
    pub global_scale: Option<&'a Tensor>,
}

/// `mx.dequantize`; the caller has refused sizes below 1.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn dequantize(parts: QuantizedParts<'_>, how: Quantization, dtype: Option<Dtype>) -> Result<Tensor> {
    let QuantizedParts { weight, scales, biases, global_scale } = parts;
    let (group_size, bits) = (some_int(how.group_size), some_int(how.bits));
    let dtype =
        sys::mlx_optional_dtype { value: dtype.unwrap_or(Dtype::Float32).code(), has_value: dtype.is_some() };
    node!(
        "dequantize", sys::mlx_dequantize, tensor weight, tensor scales, option biases, value group_size,
        value bits, text how.mode, option global_scale, value dtype
    )
}

/// `mx.quantized_matmul`; the caller has refused empty operands, sizes below 1, and scales for other rows.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn quantized_matmul(
    x: &Tensor,
    parts: QuantizedParts<'_>,
    transpose: bool,
    how: Quantization,
) -> Result<Tensor> {
    let QuantizedParts { weight, scales, biases, .. } = parts;
    let (group_size, bits) = (some_int(how.group_size), some_int(how.bits));
    node!(
        "quantized_matmul", sys::mlx_quantized_matmul, tensor x, tensor weight, tensor scales, option biases,
        value transpose, value group_size, value bits, text how.mode
    )
}

/// `mx.hadamard_transform(x, scale)`; the caller has refused the sizes on which MLX writes past its buffer.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn hadamard_transform(x: &Tensor, scale: Option<f32>) -> Result<Tensor> {
    let scale = optional_float(scale);
    node!("hadamard_transform", sys::mlx_hadamard_transform, tensor x, value scale)
}

fn optional_float(value: Option<f32>) -> sys::mlx_optional_float {
    sys::mlx_optional_float { value: value.unwrap_or_default(), has_value: value.is_some() }
}

fn some_int(value: i32) -> sys::mlx_optional_int {
    sys::mlx_optional_int { value, has_value: true }
}
