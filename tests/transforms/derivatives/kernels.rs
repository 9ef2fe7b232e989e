//! Fused kernels, quantization, draws.

use super::row::{Fixed, I, N, P, Row, U, row, rows};
use mlx::{
    Dtype, Tensor, fast,
    fast::{Attention, Gather, LayerNorm, Mask, QuantMode, Quantization, QuantizedTensor, Rope},
    ops,
    prelude::*,
    random,
    random::{
        Bernoulli, Categorical, Gumbel, Laplace, MultivariateNormal, Normal, Permutation, Randint,
        TruncatedNormal, Uniform,
    },
};

pub(crate) const FUSED: &[Row] = &[
    row("fast.rms_norm", &[N(&[2, 4]), N(&[4])], |v| fast::rms_norm(&v[0], Some(&v[1]), 1e-5)).rough(),
    row("fast.rms_norm", &[N(&[2, 4])], |v| fast::rms_norm(&v[0], None, 1e-5)).rough(),
    row("fast.layer_norm", &[N(&[2, 4]), N(&[4]), N(&[4])], |v| {
        fast::layer_norm(&v[0], LayerNorm::new(1e-5).weight(&v[1]).bias(&v[2]))
    })
    .rough(),
    row("fast.layer_norm", &[N(&[2, 4])], |v| fast::layer_norm(&v[0], LayerNorm::new(1e-5))).rough(),
    row("fast.cross_entropy", &[N(&[3, 4]), I(&[3], &[2, 0, 3])], |v| fast::cross_entropy(&v[0], &v[1]))
        .single(),
    row("fast.rope", &[N(&[1, 2, 3, 4])], |v| fast::rope(&v[0], &Rope::new(4))),
    row("fast.rope", &[N(&[1, 2, 3, 4])], |v| {
        fast::rope(&v[0], &Rope::new(4).traditional(true).scale(0.5).offset(3))
    }),
    row("fast.rope", &[N(&[1, 2, 3, 6]), Fixed(&[2]), I(&[1], &[3])], |v| {
        fast::rope(&v[0], &Rope::new(4).freqs(&v[1].astype(Dtype::Float32)).offset(&v[2]))
    }),
    row("fast.scaled_dot_product_attention", &[N(&[1, 2, 2, 3]), N(&[1, 1, 3, 3]), N(&[1, 1, 3, 3])], |v| {
        fast::scaled_dot_product_attention(&v[0], &v[1], &v[2], &Attention::new(0.5))
    })
    .rough(),
    row("fast.scaled_dot_product_attention", &[N(&[1, 2, 2, 3]), N(&[1, 1, 3, 3]), N(&[1, 1, 3, 3])], |v| {
        fast::scaled_dot_product_attention(&v[0], &v[1], &v[2], &Attention::new(0.5).mask(Mask::Causal))
    })
    .rough(),
    row(
        "fast.scaled_dot_product_attention",
        &[N(&[1, 2, 2, 3]), N(&[1, 1, 3, 3]), N(&[1, 1, 3, 3]), N(&[2, 3]), N(&[2])],
        |v| {
            let how = Attention::new(0.5).mask(&v[3]).sinks(&v[4]);
            fast::scaled_dot_product_attention(&v[0], &v[1], &v[2], &how)
        },
    )
    .rough(),
    row(
        "fast.scaled_dot_product_attention",
        &[N(&[1, 2, 2, 3]), N(&[1, 1, 3, 3]), N(&[1, 1, 3, 3]), I(&[2, 3], &[1, 0, 1, 1, 1, 0])],
        |v| {
            let how = Attention::new(0.5).mask(&v[3].astype(Dtype::Bool));
            fast::scaled_dot_product_attention(&v[0], &v[1], &v[2], &how)
        },
    )
    .rough()
    // As `softmax_precise`.
    .vmap_within(1e-7),
    row("mx.hadamard_transform", &[N(&[2, 4])], |v| fast::hadamard_transform(&v[0], None)).single(),
    row("mx.hadamard_transform", &[N(&[1, 12])], |v| fast::hadamard_transform(&v[0], Some(0.5))).single(),
];

fn affine() -> Quantization {
    Quantization::new(QuantMode::Affine).group_size(32)
}

/// Bits from integers, eight elements each.
const PACKED: &[i32] =
    &[0x1234_5678, 0x0fed_cba9, 0x1111_2222, 0x7654_3210, 0x0102_0304, 0x5555_aaaa, 0x3c3c_c3c3, 0x0f0f_f0f0];

fn packed(v: &Tensor, scales: &Tensor, biases: &Tensor) -> QuantizedTensor {
    QuantizedTensor::new(v.astype(Dtype::Uint32), scales.clone(), Some(biases.clone()), affine())
}

pub(crate) const QUANTIZED: &[Row] = &[
    row("mx.quantized_matmul", &[N(&[2, 32]), Fixed(&[2, 32])], |v| {
        fast::quantized_matmul(&v[0], &fast::quantize(&v[1], QuantMode::Mxfp4)?, true)
    })
    .single()
    .no_vmap(&[("*", "[QuantizedMatmul::vmap] NYI")]),
    row("mx.quantized_matmul", &[N(&[2, 32]), I(&[2, 4], PACKED), N(&[2, 1]), N(&[2, 1])], |v| {
        fast::quantized_matmul(&v[0], &packed(&v[1], &v[2], &v[3]), true)
    })
    .single()
    .no_jvp("No JVP wrt the quantized matrix yet")
    .no_vmap(&[("*", "[QuantizedMatmul::vmap] NYI")]),
    row("mx.quantized_matmul", &[N(&[2, 2]), I(&[2, 4], PACKED), N(&[2, 1]), N(&[2, 1])], |v| {
        fast::quantized_matmul(&v[0], &packed(&v[1], &v[2], &v[3]), false)
    })
    .single()
    .no_jvp("No JVP wrt the quantized matrix yet")
    .no_vmap(&[("*", "[QuantizedMatmul::vmap] NYI")]),
    row(
        "mx.gather_qmm",
        &[N(&[2, 1, 32]), I(&[2, 1, 4], PACKED), N(&[2, 1, 1]), N(&[2, 1, 1]), I(&[2], &[1, 1])],
        |v| {
            let how = Gather::new().rhs(&v[4].astype(Dtype::Uint32));
            fast::gather_qmm(&v[0], &packed(&v[1], &v[2], &v[3]), &how)
        },
    )
    .single()
    .no_jvp("GatherQMM::jvp NYI")
    .no_vmap(&[("*", "GatherQMM::vmap NYI")]),
    row("mx.dequantize", &[I(&[2, 4], PACKED), N(&[2, 1]), N(&[2, 1])], |v| {
        fast::dequantize(&packed(&v[0], &v[1], &v[2]))
    })
    .single(),
    rows("mx.quantize", &[N(&[1, 32])], |v| {
        let q = fast::quantize(&v[0], affine())?;
        Ok(vec![q.packed, q.scales, q.biases.unwrap()])
    })
    .single(),
    row("mx.qqmm", &[N(&[1, 32]), Fixed(&[2, 32])], |v| {
        fast::qqmm(&v[0], &fast::quantize(&v[1], QuantMode::Mxfp8)?, None)
    })
    .single()
    .no_vjp("Scales must be provided")
    .no_jvp("QQMM::jvp NYI")
    .no_vmap(&[("*", "[Primitive::vmap] Not implemented for")]),
    row("mx.gather_qqmm", &[N(&[2, 1, 32]), Fixed(&[3, 2, 32]), I(&[2], &[2, 0])], |v| {
        let how = Gather::new().rhs(&v[2].astype(Dtype::Uint32));
        fast::gather_qqmm(&v[0], &fast::quantize(&v[1], QuantMode::Mxfp8)?, None, &how)
    })
    .single()
    .no_call("[GatherQQMM] NYI"),
    row("fast::quantized_matmul_rows", &[N(&[2, 32]), I(&[2, 4], PACKED), N(&[2, 1]), N(&[2, 1])], |v| {
        fast::quantized_matmul_rows(&v[0], &packed(&v[1], &v[2], &v[3]))
    })
    .single()
    .no_jvp("No JVP wrt the quantized matrix yet")
    .no_vmap(&[("*", "[QuantizedMatmul::vmap] NYI")]),
    row("fast::dequantize_dtype", &[I(&[2, 4], PACKED), N(&[2, 1]), N(&[2, 1])], |v| {
        fast::dequantize_dtype(&packed(&v[0], &v[1], &v[2]), Dtype::Float32)
    })
    .single(),
    rows("fast::quantize_scaled", &[Fixed(&[1, 32]), Fixed(&[])], |v| {
        let (w, scale) = (v[0].astype(Dtype::Float32), v[1].astype(Dtype::Float32));
        let q = fast::quantize_scaled(&w, QuantMode::Nvfp4, &ops::abs(&scale)?)?;
        Ok(vec![q.packed, q.scales])
    })
    .discrete()
    .no_vmap(&[("*", "Not implemented for ToFP8")]),
    row("fast::apply_token_bitmask", &[N(&[2, 3])], |v| {
        Ok(fast::apply_token_bitmask(&v[0], &[0b011])?.index((.., ..2)))
    })
    .single(),
    row("fast::normalized_argmax", &[N(&[2, 3])], |v| fast::normalized_argmax(&v[0])).discrete(),
    row("mx.from_fp8", &[I(&[4], &[3, 77, 100, 9])], |v| {
        ops::from_fp8(&v[0].astype(Dtype::Uint8), Dtype::Float32)
    })
    .no_vmap(&[("*", "Not implemented for FromFP8")]),
];

/// A key of two integers.
const KEY: &[i32] = &[17, 2_000_003];

fn key(v: &Tensor) -> Tensor {
    v.astype(Dtype::Uint32)
}

/// Draws with keys, by the tensors that distributions are made of.
pub(crate) const DRAWS: &[Row] = &[
    row("random.normal", &[I(&[2], KEY), N(&[3]), P(&[3])], |v| {
        Normal::new().loc(&v[1]).scale(&v[2]).key(&key(&v[0])).sample([2, 3])
    })
    .single(),
    row("random.uniform", &[I(&[2], KEY), N(&[3]), P(&[3])], |v| {
        Uniform::new(&v[1], &v[2]).key(&key(&v[0])).sample([2, 3])
    })
    .single(),
    row("random.truncated_normal", &[I(&[2], KEY), U(&[3]), P(&[3])], |v| {
        TruncatedNormal::new(&v[1], &v[2]).key(&key(&v[0])).sample([2, 3])
    })
    .single(),
    row("random.multivariate_normal", &[I(&[2], KEY), N(&[2]), N(&[2, 2])], |v| {
        let covariance = ops::matmul(&v[2], &ops::transpose(&v[2], ..)?)?;
        MultivariateNormal::new(&v[1], &covariance).key(&key(&v[0])).sample([3])
    })
    .single()
    .no_gradient("Not implemented for SVD"),
    row("random.multivariate_normal", &[I(&[2], KEY), N(&[2]), Fixed(&[2, 2])], |v| {
        let covariance = ops::matmul(&v[2], &ops::transpose(&v[2], ..)?)?;
        MultivariateNormal::new(&v[1], &covariance).key(&key(&v[0])).sample([3])
    })
    .single(),
    row("random.permutation", &[I(&[2], KEY), N(&[4, 2])], |v| {
        Permutation::new(&v[1]).key(&key(&v[0])).sample()
    }),
    row("random.gumbel", &[I(&[2], KEY)], |v| Gumbel::new().key(&key(&v[0])).sample([2, 3])),
    row("random.laplace", &[I(&[2], KEY)], |v| Laplace::new().key(&key(&v[0])).sample([2, 3])),
    row("random.bernoulli", &[I(&[2], KEY), U(&[3])], |v| {
        Bernoulli::new(&v[1]).key(&key(&v[0])).sample([2, 3])
    })
    .discrete(),
    row("random.categorical", &[I(&[2], KEY), N(&[2, 3])], |v| {
        Categorical::new(&v[1]).key(&key(&v[0])).sample_each()
    })
    .discrete(),
    row("random.randint", &[I(&[2], KEY), I(&[3], &[1, 5, 2])], |v| {
        Randint::new(&v[1], 9).key(&key(&v[0])).sample([2, 3])
    })
    .discrete(),
    row("random.split", &[I(&[2], KEY)], |v| random::split(&key(&v[0]), 3)).discrete(),
];
