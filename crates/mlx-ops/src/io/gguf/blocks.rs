//! The blocks of GGUF's quantized types, unpacked: into MLX's own quantization where Python does, else into float16.
//!
//! A block is scales and packed bits; each function gets one of its type's length. Python decodes the odd groups of Q4_K
//! with the even ones' bits and rejects Q5_0, Q5_1, Q3_K and Q5_K; here they are what the format says.

use super::kind::Packed;
use mlx_core::f16;

fn half_at(block: &[u8], at: usize) -> f16 {
    f16::from_le_bytes([block[at], block[at + 1]])
}

fn float_at(block: &[u8], at: usize) -> f32 {
    half_at(block, at).to_f32()
}

pub(super) fn bf16(block: &[u8], out: &mut Vec<f16>) {
    out.push(f16::from_f32(f32::from_bits(u32::from_le_bytes([0, 0, block[0], block[1]]))));
}

/// 32 values of four bits: the first half in the low bits, the second in the high ones; MLX wants neighbours together.
fn pack_halves(nibbles: &[u8], weight: &mut Vec<u8>) {
    let start = weight.len();
    weight.resize(start + nibbles.len(), 0);
    let (first, second) = weight[start..].split_at_mut(nibbles.len() / 2);
    for ((pair, first), second) in nibbles.chunks_exact(2).zip(first).zip(second) {
        *first = (pair[0] & 15) | (pair[1] << 4);
        *second = (pair[0] >> 4) | (pair[1] & 0xf0);
    }
}

pub(super) fn q4_0(block: &[u8], out: &mut Packed) {
    let scale = half_at(block, 0);
    out.scales.push(scale);
    out.biases.push(f16::from_f32(-8.0 * scale.to_f32()));
    pack_halves(&block[2..], &mut out.weight);
}

pub(super) fn q4_1(block: &[u8], out: &mut Packed) {
    out.scales.push(half_at(block, 0));
    out.biases.push(half_at(block, 2));
    pack_halves(&block[4..], &mut out.weight);
}

/// Bytes with a sign become bytes without, which are 128 more.
pub(super) fn q8_0(block: &[u8], out: &mut Packed) {
    let scale = half_at(block, 0);
    out.scales.push(scale);
    out.biases.push(f16::from_f32(-128.0 * scale.to_f32()));
    out.weight.extend(block[2..].iter().map(|byte| byte ^ 0x80));
}

/// The 6-bit scale and minimum of group `j` of eight, in twelve bytes.
fn scale_and_min(packed: &[u8], j: usize) -> (f32, f32) {
    let (scale, min) = if j < 4 {
        (packed[j] & 63, packed[j + 4] & 63)
    } else {
        let (both, high) = (packed[j + 4], [packed[j - 4] >> 6, packed[j] >> 6]);
        ((both & 15) | (high[0] << 4), (both >> 4) | (high[1] << 4))
    };
    (f32::from(scale), f32::from(min))
}

pub(super) fn q4_k(block: &[u8], out: &mut Packed) {
    let (d, d_min, packed, nibbles) = (float_at(block, 0), float_at(block, 2), &block[4..16], &block[16..]);
    for j in 0..8 {
        let (scale, min) = scale_and_min(packed, j);
        out.scales.push(f16::from_f32(d * scale));
        out.biases.push(f16::from_f32(-(f16::from_f32(d_min * min).to_f32())));
    }
    for two in nibbles.chunks_exact(32) {
        pack_halves(two, &mut out.weight);
    }
}

/// 32 values of five bits: `bits` are the fifth ones.
fn five_bits(block: &[u8], bits: usize) -> impl Iterator<Item = u8> + '_ {
    let high = u32::from_le_bytes([block[bits], block[bits + 1], block[bits + 2], block[bits + 3]]);
    let low = &block[bits + 4..];
    (0..32).map(move |i| {
        let nibble = if i < 16 { low[i] & 15 } else { low[i - 16] >> 4 };
        nibble | (((high >> i) & 1) << 4) as u8
    })
}

pub(super) fn q5_0(block: &[u8], out: &mut Vec<f16>) {
    let d = float_at(block, 0);
    out.extend(five_bits(block, 2).map(|q| f16::from_f32(d * (f32::from(q) - 16.0))));
}

pub(super) fn q5_1(block: &[u8], out: &mut Vec<f16>) {
    let (d, min) = (float_at(block, 0), float_at(block, 2));
    out.extend(five_bits(block, 4).map(|q| f16::from_f32(d * f32::from(q) + min)));
}

/// Value `i` of 256 in pairs of bits: 128 values in 32 bytes, the first 32 of them in the lowest bits.
fn two_bits(packed: &[u8], i: usize) -> u8 {
    (packed[32 * (i / 128) + i % 32] >> (2 * (i % 128 / 32))) & 3
}

pub(super) fn q2_k(block: &[u8], out: &mut Vec<f16>) {
    let (packed, bits, d, d_min) = (&block[..16], &block[16..80], float_at(block, 80), float_at(block, 82));
    out.extend((0..256).map(|i| {
        let both = packed[i / 16];
        let (scale, min) = (d * f32::from(both & 15), d_min * f32::from(both >> 4));
        f16::from_f32(scale * f32::from(two_bits(bits, i)) - min)
    }));
}

pub(super) fn q3_k(block: &[u8], out: &mut Vec<f16>) {
    let (high, bits, packed, d) = (&block[..32], &block[32..96], &block[96..108], float_at(block, 108));
    out.extend((0..256).map(|i| {
        let group = i / 16;
        let low = if group < 8 { packed[group] & 15 } else { packed[group - 8] >> 4 };
        let scale = low | (((packed[8 + group % 4] >> (2 * (group / 4))) & 3) << 4);
        // A set bit means that nothing is taken away.
        let less = if (high[i % 32] >> (i / 32)) & 1 == 1 { 0.0 } else { 4.0 };
        let q = f32::from(two_bits(bits, i)) - less;
        f16::from_f32(d * (f32::from(scale) - 32.0) * q)
    }));
}

pub(super) fn q5_k(block: &[u8], out: &mut Vec<f16>) {
    let (d, d_min, packed) = (float_at(block, 0), float_at(block, 2), &block[4..16]);
    let (high, low) = (&block[16..48], &block[48..]);
    for j in 0..8 {
        let (scale, min) = scale_and_min(packed, j);
        let (scale, min) = (d * scale, d_min * min);
        out.extend((0..32).map(|i| {
            let both = low[32 * (j / 2) + i];
            let nibble = if j % 2 == 0 { both & 15 } else { both >> 4 };
            let q = nibble | (((high[i] >> j) & 1) << 4);
            f16::from_f32(scale * f32::from(q) - min)
        }));
    }
}

pub(super) fn q6_k(block: &[u8], out: &mut Vec<f16>) {
    let (low, high, scales, d) = (&block[..128], &block[128..192], &block[192..208], float_at(block, 208));
    out.extend((0..256).map(|i| {
        let (part, quarter, at) = (i / 128, i % 128 / 32, i % 32);
        let both = low[64 * part + 32 * (quarter % 2) + at];
        let nibble = if quarter < 2 { both & 15 } else { both >> 4 };
        let q = nibble | (((high[32 * part + at] >> (2 * quarter)) & 3) << 4);
        let scale = f32::from(i8::from_le_bytes([scales[i / 16]]));
        f16::from_f32(d * scale * (f32::from(q) - 32.0))
    }));
}
