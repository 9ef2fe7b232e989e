//! `mx.fast`, and the functions of `mlx.core` that mlx-fast has.

use super::{
    failure::{Failure, Result, ill_formed},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_fast::{
    Attention, Gather, LayerNorm, Mask, QqmmWeight, QuantMode, Quantization, QuantizedTensor, Rope,
};

/// What the op gives; nothing when mlx-fast has no such op.
pub(crate) fn call(op: &str, call: &Call) -> Option<Result<Value>> {
    let function = match op {
        "fast.cross_entropy" => cross_entropy,
        "fast.layer_norm" => layer_norm,
        "fast.rms_norm" => rms_norm,
        "fast.rope" => rope,
        "fast.scaled_dot_product_attention" => attention,
        "mx.dequantize" => dequantize,
        "mx.gather_qmm" => gather_qmm,
        "mx.gather_qqmm" => gather_qqmm,
        "mx.qqmm" => qqmm,
        "mx.hadamard_transform" => hadamard_transform,
        "mx.quantize" => quantize,
        "mx.quantized_matmul" => quantized_matmul,
        _ => return None,
    };
    Some(function(call))
}

fn tensor(made: mlx_core::Result<Tensor>) -> Result<Value> {
    Ok(Value::Tensor(made?))
}

fn rms_norm(call: &Call) -> Result<Value> {
    let bound = call.bind("x, weight, eps")?;
    tensor(mlx_fast::rms_norm(bound.tensor(0)?, bound.optional_tensor(1)?, bound.float(2, 0.0)?))
}

fn layer_norm(call: &Call) -> Result<Value> {
    let bound = call.bind("x, weight, bias, eps")?;
    let mut how = LayerNorm::new(bound.float(3, 0.0)?);
    (how.weight, how.bias) = (bound.optional_tensor(1)?, bound.optional_tensor(2)?);
    tensor(mlx_fast::layer_norm(bound.tensor(0)?, how))
}

fn cross_entropy(call: &Call) -> Result<Value> {
    let bound = call.bind("logits, targets")?;
    tensor(mlx_fast::cross_entropy(bound.tensor(0)?, bound.tensor(1)?))
}

fn rope(call: &Call) -> Result<Value> {
    let bound = call.bind("a, dims, *, traditional, base, scale, offset, freqs=")?;
    let mut how = Rope::new(bound.int(1, 0)?).traditional(bound.flag(2)?).scale(bound.float(4, 1.0)?);
    how = match (bound.has(3), bound.optional_tensor(6)?) {
        (true, None) => how.base(bound.float(3, 0.0)?),
        (false, Some(freqs)) => how.freqs(freqs),
        (has_base, _) => {
            let why =
                if has_base { "Only one of base or freqs can have" } else { "Neither base nor freqs has" };
            return Err(Failure::raised("ValueError", format!("[rope] {why} a value.")));
        }
    };
    how = match bound.tensor(5) {
        Ok(offset) => how.offset(offset),
        Err(_) => how.offset(bound.int(5, 0)?),
    };
    tensor(mlx_fast::rope(bound.tensor(0)?, &how))
}

fn attention(call: &Call) -> Result<Value> {
    let bound = call.bind("q, k, v, *, scale, mask=, sinks=, force_fused=")?;
    let mut how = Attention::new(bound.float(3, 1.0)?).force_fused(bound.flag(6)?).mask(mask(&bound, 4)?);
    if let Some(sinks) = bound.optional_tensor(5)? {
        how = how.sinks(sinks);
    }
    tensor(mlx_fast::scaled_dot_product_attention(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, &how))
}

/// The mask of attention at parameter `i`, in Python's forms.
pub(super) fn mask(bound: &Bound, i: usize) -> Result<Mask> {
    match bound.value(i) {
        Value::None => Ok(Mask::None),
        Value::Tensor(mask) => Ok(mask.into()),
        Value::Text(text) if text == "causal" => Ok(Mask::Causal),
        Value::Text(text) => {
            let why = format!("invalid mask option '{text}'. Must be 'causal', or an array.");
            Err(Failure::raised("ValueError", format!("[scaled_dot_product_attention] {why}")))
        }
        _ => ill_formed("a mask is a string or a tensor"),
    }
}

/// `group_size=, bits=, mode=`, the first of them parameter `i`.
fn quantization(call: &Call, bound: &Bound, i: usize) -> Result<Quantization> {
    let default = if call.op.ends_with("qqmm") { "nvfp4" } else { "affine" };
    let op = call.op.trim_start_matches("mx.");
    settings(bound, i, default, |mode| format!("[{op}] Invalid quantization mode '{mode}'."))
}

/// `group_size=, bits=, mode=`, the first of them parameter `i`, and what Python says of a mode that is none. A size of 0
/// is none given, as in Python.
pub(super) fn settings(
    bound: &Bound,
    i: usize,
    default: &str,
    invalid: impl Fn(&str) -> String,
) -> Result<Quantization> {
    let mode = bound.text(i + 2, default)?;
    let Some(mode) = QuantMode::by_name(mode) else {
        return Err(Failure::raised("ValueError", invalid(mode)));
    };
    let mut how = Quantization::new(mode);
    if bound.has(i) {
        how = how.group_size(bound.int(i, 0)?);
    }
    if bound.has(i + 1) {
        how = how.bits(bound.int(i + 1, 0)?);
    }
    Ok(how)
}

fn quantize(call: &Call) -> Result<Value> {
    let bound = call.bind("w, /, group_size=, bits=, mode=, *, global_scale=")?;
    let how = quantization(call, &bound, 1)?;
    let made = match bound.optional_tensor(4)? {
        Some(scale) => mlx_fast::quantize_scaled(bound.tensor(0)?, how, scale)?,
        None => mlx_fast::quantize(bound.tensor(0)?, how)?,
    };
    let parts = [Some(made.packed), Some(made.scales), made.biases];
    Ok(Value::List(parts.into_iter().flatten().map(Value::Tensor).collect()))
}

fn dequantize(call: &Call) -> Result<Value> {
    let bound = call.bind("w, /, scales, biases=, group_size=, bits=, mode=, global_scale=, dtype=")?;
    let mut q = quantized(call, &bound, [0, 1, 2, 3])?;
    q.global_scale = bound.optional_tensor(6)?.cloned();
    tensor(match bound.dtype(7)? {
        Some(dtype) => mlx_fast::dequantize_dtype(&q, dtype),
        None => mlx_fast::dequantize(&q),
    })
}

fn quantized_matmul(call: &Call) -> Result<Value> {
    let bound = call.bind("x, w, /, scales, biases=, transpose=, group_size=, bits=, mode=")?;
    let q = quantized(call, &bound, [1, 2, 3, 5])?;
    tensor(mlx_fast::quantized_matmul(bound.tensor(0)?, &q, bound.flag_or(4, true)?))
}

fn gather_qmm(call: &Call) -> Result<Value> {
    let bound = call.bind(
        "x, w, /, scales, biases=, lhs_indices=, rhs_indices=, transpose=, group_size=, bits=, mode=, *, sorted_indices=",
    )?;
    let q = quantized(call, &bound, [1, 2, 3, 7])?;
    let how = gather(&bound, 4, 10)?.transpose(bound.flag_or(6, true)?);
    tensor(mlx_fast::gather_qmm(bound.tensor(0)?, &q, &how))
}

/// `lhs_indices=, rhs_indices=`, the first of them parameter `i`, and `sorted_indices=`.
fn gather(bound: &Bound, i: usize, sorted: usize) -> Result<Gather> {
    let mut how = Gather::new().sorted(bound.flag(sorted)?);
    if let Some(left) = bound.optional_tensor(i)? {
        how = how.lhs(left);
    }
    if let Some(right) = bound.optional_tensor(i + 1)? {
        how = how.rhs(right);
    }
    Ok(how)
}

fn qqmm(call: &Call) -> Result<Value> {
    let bound = call.bind("x, w, scales=, group_size=, bits=, mode=, global_scale_x=, global_scale_w=")?;
    with_weight(call, &bound, [3, 6], |w, scale| Some(mlx_fast::qqmm(bound.tensor(0).ok()?, w, scale)))
}

fn gather_qqmm(call: &Call) -> Result<Value> {
    let bound = call.bind(
        "x, w, /, scales=, lhs_indices=, rhs_indices=, group_size=, bits=, mode=, global_scale_x=, global_scale_w=, *, sorted_indices=",
    )?;
    let how = gather(&bound, 3, 10)?;
    with_weight(call, &bound, [5, 8], |w, scale| {
        Some(mlx_fast::gather_qqmm(bound.tensor(0).ok()?, w, scale, &how))
    })
}

/// A product with parameters 1 and 2, the weight and its scales; quantization and global scales begin at two others.
fn with_weight(
    call: &Call,
    bound: &Bound,
    [how, global]: [usize; 2],
    product: impl FnOnce(QqmmWeight<'_>, Option<&Tensor>) -> Option<mlx_core::Result<Tensor>>,
) -> Result<Value> {
    let how = quantization(call, bound, how)?;
    let (of_x, of_w) = (bound.optional_tensor(global)?, bound.optional_tensor(global + 1)?);
    let made = match bound.optional_tensor(2)? {
        None => product(QqmmWeight::Dense(bound.tensor(1)?, how, of_w), of_x),
        Some(scales) => {
            let mut w = QuantizedTensor::new(bound.tensor(1)?.clone(), scales.clone(), None, how);
            w.global_scale = of_w.cloned();
            product((&w).into(), of_x)
        }
    };
    made.map_or_else(|| ill_formed("the first argument is a tensor"), tensor)
}

/// A quantized matrix from its weight, scales, biases and the first parameter of its quantization.
fn quantized(call: &Call, bound: &Bound, at: [usize; 4]) -> Result<QuantizedTensor> {
    let [weight, scales, biases, how] = at;
    let biases = bound.optional_tensor(biases)?.cloned();
    let how = quantization(call, bound, how)?;
    Ok(QuantizedTensor::new(bound.tensor(weight)?.clone(), bound.tensor(scales)?.clone(), biases, how))
}

fn hadamard_transform(call: &Call) -> Result<Value> {
    let bound = call.bind("a, scale=")?;
    let scale = if bound.has(1) { Some(bound.float(1, 1.0)?) } else { None };
    tensor(mlx_fast::hadamard_transform(bound.tensor(0)?, scale))
}
