//! Layers of `mlx.nn` over sequences: positions, attention, transformers, recurrent ones. They take more than one tensor,
//! or give more.
//!
//! Not here: those of one tensor, and what is done with each layer of a case (`layers`).

use super::Layer;
use crate::parity::worker::{
    failure::{Failure, Result, ill_formed, unsupported},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_fast::{Mask, Offset};
use mlx_nn::{
    ALiBi, Activation, AttentionConfig, GRU, LSTM, LstmState, MultiHeadAttention, RNN, RoPE,
    SinusoidalPositionalEncoding, Transformer, TransformerConfig, TransformerDecoder,
    TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
};

/// One row a layer: Python's parameters, and the layer from them with those of its call.
pub(super) fn made(name: &str, init: &Call) -> Result<Layer> {
    Ok(match name {
        "ALiBi" => {
            init.bind("")?;
            Layer::new(ALiBi::new(), |layer, call| {
                let bound = call.bind("attention_scores, offset=, mask=")?;
                tensor(layer.forward(bound.tensor(0)?, bound.int(1, 0)?, bound.optional_tensor(2)?))
            })
        }
        "RoPE" => {
            let bound = init.bind("dims, traditional=, base=, scale=")?;
            let made = RoPE::new(bound.int(0, 0)?).traditional(bound.flag(1)?);
            Layer::new(made.base(bound.float(2, 10_000.0)?).scale(bound.float(3, 1.0)?), |layer, call| {
                let bound = call.bind("x, offset=")?;
                let offset = match bound.value(1) {
                    Value::Tensor(offset) => Offset::from(offset),
                    _ => bound.int(1, 0)?.into(),
                };
                tensor(layer.forward(bound.tensor(0)?, offset))
            })
        }
        "SinusoidalPositionalEncoding" => {
            Layer::new(sinusoidal(init)?, |layer, call| tensor(layer.forward(call.bind("x")?.tensor(0)?)))
        }
        "RNN" => {
            let bound = init.bind("input_size, hidden_size, bias=, nonlinearity=")?;
            let mut made = RNN::new(bound.int(0, 0)?, bound.int(1, 0)?, bound.flag_or(2, true)?)?;
            if bound.has(3) {
                made = made.nonlinearity(function(&bound, 3)?);
            }
            Layer::new(made, |layer, call| {
                let bound = call.bind("x, hidden=")?;
                tensor(layer.forward(bound.tensor(0)?, bound.optional_tensor(1)?))
            })
        }
        "GRU" => {
            let bound = init.bind("input_size, hidden_size, bias=")?;
            let made = GRU::new(bound.int(0, 0)?, bound.int(1, 0)?, bound.flag_or(2, true)?)?;
            Layer::new(made, |layer, call| {
                let bound = call.bind("x, hidden=")?;
                tensor(layer.forward(bound.tensor(0)?, bound.optional_tensor(1)?))
            })
        }
        "LSTM" => {
            let bound = init.bind("input_size, hidden_size, bias=")?;
            let made = LSTM::new(bound.int(0, 0)?, bound.int(1, 0)?, bound.flag_or(2, true)?)?;
            Layer::new(made, |layer, call| {
                let bound = call.bind("x, hidden=, cell=")?;
                let mut before = LstmState::new();
                (before.hidden, before.cell) = (bound.optional_tensor(1)?, bound.optional_tensor(2)?);
                let (hidden, cell) = layer.forward(bound.tensor(0)?, before)?;
                Ok(Value::List(vec![Value::Tensor(hidden), Value::Tensor(cell)]))
            })
        }
        _ => return of_heads(name, init),
    })
}

fn tensor(made: mlx_core::Result<Tensor>) -> Result<Value> {
    Ok(Value::Tensor(made?))
}

fn sinusoidal(init: &Call) -> Result<SinusoidalPositionalEncoding> {
    let bound = init.bind("dims, min_freq=, max_freq=, scale=, cos_first=, full_turns=")?;
    let (dims, low, high) = (bound.int(0, 0)?, bound.double(1, 0.0001)?, bound.double(2, 1.0)?);
    let made = SinusoidalPositionalEncoding::with_frequencies(dims, low, high, bound.flag(5)?)?;
    let made = made.cos_first(bound.flag(4)?);
    Ok(if bound.has(3) { made.scale(bound.double(3, 1.0)?) } else { made })
}

/// Attention, and what is made of it.
fn of_heads(name: &str, init: &Call) -> Result<Layer> {
    const LAYER: &str = "dims, num_heads, mlp_dims=, dropout=, activation=, norm_first=";
    const STACK: &str =
        "num_layers, dims, num_heads, mlp_dims=, dropout=, activation=, norm_first=, checkpoint=";
    Ok(match name {
        "MultiHeadAttention" => Layer::new(attention(init)?, |layer, call| {
            let bound = call.bind("queries, keys, values, mask=")?;
            tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, mask(&bound, 3)?))
        }),
        "TransformerEncoderLayer" => {
            let how = config(&init.bind(LAYER)?, [0, 1, 2])?;
            Layer::new(TransformerEncoderLayer::new(&how)?, |layer, call| {
                let bound = call.bind("x, mask")?;
                tensor(layer.forward(bound.tensor(0)?, mask(&bound, 1)?))
            })
        }
        "TransformerEncoder" => {
            let bound = init.bind(STACK)?;
            let how = config(&bound, [1, 2, 3])?.checkpoint(bound.flag(7)?);
            Layer::new(TransformerEncoder::new(count(&bound, 0, 0)?, &how)?, |layer, call| {
                let bound = call.bind("x, mask")?;
                tensor(layer.forward(bound.tensor(0)?, mask(&bound, 1)?))
            })
        }
        "TransformerDecoderLayer" => {
            let how = config(&init.bind(LAYER)?, [0, 1, 2])?;
            Layer::new(TransformerDecoderLayer::new(&how)?, |layer, call| {
                let bound = call.bind("x, memory, x_mask, memory_mask")?;
                let masks = (mask(&bound, 2)?, mask(&bound, 3)?);
                tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, masks.0, masks.1))
            })
        }
        "TransformerDecoder" => {
            let bound = init.bind(STACK)?;
            let how = config(&bound, [1, 2, 3])?.checkpoint(bound.flag(7)?);
            Layer::new(TransformerDecoder::new(count(&bound, 0, 0)?, &how)?, |layer, call| {
                let bound = call.bind("x, memory, x_mask, memory_mask")?;
                let masks = (mask(&bound, 2)?, mask(&bound, 3)?);
                tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, masks.0, masks.1))
            })
        }
        "Transformer" => {
            let bound = init.bind(
                "dims=, num_heads=, num_encoder_layers=, num_decoder_layers=, mlp_dims=, dropout=, activation=, norm_first=, checkpoint=",
            )?;
            let how = config(&bound, [0, 1, 4])?.checkpoint(bound.flag(8)?);
            let made = Transformer::new(count(&bound, 2, 6)?, count(&bound, 3, 6)?, &how)?;
            Layer::new(made, |layer, call| {
                let bound = call.bind("src, tgt, src_mask, tgt_mask, memory_mask")?;
                let masks = (mask(&bound, 2)?, mask(&bound, 3)?, mask(&bound, 4)?);
                tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, masks.0, masks.1, masks.2))
            })
        }
        _ => return unsupported(&init.op),
    })
}

fn attention(init: &Call) -> Result<MultiHeadAttention> {
    let bound = init.bind(
        "dims, num_heads, query_input_dims=, key_input_dims=, value_input_dims=, value_dims=, value_output_dims=, bias=",
    )?;
    let mut how = AttentionConfig::new(bound.int(0, 0)?, bound.int(1, 0)?).bias(bound.flag(7)?);
    let size = |i| -> Result<Option<i32>> { if bound.has(i) { bound.int(i, 0).map(Some) } else { Ok(None) } };
    (how.query_input_dims, how.key_input_dims, how.value_input_dims) = (size(2)?, size(3)?, size(4)?);
    (how.value_dims, how.value_output_dims) = (size(5)?, size(6)?);
    Ok(MultiHeadAttention::with(&how)?)
}

/// `dims`, `num_heads` and `mlp_dims` at these places, and behind the last `dropout`, `activation`, `norm_first`.
fn config(bound: &Bound, at: [usize; 3]) -> Result<TransformerConfig> {
    let [dims, heads, mlp] = at;
    let mut how = TransformerConfig::new(bound.int(dims, 512)?, bound.int(heads, 8)?);
    if bound.has(mlp) {
        how = how.mlp_dims(bound.int(mlp, 0)?);
    }
    if bound.has(mlp + 2) {
        how = how.activation(function(bound, mlp + 2)?);
    }
    Ok(how.dropout(bound.double(mlp + 1, 0.0)?).norm_first(bound.flag_or(mlp + 3, true)?))
}

/// How many layers: none below 0, as in Python's `range`. Millions fill any memory, here as in Python.
fn count(bound: &Bound, i: usize, default: i32) -> Result<usize> {
    match usize::try_from(bound.int(i, default)?).unwrap_or_default() {
        count if count > 1 << 16 => ill_formed(format!("{count} layers")),
        count => Ok(count),
    }
}

/// The mask at parameter `i`, in Python's forms.
fn mask(bound: &Bound, i: usize) -> Result<Mask> {
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

/// A function of `mlx.nn` by its name.
fn function(bound: &Bound, i: usize) -> Result<Activation> {
    Ok(match bound.value(i) {
        Value::Function(name) => match name.as_str() {
            "gelu" => mlx_nn::gelu.into(),
            "relu" => mlx_nn::relu.into(),
            "silu" => mlx_nn::silu.into(),
            "tanh" => mlx_nn::tanh.into(),
            _ => return unsupported(format!("nn.{name} as an activation")),
        },
        _ => return ill_formed("an activation is {\"function\": \"NAME\"}"),
    })
}
