//! The element types of dense kernels as one trait: how each comes into f32 vectors and goes out of them.

use crate::arch::{Dense, LANES};
use half::{bf16, f16};

/// f32, f16 or bf16.
pub(crate) trait Element: Copy + Default + Send + Sync + 'static {
    /// The least finite value, which MLX's masks put in place of a score.
    const LEAST: f32;
    /// The value as f32.
    fn widen(self) -> f32;
    /// The nearest value, ties to even.
    fn narrow(x: f32) -> Self;
    /// Sixteen values.
    fn load<S: Dense>(s: S, from: &[Self; LANES]) -> S::F;
    /// Writes sixteen values.
    fn store<S: Dense>(s: S, value: S::F, to: &mut [Self; LANES]);

    /// Up to sixteen values, and `fill` in the lanes behind them.
    #[inline(always)]
    fn load_part<S: Dense>(s: S, from: &[Self], fill: f32) -> S::F {
        if let Some(whole) = from.first_chunk() {
            return Self::load(s, whole);
        }
        let mut lanes = [fill; LANES];
        for (lane, x) in lanes.iter_mut().zip(from) {
            *lane = x.widen();
        }
        s.load(&lanes)
    }

    /// Writes as many lanes as `to` has, up to sixteen.
    #[inline(always)]
    fn store_part<S: Dense>(s: S, value: S::F, to: &mut [Self]) {
        if let Some(whole) = to.first_chunk_mut() {
            return Self::store(s, value, whole);
        }
        let mut lanes = [Self::default(); LANES];
        Self::store(s, value, &mut lanes);
        let n = to.len();
        to.copy_from_slice(&lanes[..n]);
    }
}

impl Element for f32 {
    const LEAST: f32 = f32::MIN;
    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn load<S: Dense>(s: S, from: &[f32; LANES]) -> S::F {
        s.load(from)
    }
    #[inline(always)]
    fn store<S: Dense>(s: S, value: S::F, to: &mut [f32; LANES]) {
        s.store(value, to);
    }
}

impl Element for f16 {
    const LEAST: f32 = -65504.0;
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow(x: f32) -> f16 {
        f16::from_f32(x)
    }
    #[inline(always)]
    fn load<S: Dense>(s: S, from: &[f16; LANES]) -> S::F {
        s.load_f16(from)
    }
    #[inline(always)]
    fn store<S: Dense>(s: S, value: S::F, to: &mut [f16; LANES]) {
        s.store_f16(value, to);
    }
}

impl Element for bf16 {
    const LEAST: f32 = f32::from_bits(0xff7f_0000);
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
    #[inline(always)]
    fn narrow(x: f32) -> bf16 {
        bf16::from_f32(x)
    }
    #[inline(always)]
    fn load<S: Dense>(s: S, from: &[bf16; LANES]) -> S::F {
        s.load_bf16(from)
    }
    #[inline(always)]
    fn store<S: Dense>(s: S, value: S::F, to: &mut [bf16; LANES]) {
        s.store_bf16(value, to);
    }
}
