//! What dense kernels need of a set beyond [`Simd`]: comparisons, powers of two, narrow stores, and the tile of a product.
//! The trait and its portable form; x86's stand in `dense_x86`.

use super::{LANES, Portable, Simd, portable::lanes};
use crate::math;
use half::bf16;

/// Sixteen vectors in memory.
pub type Block = [[f32; LANES]; LANES];

/// The operations of a set that sums, exponentials and matrix products take.
pub trait Dense: Simd {
    /// Rows of a product's tile, an even number up to 14.
    const ROWS: usize;
    /// Whether a tile is two vectors wide, or one.
    const WIDE: bool;

    /// `a - b`.
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger; `b` where one is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smaller; `b` where one is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// The nearest integer, ties to even, for |a| < 2^22.
    fn round(self, a: Self::F) -> Self::F;
    /// 2^n for integers n in -126..=127.
    fn exp2i(self, n: Self::F) -> Self::F;
    /// Zero where `x < limit`, else `a`.
    fn zero_below(self, x: Self::F, limit: f32, a: Self::F) -> Self::F;
    /// Writes the lanes, rounded to nearest even; NaN stays NaN.
    fn store_bf16(self, value: Self::F, to: &mut [bf16; LANES]);
    /// e^x of each lane; NaN gives NaN.
    #[inline(always)]
    fn exp(self, x: Self::F) -> Self::F {
        math::exp(self, x)
    }
    /// Rows for columns.
    #[inline(always)]
    fn transpose(self, block: &mut Block) {
        for i in 0..LANES {
            for j in 0..i {
                let upper = block[j][i];
                block[j][i] = block[i][j];
                block[i][j] = upper;
            }
        }
    }
}

/// The bf16 nearest to `x`, ties to even; NaN stays NaN.
#[inline(always)]
fn narrow(x: f32) -> bf16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let nan = (bits >> 16) | 0x40;
    bf16::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded } as u16)
}

/// 1.5 * 2^23: what is added to it has no fraction left, and stands in the last bits of the sum.
const SHIFT: f32 = 12_582_912.0;

impl Dense for Portable {
    const ROWS: usize = 2;
    const WIDE: bool = false;

    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        lanes(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn round(self, a: Self::F) -> Self::F {
        lanes(|i| (a[i] + SHIFT) - SHIFT)
    }
    #[inline(always)]
    fn exp2i(self, n: Self::F) -> Self::F {
        lanes(|i| f32::from_bits((n[i] + SHIFT).to_bits().wrapping_add(127) << 23))
    }
    #[inline(always)]
    fn zero_below(self, x: Self::F, limit: f32, a: Self::F) -> Self::F {
        lanes(|i| if x[i] < limit { 0.0 } else { a[i] })
    }
    #[inline(always)]
    fn store_bf16(self, value: Self::F, to: &mut [bf16; LANES]) {
        for (to, x) in to.iter_mut().zip(value) {
            *to = narrow(x);
        }
    }
    // The library's, lane by lane: the compiler takes minutes over vectors of the other's steps.
    #[inline(never)]
    fn exp(self, x: Self::F) -> Self::F {
        x.map(f32::exp)
    }
}
