//! Shapes, windows onto memory, parts and pads out of bounds.

use crate::{check, programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Tensor, ops, ops::Meshgrid, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("unflatten_without_a_product", unflatten_without_a_product),
    ("windows_outside_memory", windows_outside_memory),
    ("windows_inside_memory", windows_inside_memory),
    ("view_of_sizes_that_wrap", view_of_sizes_that_wrap),
    ("view_gives_bools_of_any_byte", view_gives_bools_of_any_byte),
    ("pad_with_nothing", pad_with_nothing),
    ("parts_beyond_counting", parts_beyond_counting),
    ("grids_beyond_memory", grids_beyond_memory),
    ("diag_beyond_memory", diag_beyond_memory),
    ("trace_of_nothing_out_of_order", trace_of_nothing_out_of_order),
    ("repeats_beyond_counting", repeats_beyond_counting),
];

const SIDE: i32 = 1 << 16;

/// A shape without values in memory: one element, seen again and again.
fn seen_as(shape: &[i32]) -> Tensor {
    tensor![1.0].index(0).broadcast_to(shape)
}

/// MLX divides by 0, or takes a product that wrapped around for the size.
fn unflatten_without_a_product() {
    let (six, none) = (tensor![1, 2, 3, 4, 5, 6], ops::zeros([0], Dtype::Float32).unwrap());
    for shape in [&[0, -1][..], &[-1, 0], &[SIDE, SIDE, SIDE, SIDE, -1], &[SIDE, SIDE, SIDE, SIDE], &[-2, -3]]
    {
        refused(ops::unflatten(&six, 0, shape), ErrorKind::Shape);
        refused(ops::unflatten(&none, -1, shape), ErrorKind::Shape);
    }
    refused(ops::unflatten(&six, 0, [-2, -3, -1]), ErrorKind::Shape);
    for axis in [1, -2, i32::MIN, i32::MAX] {
        assert!(ops::unflatten(&six, axis, [0, -1]).is_err());
    }
    check(ops::unflatten(&six, 0, [2, -1]), &[1, 2, 3, 4, 5, 6]);
    check(ops::unflatten(&none, 0, [SIDE, SIDE, SIDE, SIDE, 0]), &[]);
    programs::end();
}

fn windows_outside_memory() {
    let x = tensor![1, 2, 3, 4, 5, 6];
    let none = ops::zeros([0], Dtype::Int32).unwrap();
    let outside = |shape: &[i32], strides: &[i64], offset: usize| {
        refused(ops::as_strided(&x, shape, strides, offset), ErrorKind::Shape);
        refused(ops::as_strided(&none, shape, strides, offset), ErrorKind::Shape);
    };
    outside(&[7], &[1], 0);
    outside(&[6], &[1], 1);
    outside(&[2], &[-1], 0);
    outside(&[], &[], 6);
    outside(&[], &[], usize::MAX);
    outside(&[0], &[1], 7);
    outside(&[2], &[i64::MAX], 0);
    outside(&[2], &[i64::MIN], 5);
    outside(&[i32::MAX, i32::MAX], &[i64::MAX, i64::MAX], usize::MAX);
    outside(&[i32::MAX, i32::MAX], &[i64::MAX, i64::MIN], 3);
    outside(&[SIDE, SIDE, SIDE, SIDE], &[0, 0, 0, 0], 0);
    outside(&[2, 3], &[3], 0);
    outside(&[2], &[3, 1], 0);
    outside(&[1], &[], 0);
    assert!(ops::as_strided(&x, [-1], &[1], 0).is_err());
    assert!(ops::as_strided(&x, [-1, -6], &[1, 1], 0).is_err());
    programs::end();
}

fn windows_inside_memory() {
    let x = tensor![1, 2, 3, 4, 5, 6];
    check(ops::as_strided(&x, [3, 2], &[1, 3], 0), &[1, 4, 2, 5, 3, 6]);
    check(ops::as_strided(&x, [6], &[-1], 5), &[6, 5, 4, 3, 2, 1]);
    check(ops::as_strided(&x, [2, 2], &[0, -2], 4), &[5, 3, 5, 3]);
    check(ops::as_strided(&x, (), &[], 5), &[6]);
    check(ops::as_strided(&x, [1, 0], &[i64::MAX, i64::MIN], 6), &[]);
    // Of a view the elements in its own order.
    let columns = x.reshape([2, 3]).t();
    check(ops::as_strided(&columns, [2], &[5], 0), &[1, 6]);
    // Whose memory is not in order, and which MLX does not copy.
    let every_other = x.index(Slice::step(.., 2));
    refused(ops::as_strided(&every_other, [3], &[1], 0), ErrorKind::Eval);
    check(ops::as_strided(&every_other.contiguous(), [3], &[1], 0), &[1, 3, 5]);
    // Nobody writes into a window that others see.
    let windows = x.as_strided([5, 2], &[1, 1], 0);
    let sums = (&windows + &windows) * 2;
    drop(windows);
    check(sums.sum(..).eval().map(|()| sums.sum(..)), &[4 * (1 + 2 * (2 + 3 + 4 + 5) + 6)]);
    check(Ok(x), &[1, 2, 3, 4, 5, 6]);
    programs::end();
}

/// A last size of 2^32 bytes becomes 0, one of a little more a small one: shapes that look good.
fn view_of_sizes_that_wrap() {
    for (shape, dtype) in [
        (&[1 << 30][..], Dtype::Int8),
        (&[(1 << 30) + 1], Dtype::Int8),
        (&[3, 1 << 29], Dtype::Bool),
        (&[i32::MAX], Dtype::Uint16),
    ] {
        refused(ops::view(seen_as(shape), dtype), ErrorKind::Shape);
    }
    assert_eq!(seen_as(&[i32::MAX]).view(Dtype::Int32).shape(), [i32::MAX]);
    assert_eq!(seen_as(&[1 << 28]).view(Dtype::Int8).shape(), [1 << 30]);
    programs::end();
}

fn view_gives_bools_of_any_byte() {
    let bytes = Tensor::from_slice(&[0_u8, 1, 2, 255]).unwrap();
    let bools = bytes.view(Dtype::Bool);
    assert_eq!(bools.to_vec::<bool>().unwrap(), [false, true, true, true]);
    assert!(bools.as_slice::<bool>().is_err());
    check(Ok(bools.view(Dtype::Uint8)), &[0, 1, 2, 255]);
    programs::end();
}

/// MLX reads the constant's first element, which is not there.
fn pad_with_nothing() {
    let (x, none) = (tensor![1, 2], ops::zeros([0], Dtype::Int32).unwrap());
    refused(ops::pad(&x, 1, &none), ErrorKind::Shape);
    refused(ops::pad(&x, 0, &(&none + 1)), ErrorKind::Shape);
    for widths in [(-1, 0), (0, -1), (i32::MIN, i32::MAX), (i32::MAX, i32::MAX)] {
        assert!(ops::pad(&x, widths, 0).is_err());
        assert!(ops::pad(&x, [widths], ops::PadMode::Edge).is_err());
        assert!(ops::pad(&none, widths, ops::PadMode::Symmetric).is_err());
    }
    check(ops::pad(&none, 1, ops::PadMode::Edge), &[0, 0]);
    programs::end();
}

fn parts_beyond_counting() {
    let none = ops::zeros([0], Dtype::Float32).unwrap();
    assert_eq!(ops::split(&none, 1000, 0).unwrap().len(), 1000);
    assert!(ops::split(&none, i32::MAX, 0).is_err());
    assert!(ops::split(&seen_as(&[1 << 30]), 1 << 30, 0).is_err());
    assert!(ops::unstack(&seen_as(&[i32::MAX]), 0).is_err());
    for parts in [0, -1, i32::MIN] {
        assert!(ops::split(&tensor![1, 2], parts, 0).is_err());
    }
    let ends = ops::split(&tensor![1, 2, 3], [i32::MIN, i32::MAX], 0).unwrap();
    check(Ok(ends[1].clone()), &[1, 2, 3]);
    assert_eq!((ends[0].size(), ends[2].size()), (0, 0));
    programs::end();
}

fn grids_beyond_memory() {
    let two = tensor![1, 2];
    let many = |number: usize| ops::meshgrid(vec![&two; number], Meshgrid::new());
    assert!(many(64).is_err() && many(100_000).is_err());
    assert_eq!(many(10).unwrap()[9].size(), 1024);
    let one = tensor![7];
    assert_eq!(ops::meshgrid(vec![&one; 500], Meshgrid::new()).unwrap()[0].ndim(), 500);
    let sides = [seen_as(&[i32::MAX, 1, 1]), seen_as(&[i32::MAX, 1]), seen_as(&[i32::MAX])];
    assert!(ops::broadcast_arrays(&sides).is_err());
    programs::end();
}

fn diag_beyond_memory() {
    let none = ops::zeros([0], Dtype::Float32).unwrap();
    for k in [i32::MAX, i32::MIN, i32::MAX - 1] {
        assert!(ops::diag(&none, k).and_then(|x| x.eval()).is_err());
        assert!(ops::diag(&tensor![1, 2], k).and_then(|x| x.eval()).is_err());
        check(ops::diagonal(&tensor![[1, 2], [3, 4]], k, [0, 1]), &[]);
        check(ops::trace(&tensor![[1, 2], [3, 4]], k, [0, 1]), &[0]);
        let _ = ops::eye(2, 2, k, Dtype::Float32).and_then(|x| x.eval());
        let _ = ops::tri(2, 2, k, Dtype::Float32).and_then(|x| x.eval());
    }
    programs::end();
}

/// The sum of nothing inside MLX's function, of diagonals that lie across: foreign memory, or no end.
fn trace_of_nothing_out_of_order() {
    for _ in 0..20 {
        tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].transpose(..).sum(0).eval().unwrap();
        check(ops::trace(&ops::ones([5, 3, 2], Dtype::Float32).unwrap(), 9, [1, 2]), &[0; 5]);
        check(ops::trace(&ops::ones([4, 0, 2], Dtype::Float32).unwrap(), 0, [1, 2]), &[0; 4]);
        check(ops::trace(&ops::ones([2, 3, 4], Dtype::Float32).unwrap(), -7, [0, 2]), &[0; 3]);
    }
    programs::end();
}

fn repeats_beyond_counting() {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    for number in [i32::MAX, i32::MIN, -1] {
        assert!(ops::repeat(&x, number, 1).is_err());
        assert!(ops::repeat(&x, number, ..).is_err());
        assert!(ops::tile(&x, number).is_err());
        assert!(ops::tile(&x, [number, number, number]).is_err());
        assert_eq!(ops::roll(&x, number, ..).unwrap().size(), 6);
        assert_eq!(ops::roll(&x, number, [0, 1, -1]).unwrap().to_vec::<i32>().unwrap().len(), 6);
    }
    assert!(ops::roll(&x, [i32::MAX, i32::MAX], 0).is_err());
    assert!(ops::concatenate([&seen_as(&[i32::MAX]), &seen_as(&[2])], 0).is_err());
    assert!(ops::stack([&seen_as(&[i32::MAX, 1 << 30]), &seen_as(&[i32::MAX, 1 << 30])], 0).is_err());
    assert!(ops::flatten(&seen_as(&[SIDE, SIDE]), ..).is_err());
    programs::end();
}
