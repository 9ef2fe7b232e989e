//! The vectors on AVX2 with FMA, F16C and BMI2: two registers each.

use super::{Kernel, LANES, Simd, portable::E2M1};
use half::{bf16, f16};
use std::arch::x86_64::*;

/// AVX2, on a processor that was asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// Sixteen lanes in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Pair(pub(super) __m256, pub(super) __m256);

impl Avx2 {
    /// The set, if this processor has it.
    #[inline]
    #[must_use]
    pub fn detect() -> Option<Avx2> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi2");
        has.then_some(Avx2(()))
    }

    /// Runs a kernel compiled for this set.
    #[inline]
    pub fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma,f16c,bmi2")]
        fn entered<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: this value was made by `detect`, so the features are there.
        unsafe { entered(self, kernel) }
    }
}

impl Avx2 {
    instructions! {
        fn affine(self, table: Pair, low: __m256i, high: __m256i, mask: i32) -> Pair {
            let mask = _mm256_set1_epi32(mask);
            let value = Pair(
                _mm256_cvtepi32_ps(_mm256_and_si256(low, mask)),
                _mm256_cvtepi32_ps(_mm256_and_si256(high, mask)),
            );
            Pair(_mm256_fmadd_ps(table.0, value.0, table.1), _mm256_fmadd_ps(table.0, value.1, table.1))
        }
        fn nibbles(self, codes: u64) -> (__m256i, __m256i) {
            let shifts = _mm256_set_epi32(28, 24, 20, 16, 12, 8, 4, 0);
            let (low, high) = ((codes as u32).cast_signed(), ((codes >> 32) as u32).cast_signed());
            (_mm256_srlv_epi32(_mm256_set1_epi32(low), shifts), _mm256_srlv_epi32(_mm256_set1_epi32(high), shifts))
        }
        fn look(self, table: __m256, codes: __m256i) -> __m256 {
            let sign = _mm256_and_si256(_mm256_slli_epi32(codes, 28), _mm256_set1_epi32(i32::MIN));
            _mm256_xor_ps(_mm256_permutevar8x32_ps(table, codes), _mm256_castsi256_ps(sign))
        }
    }
}

impl Simd for Avx2 {
    type F = Pair;
    // The scale and the bias, in each lane.
    type Table = Pair;
    // The eight values without a sign.
    type Fp4 = __m256;
    const ROOMY: bool = false;
    const NIBBLES: [usize; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    instructions! {
        fn splat(self, value: f32) -> Pair { Pair(_mm256_set1_ps(value), _mm256_set1_ps(value)) }
        fn load(self, from: &[f32; LANES]) -> Pair {
            Pair(_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from[8..].as_ptr()))
        }
        fn load_f16(self, from: &[f16; LANES]) -> Pair {
            let at = from.as_ptr().cast::<__m128i>();
            Pair(_mm256_cvtph_ps(_mm_loadu_si128(at)), _mm256_cvtph_ps(_mm_loadu_si128(at.add(1))))
        }
        fn load_bf16(self, from: &[bf16; LANES]) -> Pair {
            let at = from.as_ptr().cast::<__m128i>();
            let low = _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(at)), 16);
            let high = _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(at.add(1))), 16);
            Pair(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high))
        }
        fn store(self, value: Pair, to: &mut [f32; LANES]) {
            _mm256_storeu_ps(to.as_mut_ptr(), value.0);
            _mm256_storeu_ps(to[8..].as_mut_ptr(), value.1);
        }
        fn store_f16(self, value: Pair, to: &mut [f16; LANES]) {
            let at = to.as_mut_ptr().cast::<__m128i>();
            _mm_storeu_si128(at, _mm256_cvtps_ph(value.0, _MM_FROUND_TO_NEAREST_INT));
            _mm_storeu_si128(at.add(1), _mm256_cvtps_ph(value.1, _MM_FROUND_TO_NEAREST_INT));
        }
        fn add(self, a: Pair, b: Pair) -> Pair { Pair(_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) }
        fn mul(self, a: Pair, b: Pair) -> Pair { Pair(_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)) }
        fn fma(self, a: Pair, b: Pair, c: Pair) -> Pair {
            Pair(_mm256_fmadd_ps(a.0, b.0, c.0), _mm256_fmadd_ps(a.1, b.1, c.1))
        }
        fn sum4(self, values: [Pair; 4]) -> [f32; 4] {
            let [a, b, c, d] = values;
            let (a, b) = (_mm256_add_ps(a.0, a.1), _mm256_add_ps(b.0, b.1));
            let (c, d) = (_mm256_add_ps(c.0, c.1), _mm256_add_ps(d.0, d.1));
            let sums = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            let sums = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
            let mut out = [0.0; 4];
            _mm_storeu_ps(out.as_mut_ptr(), sums);
            out
        }
        fn table<const BITS: usize>(self, scale: f32, bias: f32) -> Pair {
            Pair(_mm256_set1_ps(scale), _mm256_set1_ps(bias))
        }
        fn table2(self, table: Pair, codes: u32) -> Pair {
            let codes = _mm256_set1_epi32(codes.cast_signed());
            let low = _mm256_srlv_epi32(codes, _mm256_set_epi32(14, 12, 10, 8, 6, 4, 2, 0));
            let high = _mm256_srlv_epi32(codes, _mm256_set_epi32(30, 28, 26, 24, 22, 20, 18, 16));
            self.affine(table, low, high, 3)
        }
        fn table4(self, table: Pair, codes: u64) -> Pair {
            let (low, high) = self.nibbles(codes);
            self.affine(table, low, high, 15)
        }
        fn fp4_table(self, scale: f32) -> __m256 { _mm256_mul_ps(_mm256_set1_ps(scale), _mm256_loadu_ps(E2M1.as_ptr())) }
        fn fp4(self, table: __m256, codes: u64) -> Pair {
            let (low, high) = self.nibbles(codes);
            Pair(self.look(table, low), self.look(table, high))
        }
        fn fields<const BITS: usize>(self, low: u64, high: u64) -> Pair {
            let mask = 0x0101_0101_0101_0101 * ((1 << BITS) - 1);
            let (low, high) = (_pdep_u64(low, mask).to_le_bytes(), _pdep_u64(high, mask).to_le_bytes());
            let low = _mm256_cvtepu8_epi32(_mm_loadl_epi64(low.as_ptr().cast()));
            let high = _mm256_cvtepu8_epi32(_mm_loadl_epi64(high.as_ptr().cast()));
            Pair(_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high))
        }
        fn bytes(self, codes: &[u8; LANES]) -> Pair {
            let low = _mm256_cvtepu8_epi32(_mm_loadl_epi64(codes.as_ptr().cast()));
            let high = _mm256_cvtepu8_epi32(_mm_loadl_epi64(codes[8..].as_ptr().cast()));
            Pair(_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high))
        }
        fn fp8(self, codes: &[u8; LANES]) -> Pair {
            // As halves, whose exponent is 8 more: what is subnormal in single precision would be slow.
            let wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(codes.as_ptr().cast()));
            let halves = _mm256_andnot_si256(_mm256_set1_epi16(0x4000), _mm256_slli_epi16(wide, 7));
            let (low, high) = (_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
            let by = _mm256_set1_ps(256.0);
            Pair(_mm256_mul_ps(_mm256_cvtph_ps(low), by), _mm256_mul_ps(_mm256_cvtph_ps(high), by))
        }
    }
}
