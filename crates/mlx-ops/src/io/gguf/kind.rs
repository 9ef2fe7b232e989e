//! The types of GGUF's tensors: how they lie in the file, and what becomes of each.

use super::blocks;
use mlx_core::{Dtype, f16};

/// A type of tensors.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// How many values a block has; they are of one row.
    pub(super) block: u64,
    /// How many bytes a block takes.
    pub(super) bytes: u64,
    pub(super) form: Form,
}

/// What a type becomes.
#[derive(Debug)]
pub(super) enum Form {
    /// Values of a dtype of MLX's.
    Plain(Dtype),
    /// float16 values; a function that appends those of a block.
    Half(fn(&[u8], &mut Vec<f16>)),
    /// MLX's own quantization, in groups of 32: a weight of so many bits a value, scales and biases.
    Packed(u32, fn(&[u8], &mut Packed)),
    /// Nothing: MLX fails on it or drops it, and so many bytes a block say how long it is.
    Refused,
}

/// The three tensors of MLX's affine quantization, as they grow.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) weight: Vec<u8>,
    pub(super) scales: Vec<f16>,
    pub(super) biases: Vec<f16>,
}

/// The type of a number in a file.
pub(super) fn kind(code: u32) -> Option<&'static Kind> {
    KINDS.iter().find(|(known, _)| *known == code).map(|(_, kind)| kind)
}

const fn plain(name: &'static str, dtype: Dtype, bytes: u64) -> Kind {
    Kind { name, block: 1, bytes, form: Form::Plain(dtype) }
}

const fn half(name: &'static str, block: u64, bytes: u64, unpack: fn(&[u8], &mut Vec<f16>)) -> Kind {
    Kind { name, block, bytes, form: Form::Half(unpack) }
}

const fn packed(
    name: &'static str,
    block: u64,
    bytes: u64,
    bits: u32,
    unpack: fn(&[u8], &mut Packed),
) -> Kind {
    Kind { name, block, bytes, form: Form::Packed(bits, unpack) }
}

const fn refused(name: &'static str, block: u64, bytes: u64) -> Kind {
    Kind { name, block, bytes, form: Form::Refused }
}

const KINDS: &[(u32, Kind)] = &[
    (0, plain("F32", Dtype::Float32, 4)),
    (1, plain("F16", Dtype::Float16, 2)),
    (2, packed("Q4_0", 32, 18, 4, blocks::q4_0)),
    (3, packed("Q4_1", 32, 20, 4, blocks::q4_1)),
    (6, half("Q5_0", 32, 22, blocks::q5_0)),
    (7, half("Q5_1", 32, 24, blocks::q5_1)),
    (8, packed("Q8_0", 32, 34, 8, blocks::q8_0)),
    (9, refused("Q8_1", 32, 40)),
    (10, half("Q2_K", 256, 84, blocks::q2_k)),
    (11, half("Q3_K", 256, 110, blocks::q3_k)),
    (12, packed("Q4_K", 256, 144, 4, blocks::q4_k)),
    (13, half("Q5_K", 256, 176, blocks::q5_k)),
    (14, half("Q6_K", 256, 210, blocks::q6_k)),
    (15, refused("Q8_K", 256, 292)),
    (16, refused("IQ2_XXS", 256, 66)),
    (17, refused("IQ2_XS", 256, 74)),
    (18, refused("IQ3_XXS", 256, 98)),
    (19, refused("IQ1_S", 256, 50)),
    (20, refused("IQ4_NL", 32, 18)),
    (21, refused("IQ3_S", 256, 110)),
    (22, refused("IQ2_S", 256, 82)),
    (23, refused("IQ4_XS", 256, 136)),
    (24, plain("I8", Dtype::Int8, 1)),
    (25, plain("I16", Dtype::Int16, 2)),
    (26, plain("I32", Dtype::Int32, 4)),
    (27, plain("I64", Dtype::Int64, 8)),
    (28, plain("F64", Dtype::Float64, 8)),
    (29, refused("IQ1_M", 256, 56)),
    (30, half("BF16", 1, 2, blocks::bf16)),
    (34, refused("TQ1_0", 256, 54)),
    (35, refused("TQ2_0", 256, 66)),
    (39, refused("MXFP4", 32, 17)),
    (40, refused("NVFP4", 64, 36)),
    (41, refused("Q1_0", 128, 18)),
];
