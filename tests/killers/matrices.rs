//! Linear algebra and Fourier transforms of nothing, of NaN, and of more than can be addressed.

use super::{programs, refused};
use crate::programs::Program;
use mlx::{
    Dtype, ErrorKind, Result, Tensor,
    fft::{self, FftN},
    linalg::{self, Norm, Triangle},
    ops,
    prelude::*,
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("inverses_of_nothing", inverses_of_nothing),
    ("factors_of_nothing", factors_of_nothing),
    ("solutions_of_nothing", solutions_of_nothing),
    ("eigenvalues_of_nan", eigenvalues_of_nan),
    ("factors_of_a_line", factors_of_a_line),
    ("one_by_one", one_by_one),
    ("matrices_beyond_32_bits", matrices_beyond_32_bits),
    ("matrices_beyond_memory", matrices_beyond_memory),
    ("transforms_beyond_memory", transforms_beyond_memory),
    ("shifts_of_nothing_end", shifts_of_nothing_end),
];

fn filled(shape: &[i32], value: f32) -> Tensor {
    ops::full(shape, value, Dtype::Float32).expect("a shape")
}

/// One element, seen again and again.
fn view(shape: &[i32], dtype: Dtype) -> Tensor {
    Tensor::scalar(1, dtype).expect("a scalar").broadcast_to(shape)
}

fn inverses_of_nothing() {
    for shape in [&[0, 0][..], &[2, 0, 0], &[0, 0, 0]] {
        let x = filled(shape, 0.0);
        refused(linalg::inv(&x), ErrorKind::Shape);
        for half in [Triangle::Lower, Triangle::Upper] {
            refused(linalg::tri_inv(&x, half), ErrorKind::Shape);
            refused(linalg::cholesky_inv(&x, half), ErrorKind::Shape);
        }
        refused(linalg::inv(&ops::astype(&x, Dtype::Float64).expect("a cast")), ErrorKind::Shape);
    }
    programs::end();
}

fn factors_of_nothing() {
    for shape in [&[0, 0][..], &[2, 0, 0], &[3, 0], &[0, 3], &[2, 0, 3], &[0, 0, 0]] {
        let x = filled(shape, 0.0);
        refused(linalg::lu(&x).map(|(_, _, u)| u), ErrorKind::Shape);
        refused(linalg::lu_factor(&x).map(|(both, _)| both), ErrorKind::Shape);
    }
    programs::end();
}

fn solutions_of_nothing() {
    for (a, b) in [(&[0, 0][..], &[0, 0][..]), (&[0, 0], &[0]), (&[0, 0], &[0, 3]), (&[2, 0, 0], &[2, 0, 1])]
    {
        let (a, b) = (filled(a, 0.0), filled(b, 0.0));
        refused(linalg::solve(&a, &b), ErrorKind::Shape);
        refused(linalg::solve_triangular(&a, &b, Triangle::Upper), ErrorKind::Shape);
    }
    programs::end();
}

fn eigenvalues_of_nan() {
    for value in [f32::NAN, f32::INFINITY] {
        for dtype in [Dtype::Float32, Dtype::Float64, Dtype::Complex64] {
            let x = ops::astype(&filled(&[3, 3], value), dtype).expect("a cast");
            refused(linalg::eigvals(&x), ErrorKind::Eval);
            refused(linalg::eig(&x).map(|(_, vectors)| vectors), ErrorKind::Eval);
            refused(linalg::eigvalsh(&x, Triangle::Lower), ErrorKind::Eval);
        }
    }
    programs::end();
}

/// The number of elements wraps around to 0, or to another.
fn matrices_beyond_32_bits() {
    for shape in [[1 << 20, 1 << 21], [1 << 16, 1 << 16], [50_000, 50_000], [1 << 30, 4]] {
        let x = view(&shape, Dtype::Float32);
        refused(linalg::svd(&x).map(|(u, _, _)| u), ErrorKind::Shape);
        refused(linalg::svdvals(&x), ErrorKind::Shape);
        refused(linalg::pinv(&x), ErrorKind::Shape);
        refused(linalg::qr(&x).map(|(q, _)| q), ErrorKind::Shape);
        refused(linalg::lu(&x).map(|(_, _, u)| u), ErrorKind::Shape);
        refused(linalg::lu_factor(&x).map(|(both, _)| both), ErrorKind::Shape);
        for kind in [Norm::Nuclear, 2.into(), (-2).into()] {
            refused(linalg::norm(&x, kind, ..), ErrorKind::Shape);
            refused(linalg::norm(&x.expand_dims(1), kind, [-1, 0]), ErrorKind::Shape);
        }
    }
    for side in [1 << 16, 50_000] {
        let x = view(&[side, side], Dtype::Float32);
        let half = Triangle::Lower;
        for made in [
            linalg::inv(&x),
            linalg::det(&x),
            linalg::eigvals(&x),
            linalg::eigvalsh(&x, half),
            linalg::cholesky(&x, half),
            linalg::cholesky_inv(&x, half),
            linalg::tri_inv(&x, half),
            linalg::solve(&x, &x),
            linalg::solve_triangular(&x, &x, half),
        ] {
            refused(made, ErrorKind::Shape);
        }
        refused(linalg::eig(&x).map(|(values, _)| values), ErrorKind::Shape);
        refused(linalg::eigh(&x, half).map(|(values, _)| values), ErrorKind::Shape);
        refused(linalg::slogdet(&x).map(|(sign, _)| sign), ErrorKind::Shape);
        let mean = view(&[side], Dtype::Float32);
        refused(mlx::random::multivariate_normal(&mean, &x, ()), ErrorKind::Shape);
    }
    refused(linalg::svd(&view(&[2, 1 << 16, 1], Dtype::Float32)).map(|(u, _, _)| u), ErrorKind::Shape);
    programs::end();
}

fn matrices_beyond_memory() {
    let side = 1 << 16;
    let small = view(&[side, side, 1 << 15, 1 << 15], Dtype::Bool);
    refused(linalg::det(&small), ErrorKind::Shape);
    refused(linalg::slogdet(&small).map(|(sign, _)| sign), ErrorKind::Shape);
    let flat = view(&[1 << 30, 1 << 30, 4], Dtype::Bool);
    for kind in [Norm::Euclidean, 3.into(), 0.into(), f64::INFINITY.into()] {
        refused(linalg::norm(&flat, kind, -1), ErrorKind::Shape);
    }
    let long = view(&[16, 1 << 30, 1], Dtype::Float32);
    refused(linalg::pinv(&long), ErrorKind::Shape);
    for kind in [Norm::Nuclear, 2.into()] {
        refused(linalg::norm(&long, kind, [1, 2]), ErrorKind::Shape);
    }
    refused(linalg::svd(&long).map(|(u, _, _)| u), ErrorKind::Shape);
    let (a, b) = (view(&[1, side, side], Dtype::Float32), view(&[1 << 30, side, 1], Dtype::Float32));
    refused(linalg::solve(&a, &b), ErrorKind::Shape);
    refused(linalg::solve_triangular(&a, &b, Triangle::Lower), ErrorKind::Shape);
    programs::end();
}

type Transform = fn(&Tensor, FftN) -> Result<Tensor>;

fn transforms_beyond_memory() {
    let x = filled(&[2, 2, 2], 1.0);
    let transforms: [Transform; 4] = [fft::fftn, fft::ifftn, fft::rfftn, fft::irfftn];
    for transform in transforms {
        for (sizes, kind) in
            [([1 << 30, 1 << 30, 8], ErrorKind::Shape), ([1 << 16, 1 << 16, 1 << 16], ErrorKind::Memory)]
        {
            let how = FftN::over([0, 1, 2]).sizes(sizes).expect("sizes");
            match transform(&x, how).and_then(|tensor| tensor.eval()) {
                Ok(()) => panic!("so much memory is not there"),
                Err(error) => assert!(error.kind() == kind || error.kind() == ErrorKind::Eval, "{error}"),
            }
        }
    }
    refused(fft::irfft(&view(&[1 << 30 | 2], Dtype::Complex64), -1), ErrorKind::Shape);
    programs::end();
}

type Shift = fn(&Tensor, Vec<i32>) -> Result<Tensor>;

fn shifts_of_nothing_end() {
    let shape = [i32::MAX, i32::MAX, 1, 0];
    let x = filled(&[1, 0], 0.0).broadcast_to(shape);
    let shifts: [Shift; 2] = [fft::fftshift, fft::ifftshift];
    for shift in shifts {
        for axes in [vec![0, 1], vec![3], vec![]] {
            let shifted = shift(&x, axes).expect("nothing");
            shifted.eval().expect("nothing");
            assert_eq!(shifted.shape(), shape);
        }
        assert!(shift(&x, vec![4]).is_err());
    }
    programs::end();
}

/// MLX counts bytes for elements in what LU gives.
fn factors_of_a_line() {
    let values = |x: &Tensor| x.astype(Dtype::Float64).to_vec::<f64>().unwrap();
    for _ in 0..300 {
        for dtype in [Dtype::Float32, Dtype::Float64] {
            let make =
                |shape: [i32; 2], from: &[f32]| Tensor::from_shape_slice(shape, from).unwrap().astype(dtype);
            let (p, l, u) = linalg::lu(&make([1, 1], &[1.5])).unwrap();
            assert_eq!(
                (p.to_vec::<u32>().unwrap(), values(&l), values(&(&u * 2))),
                (vec![0], vec![1.0], vec![3.0])
            );
            let (p, l, u) = linalg::lu(&make([3, 1], &[1.0, 4.0, 2.0])).unwrap();
            assert_eq!((p.shape(), l.shape(), values(&(&u * 2))), (&[3][..], &[3, 1][..], vec![8.0]));
            let (_, _, u) = linalg::lu(&make([1, 3], &[1.0, 4.0, 2.0])).unwrap();
            assert_eq!(values(&(&u * 2)), [2.0, 8.0, 4.0]);
            let solved = linalg::solve(&make([1, 1], &[2.0]), &make([1, 1], &[5.0])).unwrap();
            assert_eq!((solved.shape(), values(&solved)), (&[1, 1][..], vec![2.5]));
        }
    }
    let (lu, _) = linalg::lu_factor(&ops::ones([1500, 1500], Dtype::Float32).unwrap()).unwrap();
    assert_eq!(values(&lu.exp().index((0, ..2))), [f64::from(1_f32.exp()); 2]);
    programs::end();
}

/// What else factorises, or would by LU: its results are whole, also when what follows takes their memory.
fn one_by_one() {
    let values = |x: &Tensor| x.astype(Dtype::Float64).to_vec::<f64>().unwrap();
    let ln = |x: f64, dtype| if dtype == Dtype::Float32 { f64::from((x as f32).ln()) } else { x.ln() };
    for turn in 0..200 {
        let dtype = [Dtype::Float32, Dtype::Float64][turn % 2];
        let make = |shape: &[i32], from: &[f32]| Tensor::from_shape_slice(shape, from).unwrap().astype(dtype);
        for shape in [&[1, 1][..], &[1, 1, 1], &[2, 1, 1], &[3, 4, 4]] {
            let (count, side) = (shape[..shape.len() - 2].iter().product::<i32>(), shape[shape.len() - 1]);
            let x = || ops::eye(side, side, 0, dtype).unwrap().broadcast_to(shape) * 2;
            let each = |value: f64| vec![value; count as usize];
            let det = f64::from(2_i32.pow(side as u32));
            assert_eq!(values(&(linalg::det(&x()).unwrap() * 2)), each(2.0 * det));
            let (sign, log) = linalg::slogdet(&x()).unwrap();
            assert_eq!((values(&(sign * 3)), values(&(log * 2)).len()), (each(3.0), count as usize));
            for inverse in [linalg::inv(&x()), linalg::pinv(&x())] {
                let whole = values(&(inverse.unwrap() * 4).sum(..));
                assert_eq!(whole, [2.0 * f64::from(count * side)]);
            }
            let solved = linalg::solve(&x(), &x()).unwrap();
            assert_eq!(values(&(solved * 2).sum(..)), [2.0 * f64::from(count * side)]);
        }
        let (_, log) = linalg::slogdet(&make(&[1, 1], &[-1.5])).unwrap();
        assert_eq!(values(&(log * 1)), [ln(1.5, dtype)]);
    }
    programs::end();
}
