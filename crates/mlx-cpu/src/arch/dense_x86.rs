//! What `dense` asks of a set, on AVX2 and AVX-512.

use super::{
    Avx2, Avx512, LANES,
    avx2::Pair,
    dense::{Block, Dense},
};
use half::bf16;
use std::arch::x86_64::*;

/// Methods whose bodies may use a set's instructions.
macro_rules! compiled {
    ($features:literal; $(fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)? $body:block)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $type),*) $(-> $out)? {
            #[inline]
            #[target_feature(enable = $features)]
            fn body($($arg: $type),*) $(-> $out)? $body
            // SAFETY: there is no `self` on a processor without the features.
            unsafe { body($($arg),*) }
        }
    )*};
}

impl Dense for Avx2 {
    const ROWS: usize = 6;
    const WIDE: bool = false;

    compiled! { "avx2,fma,f16c,bmi2";
        fn sub(a: Pair, b: Pair) -> Pair { Pair(_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)) }
        fn max(a: Pair, b: Pair) -> Pair { Pair(_mm256_max_ps(a.0, b.0), _mm256_max_ps(a.1, b.1)) }
        fn min(a: Pair, b: Pair) -> Pair { Pair(_mm256_min_ps(a.0, b.0), _mm256_min_ps(a.1, b.1)) }
        fn round(a: Pair) -> Pair {
            const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
            Pair(_mm256_round_ps::<NEAREST>(a.0), _mm256_round_ps::<NEAREST>(a.1))
        }
        fn exp2i(n: Pair) -> Pair {
            let power = |n| {
                let biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
                _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
            };
            Pair(power(n.0), power(n.1))
        }
        fn zero_below(x: Pair, limit: f32, a: Pair) -> Pair {
            let limit = _mm256_set1_ps(limit);
            let low = _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(x.0, limit), a.0);
            Pair(low, _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(x.1, limit), a.1))
        }
        fn store_bf16(value: Pair, to: &mut [bf16; LANES]) {
            let narrow = |v| {
                let bits = _mm256_castps_si256(v);
                let even = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
                let rounded = _mm256_add_epi32(bits, _mm256_add_epi32(even, _mm256_set1_epi32(0x7fff)));
                let nan = _mm256_or_si256(bits, _mm256_set1_epi32(0x40_0000));
                let is_nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(v, v));
                _mm256_srli_epi32::<16>(_mm256_blendv_epi8(rounded, nan, is_nan))
            };
            // Packing works in halves of the register: put the quarters in order.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(narrow(value.0), narrow(value.1)));
            // SAFETY: sixteen bf16 are 32 bytes, of any bits.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), packed) }
        }
    }
}

impl Dense for Avx512 {
    const ROWS: usize = 14;
    const WIDE: bool = true;

    compiled! { "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,fma,f16c,bmi2";
        fn sub(a: __m512, b: __m512) -> __m512 { _mm512_sub_ps(a, b) }
        fn max(a: __m512, b: __m512) -> __m512 { _mm512_max_ps(a, b) }
        fn min(a: __m512, b: __m512) -> __m512 { _mm512_min_ps(a, b) }
        fn round(a: __m512) -> __m512 { _mm512_roundscale_ps::<0>(a) }
        fn exp2i(n: __m512) -> __m512 {
            let biased = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
            _mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased))
        }
        fn zero_below(x: __m512, limit: f32, a: __m512) -> __m512 {
            let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, _mm512_set1_ps(limit));
            _mm512_mask_mov_ps(a, below, _mm512_setzero_ps())
        }
        fn store_bf16(value: __m512, to: &mut [bf16; LANES]) {
            let bits = _mm512_castps_si512(value);
            let even = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(bits, _mm512_add_epi32(even, _mm512_set1_epi32(0x7fff)));
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(value, value);
            let chosen = _mm512_mask_or_epi32(rounded, is_nan, bits, _mm512_set1_epi32(0x40_0000));
            let packed = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(chosen));
            // SAFETY: sixteen bf16 are a whole 256-bit register.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), packed) }
        }
        fn transpose(block: &mut Block) {
            let mut v = [_mm512_setzero_si512(); LANES];
            for (v, row) in v.iter_mut().zip(&*block) {
                // SAFETY: a row fills the register.
                *v = unsafe { _mm512_loadu_si512(row.as_ptr().cast()) };
            }
            transpose(&mut v);
            for (row, v) in block.iter_mut().zip(v) {
                // SAFETY: the register fills a row.
                unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), v) }
            }
        }
    }
}

/// Sixteen registers' rows for columns: pairs, quadruples, then the registers' quarters twice.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(v: &mut [__m512i; LANES]) {
    let mut pairs = *v;
    for i in (0..LANES).step_by(2) {
        pairs[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
    let mut fours = pairs;
    for i in (0..LANES).step_by(4) {
        fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
        fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
        fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
        fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
    }
    for i in 0..4 {
        let (a, b) = (fours[i], fours[i + 4]);
        let (c, d) = (fours[i + 8], fours[i + 12]);
        let (ab_even, ab_odd) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
        let (cd_even, cd_odd) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
        v[i] = _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even);
        v[i + 4] = _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd);
        v[i + 8] = _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even);
        v[i + 12] = _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd);
    }
}
