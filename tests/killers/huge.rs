//! Shapes whose number of bytes wraps around 64 bits, and memory that nobody has.

use crate::{panics, programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Result, Tensor, ops, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("wrap_add", wrap_add),
    ("wrap_matmul", wrap_matmul),
    ("wrap_astype", wrap_astype),
    ("wrap_concatenate", wrap_concatenate),
    ("wrap_broadcast_to", wrap_broadcast_to),
    ("wrap_full", wrap_full),
    ("wrap_reductions", wrap_reductions),
    ("wrap_select", wrap_select),
    ("wrap_shaping", wrap_shaping),
    ("arange_without_end", arange_without_end),
    ("copy_of_a_view_beyond_memory", copy_of_a_view_beyond_memory),
    ("memory_nobody_has_full", memory_nobody_has_full),
    ("memory_nobody_has_matmul", memory_nobody_has_matmul),
    ("memory_nobody_has_and_its_neighbours", memory_nobody_has_and_its_neighbours),
];

const SIDE: i32 = 1 << 16;

/// Shape and dtype without values in memory: one element, seen again and again.
fn view(shape: &[i32], dtype: Dtype) -> Tensor {
    Tensor::scalar(1, dtype).unwrap().broadcast_to(shape)
}

#[track_caller]
fn too_large(tensor: Result<Tensor>) {
    let error = tensor.map(|tensor| format!("{tensor:?}")).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::Shape, "{error}");
}

fn wrap_add() {
    for dtype in Dtype::ALL {
        let (a, b) = (view(&[SIDE, 1, SIDE, 1], dtype), view(&[1, SIDE, 1, SIDE], dtype));
        too_large(ops::add(&a, &b));
        too_large(ops::maximum(&a, &b));
        too_large(ops::equal(&a, &b));
        panics("takes more than", || &a + &b);
    }
    let (a, b) = (view(&[SIDE, 1, SIDE, 1], Dtype::Int32), view(&[1, SIDE, 1, SIDE], Dtype::Int32));
    too_large(ops::floor_divide(&a, &b));
    too_large(ops::floor_divide(&a, &b + 0));
    programs::end();
}

fn wrap_matmul() {
    let (column, row) = (view(&[i32::MAX, 1], Dtype::Float32), view(&[1, i32::MAX], Dtype::Float32));
    too_large(ops::matmul(&column, &row));
    let batch = view(&[1 << 15, 1, SIDE, 1], Dtype::Float32);
    let other = view(&[1, 1 << 15, 1, SIDE], Dtype::Float32);
    too_large(ops::matmul(&batch, &other));
    too_large(ops::addmm(&tensor![0.0], &column, &row, 1.0, 1.0));
    programs::end();
}

fn wrap_astype() {
    let bytes = view(&[i32::MAX, 1 << 30, 2], Dtype::Uint8);
    too_large(ops::astype(&bytes, Dtype::Float64));
    too_large(ops::astype(&bytes, Dtype::Complex64));
    too_large(ops::astype(&bytes, Dtype::Float32));
    too_large(ops::add(&bytes, 0.5));
    too_large(ops::divide(&bytes, 2));
    too_large(ops::exp(&bytes));
    programs::end();
}

fn wrap_concatenate() {
    let half = view(&[1 << 20, 1 << 20, 1 << 20], Dtype::Uint8);
    let wide: Vec<&Tensor> = vec![&half; 32];
    too_large(ops::concatenate(wide, 0));
    let float = Tensor::scalar(1.0, Dtype::Float64).unwrap().broadcast_to([1, 1 << 20, 1 << 20]);
    too_large(ops::concatenate([&half, &float], 0));
    programs::end();
}

fn wrap_broadcast_to() {
    let x = tensor![1.0];
    for shape in [&[SIDE; 4][..], &[i32::MAX; 3], &[i32::MAX; 9], &[1 << 30, 1 << 30, 2]] {
        too_large(ops::broadcast_to(&x, shape));
    }
    // A 0 makes every product 0.
    let empty = Tensor::from_slice::<f32>(&[]).unwrap();
    let wide = ops::broadcast_to(&empty, [i32::MAX, i32::MAX, i32::MAX, 0]).unwrap();
    assert_eq!((wide.size(), wide.nbytes()), (0, 0));
    assert!(wide.to_vec::<f32>().unwrap().is_empty());
    assert!((&wide + 1.0).to_vec::<f32>().unwrap().is_empty());
    programs::end();
}

fn wrap_full() {
    for shape in [&[SIDE; 4][..], &[i32::MAX; 3], &[1 << 30, 1 << 30, 8]] {
        too_large(ops::zeros(shape, Dtype::Uint8));
        too_large(ops::ones(shape, Dtype::Complex64));
        too_large(ops::full(shape, 3, Dtype::Int64));
        too_large(ops::full(shape, &tensor![1], Dtype::Int32));
        too_large(Tensor::from_shape_slice::<u8>(shape, &[]));
    }
    programs::end();
}

/// A small result of a huge operand: MLX casts the operand first, out of sight. Nothing is evaluated here, for it
/// would take years.
fn wrap_reductions() {
    let bytes = view(&[i32::MAX, 1 << 30, 2], Dtype::Uint8);
    too_large(ops::softmax(&bytes, -1));
    for built in [ops::sum(&bytes, ..), ops::mean(&bytes, 0), ops::max(&bytes, ..), ops::var(&bytes, .., 0)] {
        drop(built);
    }
    programs::end();
}

fn wrap_select() {
    let (a, b) = (view(&[SIDE, 1, SIDE, 1], Dtype::Float32), view(&[1, SIDE, 1, SIDE], Dtype::Float32));
    too_large(ops::where_(a.gt(0), &b, 0));
    too_large(ops::where_(true, &a, &b));
    too_large(ops::clip(&a, &b, ..));
    programs::end();
}

fn wrap_shaping() {
    let x = view(&[1 << 30, 1 << 30], Dtype::Float32);
    for shape in [&[1 << 30, 1 << 30, 16][..], &[i32::MAX, i32::MAX, 2], &[0, 1 << 30]] {
        assert!(ops::reshape(&x, shape).is_err());
    }
    assert!(ops::reshape(&x, [-1]).is_err());
    assert_eq!(x.t().shape(), [1 << 30, 1 << 30]);
    assert_eq!(x.index((5, 6)).to_vec::<f32>().unwrap(), [1.0]);
    assert_eq!(x.index((Slice::step(.., 1 << 29), ..2)).to_vec::<f32>().unwrap(), [1.0; 4]);
    programs::end();
}

fn arange_without_end() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (start, stop, step) in [
        (nan, 1.0, 1.0),
        (0.0, nan, 1.0),
        (0.0, 1.0, nan),
        (0.0, inf, 1.0),
        (-inf, 0.0, 1.0),
        (0.0, 1.0, 0.0),
        (0.0, 1.0, -0.0),
        (0.0, 1.0, 1e-300),
        (0.0, 1.0, f64::MIN_POSITIVE / 4.0),
        (0.0, 1e300, 1.0),
        (f64::MIN, f64::MAX, 1.0),
    ] {
        assert!(ops::arange(start, stop, step).is_err(), "{start} {stop} {step}");
        assert!(ops::arange_dtype(start, stop, step, Dtype::Float64).is_err(), "{start} {stop} {step}");
    }
    assert!(ops::arange(i64::MIN, i64::MAX, 1).is_err());
    assert!(ops::arange(0, u64::MAX, 1).is_err());
    assert!(ops::arange(0, i64::MAX, i64::MAX).unwrap().eval().is_ok());
    assert!(ops::arange(0.0, 1.0, inf).is_err() || ops::arange(0.0, 1.0, inf).unwrap().eval().is_ok());
    assert!(ops::arange(5, 0, 1).unwrap().to_vec::<i32>().unwrap().is_empty());
    for dtype in Dtype::ALL {
        assert!(
            ops::arange_dtype(0, 300, 1, dtype).and_then(|x| x.eval()).is_ok()
                || dtype == Dtype::Bool
                || dtype == Dtype::Complex64
        );
    }
    programs::end();
}

/// The view itself takes four bytes; a copy of it cannot be made.
fn copy_of_a_view_beyond_memory() {
    let x = view(&[1 << 30, 1 << 20], Dtype::Float32);
    x.eval().unwrap();
    assert!(x.to_vec::<f32>().is_err());
    assert!(x.to_bytes().is_err());
    assert!(x.as_slice::<f32>().is_err());
    programs::end();
}

fn memory_nobody_has_full() {
    let zeros = ops::zeros([1 << 30, 1 << 20], Dtype::Float32).and_then(|x| ops::add(&x, 1.0));
    refused(zeros, ErrorKind::Eval);
    programs::end();
}

fn memory_nobody_has_matmul() {
    let (column, row) = (view(&[1 << 30, 1], Dtype::Float32), view(&[1, 1 << 20], Dtype::Float32));
    refused(ops::matmul(&column, &row), ErrorKind::Eval);
    programs::end();
}

/// The failure is nobody else's: what the same batch was to compute can be computed after it.
fn memory_nobody_has_and_its_neighbours() {
    let innocent = tensor![1.0] + 1.0;
    let column = &view(&[1 << 30, 1], Dtype::Float32) * &innocent;
    let product = ops::matmul(&column, &view(&[1, 1 << 20], Dtype::Float32)).unwrap();
    assert!(product.eval().is_err() && product.eval().is_err());
    assert_eq!(innocent.to_vec::<f32>().unwrap(), [2.0]);
    assert_eq!((tensor![1.0] * 3.0).to_vec::<f32>().unwrap(), [3.0]);
    programs::end();
}
