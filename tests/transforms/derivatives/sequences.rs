//! Layers over sequences, layers with quantized weights.

use super::row::{Fixed, I, N, Row, row, rows};
use mlx::{
    Dtype, Result, Tensor,
    fast::{Mask, QuantMode, Quantization, QuantizedTensor},
    nn::{
        self, ALiBi, GRU, LSTM, Linear, ModuleExt, MultiHeadAttention, QuantizedEmbedding, QuantizedLinear,
        RNN, RoPE, SinusoidalPositionalEncoding, Transformer, TransformerConfig, TransformerDecoder,
        TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
    },
    prelude::*,
    random,
};

fn attention(v: &[Tensor]) -> Result<Tensor> {
    let mut layer = MultiHeadAttention::new(4, 2)?;
    for (projection, weight) in
        [&mut layer.query_proj, &mut layer.key_proj, &mut layer.value_proj, &mut layer.out_proj]
            .into_iter()
            .zip(&v[1..])
    {
        projection.weight = weight.clone();
    }
    layer.forward(&v[0], &v[0], &v[0], Mask::Causal)
}

/// Of float64 as their input, drawn alike each time.
fn double<M: nn::Module>(made: impl FnOnce(&TransformerConfig) -> Result<M>) -> Result<M> {
    random::seed(3)?;
    let mut model = made(&TransformerConfig::new(4, 2).mlp_dims(3).activation(nn::tanh))?;
    model.set_dtype(Dtype::Float64)?;
    Ok(model)
}

/// What MLX says of a product and sum of which one part is vectorised.
const ADDMM: &str = "input c must broadcast to the output shape";
/// What it says of a quantized one.
const QMM: &str = "[QuantizedMatmul::vmap] NYI";

pub(crate) const SEQUENCES: &[Row] = &[
    row("nn.RoPE", &[N(&[1, 2, 3, 4])], |v| RoPE::new(4).forward(&v[0], 2)),
    row("nn.SinusoidalPositionalEncoding", &[N(&[3])], |v| {
        SinusoidalPositionalEncoding::new(4)?.forward(&v[0])
    })
    .rough(),
    row("nn.ALiBi", &[N(&[1, 2, 2, 3]), N(&[2, 3])], |v| ALiBi::new().forward(&v[0], 1, Some(&v[1]))),
    row("nn.MultiHeadAttention", &[N(&[1, 2, 4]), N(&[4, 4]), N(&[4, 4]), N(&[4, 4]), N(&[4, 4])], attention)
        .rough(),
    row("nn.TransformerEncoderLayer", &[N(&[1, 2, 4])], |v| {
        double(TransformerEncoderLayer::new)?.forward(&v[0], Mask::Causal)
    })
    .rough(),
    row("nn.TransformerEncoder", &[N(&[1, 2, 4])], |v| {
        double(|how| TransformerEncoder::new(1, how))?.forward(&v[0], Mask::None)
    })
    .rough(),
    row("nn.TransformerDecoderLayer", &[N(&[1, 2, 4]), N(&[1, 3, 4])], |v| {
        double(TransformerDecoderLayer::new)?.forward(&v[0], &v[1], Mask::Causal, Mask::None)
    })
    .rough(),
    row("nn.TransformerDecoder", &[N(&[1, 2, 4]), N(&[1, 3, 4])], |v| {
        double(|how| TransformerDecoder::new(1, how))?.forward(&v[0], &v[1], Mask::Causal, Mask::None)
    })
    .rough(),
    row("nn.Transformer", &[N(&[1, 3, 4]), N(&[1, 2, 4])], |v| {
        let model = double(|how| Transformer::new(1, 1, how))?;
        model.forward(&v[0], &v[1], Mask::None, Mask::Causal, Mask::None)
    })
    .rough()
    // A dozen layers deep, the step's truncation is more.
    .within(1e-3),
    row("nn.RNN", &[N(&[2, 3]), N(&[2, 3]), N(&[2, 2]), N(&[2]), N(&[2])], |v| {
        RNN::from_parameters(v[1].clone(), v[2].clone(), Some(v[3].clone()))?.forward(&v[0], Some(&v[4]))
    })
    .rough()
    // One row is summed by another routine than several.
    .vmap_within(1e-14)
    .no_vmap(&[("0", ADDMM), ("1", ADDMM), ("3", ADDMM)]),
    row("nn.GRU", &[N(&[2, 3]), N(&[6, 3]), N(&[6, 2]), N(&[6]), N(&[2]), N(&[2])], |v| {
        GRU::from_parameters(v[1].clone(), v[2].clone(), Some((v[3].clone(), v[4].clone())))?
            .forward(&v[0], Some(&v[5]))
    })
    .rough()
    .vmap_within(1e-14)
    .no_vmap(&[("3", ADDMM)]),
    rows("nn.LSTM", &[N(&[2, 3]), N(&[8, 3]), N(&[8, 2]), N(&[8]), N(&[2]), N(&[2])], |v| {
        let layer = LSTM::from_parameters(v[1].clone(), v[2].clone(), Some(v[3].clone()))?;
        let (hidden, cell) = layer.forward(&v[0], (&v[4], &v[5]))?;
        Ok(vec![hidden, cell])
    })
    .rough()
    .no_vmap(&[("0", ADDMM), ("1", ADDMM), ("3", ADDMM)]),
];

/// Bits from integers, eight elements each.
const PACKED: &[i32] =
    &[0x1234_5678, 0x0fed_cba9, 0x1111_2222, 0x7654_3210, 0x0102_0304, 0x5555_aaaa, 0x3c3c_c3c3, 0x0f0f_f0f0];

fn packed(v: &[Tensor]) -> QuantizedTensor {
    let how = Quantization::new(QuantMode::Affine).group_size(32);
    let single = |x: &Tensor| x.astype(Dtype::Float32);
    QuantizedTensor::new(v[1].astype(Dtype::Uint32), single(&v[2]), Some(single(&v[3])), how)
}

pub(crate) const QUANTIZED: &[Row] = &[
    row(
        "nn.QuantizedLinear",
        &[N(&[1, 32]), I(&[2, 4], PACKED), Fixed(&[2, 1]), Fixed(&[2, 1]), N(&[2])],
        |v| QuantizedLinear::from_parameters(packed(v), Some(v[4].clone())).forward(&v[0]),
    )
    .single()
    .no_vmap(&[("first", QMM), ("last", QMM), ("0", QMM), ("1", QMM), ("2", QMM), ("3", QMM)]),
    row(
        "nn.QuantizedEmbedding",
        &[I(&[2], &[1, 0]), I(&[2, 4], PACKED), Fixed(&[2, 1]), Fixed(&[2, 1])],
        |v| QuantizedEmbedding::from_parameters(packed(v)).forward(&v[0]),
    )
    .single(),
    row("nn.QQLinear", &[N(&[1, 32])], |v| {
        random::seed(3)?;
        let mut layer = nn::QQLinear::from_linear(&Linear::new(32, 2, false)?, QuantMode::Mxfp8)?;
        layer.eval();
        layer.forward(&v[0])
    })
    .single()
    .no_vjp("Scales must be provided")
    .no_jvp("QQMM::jvp NYI")
    .no_vmap(&[("*", "[Primitive::vmap] Not implemented for")]),
    row("nn.quantize", &[N(&[1, 32])], |v| {
        random::seed(3)?;
        let mut model = nn::Sequential::new().add(Linear::new(32, 2, true)?);
        nn::quantize(&mut model, Quantization::new(QuantMode::Affine).group_size(32))?;
        model.forward(&v[0])
    })
    .single()
    .no_vmap(&[("*", QMM)]),
];
