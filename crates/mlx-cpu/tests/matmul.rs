//! Products of dense matrices against float64, on each set of instructions: shapes, layouts, tails, alpha and beta, special
//! values, and what is refused.

#[path = "common/dense.rs"]
mod common;

use common::{Number, Random, near, sets};
use half::{bf16, f16};
use mlx_cpu::dense::{Layout, Matmul};

/// A matrix in a slice with room around it, that starts at an odd place.
struct Matrix<T> {
    data: Vec<T>,
    start: usize,
    at: Layout,
}

impl<T: Number> Matrix<T> {
    fn new(random: &mut Random, rows: usize, columns: usize, transposed: bool, gap: usize) -> Matrix<T> {
        let (outer, inner) = if transposed { (columns, rows) } else { (rows, columns) };
        let stride = inner + gap;
        let data = random.many(1 + outer * stride);
        Matrix { data, start: 1, at: Layout { stride, transposed } }
    }
    fn slice(&self) -> &[T] {
        &self.data[self.start..]
    }
    fn at(&self, row: usize, column: usize) -> f64 {
        let (outer, inner) = if self.at.transposed { (column, row) } else { (row, column) };
        self.data[self.start + outer * self.at.stride + inner].wide()
    }
}

/// Every element of a product against float64, and everything beside the output untouched.
#[track_caller]
fn check<T: Number>(
    random: &mut Random,
    (m, n, k): (usize, usize, usize),
    (at, bt): (bool, bool),
    alpha: f32,
    beta: f32,
) {
    let gap = random.below(4);
    let a = Matrix::<T>::new(random, m, k, at, gap);
    let b = Matrix::<T>::new(random, k, n, bt, gap);
    compare(random, &a, &b, (m, n, k), gap, (alpha, beta));
}

#[track_caller]
fn compare<T: Number>(
    random: &mut Random,
    a: &Matrix<T>,
    b: &Matrix<T>,
    (m, n, k): (usize, usize, usize),
    gap: usize,
    (alpha, beta): (f32, f32),
) {
    let before: Vec<T> = random.many(m * (n + gap));
    let product = Matmul { m, n, k, a: a.at, b: b.at, out_stride: n + gap, alpha, beta };
    let element = |i: usize| {
        let (row, column) = (i / (n + gap), i % (n + gap));
        let terms = (0..k).map(|k| a.at(row, k) * b.at(k, column) * f64::from(alpha));
        terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()))
    };
    let inside = |i: usize| i % (n + gap) < n;
    let sums: Vec<_> = (0..before.len()).map(|i| if inside(i) { element(i) } else { (0.0, 0.0) }).collect();
    for isa in sets() {
        let mut out = before.clone();
        product.run(isa, T::floats(a.slice()), T::floats(b.slice()), T::floats_mut(&mut out)).unwrap();
        for (i, ((&out, &before), &(sum, size))) in out.iter().zip(&before).zip(&sums).enumerate() {
            if !inside(i) {
                assert_eq!(out, before, "beside the output");
                continue;
            }
            let c = if beta == 0.0 { 0.0 } else { f64::from(beta) * before.wide() };
            let what = format_args!("{} {product:?} on {isa}, element {i}", T::NAME);
            near(out, sum + c, size + c.abs(), 4.0 + k as f64 / 8.0, &what);
        }
    }
}

fn shapes<T: Number>() {
    let mut random = Random(7);
    for (at, bt) in [(false, false), (false, true), (true, false), (true, true)] {
        for m in [1, 2, 3, 4, 5, 7, 14, 15, 29] {
            for n in [1, 2, 5, 15, 16, 17, 33, 70] {
                for k in [1, 2, 15, 17, 40] {
                    check::<T>(&mut random, (m, n, k), (at, bt), 1.0, 0.0);
                }
            }
        }
        check::<T>(&mut random, (65, 70, 301), (at, bt), 0.5, -1.5);
        check::<T>(&mut random, (1, 700, 301), (at, bt), 0.5, -1.5);
        check::<T>(&mut random, (300, 3, 65), (at, bt), 2.0, 1.0);
    }
}

#[test]
fn float32() {
    shapes::<f32>();
}

#[test]
fn float16() {
    shapes::<f16>();
}

#[test]
fn bfloat16() {
    shapes::<bf16>();
}

/// What is packed a chunk at a time: more lanes than one chunk has.
#[test]
fn chunks() {
    let mut random = Random(3);
    for (at, bt) in [(false, true), (true, false)] {
        check::<bf16>(&mut random, (60, 270, 20_000), (at, bt), 1.0, 0.0);
        check::<f16>(&mut random, (60, 270, 20_000), (at, bt), 1.0, 0.0);
    }
}

/// What is summed a block of steps at a time: more steps, rows, and columns than one block has.
#[test]
fn blocks_of_steps() {
    let mut random = Random(13);
    for (at, bt) in [(false, true), (true, false)] {
        check::<bf16>(&mut random, (6, 7, 200_000), (at, bt), 0.5, -1.5);
        check::<f16>(&mut random, (7, 33, 32_769), (at, bt), 0.5, -1.5);
        check::<f32>(&mut random, (262, 5, 16_400), (at, bt), 1.0, 1.0);
        check::<bf16>(&mut random, (5, 270, 16_400), (at, bt), 2.0, 0.0);
    }
}

/// Infinity and NaN come out as float64 has them, and nowhere else.
fn special<T: Number>() {
    let mut random = Random(11);
    for (m, n, k) in [(1, 40, 33), (3, 40, 33), (20, 40, 33), (20, 2, 33)] {
        for bt in [false, true] {
            let mut a = Matrix::<T>::new(&mut random, m, k, false, 1);
            let mut b = Matrix::<T>::new(&mut random, k, n, bt, 1);
            for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let place = 1 + random.below(a.data.len() - 1);
                a.data[place] = T::of(value);
                let place = 1 + random.below(b.data.len() - 1);
                b.data[place] = T::of(value);
            }
            b.data[1] = T::of(0.0);
            compare(&mut random, &a, &b, (m, n, k), 1, (1.0, 0.0));
        }
    }
}

#[test]
fn nan_and_infinity() {
    special::<f32>();
    special::<f16>();
    special::<bf16>();
}

/// Denormals, which dot products of bf16 pairs would take for zero, keep their values: as factors, products, and sums.
#[test]
fn tiny_numbers() {
    let mut random = Random(5);
    for (low, high) in [(-39, 30), (-70, -70), (-60, -65)] {
        for (at, bt) in [(false, true), (true, false)] {
            let mut a = Matrix::<bf16>::new(&mut random, 16, 40, at, 0);
            let mut b = Matrix::<bf16>::new(&mut random, 40, 33, bt, 0);
            let scale = |data: &mut Vec<bf16>, power| {
                for x in data.iter_mut() {
                    *x = bf16::from_f64(x.to_f64() * 2f64.powi(power));
                }
            };
            scale(&mut a.data, low - 90);
            scale(&mut b.data, high + 30);
            compare(&mut random, &a, &b, (16, 33, 40), 0, (1.0, 0.0));
        }
    }
}

/// Without steps the product is zero; without rows or columns there is nothing to write.
#[test]
fn empty() {
    for isa in sets() {
        let mut out = [f16::ONE; 6];
        let product = Matmul { beta: 3.0, ..Matmul::new(2, 3, 0) };
        product.run(isa, f16::floats(&[]), f16::floats(&[]), f16::floats_mut(&mut out)).unwrap();
        assert_eq!(out, [f16::from_f32(3.0); 6]);
        Matmul::new(2, 3, 0).run(isa, f16::floats(&[]), f16::floats(&[]), f16::floats_mut(&mut out)).unwrap();
        assert_eq!(out, [f16::ZERO; 6]);
        for (m, n) in [(0, 3), (2, 0), (0, 0)] {
            let (a, b) = (vec![f16::ONE; m * 5], vec![f16::ONE; 5 * n]);
            Matmul::new(m, n, 5)
                .run(isa, f16::floats(&a), f16::floats(&b), f16::floats_mut(&mut []))
                .unwrap();
        }
    }
}

/// C is not read where beta is zero; an alpha of zero does not hide infinity. Both as MLX has it for halves.
#[test]
fn alpha_and_beta_of_zero() {
    for isa in sets() {
        let mut out = [bf16::NAN; 4];
        let ones = [bf16::ONE; 4];
        Matmul::new(2, 2, 2)
            .run(isa, bf16::floats(&ones), bf16::floats(&ones), bf16::floats_mut(&mut out))
            .unwrap();
        assert_eq!(out, [bf16::from_f32(2.0); 4]);
        let infinite = [bf16::INFINITY; 4];
        let product = Matmul { alpha: 0.0, beta: 1.0, ..Matmul::new(2, 2, 2) };
        product.run(isa, bf16::floats(&infinite), bf16::floats(&ones), bf16::floats_mut(&mut out)).unwrap();
        assert!(out.iter().all(|x| x.is_nan()));
    }
}

#[test]
fn refusals() {
    let isa = mlx_cpu::Isa::best();
    let said = |product: Matmul, a: usize, b: usize, out: usize| {
        let (a, b, mut out) = (vec![0f32; a], vec![0f32; b], vec![0f32; out]);
        product.run(isa, f32::floats(&a), f32::floats(&b), f32::floats_mut(&mut out)).unwrap_err()
    };
    let product = Matmul::new(2, 3, 4);
    assert_eq!(said(product, 7, 12, 6), "matmul: A, 2 by 4: stride 4 needs 8 elements, the slice has 7");
    assert_eq!(said(product, 8, 11, 6), "matmul: B, 4 by 3: stride 3 needs 12 elements, the slice has 11");
    assert_eq!(
        said(product, 8, 12, 5),
        "matmul: the output, 2 by 3: stride 3 needs 6 elements, the slice has 5"
    );
    assert_eq!(
        said(Matmul { out_stride: 2, ..product }, 8, 12, 6),
        "matmul: rows of 3 overlap in an output of stride 2"
    );
    let huge = Matmul { a: Layout::rows(usize::MAX), m: 3, ..product };
    assert!(said(huge, 8, 12, 9).contains("needs more than memory has elements"));
    let (a, mut out) = ([0f32; 12], [f16::ZERO; 9]);
    let said = Matmul::new(3, 3, 3)
        .run(isa, f32::floats(&a), f32::floats(&a), f16::floats_mut(&mut out))
        .unwrap_err();
    assert_eq!(said, "matmul: A is float32, B float32, the output float16");
}
