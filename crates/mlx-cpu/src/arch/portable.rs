//! The vectors in plain Rust, for any processor.

use super::{LANES, Simd};
use half::{bf16, f16};

/// Plain Rust: always there.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

pub(super) const E2M1: [f32; 16] =
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0];

/// A value of e4m3: its exponent and mantissa stand at f32's place, and 120 is the difference of the biases.
#[inline(always)]
pub(crate) fn e4m3(code: u8) -> f32 {
    let bits = u32::from(code & 0x7f);
    // Without exponent the value is a count of 2^-9; in f32 it would be subnormal, which is slow.
    let magnitude = if bits < 8 { bits as f32 / 512.0 } else { f32::from_bits((bits << 20) + (120 << 23)) };
    f32::from_bits(magnitude.to_bits() | u32::from(code & 0x80) << 24)
}

/// What an f16 is as f32, without a branch: `half` asks at each value whether the processor converts by itself.
#[inline(always)]
fn widen(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let magnitude = bits & 0x7fff;
    // The exponent's bias differs by 112; a product moves denormals to where they belong.
    let finite = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let special = f32::from_bits((magnitude << 13) | 0x7f80_0000);
    let value = if magnitude < 0x7c00 { finite } else { special };
    f32::from_bits(value.to_bits() | ((bits & 0x8000) << 16))
}

/// The f16 nearest to `x`, ties to even.
#[inline(always)]
fn narrow(x: f32) -> f16 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let normal = (magnitude.wrapping_add(0xfff + ((magnitude >> 13) & 1)).wrapping_sub(112 << 23)) >> 13;
    // Adding a half puts the last bit of an f16 denormal at the end of the f32, which rounds there.
    let tiny = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let huge = if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let value = match magnitude {
        0..0x3880_0000 => tiny,
        0x3880_0000..0x4780_0000 => normal,
        _ => huge,
    };
    f16::from_bits((value | ((bits >> 16) & 0x8000)) as u16)
}

#[inline(always)]
pub(super) fn lanes(f: impl Fn(usize) -> f32) -> [f32; LANES] {
    // A loop: what `from_fn` calls may stay functions of their own.
    let mut lanes = [0.0; LANES];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = f(i);
    }
    lanes
}

impl Simd for Portable {
    type F = [f32; LANES];
    type Table = [f32; LANES];
    type Fp4 = [f32; LANES];
    const ROOMY: bool = false;
    const NIBBLES: [usize; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        [value; LANES]
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::F {
        *from
    }
    #[inline(always)]
    fn load_f16(self, from: &[f16; LANES]) -> Self::F {
        lanes(|i| widen(from[i]))
    }
    #[inline(always)]
    fn load_bf16(self, from: &[bf16; LANES]) -> Self::F {
        lanes(|i| f32::from_bits(u32::from(from[i].to_bits()) << 16))
    }
    #[inline(always)]
    fn store(self, value: Self::F, to: &mut [f32; LANES]) {
        *to = value;
    }
    #[inline(always)]
    fn store_f16(self, value: Self::F, to: &mut [f16; LANES]) {
        for (to, x) in to.iter_mut().zip(value) {
            *to = narrow(x);
        }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        lanes(|i| a[i] * b[i] + c[i])
    }
    #[inline(always)]
    fn sum4(self, values: [Self::F; 4]) -> [f32; 4] {
        values.map(|v| {
            let eight: [f32; 8] = std::array::from_fn(|i| v[i] + v[i + 8]);
            let four: [f32; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
            (four[0] + four[1]) + (four[2] + four[3])
        })
    }
    #[inline(always)]
    fn table<const BITS: usize>(self, scale: f32, bias: f32) -> Self::Table {
        lanes(|i| scale * (i % (1 << BITS)) as f32 + bias)
    }
    #[inline(always)]
    fn table2(self, table: Self::Table, codes: u32) -> Self::F {
        lanes(|i| table[(codes >> (2 * i)) as usize & 3])
    }
    #[inline(always)]
    fn table4(self, table: Self::Table, codes: u64) -> Self::F {
        lanes(|i| table[(codes >> (4 * i)) as usize & 15])
    }
    #[inline(always)]
    fn fp4_table(self, scale: f32) -> Self::Fp4 {
        E2M1.map(|value| value * scale)
    }
    #[inline(always)]
    fn fp4(self, table: Self::Fp4, codes: u64) -> Self::F {
        self.table4(table, codes)
    }
    #[inline(always)]
    fn fields<const BITS: usize>(self, low: u64, high: u64) -> Self::F {
        let field = |word: u64, i: usize| (word >> (BITS * i) & ((1 << BITS) - 1)) as f32;
        lanes(|i| if i < 8 { field(low, i) } else { field(high, i - 8) })
    }
    #[inline(always)]
    fn bytes(self, codes: &[u8; LANES]) -> Self::F {
        codes.map(f32::from)
    }
    #[inline(always)]
    fn fp8(self, codes: &[u8; LANES]) -> Self::F {
        codes.map(e4m3)
    }
}
