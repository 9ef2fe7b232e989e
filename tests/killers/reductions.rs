//! Reductions and softmax of nothing, and of 0-d tensors.

use crate::{programs, programs::Program};
use mlx::{Dtype, Result, Tensor, axes, ops, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("sum_of_nothing", sum_of_nothing),
    ("reductions_of_nothing_out_of_order", reductions_of_nothing_out_of_order),
    ("mean_and_var_of_nothing", mean_and_var_of_nothing),
    ("max_and_min_of_nothing", max_and_min_of_nothing),
    ("softmax_of_nothing", softmax_of_nothing),
    ("reductions_of_zero_dimensions", reductions_of_zero_dimensions),
    ("reductions_over_no_axes", reductions_over_no_axes),
    ("matmul_of_nothing", matmul_of_nothing),
    ("matmul_of_nothing_and_a_view", matmul_of_nothing_and_a_view),
    ("var_with_any_ddof", var_with_any_ddof),
];

fn empty(shape: &[i32], dtype: Dtype) -> Tensor {
    ops::zeros(shape, dtype).unwrap()
}

/// Every element, as float32, NaN equal to NaN.
#[track_caller]
fn check(tensor: Result<Tensor>, shape: &[i32], wanted: &[f32]) {
    let tensor = tensor.expect("a value");
    assert_eq!(tensor.shape(), shape);
    let found = tensor.astype(Dtype::Float32).to_vec::<f32>().expect("a value");
    assert!(
        found.len() == wanted.len()
            && found.iter().zip(wanted).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()),
        "{found:?} instead of {wanted:?}"
    );
}

fn sum_of_nothing() {
    for dtype in Dtype::ALL {
        check(ops::sum(&empty(&[0], dtype), ..), &[], &[0.0]);
        check(ops::sum(&empty(&[2, 0], dtype), -1), &[2], &[0.0, 0.0]);
        check(ops::sum(&empty(&[2, 0], dtype), 0), &[0], &[]);
        check(ops::sum(&empty(&[0, 3], dtype), axes(0).keep()), &[1, 3], &[0.0; 3]);
    }
    programs::end();
}

/// MLX reads foreign memory for the first ones and does not end at the others; what the stack holds decides.
fn reductions_of_nothing_out_of_order() {
    let turned = |shape: [i32; 3]| ops::transpose(&empty(&shape, Dtype::Float32), [0, 2, 1]).unwrap();
    for lazy in [true, false] {
        let of = |x: Tensor| {
            (!lazy).then(|| x.eval().unwrap());
            x
        };
        for _ in 0..20 {
            tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].transpose(..).sum(0).eval().unwrap();
            check(ops::sum(&of(turned([3, 0, 5])), [1, 2]), &[3], &[0.0; 3]);
            check(ops::sum(&of(turned([3, 0, 2])), 2), &[3, 2], &[0.0; 6]);
            check(ops::mean(&of(turned([3, 0, 1])), 2), &[3, 1], &[f32::NAN; 3]);
            check(ops::var(&of(turned([1, 0, 3])), 2, 0), &[1, 3], &[f32::NAN; 3]);
            check(ops::sum(&of(empty(&[7, 0], Dtype::Float32).transpose(..)), 0), &[7], &[0.0; 7]);
        }
    }
    programs::end();
}

fn mean_and_var_of_nothing() {
    for dtype in Dtype::ALL {
        check(ops::mean(&empty(&[0], dtype), ..), &[], &[f32::NAN]);
        check(ops::mean(&empty(&[2, 0], dtype), 1), &[2], &[f32::NAN; 2]);
        check(ops::mean(&empty(&[2, 0], dtype), 0), &[0], &[]);
        check(ops::var(&empty(&[0], dtype), .., 0), &[], &[f32::NAN]);
        check(ops::var(&empty(&[0, 2], dtype), 0, 1), &[2], &[f32::NAN; 2]);
    }
    programs::end();
}

fn max_and_min_of_nothing() {
    for dtype in Dtype::ALL {
        let reductions: [fn(&Tensor, i32) -> Result<Tensor>; 2] =
            [|x, axis| ops::max(x, axis), |x, axis| ops::min(x, axis)];
        for reduce in reductions {
            assert!(reduce(&empty(&[0], dtype), 0).is_err());
            assert!(reduce(&empty(&[2, 0], dtype), 1).is_err());
            // One axis is empty and another is reduced: nothing is asked of the empty one.
            if let Ok(none) = reduce(&empty(&[2, 0], dtype), 0) {
                check(Ok(none), &[0], &[]);
            }
        }
        assert!(ops::max(&empty(&[0], dtype), ..).is_err() && ops::min(&empty(&[0, 3], dtype), ..).is_err());
    }
    programs::end();
}

fn softmax_of_nothing() {
    for dtype in Dtype::ALL {
        for x in [empty(&[0], dtype), empty(&[2, 0], dtype), empty(&[0, 3], dtype), empty(&[0, 0, 0], dtype)]
        {
            // Complex numbers are refused, some empty axes too.
            let found = [
                ops::softmax(&x, -1),
                ops::softmax(&x, ..),
                ops::softmax(&x, 0),
                ops::softmax_precise(&x, -1),
            ];
            for found in found.into_iter().flatten() {
                check(Ok(found), x.shape(), &[]);
            }
        }
    }
    programs::end();
}

fn reductions_of_zero_dimensions() {
    for dtype in Dtype::ALL {
        let x = Tensor::scalar(1, dtype).unwrap();
        check(ops::sum(&x, ..), &[], &[1.0]);
        check(ops::mean(&x, ..), &[], &[1.0]);
        check(ops::max(&x, ..), &[], &[1.0]);
        check(ops::min(&x, ..), &[], &[1.0]);
        check(ops::var(&x, .., 0), &[], &[0.0]);
        for axis in [0, -1, 1] {
            assert!(
                ops::sum(&x, axis).is_err() && ops::max(&x, axis).is_err() && ops::mean(&x, axis).is_err()
            );
            assert!(ops::var(&x, axis, 0).is_err() && ops::softmax(&x, axis).is_err());
        }
        if let Ok(one) = ops::softmax(&x, ..) {
            check(Ok(one), &[], &[1.0]);
        }
    }
    programs::end();
}

fn reductions_over_no_axes() {
    let x = tensor![1.0, 3.0];
    check(ops::sum(&x, [0_i32; 0]), &[2], &[1.0, 3.0]);
    check(ops::max(&x, [0_i32; 0]), &[2], &[1.0, 3.0]);
    check(ops::mean(&x, [0_i32; 0]), &[2], &[1.0, 3.0]);
    check(ops::var(&x, [0_i32; 0], 0), &[2], &[0.0, 0.0]);
    if let Ok(found) = ops::softmax(&x, [0_i32; 0]) {
        check(Ok(found), &[2], &[1.0, 1.0]);
    }
    let list: Vec<i32> = (0..100).collect();
    assert!(ops::sum(&x, &list[..]).is_err());
    programs::end();
}

fn matmul_of_nothing() {
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16, Dtype::Float64, Dtype::Complex64] {
        let (tall, wide) = (empty(&[2, 0], dtype), empty(&[0, 3], dtype));
        check(ops::matmul(&tall, &wide), &[2, 3], &[0.0; 6]);
        check(ops::matmul(&wide, &empty(&[3, 2], dtype)), &[0, 2], &[]);
        check(ops::matmul(&empty(&[0], dtype), &empty(&[0], dtype)), &[], &[0.0]);
        check(ops::matmul(&empty(&[0, 2, 3], dtype), &empty(&[3, 2], dtype)), &[0, 2, 2], &[]);
        check(ops::addmm(&tensor![1.0].astype(dtype), &tall, &wide, 1.0, 2.0), &[2, 3], &[2.0; 6]);
        assert!(ops::matmul(&Tensor::scalar(1, dtype).unwrap(), &wide).is_err());
        assert!(ops::matmul(&wide, &wide).is_err());
    }
    programs::end();
}

/// MLX's copy of the view is written after its memory was given back, and maybe to somebody else.
fn matmul_of_nothing_and_a_view() {
    let _limit = mlx::memory::set_cache_limit(0).unwrap();
    let none = empty(&[16, 33, 64, 0], Dtype::Float32);
    for turn in 0..100 {
        let whole = ops::full([16, 33, 32, 65], f64::from(turn), Dtype::Float32).unwrap();
        let view = ops::index(&whole, (mlx::prelude::Ellipsis, 1..)).unwrap();
        check(ops::matmul(&view, &none), &[16, 33, 32, 0], &[]);
        check(ops::addmm(&tensor![1.0], &view, &none, 1.0, 1.0), &[16, 33, 32, 0], &[]);
        check(ops::matmul(&empty(&[0, 32], Dtype::Float32), &view), &[16, 33, 0, 64], &[]);
    }
    programs::end();
}

fn var_with_any_ddof() {
    let x = tensor![1.0, 3.0];
    for ddof in [2, 3, -1, i32::MAX, i32::MIN] {
        assert_eq!(ops::var(&x, .., ddof).unwrap().to_vec::<f32>().unwrap().len(), 1);
    }
    programs::end();
}
