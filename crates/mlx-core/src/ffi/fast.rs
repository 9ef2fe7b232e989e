//! Calls of mlx-c's fused kernels and quantization.
//!
//! Not here: the options as users write them and the guards (mlx-fast), which the callers of these have passed.

use super::{
    call::{node, nodes},
    place,
};
use crate::{Dtype, Result, Tensor, guard};
use mlx_link as sys;
use std::{borrow::Cow, ffi::CStr};

/// `mx.fast.rms_norm(x, weight, eps)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn rms_norm(x: &Tensor, weight: Option<&Tensor>, eps: f32) -> Result<Tensor> {
    let x = &*guard::reducible(x)?;
    node!("rms_norm", sys::mlx_fast_rms_norm, tensor x, option weight, value eps)
}

/// `mx.fast.layer_norm(x, weight, bias, eps)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn layer_norm(x: &Tensor, [weight, bias]: [Option<&Tensor>; 2], eps: f32) -> Result<Tensor> {
    let x = &*guard::reducible(x)?;
    node!("layer_norm", sys::mlx_fast_layer_norm, tensor x, option weight, option bias, value eps)
}

/// `mx.fast.cross_entropy(logits, targets)`
///
/// # Errors
/// A target that can be seen and is no class; what MLX refuses.
#[track_caller]
pub fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<Tensor> {
    let op = "cross_entropy";
    let fits = logits.shape().split_last().is_some_and(|(_, rest)| rest == targets.shape());
    let targets = match logits.shape().last() {
        // MLX's fused kernel does not count from the end.
        Some(&classes) if fits && classes > 0 && place::on_gpu()? => {
            guard::indices(op, targets, &[classes, 1, 1])?
        }
        Some(&classes) if fits && classes > 0 => {
            guard::positions(op, targets, logits.ndim() - 1, classes.into())?
        }
        _ => Cow::Borrowed(targets),
    };
    let targets = &*targets;
    node!("cross_entropy", sys::mlx_fast_cross_entropy, tensor logits, tensor targets)
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

/// `mx.gather_qmm`; the caller has refused what it has for `quantized_matmul`.
///
/// # Errors
/// An index that can be seen and names no matrix; what MLX refuses.
#[track_caller]
pub fn gather_qmm(
    x: &Tensor,
    parts: QuantizedParts<'_>,
    indices: [Option<&Tensor>; 2],
    (transpose, sorted): (bool, bool),
    how: Quantization,
) -> Result<Tensor> {
    let QuantizedParts { weight, scales, biases, .. } = parts;
    let [left, right] = chosen("gather_qmm", indices, [x, weight])?;
    let (left, right) = (left.as_deref(), right.as_deref());
    let (group_size, bits) = (some_int(how.group_size), some_int(how.bits));
    node!(
        "gather_qmm", sys::mlx_gather_qmm, tensor x, tensor weight, tensor scales, option biases, option left,
        option right, value transpose, value group_size, value bits, text how.mode, value sorted
    )
}

/// A weight that may be quantized, and the scales of both sides.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The elements, dense or packed.
    pub weight: &'a Tensor,
    /// A scale for each group, where they are packed.
    pub scales: Option<&'a Tensor>,
    /// The factors of all scales, of the input and of the weight.
    pub global_scales: [Option<&'a Tensor>; 2],
}

/// `mx.qqmm`; the caller has refused empty operands, sizes that are not the mode's, and scales for other rows.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn qqmm(x: &Tensor, w: Sides<'_>, how: Quantization) -> Result<Tensor> {
    let Sides { weight, scales, global_scales: [of_x, of_w] } = w;
    let (group_size, bits) = (some_int(how.group_size), some_int(how.bits));
    node!(
        "qqmm", sys::mlx_qqmm, tensor x, tensor weight, option scales, value group_size, value bits,
        text how.mode, option of_x, option of_w
    )
}

/// `mx.gather_qqmm`; the caller has refused what it has for [`qqmm`].
///
/// # Errors
/// An index that can be seen and names no matrix; what MLX refuses.
#[track_caller]
pub fn gather_qqmm(
    x: &Tensor,
    w: Sides<'_>,
    indices: [Option<&Tensor>; 2],
    sorted: bool,
    how: Quantization,
) -> Result<Tensor> {
    let Sides { weight, scales, global_scales: [of_x, of_w] } = w;
    let [left, right] = chosen("gather_qqmm", indices, [x, weight])?;
    let (left, right) = (left.as_deref(), right.as_deref());
    let (group_size, bits) = (some_int(how.group_size), some_int(how.bits));
    node!(
        "gather_qqmm", sys::mlx_gather_qqmm, tensor x, tensor weight, option scales, option left, option right,
        value group_size, value bits, text how.mode, option of_x, option of_w, value sorted
    )
}

/// Indices that name matrices of both sides.
#[track_caller]
fn chosen<'a>(
    op: &'static str,
    indices: [Option<&'a Tensor>; 2],
    sides: [&Tensor; 2],
) -> Result<[Option<Cow<'a, Tensor>>; 2]> {
    let [left, right] = indices;
    let checked = |index: Option<&'a Tensor>, side: &Tensor| {
        index.map(|index| guard::indices(op, index, side.shape())).transpose()
    };
    Ok([checked(left, sides[0])?, checked(right, sides[1])?])
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

/// They go by value, as C's structs do.
const _: () = assert!(
    size_of::<sys::mlx_optional_int>() == 8
        && size_of::<sys::mlx_optional_float>() == 8
        && size_of::<sys::mlx_optional_dtype>() == 8
);

fn some_int(value: i32) -> sys::mlx_optional_int {
    sys::mlx_optional_int { value, has_value: true }
}
