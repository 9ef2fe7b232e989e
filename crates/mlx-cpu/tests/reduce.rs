//! Sums, means, softmax and logsumexp against float64, on each set of instructions: lengths, special values, empty rows.

#[path = "common/dense.rs"]
mod common;

use common::{Number, Random, near, sets};
use half::{bf16, f16};
use mlx_cpu::{
    Isa,
    reduce::{Reduction, softmax},
};

fn reduced<T: Number>(how: Reduction, isa: Isa, len: usize, x: &[T], rows: usize) -> Vec<T> {
    let mut out = vec![T::of(7.0); rows];
    how.run(isa, len, T::floats(x), T::floats_mut(&mut out)).unwrap();
    out
}

/// What float64 gives, and how large the terms are together.
fn wanted<T: Number>(how: Reduction, x: &[T]) -> (f64, f64) {
    let wide = || x.iter().map(|x| x.wide());
    let (sum, size) = (wide().sum::<f64>(), wide().map(f64::abs).sum::<f64>());
    match how {
        Reduction::Sum => (sum, size),
        Reduction::Mean => (sum / x.len() as f64, size / x.len() as f64),
        _ => {
            let most = wide().fold(f64::NEG_INFINITY, f64::max);
            let base = if most.is_infinite() { 0.0 } else { most };
            let value = base + wide().map(|x| (x - base).exp()).sum::<f64>().ln();
            (value, value.abs() + 1.0)
        }
    }
}

#[track_caller]
fn check<T: Number>(len: usize, x: &[T]) {
    let rows = x.len() / len;
    for isa in sets() {
        for how in [Reduction::Sum, Reduction::Mean, Reduction::LogSumExp] {
            let out = reduced(how, isa, len, x, rows);
            for (row, out) in x.chunks(len).zip(out) {
                let (want, size) = wanted(how, row);
                near(
                    out,
                    want,
                    size,
                    4.0 + len as f64 / 64.0,
                    &format_args!("{} {how:?} of {len} on {isa}", T::NAME),
                );
            }
        }
        let mut out = vec![T::default(); x.len()];
        softmax(isa, len, T::floats(x), T::floats_mut(&mut out)).unwrap();
        for (row, out) in x.chunks(len).zip(out.chunks(len)) {
            let most = row.iter().map(|x| x.wide()).fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = row.iter().map(|x| (x.wide() - most).exp()).collect();
            let total: f64 = powers.iter().sum();
            for ((&out, power), x) in out.iter().zip(powers).zip(row) {
                let want = power / total;
                // The difference to the largest is rounded before it is an exponent.
                let rounded = if want > 0.0 { (x.wide() - most).abs() } else { 0.0 };
                near(
                    out,
                    want,
                    want,
                    8.0 + rounded + len as f64 / 64.0,
                    &format_args!("{} softmax of {len} on {isa}", T::NAME),
                );
            }
        }
    }
}

fn lengths<T: Number>() {
    let mut random = Random(17);
    for len in (1..70).chain([255, 1000, 4096, 20_011]) {
        for spread in [1.0, 12.0] {
            let x: Vec<T> = (0..=3 * len).map(|_| T::of(random.unit() * spread + 1.0)).collect();
            check(len, &x[1..]);
        }
    }
    let many: Vec<T> = random.many(5000 * 33);
    check(33, &many);
}

#[test]
fn float32() {
    lengths::<f32>();
}

#[test]
fn float16() {
    lengths::<f16>();
}

#[test]
fn bfloat16() {
    lengths::<bf16>();
}

fn specials<T: Number>() {
    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;
    for filler in [0, 1, 15, 16, 40] {
        for special in [
            vec![1.0, NAN, 2.0],
            vec![INF, 1.0],
            vec![-INF, 1.0],
            vec![INF, -INF],
            vec![INF, INF],
            vec![NAN, INF],
            vec![-INF, NAN],
            vec![-INF, -200.0, -200.0],
        ] {
            for last in [false, true] {
                let mut row = vec![T::of(0.5); filler];
                let at = if last { filler } else { filler / 2 };
                row.splice(at..at, special.iter().map(|&x| T::of(x)));
                check(row.len(), &row);
            }
        }
        let nothing = vec![T::of(-INF); filler + 1];
        for isa in sets() {
            let out = reduced(Reduction::LogSumExp, isa, nothing.len(), &nothing, 1);
            assert!(out[0].wide().is_infinite() && out[0].wide() < 0.0, "{:?}", out[0]);
        }
        check(nothing.len(), &nothing);
    }
}

#[test]
fn nan_and_infinity() {
    specials::<f32>();
    specials::<f16>();
    specials::<bf16>();
}

#[test]
fn empty() {
    for isa in sets() {
        assert_eq!(reduced::<f32>(Reduction::Sum, isa, 0, &[], 2), [0.0, 0.0]);
        assert!(reduced::<bf16>(Reduction::Mean, isa, 0, &[], 2).iter().all(|x| x.is_nan()));
        assert_eq!(reduced::<f16>(Reduction::LogSumExp, isa, 0, &[], 1), [f16::NEG_INFINITY]);
        assert_eq!(reduced::<f32>(Reduction::Sum, isa, 5, &[], 0), [0.0; 0]);
        softmax(isa, 0, f32::floats(&[]), f32::floats_mut(&mut [])).unwrap();
        softmax(isa, 4, f32::floats(&[]), f32::floats_mut(&mut [])).unwrap();
    }
}

#[test]
fn refusals() {
    let (x, mut out) = ([0f32; 6], [0f32; 2]);
    let isa = Isa::best();
    let said = Reduction::Sum.run(isa, 4, f32::floats(&x), f32::floats_mut(&mut out)).unwrap_err();
    assert_eq!(said, "Sum: 6 values are not 2 rows of 4");
    let said =
        Reduction::Mean.run(isa, 3, f32::floats(&x), f16::floats_mut(&mut [f16::ZERO; 2])).unwrap_err();
    assert_eq!(said, "Mean: values are float32, the output float16");
    let said = softmax(isa, 4, f32::floats(&x), f32::floats_mut(&mut [0.0; 6])).unwrap_err();
    assert_eq!(said, "softmax: 6 values and 6 of output are not rows of 4");
}
