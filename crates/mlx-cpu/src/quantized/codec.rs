//! How sixteen codes of each format become a vector, and how scales become floats.

use super::format::{Format, Scales};
use crate::{
    Floats,
    arch::{LANES, Simd, e4m3},
};

/// A format, for code that is compiled for each.
pub(super) trait Codec: Send + Sync + 'static {
    /// Bits of a code.
    const BITS: usize;
    /// How many vectors at least share a scale.
    const VECTORS: usize;
    /// Whether values come in the order [`Simd::NIBBLES`].
    const NIBBLES: bool;
    /// What is made once for a group.
    type Group<S: Simd>: Copy;
    fn group<S: Simd>(s: S, scale: f32, bias: f32) -> Self::Group<S>;
    /// The values of `2 * BITS` bytes of codes.
    fn values<S: Simd>(s: S, group: Self::Group<S>, codes: &[u8]) -> S::F;
}

/// The first bytes as a number; fewer than eight are there when the codec has fewer.
#[inline(always)]
fn word<const BYTES: usize>(codes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..BYTES].copy_from_slice(&codes[..BYTES]);
    u64::from_le_bytes(word)
}

/// Affine codes of 2, 3, 4, 5, 6 or 8 bits.
pub(super) struct Affine<const BITS: usize>;

macro_rules! affine_by_table {
    ($bits:literal, $nibbles:literal, |$s:ident, $table:ident, $codes:ident| $values:expr) => {
        impl Codec for Affine<$bits> {
            const BITS: usize = $bits;
            const VECTORS: usize = 2;
            const NIBBLES: bool = $nibbles;
            type Group<S: Simd> = S::Table;
            #[inline(always)]
            fn group<S: Simd>(s: S, scale: f32, bias: f32) -> S::Table {
                s.table::<$bits>(scale, bias)
            }
            #[inline(always)]
            fn values<S: Simd>($s: S, $table: S::Table, $codes: &[u8]) -> S::F {
                $values
            }
        }
    };
}

affine_by_table!(2, false, |s, table, codes| s.table2(table, word::<4>(codes) as u32));
affine_by_table!(4, true, |s, table, codes| s.table4(table, word::<8>(codes)));

macro_rules! affine_by_product {
    ($bits:literal, |$s:ident, $codes:ident| $values:expr) => {
        impl Codec for Affine<$bits> {
            const BITS: usize = $bits;
            const VECTORS: usize = 2;
            const NIBBLES: bool = false;
            type Group<S: Simd> = (S::F, S::F);
            #[inline(always)]
            fn group<S: Simd>(s: S, scale: f32, bias: f32) -> (S::F, S::F) {
                (s.splat(scale), s.splat(bias))
            }
            #[inline(always)]
            fn values<S: Simd>($s: S, (scale, bias): (S::F, S::F), $codes: &[u8]) -> S::F {
                $s.fma(scale, $values, bias)
            }
        }
    };
}

affine_by_product!(3, |s, codes| s.fields::<3>(word::<3>(codes), word::<3>(&codes[3..])));
affine_by_product!(5, |s, codes| s.fields::<5>(word::<5>(codes), word::<5>(&codes[5..])));
affine_by_product!(6, |s, codes| s.fields::<6>(word::<6>(codes), word::<6>(&codes[6..])));
affine_by_product!(8, |s, codes| s.bytes(bytes(codes)));

#[inline(always)]
fn bytes(codes: &[u8]) -> &[u8; LANES] {
    sixteen(codes, 0)
}

/// e2m1, whose groups are at least so many vectors.
pub(super) struct Fp4<const VECTORS: usize>;

impl<const VECTORS: usize> Codec for Fp4<VECTORS> {
    const BITS: usize = 4;
    const VECTORS: usize = VECTORS;
    const NIBBLES: bool = true;
    type Group<S: Simd> = S::Fp4;
    #[inline(always)]
    fn group<S: Simd>(s: S, scale: f32, _bias: f32) -> S::Fp4 {
        s.fp4_table(scale)
    }
    #[inline(always)]
    fn values<S: Simd>(s: S, table: S::Fp4, codes: &[u8]) -> S::F {
        s.fp4(table, word::<8>(codes))
    }
}

/// e4m3.
pub(super) struct Fp8;

impl Codec for Fp8 {
    const BITS: usize = 8;
    const VECTORS: usize = 2;
    const NIBBLES: bool = false;
    type Group<S: Simd> = S::F;
    #[inline(always)]
    fn group<S: Simd>(s: S, scale: f32, _bias: f32) -> S::F {
        s.splat(scale)
    }
    #[inline(always)]
    fn values<S: Simd>(s: S, scale: S::F, codes: &[u8]) -> S::F {
        s.mul(scale, s.fp8(bytes(codes)))
    }
}

/// What runs with any codec.
pub(super) trait WithCodec {
    fn with<C: Codec>(self);
}

/// Runs with the codec of a format that was checked.
pub(super) fn with_codec(format: Format, run: impl WithCodec) {
    match format {
        Format::Affine { bits: 2, .. } => run.with::<Affine<2>>(),
        Format::Affine { bits: 3, .. } => run.with::<Affine<3>>(),
        Format::Affine { bits: 4, .. } => run.with::<Affine<4>>(),
        Format::Affine { bits: 5, .. } => run.with::<Affine<5>>(),
        Format::Affine { bits: 6, .. } => run.with::<Affine<6>>(),
        Format::Affine { bits: 8, .. } => run.with::<Affine<8>>(),
        Format::Mxfp4 => run.with::<Fp4<2>>(),
        Format::Nvfp4 => run.with::<Fp4<1>>(),
        Format::Mxfp8 => run.with::<Fp8>(),
        Format::Affine { .. } => unreachable!("checked on entry"),
    }
}

/// How many scales are made floats at once.
pub(super) const SCALES: usize = 64;

/// The scales and biases of some groups of a row, as floats.
#[derive(Clone, Copy)]
pub(super) struct Groups {
    pub(super) scales: [f32; SCALES],
    pub(super) biases: [f32; SCALES],
}

impl Groups {
    pub(super) const NONE: Groups = Groups { scales: [0.0; SCALES], biases: [0.0; SCALES] };

    /// Reads the `count` groups from `first` on.
    #[inline(always)]
    pub(super) fn read<S: Simd>(&mut self, s: S, from: Scales<'_>, nv: bool, first: usize, count: usize) {
        match from {
            Scales::Affine { scales, biases } => {
                read_floats(s, scales, first, count, &mut self.scales);
                read_floats(s, biases, first, count, &mut self.biases);
            }
            Scales::Bytes { scales, global } => {
                for (to, &code) in self.scales.iter_mut().zip(&scales[first..first + count]) {
                    *to = byte_scale(nv, code) * global;
                }
            }
        }
    }
}

/// A byte's scale: e4m3 or a power of two.
#[inline(always)]
pub(super) fn byte_scale(nv: bool, code: u8) -> f32 {
    if nv { e4m3(code) } else { f32::from_bits(if code == 0 { 0x0040_0000 } else { u32::from(code) << 23 }) }
}

#[inline(always)]
fn read_floats<S: Simd>(s: S, from: Floats<'_>, first: usize, count: usize, to: &mut [f32; SCALES]) {
    let (blocks, _) = to.as_chunks_mut::<LANES>();
    for (block, to) in blocks[..count.div_ceil(LANES)].iter_mut().enumerate() {
        let at = first + block * LANES;
        // Beyond the end of a row are the next row's, which do no harm.
        if at + LANES > from.len() {
            for (to, at) in to.iter_mut().zip(at..first + count) {
                *to = one(from, at);
            }
            return;
        }
        s.store(load(s, from, at), to);
    }
}

/// Sixteen values from `at` on, widened.
#[inline(always)]
pub(super) fn load<S: Simd>(s: S, from: Floats<'_>, at: usize) -> S::F {
    match from {
        Floats::F32(from) => s.load(sixteen(from, at)),
        Floats::F16(from) => s.load_f16(sixteen(from, at)),
        Floats::Bf16(from) => s.load_bf16(sixteen(from, at)),
    }
}

/// Sixteen values from `at` on.
#[inline(always)]
pub(super) fn sixteen<T>(from: &[T], at: usize) -> &[T; LANES] {
    from[at..].first_chunk().expect("sixteen values are left")
}

/// One value, widened.
#[inline(always)]
pub(super) fn one(from: Floats<'_>, at: usize) -> f32 {
    match from {
        Floats::F32(from) => from[at],
        Floats::F16(from) => from[at].to_f32_const(),
        Floats::Bf16(from) => from[at].to_f32_const(),
    }
}
