//! What the tests of dense kernels share: numbers at random, element types as a trait, float64 references.
#![allow(dead_code, reason = "each test takes some of it")]

use half::{bf16, f16};
use mlx_cpu::{Floats, FloatsMut, Isa};

/// Numbers that look random and are the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 32 bits.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as u32
    }
    /// A number in [-1, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        self.bits() as f32 / (1u64 << 31) as f32 - 1.0
    }
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }
    /// `n` numbers in [-1, 1).
    pub(crate) fn many<T: Number>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| T::of(self.unit())).collect()
    }
}

/// An element type.
pub(crate) trait Number: Copy + Default + PartialEq + std::fmt::Debug + 'static {
    /// Half the distance from 1 to the next number.
    const UNIT: f64;
    /// The distance between its least numbers.
    const TINY: f64;
    const NAME: &'static str;
    fn of(x: f32) -> Self;
    fn wide(self) -> f64;
    fn floats(x: &[Self]) -> Floats<'_>;
    fn floats_mut(x: &mut [Self]) -> FloatsMut<'_>;
}

macro_rules! number {
    ($($type:ty, $variant:ident, $unit:expr, $tiny:expr, $of:expr, $wide:expr;)*) => {$(
        impl Number for $type {
            const UNIT: f64 = $unit;
            const TINY: f64 = $tiny;
            const NAME: &'static str = stringify!($type);
            fn of(x: f32) -> Self {
                $of(x)
            }
            fn wide(self) -> f64 {
                $wide(self)
            }
            fn floats(x: &[Self]) -> Floats<'_> {
                Floats::$variant(x)
            }
            fn floats_mut(x: &mut [Self]) -> FloatsMut<'_> {
                FloatsMut::$variant(x)
            }
        }
    )*};
}
number! {
    f32, F32, 1.0 / 16_777_216.0, 1e-44, |x| x, f64::from;
    f16, F16, 1.0 / 2048.0, 6e-8, f16::from_f32, f16::to_f64;
    bf16, Bf16, 1.0 / 256.0, 1e-40, bf16::from_f32, bf16::to_f64;
}

/// The sets of this processor.
pub(crate) fn sets() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_supported())
}

/// Asserts that `got` is within `units` roundings of `want`, plus `f32_error` roundings of `size` in f32; that NaN and
/// infinity are as in `want`.
#[track_caller]
pub(crate) fn near<T: Number>(got: T, want: f64, size: f64, f32_error: f64, what: &dyn std::fmt::Display) {
    let got = got.wide();
    let want = T::of(want as f32).wide();
    if want.is_nan() || want.is_infinite() || got.is_nan() || got.is_infinite() {
        assert!(
            got.is_nan() == want.is_nan() && (got.is_nan() || got.total_cmp(&want).is_eq()),
            "{what}: {got}, not {want}"
        );
        return;
    }
    let bound = 2.0 * T::UNIT * want.abs() + f32_error * f64::from(f32::EPSILON) * size + T::TINY;
    assert!((got - want).abs() <= bound, "{what}: {got}, not {want} within {bound}");
}
