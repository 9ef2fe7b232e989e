//! Views whose strides or flags MLX takes for what they are not: it reads foreign memory through them, or writes behind
//! the results of what is computed with them.

use crate::{check, programs, programs::Program};
use mlx::{
    Dtype, Result, Tensor, linalg, ops,
    prelude::*,
    transforms::{compile, grad, vmap},
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("narrow_views_of_one_position", narrow_views_of_one_position),
    ("parts_of_tensors_with_gaps", parts_of_tensors_with_gaps),
    ("reductions_of_windows_that_overlap", reductions_of_windows_that_overlap),
    ("views_of_windows_that_overlap", views_of_windows_that_overlap),
    ("splits_inside_transforms", splits_inside_transforms),
    ("what_mlx_cannot_transform", what_mlx_cannot_transform),
];

/// `0, 1, 2, …` in a shape.
fn counted(shape: &[i32], dtype: Dtype) -> Tensor {
    ops::arange_dtype(0, shape.iter().product::<i32>(), 1, dtype).unwrap().reshape(shape)
}

/// Lazy, and with its values.
fn lazy_and_not(make: impl Fn() -> Tensor) -> [Tensor; 2] {
    let evaluated = make();
    evaluated.eval().unwrap();
    [make(), evaluated]
}

/// The last axis of a row has any stride, which MLX keeps when the axis grows.
fn narrow_views_of_one_position() {
    let wanted: Vec<u8> = (0..4_i64).flat_map(i64::to_ne_bytes).collect();
    let row = || counted(&[1, 4], Dtype::Int64);
    for _ in 0..20 {
        for x in lazy_and_not(|| row().t()).into_iter().chain(lazy_and_not(|| row().transpose([1, 0]) * 1)) {
            let bytes = x.view(Dtype::Uint8);
            assert_eq!((bytes.shape(), bytes.to_vec::<u8>().unwrap()), (&[4, 8][..], wanted.clone()));
            check(Ok(bytes.flip(..).flip(..)), &wanted.iter().map(|&byte| byte.into()).collect::<Vec<_>>());
            assert_eq!(x.view(Dtype::Bool).any(..).to_vec::<bool>().unwrap(), [true]);
        }
        let last = [7_i64.to_ne_bytes(), [0; 8]].concat();
        for x in
            lazy_and_not(|| counted(&[4], Dtype::Int64).index((Slice::step(3.., 9), NewAxis)).reshape([1]))
        {
            assert_eq!((x + 4).view(Dtype::Uint8).to_vec::<u8>().unwrap(), last[..8]);
        }
        for x in lazy_and_not(|| counted(&[3, 1, 2], Dtype::Float32).diagonal(0, [0, 1])) {
            assert_eq!(x.view(Dtype::Uint16).to_vec::<u16>().unwrap(), [0, 0, 0, 0x3f80]);
        }
        for x in lazy_and_not(|| Tensor::scalar(5, Dtype::Int64).unwrap().broadcast_to([1])) {
            assert_eq!(x.view(Dtype::Int8).to_vec::<i8>().unwrap(), [5, 0, 0, 0, 0, 0, 0, 0]);
        }
    }
    programs::end();
}

/// A part that lies in order, of a tensor that has gaps, keeps its flag when its axes change places.
fn parts_of_tensors_with_gaps() {
    let sums: Vec<i64> =
        (0..7).map(|column| (0..20).map(|row| (315 + 70 + row * 7) + column).sum()).collect();
    for _ in 0..20 {
        for x in lazy_and_not(|| counted(&[2, 9, 5, 7], Dtype::Int32).index((.., 2..6))) {
            let whole = ops::split(&x, 2, 0).unwrap().swap_remove(1);
            let at = ops::split(&x, [1], 0).unwrap().swap_remove(1);
            let alone = ops::unstack(&x, 0).unwrap().swap_remove(1).expand_dims(0);
            let row = x.iter().next_back().unwrap().expand_dims(0);
            for part in [whole, at, alone, row] {
                let turned = part.transpose([0, 2, 1, 3]);
                check(Ok(turned.sum([1, 2])), &sums);
                assert_eq!(turned.to_vec::<i32>().unwrap()[..8], [385, 386, 387, 388, 389, 390, 391, 420]);
            }
        }
    }
    programs::end();
}

/// MLX takes the stride of a reduced axis for a number of results, and writes so many.
fn reductions_of_windows_that_overlap() {
    for _ in 0..20 {
        for x in lazy_and_not(|| counted(&[30], Dtype::Int32).as_strided([5, 5, 4], &[3, 1, 4], 0)) {
            let wanted: Vec<i64> = (0..5).flat_map(|i| (0..4).map(move |j| 12 + i + 4 * j)).collect();
            check(Ok(x.max(0)), &wanted);
            check(Ok(x.transpose(..).max(2).transpose(..)), &wanted);
            check(Ok((x.sum([0, 2]) - x.expand_dims(0).sum([1, 3])).max(..)), &[0]);
        }
        for x in lazy_and_not(|| counted(&[11], Dtype::Float32).as_strided([4, 3], &[2, 1], 2)) {
            check(Ok(x.reshape([1, 2, 2, 3]).transpose([1, 2, 0, 3]).sum(1)), &[6, 8, 10, 14, 16, 18]);
            check(Ok(x.mean(0)), &[5, 6, 7]);
        }
    }
    programs::end();
}

/// A slice of one goes for gapless where its steps back and forth happen to fill a row.
fn views_of_windows_that_overlap() {
    let windows = || counted(&[9], Dtype::Int32).as_strided([2, 2, 4], &[-3, 1, -1], 6);
    let wanted: Vec<i64> = vec![6, 5, 4, 3, 7, 6, 5, 4, 3, 2, 1, 0, 4, 3, 2, 1];
    for _ in 0..20 {
        for x in lazy_and_not(windows) {
            check(Ok(x.flip(..).astype(Dtype::Float32).flip(..)), &wanted);
            check(Ok((-x.flip(1)).flip(1) * -1), &wanted);
        }
    }
    programs::end();
}

/// A placeholder has no strides: what comes in its place may be reversed, or have gaps.
fn splits_inside_transforms() {
    let rows = || counted(&[3, 4], Dtype::Float32);
    let parts = |x: &Tensor| -> Result<Vec<Tensor>> {
        ops::split(x, 2, 0)?.into_iter().map(|part| ops::add(&part, 1)).collect()
    };
    let turned = |x: &Tensor| x.index(Slice::step(.., -1));
    let compiled = compile(|x: &Tensor| parts(&x.index(0)));
    let inner = compile(parts);
    let outer = compile(|x: &Tensor| inner.call(&x.index(0)));
    for _ in 0..20 {
        for x in [rows(), rows().t().flip(1).t(), rows() * 1] {
            for x in [x.clone(), turned(&x), x.index((.., Slice::step(.., -1)))] {
                let [a, b] = &vmap(parts, &x).unwrap()[..] else { panic!("two parts") };
                let whole = ops::concatenate([a, b], 1).unwrap();
                let wanted = (&x + 1).to_vec::<f32>().unwrap();
                assert_eq!(whole.to_vec::<f32>().unwrap(), wanted);
                for f in [&compiled.call(&x).unwrap(), &outer.call(&x).unwrap()] {
                    assert_eq!(ops::concatenate(f, 0).unwrap().to_vec::<f32>().unwrap(), wanted[..4]);
                }
                let crossed = vmap(|x| linalg::cross(x, x, -1), &x.index((.., ..3))).unwrap();
                assert_eq!(crossed.to_vec::<f32>().unwrap(), [0.0; 9]);
            }
        }
    }
    programs::end();
}

fn what_mlx_cannot_transform() {
    let x = tensor![1.0, 2.0];
    let padded = |(x, value): &(Tensor, Tensor)| ops::pad(x, 1, value).map(|y| y.sum(..));
    let error = grad(padded, &(x.clone(), tensor![3.0].reshape([0_i32; 0]))).map(drop).unwrap_err();
    assert!(error.message().contains("no gradient"), "{error}");
    let error = vmap(|x: &Tensor| ops::divmod(x, 2.0).map(<[Tensor; 2]>::from), &x).map(drop).unwrap_err();
    assert!(error.message().contains("cannot vectorise"), "{error}");
    let fixed = grad(|x| ops::pad(x, 1, tensor![3.0].reshape([0_i32; 0])).map(|y| y.sum(..)), &x).unwrap();
    assert_eq!(fixed.to_vec::<f32>().unwrap(), [1.0, 1.0]);
    programs::end();
}
