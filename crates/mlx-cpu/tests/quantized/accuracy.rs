//! Errors against double precision: within the bound of sums in `f32`, and no larger than those of MLX's own kernels.

use crate::reference::{Case, Stack, Type, Values};
use mlx_cpu::{Isa, quantized::Format};
use proptest::prelude::*;

/// A number from a state that it moves on (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// About a normal distribution's values.
fn normal(state: &mut u64) -> f32 {
    (0..4).map(|_| (next(state) % 20001) as f32 / 10000.0 - 1.0).sum::<f32>() * 0.87
}

pub(crate) fn formats() -> Vec<Format> {
    let affine = [2, 3, 4, 5, 6, 8].into_iter().flat_map(|bits| [32, 64, 128].map(|group| (bits, group)));
    let affine = affine.map(|(bits, group)| Format::Affine { bits, group });
    affine.chain([Format::Mxfp4, Format::Mxfp8, Format::Nvfp4]).collect()
}

/// A stack of codes at random, whose weights lie around zero.
pub(crate) fn stack(
    format: Format,
    of: Type,
    (count, rows, columns): (usize, usize, usize),
    seed: u64,
) -> Stack {
    let state = &mut (seed | 1);
    let groups = count * rows * columns / format.group();
    let codes = (0..count * rows * columns / 8 * format.bits()).map(|_| (next(state) >> 24) as u8).collect();
    let middle = ((1 << format.bits()) / 2) as f32;
    let scales: Vec<f32> = (0..groups).map(|_| normal(state).abs() * 0.1 / middle + 1e-3).collect();
    let biases: Vec<f32> = scales.iter().map(|scale| -middle * scale + normal(state) * 0.01).collect();
    let base = if format == Format::Nvfp4 { 0x18 } else { 118 };
    let bytes = (0..groups).map(|_| base + (next(state) >> 30) as u8 % 8).collect();
    let (scales, biases) = (Values::new(of, scales), Values::new(of, biases));
    Stack { format, codes, scales, biases, bytes, count, rows, columns }
}

pub(crate) fn case(stack: Stack, of: Type, m: usize, transpose: bool, seed: u64) -> Case {
    let state = &mut (seed << 8 | 1);
    let depth = if transpose { stack.columns } else { stack.rows };
    let x = Values::new(of, (0..stack.count * m * depth).map(|_| normal(state)).collect::<Vec<_>>());
    Case { stack, of, x, m, transpose }
}

/// The root of the mean square error, and the largest one.
fn errors(exact: &[(f64, f64)], found: &[f32]) -> (f64, f64) {
    let errors = exact.iter().zip(found).map(|(exact, &found)| (exact.0 - f64::from(found)).abs());
    let (squares, most) =
        errors.fold((0.0, 0.0), |(sum, most), error| (sum + error * error, f64::max(most, error)));
    (f64::sqrt(squares / exact.len() as f64), most)
}

/// Every output within the bound of a sum in `f32` that is rounded once to the type.
pub(crate) fn check(case: &Case, isa: Isa) {
    let unit = match case.of {
        Type::F32 => 0.0,
        Type::F16 => 2_f64.powi(-11),
        Type::Bf16 => 2_f64.powi(-8),
    };
    for (i, (&(exact, size), found)) in case.exact().iter().zip(case.ours(isa)).enumerate() {
        // A weight takes two roundings, a product one, its sum one in each of at most so many steps.
        let steps = (case.sizes().0 / 16 + 64) as f64;
        let sum = 2_f64.powi(-24) * (steps + 3.0) * size;
        let bound = sum + unit * (exact.abs() + sum) + 2_f64.powi(-25);
        let error = (exact - f64::from(found)).abs();
        assert!(
            error <= bound,
            "{isa} {:?} {:?} output {i}: {error:e} > {bound:e}",
            case.stack.format,
            case.of
        );
    }
}

#[test]
fn errors_are_not_larger_than_those_of_stock_mlx() {
    for format in formats() {
        for of in Type::ALL {
            for (m, transpose) in [(1, true), (9, true), (5, false)] {
                let shape = if transpose { (1, 384 / m, 768) } else { (1, 768, 128) };
                let case = case(stack(format, of, shape, 77), of, m, transpose, 99);
                let exact = case.exact();
                let stock = errors(&exact, &case.stock());
                for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
                    let ours = errors(&exact, &case.ours(isa));
                    let what = format!("{format:?} {of:?} m={m} transpose={transpose} {isa}");
                    assert!(ours.0 <= stock.0, "{what}: mean {:e} of {:e}", ours.0, stock.0);
                    assert!(ours.1 <= stock.1, "{what}: most {:e} of {:e}", ours.1, stock.1);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_shape_is_within_the_bound(
        format in prop::sample::select(formats()),
        of in prop::sample::select(Type::ALL.to_vec()),
        (rows, groups, m) in (1_usize..40, 1_usize..8, 1_usize..20),
        transpose: bool,
        seed: u64,
    ) {
        let columns = groups * format.group();
        let case = case(stack(format, of, (1, rows, columns), seed), of, m, transpose, seed);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
            check(&case, isa);
        }
    }

    #[test]
    fn gathered_products_are_the_single_ones(
        format in prop::sample::select(formats()),
        (rows, m, count) in (1_usize..12, 1_usize..6, 1_usize..5),
        picks in prop::collection::vec((0_u32..100, 0_u32..100), 0..12),
        transpose: bool,
        seed: u64,
    ) {
        let columns = format.group();
        let whole = case(stack(format, Type::F32, (count, rows, columns), seed), Type::F32, m, transpose, seed);
        let lhs: Vec<u32> = picks.iter().map(|pick| pick.0 % count as u32).collect();
        let rhs: Vec<u32> = picks.iter().map(|pick| pick.1 % count as u32).collect();
        let (depth, width) = whole.sizes();
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
            let found = whole.gathered(isa, &lhs, &rhs);
            for (i, found) in found.chunks(m * width).enumerate() {
                let one = single(&whole, lhs[i] as usize * m * depth, rhs[i] as usize);
                for (&(exact, size), &found) in one.exact().iter().zip(found) {
                    prop_assert!((exact - f64::from(found)).abs() <= 2_f64.powi(-24) * 80.0 * size);
                }
            }
        }
    }
}

/// The product of one matrix of `x`, from `first` on, with one matrix of the stack.
fn single(whole: &Case, first: usize, matrix: usize) -> Case {
    let Stack { format, count, rows, columns, .. } = whole.stack;
    let part = |len: usize| matrix * len / count..(matrix + 1) * len / count;
    let values = |values: &Values| {
        let wide = values.wide();
        Values::new(whole.of, wide[part(wide.len())].to_vec())
    };
    let Stack { codes, scales, biases, bytes, .. } = &whole.stack;
    let (codes, bytes) = (codes[part(codes.len())].to_vec(), bytes[part(bytes.len())].to_vec());
    let (scales, biases) = (values(scales), values(biases));
    let stack = Stack { format, codes, scales, biases, bytes, count: 1, rows, columns };
    let x = whole.x.wide()[first..first + whole.m * whole.sizes().0].to_vec();
    Case { stack, of: whole.of, x: Values::new(whole.of, x), m: whole.m, transpose: whole.transpose }
}
