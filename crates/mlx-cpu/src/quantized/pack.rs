//! Rows of `x` as `f32` in the order in which a codec decodes, and results as the caller's type.

use super::codec::{Codec, load, one};
use crate::{
    Floats,
    arch::{Kernel, LANES, Simd},
};
use half::{bf16, f16, slice::HalfFloatSliceExt};
use std::marker::PhantomData;

/// Widens and orders values; `out` has as many as there are from `first` on.
pub(super) struct Pack<'a, C> {
    pub(super) x: Floats<'a>,
    pub(super) first: usize,
    /// Whether the order is the codec's.
    pub(super) ordered: bool,
    pub(super) out: &'a mut [f32],
    pub(super) codec: PhantomData<C>,
}

impl<C: Codec> Kernel for Pack<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (blocks, rest) = self.out.as_chunks_mut::<LANES>();
        for (block, out) in blocks.iter_mut().enumerate() {
            let at = self.first + block * LANES;
            s.store(load(s, self.x, at), out);
            if C::NIBBLES && self.ordered {
                let ordered = *out;
                for (out, place) in out.iter_mut().zip(S::NIBBLES) {
                    *out = ordered[place];
                }
            }
        }
        let at = self.first + blocks.len() * LANES;
        for (i, out) in rest.iter_mut().enumerate() {
            *out = one(self.x, at + i);
        }
    }
}

/// A type of results.
pub(super) trait Element: Send {
    /// Writes results, rounded to nearest even.
    fn round(values: &[f32], out: &mut [Self])
    where
        Self: Sized;
}

impl Element for f32 {
    fn round(values: &[f32], out: &mut [f32]) {
        out.copy_from_slice(values);
    }
}

impl Element for f16 {
    fn round(values: &[f32], out: &mut [f16]) {
        out.convert_from_f32_slice(values);
    }
}

impl Element for bf16 {
    fn round(values: &[f32], out: &mut [bf16]) {
        out.convert_from_f32_slice(values);
    }
}
