//! Vectors of sixteen lanes on each set of instructions, and all unsafe code of this crate.
//!
//! A kernel is written once over [`Simd`], in safe Rust, and entered through [`dispatch`], which compiles it anew for each
//! set. It has to be `#[inline(always)]` down to the vectors: what is not inlined into the entry is compiled without its
//! instructions. `shared` lends a closure to other threads, [`split`] a matrix. Not here: what kernels compute.

#![allow(clippy::wildcard_imports, reason = "the instructions, by their own names")]
#![allow(clippy::cast_ptr_alignment, reason = "the loads and stores are unaligned ones")]

/// Methods whose bodies are instructions of the set that `self` proves.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($(fn $name:ident $(<const $n:ident: usize>)? ($this:ident $(, $arg:ident: $type:ty)*) $(-> $out:ty)? $body:block)*) => {$(
        #[inline(always)]
        fn $name $(<const $n: usize>)? ($this $(, $arg: $type)*) $(-> $out)? {
            // SAFETY: `self` proves that the processor has these instructions, and each pointer is into an array that is
            // as long as the registers that go through it.
            #[allow(unused_unsafe, reason = "some bodies are calls of safe methods")]
            unsafe { $body }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod dense;
#[cfg(target_arch = "x86_64")]
mod dense_x86;
mod portable;
pub(crate) mod shared;
pub mod split;

use crate::Isa;
#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use dense::Dense;
use half::{bf16, f16};
pub use portable::Portable;
pub(crate) use portable::e4m3;

/// How many lanes a vector has, on every set.
pub const LANES: usize = 16;

/// A set of instructions, as a value that exists only where the processor has them.
///
/// The operations are those that kernels need, each the same on every set but for the order and the fusing of roundings.
pub trait Simd: Copy + Send + Sync + 'static {
    /// Sixteen `f32`.
    type F: Copy;
    /// A group's scale and bias, made ready for codes of 2 or 4 bits.
    type Table: Copy;
    /// A group's scale, made ready for codes of e2m1.
    type Fp4: Copy;
    /// Whether there are registers for sixteen sums at once, and not four.
    const ROOMY: bool;
    /// Where each lane's value of [`Simd::table4`] and [`Simd::fp4`] stands among the sixteen codes.
    const NIBBLES: [usize; LANES];

    /// The same value in each lane.
    fn splat(self, value: f32) -> Self::F;
    /// Sixteen values.
    fn load(self, from: &[f32; LANES]) -> Self::F;
    /// Sixteen half-precision values, widened.
    fn load_f16(self, from: &[f16; LANES]) -> Self::F;
    /// Sixteen bfloat16 values, widened.
    fn load_bf16(self, from: &[bf16; LANES]) -> Self::F;
    /// Writes the lanes.
    fn store(self, value: Self::F, to: &mut [f32; LANES]);
    /// Writes the lanes, rounded to nearest even.
    fn store_f16(self, value: Self::F, to: &mut [f16; LANES]);
    /// `a + b`.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once where the set can.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The sum of the lanes of each of four vectors.
    fn sum4(self, values: [Self::F; 4]) -> [f32; 4];

    /// A table for affine codes of `BITS` bits, 2 or 4.
    fn table<const BITS: usize>(self, scale: f32, bias: f32) -> Self::Table;
    /// `scale * code + bias` of sixteen codes of two bits, in order.
    fn table2(self, table: Self::Table, codes: u32) -> Self::F;
    /// `scale * code + bias` of sixteen codes of four bits, in the order of [`Simd::NIBBLES`].
    fn table4(self, table: Self::Table, codes: u64) -> Self::F;
    /// A table for codes of e2m1.
    fn fp4_table(self, scale: f32) -> Self::Fp4;
    /// Sixteen values of e2m1, scaled, in the order of [`Simd::NIBBLES`].
    fn fp4(self, table: Self::Fp4, codes: u64) -> Self::F;
    /// Sixteen codes of `BITS` bits as floats, eight at the low end of each word.
    fn fields<const BITS: usize>(self, low: u64, high: u64) -> Self::F;
    /// Sixteen bytes as floats.
    fn bytes(self, codes: &[u8; LANES]) -> Self::F;
    /// Sixteen values of e4m3, in which MLX has no NaN: the codes 0x7f and 0xff are 480 and -480.
    fn fp8(self, codes: &[u8; LANES]) -> Self::F;

    /// The sum of the lanes.
    #[inline(always)]
    fn sum(self, value: Self::F) -> f32 {
        let zero = self.splat(0.0);
        self.sum4([value, zero, zero, zero])[0]
    }
}

/// What runs on any set of instructions.
pub trait Kernel {
    /// What it gives back.
    type Output;
    /// Runs on the set `simd`. Must be `#[inline(always)]`.
    fn run<S: Dense>(self, simd: S) -> Self::Output;
}

/// Runs a kernel on `isa`, or on plain Rust where the processor lacks it.
#[inline]
pub fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => match Avx512::detect() {
            Some(simd) => simd.enter(kernel),
            None => kernel.run(Portable),
        },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => match Avx2::detect() {
            Some(simd) => simd.enter(kernel),
            None => kernel.run(Portable),
        },
        _ => kernel.run(Portable),
    }
}
