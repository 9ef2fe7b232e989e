//! The innermost loop of a matrix product: a few rows times one or two vectors of columns, out of packed panels.
//!
//! A panel is made of *lanes*, u32 that hold one f32 or two bf16 (two steps of the inner dimension). How lanes get there
//! stands in `pack`.

use crate::{
    arch::{Dense, LANES},
    elements::Element,
};

/// The most rows that a tile has.
pub(super) const MAX_ROWS: usize = 14;

/// A way to multiply packed lanes, for elements `T`.
pub(super) trait Tile<T>: Copy + Send + Sync {
    /// Sixteen lanes to multiply.
    type In: Copy;
    /// Sixteen sums in f32.
    type Sum: Copy;
    /// How vectors are transposed, rounded and stored.
    type Set: Dense;
    /// How many steps of the inner dimension a lane holds.
    const DEPTH: usize;

    fn set(self) -> Self::Set;
    fn zero(self) -> Self::Sum;
    fn spread(self, lane: u32) -> Self::In;
    fn read(self, lanes: &[u32; LANES]) -> Self::In;
    /// `sum + a * b`.
    fn dot(self, a: Self::In, b: Self::In, sum: Self::Sum) -> Self::Sum;
    fn write(self, sum: Self::Sum, to: &mut [f32; LANES]);
    /// Up to `16 * DEPTH` elements that follow each other in the inner dimension, as lanes; zeros behind them.
    fn along(self, from: &[T]) -> [u32; LANES];
    /// Up to sixteen columns of `DEPTH` steps; zeros behind them, and for a step that is not there.
    fn across(self, steps: [&[T]; 2]) -> [u32; LANES];
    /// Whether these elements must not be multiplied this way.
    fn refuses(self, from: &[T]) -> bool;
}

/// One f32 a lane, multiplied by fused instructions.
#[derive(Clone, Copy)]
pub(super) struct Single<S>(pub(super) S);

impl<T: Element, S: Dense> Tile<T> for Single<S> {
    type In = S::F;
    type Sum = S::F;
    type Set = S;
    const DEPTH: usize = 1;

    #[inline(always)]
    fn set(self) -> S {
        self.0
    }
    #[inline(always)]
    fn zero(self) -> S::F {
        self.0.splat(0.0)
    }
    #[inline(always)]
    fn spread(self, lane: u32) -> S::F {
        self.0.splat(f32::from_bits(lane))
    }
    #[inline(always)]
    fn read(self, lanes: &[u32; LANES]) -> S::F {
        self.0.load(&lanes.map(f32::from_bits))
    }
    #[inline(always)]
    fn dot(self, a: S::F, b: S::F, sum: S::F) -> S::F {
        self.0.fma(a, b, sum)
    }
    #[inline(always)]
    fn write(self, sum: S::F, to: &mut [f32; LANES]) {
        self.0.store(sum, to);
    }
    #[inline(always)]
    fn along(self, from: &[T]) -> [u32; LANES] {
        let mut lanes = [0.0; LANES];
        self.0.store(T::load_part(self.0, from, 0.0), &mut lanes);
        lanes.map(f32::to_bits)
    }
    #[inline(always)]
    fn across(self, steps: [&[T]; 2]) -> [u32; LANES] {
        Tile::<T>::along(self, steps[0])
    }
    #[inline(always)]
    fn refuses(self, _from: &[T]) -> bool {
        false
    }
}

/// Two bf16 a lane, multiplied by AVX-512's dot products, which take denormals for zero.
#[cfg(target_arch = "x86_64")]
mod pairs {
    use super::{LANES, Tile};
    use crate::arch::{Avx512, Bf16Pairs, Simd};
    use half::bf16;

    /// 2^-56. Products of numbers that are zero or at least this large are multiples of 2^-126, and so are their sums:
    /// no step meets a denormal.
    const TAME: u16 = (127 - 56) << 7;

    #[inline(always)]
    fn pair(low: bf16, high: bf16) -> u32 {
        u32::from(low.to_bits()) | u32::from(high.to_bits()) << 16
    }

    impl Tile<bf16> for Bf16Pairs {
        type In = std::arch::x86_64::__m512i;
        type Sum = <Avx512 as Simd>::F;
        type Set = Avx512;
        const DEPTH: usize = 2;

        #[inline(always)]
        fn set(self) -> Avx512 {
            self.avx512()
        }
        #[inline(always)]
        fn zero(self) -> Self::Sum {
            self.avx512().splat(0.0)
        }
        #[inline(always)]
        fn spread(self, lane: u32) -> Self::In {
            Bf16Pairs::spread(self, lane)
        }
        #[inline(always)]
        fn read(self, lanes: &[u32; LANES]) -> Self::In {
            Bf16Pairs::read(self, lanes)
        }
        #[inline(always)]
        fn dot(self, a: Self::In, b: Self::In, sum: Self::Sum) -> Self::Sum {
            Bf16Pairs::dot(self, a, b, sum)
        }
        #[inline(always)]
        fn write(self, sum: Self::Sum, to: &mut [f32; LANES]) {
            self.avx512().store(sum, to);
        }
        #[inline(always)]
        fn along(self, from: &[bf16]) -> [u32; LANES] {
            let mut all = [bf16::ZERO; 2 * LANES];
            let whole = from.first_chunk().unwrap_or_else(|| {
                all[..from.len()].copy_from_slice(from);
                &all
            });
            std::array::from_fn(|i| pair(whole[2 * i], whole[2 * i + 1]))
        }
        #[inline(always)]
        fn across(self, steps: [&[bf16]; 2]) -> [u32; LANES] {
            let [low, high] = steps.map(|step| {
                step.first_chunk().copied().unwrap_or_else(|| {
                    let mut part = [bf16::ZERO; LANES];
                    part[..step.len()].copy_from_slice(step);
                    part
                })
            });
            std::array::from_fn(|i| pair(low[i], high[i]))
        }
        #[inline(always)]
        fn refuses(self, from: &[bf16]) -> bool {
            // Zero wraps round to the largest.
            let wild = |x: &bf16| (x.to_bits() & 0x7fff).wrapping_sub(1) < TAME - 1;
            from.iter().fold(false, |any, x| any | wild(x))
        }
    }
}

/// The sums of `R` rows and `W` vectors of columns, over all lanes of two panels.
#[inline(always)]
fn sums<T, K: Tile<T>, const R: usize, const W: usize>(tile: K, a: &[u32], b: &[u32], to: &mut [[f32; 2 * LANES]]) {
    let mut sums = [[tile.zero(); W]; R];
    for (a, b) in a.chunks_exact(R).zip(b.chunks_exact(W * LANES)) {
        // Loops, here and below: a closure might stay a function of its own, without the set's instructions.
        let mut columns = [tile.spread(0); W];
        for (column, lanes) in columns.iter_mut().zip(b.as_chunks().0) {
            *column = tile.read(lanes);
        }
        for (sums, &a) in sums.iter_mut().zip(a) {
            let a = tile.spread(a);
            for (sum, &column) in sums.iter_mut().zip(&columns) {
                *sum = tile.dot(a, column, *sum);
            }
        }
    }
    for (sums, to) in sums.iter().zip(to) {
        for (&sum, to) in sums.iter().zip(to.as_chunks_mut::<LANES>().0) {
            tile.write(sum, to);
        }
    }
}

/// The sums of a tile of `rows` (even, at most the set's) by the set's width.
#[inline(always)]
pub(super) fn multiply<T, K: Tile<T>>(tile: K, rows: usize, a: &[u32], b: &[u32], to: &mut [[f32; 2 * LANES]; MAX_ROWS]) {
    macro_rules! by_rows {
        ($width:literal, $($rows:literal)*) => {
            match rows {
                $($rows if $rows <= K::Set::ROWS => sums::<T, K, $rows, $width>(tile, a, b, to),)*
                _ => unreachable!("a tile of {rows} rows"),
            }
        };
    }
    if K::Set::WIDE { by_rows!(2, 2 4 6 8 10 12 14) } else { by_rows!(1, 2 4 6 8 10 12 14) }
}
