//! Layers of `mlx.nn` over sequences: positions, attention, transformers, recurrent ones. They take more than one tensor,
//! or give more.
//!
//! Not here: those of one tensor, and what is done with each layer of a case (`layers`).

use super::{Layer, family};
use crate::parity::worker::{
    failure::{Result, ill_formed, unsupported},
    fast::mask,
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_fast::Offset;
use mlx_nn::{
    ALiBi, Activation, AttentionConfig, GRU, LSTM, LstmState, MultiHeadAttention, RNN, RoPE,
    SinusoidalPositionalEncoding, Transformer, TransformerConfig, TransformerDecoder,
    TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
};

pub(super) fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    recurrent(name, init).or_else(|| of_heads(name, init)).or_else(|| stacked(name, init))
}

/// Positions, and layers that go through a sequence.
fn recurrent(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "ALiBi"("") |_b| Ok(Layer::new(ALiBi::new(), |layer, call| {
            let bound = call.bind("attention_scores, offset=, mask=")?;
            tensor(layer.forward(bound.tensor(0)?, bound.int(1, 0)?, bound.optional_tensor(2)?))
        }));
        "RoPE"("dims, traditional=, base=, scale=") |b| {
            let made = RoPE::new(b.int(0, 0)?).traditional(b.flag(1)?);
            Ok(Layer::new(made.base(b.float(2, 10_000.0)?).scale(b.float(3, 1.0)?), |layer, call| {
                let bound = call.bind("x, offset=")?;
                let offset = match bound.value(1) {
                    Value::Tensor(offset) => Offset::from(offset),
                    _ => bound.int(1, 0)?.into(),
                };
                tensor(layer.forward(bound.tensor(0)?, offset))
            }))
        };
        "SinusoidalPositionalEncoding"("dims, min_freq=, max_freq=, scale=, cos_first=, full_turns=") |b| {
            let (dims, low, high) = (b.int(0, 0)?, b.double(1, 0.0001)?, b.double(2, 1.0)?);
            let made = SinusoidalPositionalEncoding::with_frequencies(dims, low, high, b.flag(5)?)?;
            let made = made.cos_first(b.flag(4)?);
            Ok(Layer::unary(if b.has(3) { made.scale(b.double(3, 1.0)?) } else { made }))
        };
        "RNN"("input_size, hidden_size, bias=, nonlinearity=") |b| {
            let mut made = RNN::new(b.int(0, 0)?, b.int(1, 0)?, b.flag_or(2, true)?)?;
            if b.has(3) {
                made = made.nonlinearity(function(&b, 3)?);
            }
            Ok(Layer::new(made, |layer, call| {
                let bound = call.bind("x, hidden=")?;
                tensor(layer.forward(bound.tensor(0)?, bound.optional_tensor(1)?))
            }))
        };
        "GRU"("input_size, hidden_size, bias=") |b| {
            let made = GRU::new(b.int(0, 0)?, b.int(1, 0)?, b.flag_or(2, true)?)?;
            Ok(Layer::new(made, |layer, call| {
                let bound = call.bind("x, hidden=")?;
                tensor(layer.forward(bound.tensor(0)?, bound.optional_tensor(1)?))
            }))
        };
        "LSTM"("input_size, hidden_size, bias=") |b| {
            let made = LSTM::new(b.int(0, 0)?, b.int(1, 0)?, b.flag_or(2, true)?)?;
            Ok(Layer::new(made, |layer, call| {
                let bound = call.bind("x, hidden=, cell=")?;
                let mut before = LstmState::new();
                (before.hidden, before.cell) = (bound.optional_tensor(1)?, bound.optional_tensor(2)?);
                let (hidden, cell) = layer.forward(bound.tensor(0)?, before)?;
                Ok(Value::List(vec![Value::Tensor(hidden), Value::Tensor(cell)]))
            }))
        };
    }
}

fn tensor(made: mlx_core::Result<Tensor>) -> Result<Value> {
    Ok(Value::Tensor(made?))
}

const HEADS: &str = "dims, num_heads, query_input_dims=, key_input_dims=, value_input_dims=, value_dims=, value_output_dims=, bias=";
const LAYER: &str = "dims, num_heads, mlp_dims=, dropout=, activation=, norm_first=";
const STACK: &str = "num_layers, dims, num_heads, mlp_dims=, dropout=, activation=, norm_first=, checkpoint=";
const BOTH: &str = "dims=, num_heads=, num_encoder_layers=, num_decoder_layers=, mlp_dims=, dropout=, activation=, norm_first=, checkpoint=";

/// Attention, and a layer made of it.
fn of_heads(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "MultiHeadAttention"(HEADS) |b| Ok(Layer::new(attention(&b)?, |layer, call| {
            let bound = call.bind("queries, keys, values, mask=")?;
            tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, mask(&bound, 3)?))
        }));
        "TransformerEncoderLayer"(LAYER) |b| {
            Ok(Layer::new(TransformerEncoderLayer::new(&config(&b, [0, 1, 2])?)?, |layer, call| {
                let bound = call.bind("x, mask")?;
                tensor(layer.forward(bound.tensor(0)?, mask(&bound, 1)?))
            }))
        };
        "TransformerDecoderLayer"(LAYER) |b| {
            Ok(Layer::new(TransformerDecoderLayer::new(&config(&b, [0, 1, 2])?)?, |layer, call| {
                let bound = call.bind("x, memory, x_mask, memory_mask")?;
                let masks = (mask(&bound, 2)?, mask(&bound, 3)?);
                tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, masks.0, masks.1))
            }))
        };
    }
}

/// Stacks of such layers.
fn stacked(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "TransformerEncoder"(STACK) |b| {
            let how = config(&b, [1, 2, 3])?.checkpoint(b.flag(7)?);
            Ok(Layer::new(TransformerEncoder::new(count(&b, 0, 0)?, &how)?, |layer, call| {
                let bound = call.bind("x, mask")?;
                tensor(layer.forward(bound.tensor(0)?, mask(&bound, 1)?))
            }))
        };
        "TransformerDecoder"(STACK) |b| {
            let how = config(&b, [1, 2, 3])?.checkpoint(b.flag(7)?);
            Ok(Layer::new(TransformerDecoder::new(count(&b, 0, 0)?, &how)?, |layer, call| {
                let bound = call.bind("x, memory, x_mask, memory_mask")?;
                let masks = (mask(&bound, 2)?, mask(&bound, 3)?);
                tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, masks.0, masks.1))
            }))
        };
        "Transformer"(BOTH) |b| {
            let how = config(&b, [0, 1, 4])?.checkpoint(b.flag(8)?);
            Ok(Layer::new(Transformer::new(count(&b, 2, 6)?, count(&b, 3, 6)?, &how)?, |layer, call| {
                let bound = call.bind("src, tgt, src_mask, tgt_mask, memory_mask")?;
                let masks = (mask(&bound, 2)?, mask(&bound, 3)?, mask(&bound, 4)?);
                tensor(layer.forward(bound.tensor(0)?, bound.tensor(1)?, masks.0, masks.1, masks.2))
            }))
        };
    }
}

fn attention(bound: &Bound) -> Result<MultiHeadAttention> {
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
