//! Arguments that do not fit, sizes of zero, odd addresses, and values that are no numbers.

use crate::{
    accuracy::{case, check, formats, stack},
    reference::{Type, Values},
};
use mlx_cpu::{
    Floats, FloatsMut, Isa,
    quantized::{Format, Scales, gather, matmul},
};

const FORMAT: Format = Format::Affine { bits: 4, group: 32 };

fn refused(change: impl Fn(&mut mlx_cpu::quantized::Product<'_>), out: usize) -> String {
    let case = case(stack(FORMAT, Type::F32, (1, 4, 64), 1), Type::F32, 2, true, 1);
    let mut product = case.product(Isa::Portable);
    change(&mut product);
    matmul(&product, FloatsMut::F32(&mut vec![0.0; out])).unwrap_err().to_string()
}

#[test]
fn what_does_not_fit_is_refused() {
    let says = |found: String, expected: &str| assert_eq!(found, format!("quantized product: {expected}"));
    says(refused(|_| {}, 7), "the output has 7 values where 8 are expected");
    says(refused(|p| p.m = 3, 12), "x has 128 values where 0 are expected");
    says(refused(|p| p.weights.rows = 5, 10), "codes has 128 values where 160 are expected");
    says(refused(|p| p.weights.columns = 48, 8), "rows of 48 are not whole groups of 32");
    says(
        refused(|p| p.weights.rows = usize::MAX, 8),
        "codes has 128 values where more than memory holds are expected",
    );
    let seven = Format::Affine { bits: 7, group: 32 };
    says(refused(|p| p.weights.format = seven, 8), "no affine format has 7 bits in groups of 32");
    says(refused(|p| p.weights.format = Format::Mxfp4, 8), "these scales are not those of Mxfp4");
    says(
        refused(|p| p.m = usize::MAX, 8),
        "the output has 8 values where more than memory holds are expected",
    );
}

#[test]
fn other_numbers_of_matrices_are_refused() {
    let case = case(stack(FORMAT, Type::F32, (3, 4, 64), 1), Type::F32, 2, true, 1);
    let x = case.x.wide();
    let longer = [x.clone(), x.clone()].concat();
    for (count, x) in [(0, &x[..0]), (1, &x[..128]), (2, &x[..256]), (6, &longer[..])] {
        let mut product = case.product(Isa::Portable);
        product.x = Floats::F32(x);
        let found = matmul(&product, FloatsMut::F32(&mut [0.0; 24])).unwrap_err();
        let said = format!("quantized product: x has {count} matrices and the weights 3");
        assert_eq!(found.to_string(), said);
    }
    // Nothing is written, so that only the sizes of `x` could tell.
    let mut product = case.product(Isa::Portable);
    (product.m, product.weights.rows, product.weights.codes) = (usize::MAX / 4, 0, &[]);
    let none = Floats::F32(&[]);
    product.weights.scales = Scales::Affine { scales: none, biases: none };
    let found = matmul(&product, FloatsMut::F32(&mut [])).unwrap_err().to_string();
    assert_eq!(found, "quantized product: x has 384 values where more than memory holds are expected");
}

#[test]
fn indices_beyond_the_matrices_are_refused() {
    let case = case(stack(FORMAT, Type::F32, (2, 4, 64), 1), Type::F32, 2, true, 1);
    let says = |lhs: &[u32], rhs: &[u32], expected: &str| {
        let product = case.product(Isa::Portable);
        let found = gather(&product, lhs, rhs, FloatsMut::F32(&mut vec![0.0; lhs.len() * 8]));
        assert_eq!(found.unwrap_err().to_string(), format!("quantized product: {expected}"));
    };
    says(&[0, 2], &[0, 0], "index 2 into x, which has 2 matrices");
    says(&[0, 1], &[0, u32::MAX], "index 4294967295 into the weights, which has 2 matrices");
    says(&[0, 1], &[0], "2 indices of x and 1 of the weights");
}

#[test]
fn empty_products_are_empty_or_zero() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
        for transpose in [true, false] {
            let sizes = [2, 8, 16].into_iter().flat_map(|m| [(0, 64, m), (4, 0, m), (0, 0, m)]);
            for (rows, columns, m) in sizes.chain([(4, 64, 0), (0, 0, 0)]) {
                let case = case(stack(FORMAT, Type::F32, (1, rows, columns), 1), Type::F32, m, transpose, 1);
                assert!(
                    case.ours(isa).iter().all(|value| value.to_bits() == 0),
                    "{rows} {columns} {m} {isa}"
                );
            }
        }
    }
}

#[test]
fn codes_lie_at_any_address() {
    for format in formats() {
        let case = case(stack(format, Type::F32, (1, 9, 128), 3), Type::F32, 3, true, 3);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
            let expected = case.ours(isa);
            for offset in 1..4 {
                let moved: Vec<u8> =
                    std::iter::repeat_n(0xff, offset).chain(case.stack.codes.clone()).collect();
                let mut product = case.product(isa);
                product.weights.codes = &moved[offset..];
                let mut out = vec![0.0; expected.len()];
                matmul(&product, FloatsMut::F32(&mut out)).unwrap();
                assert!(
                    expected.iter().zip(&out).all(|(a, b)| a.to_bits() == b.to_bits()),
                    "{format:?} {isa}"
                );
            }
        }
    }
}

#[test]
fn what_is_no_number_stays_in_its_row() {
    for (bad, transpose, m) in [f32::NAN, f32::INFINITY]
        .into_iter()
        .flat_map(|bad| [(true, 3), (true, 11), (false, 3)].map(|(transpose, m)| (bad, transpose, m)))
    {
        for format in formats() {
            let mut case = case(stack(format, Type::F32, (1, 128, 128), 5), Type::F32, m, transpose, 5);
            let mut x = case.x.wide();
            x[128 + 7] = bad;
            case.x = Values::new(Type::F32, x);
            for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
                for (row, out) in case.ours(isa).chunks(128).enumerate() {
                    // Infinity times a weight of zero is NaN, as in IEEE.
                    let finite = out.iter().all(|value| value.is_finite());
                    assert_eq!(finite, row != 1, "{format:?} {isa} row {row}");
                    assert!(row != 1 || out.iter().all(|value| !value.is_finite()), "{format:?} {isa}");
                }
            }
        }
    }
}

#[test]
fn an_infinite_scale_reaches_its_row_alone() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
        let mut case = case(stack(FORMAT, Type::F16, (1, 6, 64), 5), Type::F16, 2, true, 5);
        let mut scales = case.stack.scales.wide();
        scales[2 * 2 + 1] = f32::INFINITY;
        case.stack.scales = Values::new(Type::F16, scales);
        let out = case.ours(isa);
        assert!(out.iter().enumerate().all(|(i, value)| value.is_finite() == (i % 6 != 2)), "{isa}: {out:?}");
    }
}

#[test]
fn numbers_near_the_ends_of_bfloat16_are_right() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_supported()) {
        let mut case = case(stack(FORMAT, Type::Bf16, (1, 6, 64), 5), Type::Bf16, 2, true, 5);
        let x = case.x.wide().into_iter().map(|x| x * 1e30);
        case.x = Values::new(Type::Bf16, x.collect::<Vec<_>>());
        check(&case, isa);
    }
}
