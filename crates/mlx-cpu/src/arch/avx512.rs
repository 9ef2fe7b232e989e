//! The vectors on AVX-512 F, BW, DQ, VL and VBMI.

use super::{Kernel, LANES, Simd, portable::E2M1};
use half::{bf16, f16};
use std::arch::x86_64::*;

/// AVX-512, on a processor that was asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The set, if this processor has it.
    #[inline]
    #[must_use]
    pub fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi2");
        has.then_some(Avx512(()))
    }

    /// Runs a kernel compiled for this set.
    #[inline]
    pub fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,fma,f16c,bmi2")]
        fn entered<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: a value of this type comes from `detect`, which saw every feature.
        unsafe { entered(self, kernel) }
    }
}

const COUNT: [f32; LANES] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];
const COUNT_TO_4: [f32; LANES] =
    [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0];

/// Eight places of `bits` each, in a byte a place of a 64-bit word.
const fn places(bits: i64) -> [i64; 8] {
    // A double word lane takes the byte whose lowest bit stands there; its other bytes are masked out.
    let mut words = [0; 8];
    let mut i = 0;
    while i < 8 {
        let lane = 2 * (i as i64 % 4);
        words[i] = (lane * bits) | ((lane + 1) * bits) << 32;
        i += 1;
    }
    words
}

impl Simd for Avx512 {
    type F = __m512;
    type Table = __m512;
    type Fp4 = __m512;
    // Both halves of the 64 codes are in each pair of lanes, shifted by the pair's number.
    const ROOMY: bool = true;
    const NIBBLES: [usize; LANES] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];

    instructions! {
        fn splat(self, value: f32) -> __m512 { _mm512_set1_ps(value) }
        fn load(self, from: &[f32; LANES]) -> __m512 { _mm512_loadu_ps(from.as_ptr()) }
        fn load_f16(self, from: &[f16; LANES]) -> __m512 { _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast())) }
        fn load_bf16(self, from: &[bf16; LANES]) -> __m512 {
            let wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.as_ptr().cast()));
            _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16))
        }
        fn store(self, value: __m512, to: &mut [f32; LANES]) { _mm512_storeu_ps(to.as_mut_ptr(), value) }
        fn store_f16(self, value: __m512, to: &mut [f16; LANES]) {
            let halves = _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), halves);
        }
        fn add(self, a: __m512, b: __m512) -> __m512 { _mm512_add_ps(a, b) }
        fn mul(self, a: __m512, b: __m512) -> __m512 { _mm512_mul_ps(a, b) }
        fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 { _mm512_fmadd_ps(a, b, c) }
        fn sum4(self, values: [__m512; 4]) -> [f32; 4] {
            let [a, b, c, d] = values;
            let (a, c) = (_mm512_add_ps(a, _mm512_shuffle_f32x4(a, a, 0x4e)), _mm512_add_ps(c, _mm512_shuffle_f32x4(c, c, 0x4e)));
            let (b, d) = (_mm512_add_ps(b, _mm512_shuffle_f32x4(b, b, 0x4e)), _mm512_add_ps(d, _mm512_shuffle_f32x4(d, d, 0x4e)));
            let (a, b) = (_mm512_castps512_ps256(a), _mm512_castps512_ps256(b));
            let (c, d) = (_mm512_castps512_ps256(c), _mm512_castps512_ps256(d));
            let sums = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            let sums = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
            let mut out = [0.0; 4];
            _mm_storeu_ps(out.as_mut_ptr(), sums);
            out
        }
        fn table<const BITS: usize>(self, scale: f32, bias: f32) -> __m512 {
            let count = if BITS == 2 { &COUNT_TO_4 } else { &COUNT };
            _mm512_fmadd_ps(_mm512_set1_ps(scale), _mm512_loadu_ps(count.as_ptr()), _mm512_set1_ps(bias))
        }
        fn table2(self, table: __m512, codes: u32) -> __m512 {
            let shifts = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
            _mm512_permutexvar_ps(_mm512_srlv_epi32(_mm512_set1_epi32(codes.cast_signed()), shifts), table)
        }
        fn table4(self, table: __m512, codes: u64) -> __m512 {
            let shifts = _mm512_set_epi32(28, 28, 24, 24, 20, 20, 16, 16, 12, 12, 8, 8, 4, 4, 0, 0);
            _mm512_permutexvar_ps(_mm512_srlv_epi32(_mm512_set1_epi64(codes.cast_signed()), shifts), table)
        }
        fn fp4_table(self, scale: f32) -> __m512 {
            _mm512_mul_ps(_mm512_set1_ps(scale), _mm512_loadu_ps(E2M1.as_ptr()))
        }
        fn fp4(self, table: __m512, codes: u64) -> __m512 { self.table4(table, codes) }
        fn fields<const BITS: usize>(self, low: u64, high: u64) -> __m512 {
            let places: [i64; 8] = const { places(BITS as i64) };
            let high = _mm256_set1_epi64x(high.cast_signed());
            let words = _mm512_inserti64x4(_mm512_set1_epi64(low.cast_signed()), high, 1);
            let bytes = _mm512_multishift_epi64_epi8(_mm512_loadu_si512(places.as_ptr().cast()), words);
            _mm512_cvtepi32_ps(_mm512_and_si512(bytes, _mm512_set1_epi32((1 << BITS) - 1)))
        }
        fn bytes(self, codes: &[u8; LANES]) -> __m512 {
            _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(codes.as_ptr().cast())))
        }
        fn fp8(self, codes: &[u8; LANES]) -> __m512 {
            // As halves, whose exponent is 8 more: what is subnormal in single precision would be slow.
            let wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(codes.as_ptr().cast()));
            let halves = _mm256_andnot_si256(_mm256_set1_epi16(0x4000), _mm256_slli_epi16(wide, 7));
            _mm512_mul_ps(_mm512_cvtph_ps(halves), _mm512_set1_ps(256.0))
        }
    }
}
