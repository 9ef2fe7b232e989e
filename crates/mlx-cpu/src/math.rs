//! The exponential on vectors.

use crate::arch::Dense;

/// e^x of each lane, within two units of the last place; denormal results too. NaN gives NaN.
#[inline(always)]
pub(crate) fn exp<S: Dense>(s: S, x: S::F) -> S::F {
    // Below this e^x rounds to zero. Such lanes compute e^0, since results that underflow are slow.
    const LEAST: f32 = -103.98;
    let r = s.zero_below(x, LEAST, s.min(s.splat(89.0), x));
    let n = s.round(s.mul(r, s.splat(std::f32::consts::LOG2_E)));
    let r = s.fma(n, s.splat(-0.693_359_4), r);
    let r = s.fma(n, s.splat(2.121_944_4e-4), r);
    let mut p = s.splat(1.987_569_1e-4);
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = s.fma(p, r, s.splat(c));
    }
    let p = s.add(s.fma(s.mul(r, r), p, r), s.splat(1.0));
    // 2^n in two steps, which reach denormals and infinity.
    let half = s.round(s.mul(n, s.splat(0.5)));
    let p = s.mul(s.mul(p, s.exp2i(half)), s.exp2i(s.sub(n, half)));
    s.zero_below(x, LEAST, p)
}
