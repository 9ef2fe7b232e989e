//! Each op in both formats, of many shapes and layouts, beside the same op on float64.

use crate::layouts::{Layout, values};
use mlx::{
    Error, Tensor, cpu_mode,
    fast::{
        Attention, Gather, Mask, QuantMode, Quantization, QuantizedTensor, dequantize_dtype, gather_qmm,
        quantize, quantized_matmul, scaled_dot_product_attention,
    },
    ops::{addmm, broadcast_to, full, softmax_precise, take, where_},
    prelude::*,
    transforms::{compile, grad, vmap},
};

const HALVES: [Dtype; 2] = [Dtype::Float16, Dtype::Bfloat16];
const DOUBLE: Dtype = Dtype::Float64;

/// What a result may be away from the exact one.
struct Bound {
    /// The sum of the sizes of what was summed, of each element.
    sizes: Tensor,
    /// How many roundings to float32 there were.
    steps: i32,
    /// How many roundings to the result's dtype.
    roundings: i32,
}

fn all(x: &Tensor) -> Vec<f64> {
    x.astype(DOUBLE).to_vec::<f64>().unwrap()
}

fn root_mean_square(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    (numbers.map(|number| number * number).sum::<f64>() / count).sqrt()
}

/// Half of the distance from 1 to the next number, and the smallest number.
fn precision(dtype: Dtype) -> (f64, f64) {
    match dtype {
        Dtype::Float16 => (0.5_f64.powi(11), 0.5_f64.powi(24)),
        Dtype::Bfloat16 => (0.5_f64.powi(8), 0.0),
        _ => (0.5_f64.powi(24), 0.0),
    }
}

/// Prints a case: the root of the mean square of its errors, and what is granted for another order of sums.
#[track_caller]
fn case(name: &str, found: &Tensor, exact: &Tensor, bound: &Bound) {
    assert_eq!(found.shape(), exact.shape(), "{name}");
    let (unit, least) = precision(found.dtype());
    let (found, exact, sizes) = (all(found), all(exact), all(&bound.sizes));
    let granted = root_mean_square(sizes.iter().copied()) * 0.5_f64.powi(24);
    if cpu_mode().unwrap() == mlx::CpuMode::Fast {
        for (i, ((&found, &exact), &size)) in found.iter().zip(&exact).zip(&sizes).enumerate() {
            let sums = f64::from(bound.steps + 8) * 0.5_f64.powi(24) * size;
            let error = f64::from(bound.roundings) * unit * (exact.abs() + sums) * 1.01 + sums + least;
            assert!(
                (found - exact).abs() <= error,
                "{name}, element {i}: {found} is not {exact} within {error:e}"
            );
        }
    }
    let errors = found.iter().zip(&exact).map(|(found, exact)| found - exact);
    println!("{name}\t{:e}\t{granted:e}", root_mean_square(errors));
}

pub(crate) fn print() {
    products();
    batches();
    additions();
    rows();
    quantized();
    experts();
    attention();
    transformed();
    if cpu_mode().unwrap() == mlx::CpuMode::Fast {
        specials();
        taken_by_nothing();
        in_force();
    }
}

const SIZES: [[i32; 3]; 8] =
    [[1, 1, 1], [1, 7, 1], [3, 5, 4], [33, 64, 17], [1, 300, 70], [70, 300, 1], [2, 37, 129], [130, 257, 65]];

/// A product, and what it may be away.
fn product(name: &str, a: &Tensor, b: &Tensor, found: &Tensor) {
    let (a, b) = (a.astype(DOUBLE), b.astype(DOUBLE));
    let bound = Bound { sizes: a.abs().matmul(&b.abs()), steps: a.shape()[a.ndim() - 1], roundings: 1 };
    case(name, found, &a.matmul(&b), &bound);
}

fn products() {
    for [rows, inner, columns] in SIZES {
        for dtype in [Dtype::Float16, Dtype::Bfloat16, Dtype::Float32] {
            let (a, b) = (values(&[rows, inner], dtype, 1), values(&[inner, columns], dtype, 2));
            for (of_a, of_b) in Layout::ALL.iter().flat_map(|a| Layout::ALL.iter().map(move |b| (a, b))) {
                let found = of_a.of(&a).matmul(&of_b.of(&b));
                let name = format!("{rows}x{inner}x{columns} {dtype:?} {of_a:?} {of_b:?}");
                product(&name, &a, &b, &found);
            }
        }
    }
}

fn batches() {
    for dtype in HALVES {
        for (of_a, of_b) in Layout::ALL.iter().flat_map(|a| Layout::ALL.iter().map(move |b| (a, b))) {
            let (a, b) = (values(&[2, 3, 5, 33], dtype, 3), values(&[2, 3, 33, 9], dtype, 4));
            let found = of_a.of(&a).matmul(&of_b.of(&b));
            product(&format!("batch {dtype:?} {of_a:?} {of_b:?}"), &a, &b, &found);
            // One matrix for all, and one for some.
            let (few, one) = (values(&[3, 5, 33], dtype, 5), values(&[33, 9], dtype, 6));
            product(
                &format!("few {dtype:?} {of_a:?} {of_b:?}"),
                &few,
                &b,
                &of_a.of(&few).matmul(&of_b.of(&b)),
            );
            product(
                &format!("one {dtype:?} {of_a:?} {of_b:?}"),
                &a,
                &one,
                &of_a.of(&a).matmul(&of_b.of(&one)),
            );
        }
        let row = broadcast_to(&values(&[1, 33], dtype, 7), [4, 33]).unwrap();
        let b = values(&[33, 9], dtype, 8);
        product(&format!("a row again and again {dtype:?}"), &row, &b, &row.matmul(&b));
        let vector = values(&[33], dtype, 9);
        let vectors = [("left", vector.matmul(&b)), ("right", b.swapaxes(0, 1).matmul(&vector))];
        for (side, found) in vectors {
            product(
                &format!("vector on the {side} {dtype:?}"),
                &vector.reshape([1, 33]),
                &b,
                &found.reshape([1, 9]),
            );
        }
    }
}

fn additions() {
    for dtype in [Dtype::Float16, Dtype::Bfloat16, Dtype::Float32] {
        for [rows, inner, columns] in SIZES {
            let (a, b) = (values(&[rows, inner], dtype, 10), values(&[inner, columns], dtype, 11));
            for (shape, alpha, beta) in [
                ([rows, columns], 1.0, 1.0),
                ([1, columns], 0.5, -2.0),
                ([rows, 1], 1.0, 0.0),
                ([1, 1], 0.0, 1.0),
            ] {
                for layout in [Layout::Rows, Layout::Columns, Layout::Parts, Layout::Gaps] {
                    let c = values(&shape, dtype, 12);
                    let found = addmm(&layout.of(&c), &a, &layout.of(&b), alpha, beta).unwrap();
                    let [a, b, c] = [&a, &b, &c].map(|x| x.astype(DOUBLE));
                    let (alpha, beta) = (f64::from(alpha), f64::from(beta));
                    let exact = alpha * a.matmul(&b) + beta * &c;
                    let sizes = alpha.abs() * a.abs().matmul(&b.abs()) + beta.abs() * c.abs();
                    let name =
                        format!("{shape:?}+{rows}x{inner}x{columns} {dtype:?} {alpha} {beta} {layout:?}");
                    case(&name, &found, &exact, &Bound { sizes, steps: inner + 2, roundings: 1 });
                }
            }
        }
    }
}

fn rows() {
    for dtype in HALVES {
        for shape in [[1, 1, 1], [2, 3, 7], [3, 1, 64], [2, 5, 1000], [1, 2, 4099]] {
            for layout in Layout::ALL {
                let x = values(&shape, dtype, 13);
                let (laid, exact) = (layout.of(&x), x.astype(DOUBLE));
                let name = |op: &str| format!("{op} {shape:?} {dtype:?} {layout:?}");
                let shares = exact.softmax(-1);
                let bound = || Bound { sizes: shares.clone(), steps: shape[2] + 16, roundings: 1 };
                case(&name("softmax"), &laid.softmax(-1), &shares, &bound());
                case(&name("precise"), &softmax_precise(&laid, -1).unwrap(), &shares, &bound());
                let summed = |exact: Tensor, sizes: Tensor, found: Tensor, op: &str, roundings| {
                    case(&name(op), &found, &exact, &Bound { sizes, steps: shape[2] * 10, roundings });
                };
                summed(exact.sum(-1), exact.abs().sum(-1), laid.sum(-1), "sum", 1);
                summed(exact.sum([1, 2]), exact.abs().sum([1, 2]), laid.sum([1, 2]), "two axes", 1);
                summed(exact.sum(..), exact.abs().sum(..), laid.sum(..), "all axes", 1);
                // The mean is a product of the sum and a rounded number.
                summed(exact.mean(-1), exact.abs().mean(-1), laid.mean(-1), "mean", 3);
            }
        }
    }
}

/// All ways to quantize.
fn ways() -> Vec<Quantization> {
    let affine = [2, 3, 4, 5, 6, 8].into_iter().flat_map(|bits| {
        [32, 64, 128].map(|group| Quantization::new(QuantMode::Affine).bits(bits).group_size(group))
    });
    let others = [QuantMode::Mxfp4, QuantMode::Mxfp8, QuantMode::Nvfp4].map(Quantization::new);
    affine.chain(others).collect()
}

/// Weights in float64, and the sizes of what each is the sum of.
struct Exact {
    values: Tensor,
    sizes: Tensor,
}

impl Exact {
    fn map(&self, f: impl Fn(&Tensor) -> Tensor) -> Exact {
        Exact { values: f(&self.values), sizes: f(&self.sizes) }
    }
}

/// Quantized weights, and their exact values.
fn weights(shape: &[i32], dtype: Dtype, how: Quantization) -> (QuantizedTensor, Exact) {
    let quantized = quantize(&values(shape, dtype, 14), how).unwrap();
    // Each is a code times a scale, plus a bias: exact in float64, where they are computed from their parts.
    let exact = exactly(&quantized);
    (quantized, exact)
}

fn exactly(quantized: &QuantizedTensor) -> Exact {
    let how = quantized.how;
    let Some(biases) = &quantized.biases else {
        let values = dequantize_dtype(quantized, Dtype::Float32).unwrap().astype(DOUBLE);
        return Exact { sizes: values.abs(), values };
    };
    // With scales of 1 and biases of 0 the values are the codes.
    let mut codes = quantized.clone();
    codes.scales = quantized.scales.astype(Dtype::Float32).ones_like();
    codes.biases = Some(codes.scales.zeros_like());
    let codes = dequantize_dtype(&codes, Dtype::Float32).unwrap().astype(DOUBLE);
    let spread = |x: &Tensor| x.astype(DOUBLE).repeat(how.group_size, -1);
    let (scaled, biases) = (codes * spread(&quantized.scales), spread(biases));
    Exact { values: &scaled + &biases, sizes: scaled.abs() + biases.abs() }
}

fn quantized() {
    for how in ways() {
        for dtype in [Dtype::Float16, Dtype::Bfloat16, Dtype::Float32] {
            for transpose in [true, false] {
                for (rows, inner, columns) in [(1, 256, 128), (1, 128, 384), (5, 384, 128), (37, 128, 256)] {
                    let shape = if transpose { [columns, inner] } else { [inner, columns] };
                    let (w, exact) = weights(&shape, dtype, how);
                    let exact = if transpose { exact.map(|w| w.swapaxes(-1, -2)) } else { exact };
                    for layout in [Layout::Rows, Layout::Columns, Layout::Parts] {
                        let x = values(&[rows, inner], dtype, 15);
                        let found = quantized_matmul(&layout.of(&x), &w, transpose).unwrap();
                        let name = format!(
                            "{:?} {} {} {dtype:?} {transpose} {rows}x{inner}x{columns} {layout:?}",
                            how.mode, how.bits, how.group_size
                        );
                        quantized_product(&name, &x, &exact, &found);
                    }
                }
            }
        }
    }
}

fn quantized_product(name: &str, x: &Tensor, w: &Exact, found: &Tensor) {
    let x = x.astype(DOUBLE);
    // Scaled codes and biases may cancel, so that their sizes count and not those of the weights.
    let bound = Bound { sizes: x.abs().matmul(&w.sizes), steps: x.shape()[x.ndim() - 1], roundings: 1 };
    case(name, found, &x.matmul(&w.values), &bound);
}

fn experts() {
    for how in ways() {
        for dtype in HALVES {
            let (w, exact) = weights(&[3, 128, 256], dtype, how);
            let exact = exact.map(|w| w.swapaxes(-1, -2));
            let x = values(&[4, 2, 256], dtype, 16);
            let name = |op: &str| format!("{op} {:?} {} {} {dtype:?}", how.mode, how.bits, how.group_size);
            let (of_x, of_w) = (tensor![0_u32, 3, 3, 1, 2], tensor![2_u32, 0, 1, 1, 2]);
            let gather = Gather::new().lhs(&of_x).rhs(&of_w);
            let found = gather_qmm(&x, &w, &gather).unwrap();
            let chosen = take(&x, &of_x, 0).unwrap();
            let theirs = exact.map(|w| take(w, &of_w, 0).unwrap());
            quantized_product(&name("gather"), &chosen, &theirs, &found);
            // A matrix of weights for each of the batch.
            let x = values(&[3, 2, 256], dtype, 17);
            quantized_product(&name("batch"), &x, &exact, &quantized_matmul(&x, &w, true).unwrap());
            let x = broadcast_to(&x.index(0), [3, 2, 256]).unwrap();
            quantized_product(&name("repeated"), &x, &exact, &quantized_matmul(&x, &w, true).unwrap());
        }
    }
}

fn attention() {
    for dtype in HALVES {
        for (heads, of_keys, queries, keys, mask) in [
            (4, 4, 1, 33, Mask::None),
            (6, 2, 1, 130, Mask::None),
            (6, 2, 5, 40, Mask::Causal),
            (4, 1, 17, 17, Mask::Causal),
        ] {
            let q = values(&[2, heads, queries, 64], dtype, 18);
            let [k, v] = [19, 20].map(|seed| values(&[2, of_keys, keys, 64], dtype, seed));
            let how = Attention::new(0.125).mask(mask);
            let found =
                scaled_dot_product_attention(&Layout::Heads.of(&q), &k, &Layout::Heads.of(&v), &how).unwrap();
            let [q, k, v] = [&q, &k, &v].map(|x| x.astype(DOUBLE));
            let exact = scaled_dot_product_attention(&q, &k, &v, &how).unwrap();
            // Scores and weights are rounded on their way, which no bound of sums tells.
            let sizes = exact.zeros_like() + v.abs().max(..);
            let name = format!("attention {dtype:?} {heads} {of_keys} {queries} {keys}");
            case(&name, &found, &exact, &Bound { sizes: sizes * 4, steps: 1 << 17, roundings: 8 });
        }
    }
}

/// Gradients, maps and compiled functions come from MLX's rules, whose products are ours again.
fn transformed() {
    for dtype in HALVES {
        let (x, w) = (values(&[9, 40], dtype, 21), values(&[40, 24], dtype, 22));
        let weight = values(&[9, 24], dtype, 23);
        let f = |w: &Tensor, x: &Tensor, weight: &Tensor| (x.matmul(w).softmax(-1) * weight).sum(..);
        let gradient = |w: &Tensor, x: &Tensor, weight: &Tensor| {
            grad(|w: &Tensor| Ok::<_, Error>(f(w, x, weight)), w).unwrap()
        };
        let compiled = compile(|args: &[Tensor; 3]| Ok::<_, Error>(gradient(&args[0], &args[1], &args[2])));
        let exact = gradient(&w.astype(DOUBLE), &x.astype(DOUBLE), &weight.astype(DOUBLE));
        let bound = || Bound { sizes: exact.abs() + 8, steps: 1 << 17, roundings: 8 };
        case(&format!("gradient {dtype:?}"), &gradient(&w, &x, &weight), &exact, &bound());
        let found = compiled.call(&[w.clone(), x.clone(), weight.clone()]).unwrap();
        case(&format!("compiled gradient {dtype:?}"), &found, &exact, &bound());
        let xs = values(&[5, 9, 40], dtype, 24);
        let mapped = |xs: &Tensor, w: &Tensor| vmap(|x: &Tensor| Ok::<_, Error>(x.matmul(w)), xs).unwrap();
        product(&format!("map {dtype:?}"), &xs, &w, &mapped(&xs, &w));
        for how in [QuantMode::Affine, QuantMode::Mxfp4] {
            let (w, exact) = weights(&[64, 128], dtype, Quantization::new(how));
            let x = values(&[9, 128], dtype, 25);
            let weight = values(&[9, 64], dtype, 26);
            let loss = |x: &Tensor| quantized_matmul(x, &w, true).map(|y| (y * &weight).sum(..));
            let found = grad(loss, &x).unwrap();
            quantized_product(&format!("quantized gradient {how:?} {dtype:?}"), &weight, &exact, &found);
        }
    }
}

/// Infinities and NaN come where they come in float64.
fn specials() {
    for dtype in HALVES {
        let special = |shape: &[i32], seed| {
            let x = values(shape, dtype, seed);
            let rare = |bound: f64, value: f32, x: &Tensor| {
                where_(values(shape, dtype, seed + 1).gt(bound), Tensor::scalar(value, dtype).unwrap(), x)
                    .unwrap()
            };
            rare(1.9, f32::NAN, &rare(1.7, f32::NEG_INFINITY, &rare(1.5, f32::INFINITY, &x)))
        };
        let (a, b) = (special(&[40, 70], 27), special(&[70, 33], 29));
        let masked = where_(a.gt(0.5), f32::NEG_INFINITY, &a).unwrap().astype(dtype);
        let [c, d, m] = [&a, &b, &masked].map(|x| x.astype(DOUBLE));
        for (name, found, exact) in [
            ("product", a.matmul(&b), c.matmul(&d)),
            ("row", a.index(..1).matmul(&b), c.index(..1).matmul(&d)),
            ("softmax", a.softmax(-1), c.softmax(-1)),
            ("masked", masked.softmax(-1), m.softmax(-1)),
            ("sum", a.sum(-1), c.sum(-1)),
        ] {
            for (i, (found, exact)) in all(&found).into_iter().zip(all(&exact)).enumerate() {
                let same =
                    if exact.is_finite() { found.is_finite() } else { found.to_bits() == exact.to_bits() };
                assert!(
                    same || (found.is_nan() && exact.is_nan()),
                    "{name} {dtype:?} {i}: {found} is not {exact}"
                );
            }
        }
    }
}

/// What is taken by nothing is not looked at, as BLAS does not.
fn taken_by_nothing() {
    let a = full([1, 64], f32::INFINITY, Dtype::Float32).unwrap();
    let (b, c) = (values(&[64, 5], Dtype::Float32, 31), values(&[1, 5], Dtype::Float32, 32));
    let found = addmm(&c, &a, &b, 0.0, 1.0).unwrap();
    assert_eq!(all(&found.astype(DOUBLE)), all(&c.astype(DOUBLE)));
}

/// A sum that MLX's own loses in the format of its result.
fn in_force() {
    let ones = Tensor::from_slice(&[1.0_f32; 4096]).unwrap().astype(Dtype::Bfloat16);
    assert_eq!(ones.sum(..).astype(Dtype::Float32).to_vec::<f32>().unwrap(), [4096.0]);
}
