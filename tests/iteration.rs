//! Rows of tensors, sums and products of iterators: values, and the nodes of Python MLX 0.32.2.

#[path = "support/labels.rs"]
mod labels;

use labels::labels;
use mlx::{Dtype, ops, prelude::*};

/// The values of each row, and the nodes of each, which are the same for all.
#[track_caller]
fn check(x: &Tensor, rows: &[&[i32]], nodes: &[&str]) {
    let found: Vec<Tensor> = x.into_iter().collect();
    for row in &found {
        assert_eq!(labels(row), nodes);
        assert_eq!(row.shape(), &x.shape()[1..]);
    }
    let values: Vec<Vec<i32>> = found.iter().map(|row| row.to_vec().unwrap()).collect();
    assert_eq!(values, rows);
    let back: Vec<Vec<i32>> = x.iter().rev().map(|row| row.to_vec().unwrap()).collect();
    assert_eq!(back, rows.iter().rev().map(|row| row.to_vec()).collect::<Vec<_>>());
    assert_eq!((x.iter().len(), x.iter().count()), (rows.len(), rows.len()));
}

#[test]
fn rows_of_short_axes_come_from_one_split() {
    check(&tensor![[1, 2], [3, 4], [5, 6]], &[&[1, 2], &[3, 4], &[5, 6]], &["Split", "Squeeze"]);
    check(&tensor![[1, 2]], &[&[1, 2]], &["Squeeze"]);
    check(&tensor![7, 8], &[&[7], &[8]], &["Split", "Squeeze"]);
    check(&tensor![[[1], [2]], [[3], [4]]], &[&[1, 2], &[3, 4]], &["Split", "Squeeze"]);
    let nine: Vec<i32> = (0..9).collect();
    let rows: Vec<&[i32]> = nine.chunks(1).collect();
    check(&Tensor::from_slice(&nine).unwrap(), &rows, &["Split", "Squeeze"]);
    // One node for all of them, not one a row.
    let all: Vec<Tensor> = tensor![[1], [2], [3]].iter().collect();
    assert_eq!(
        labels(&ops::concatenate(&all, 0).unwrap()).iter().filter(|label| *label == "Split").count(),
        1
    );
}

#[test]
fn rows_of_long_axes_are_slices() {
    let twelve: Vec<i32> = (0..12).collect();
    let rows: Vec<&[i32]> = twelve.chunks(1).collect();
    check(&Tensor::from_slice(&twelve).unwrap(), &rows, &["Slice", "Reshape"]);
    check(&Tensor::from_shape_slice([12, 1], &twelve).unwrap(), &rows, &["Slice", "Reshape"]);
    check(&Tensor::from_slice(&twelve[..10]).unwrap(), &rows[..10], &["Slice", "Reshape"]);
}

#[test]
fn both_ends_and_skips_meet() {
    for x in [ops::arange(0, 6, 1).unwrap(), ops::arange(0, 30, 1).unwrap()] {
        let last = x.dim(0) - 1;
        let mut rows = x.iter();
        let item = |row: Option<Tensor>| row.map(|row| row.item::<i32>().unwrap());
        assert_eq!((item(rows.next()), item(rows.next_back())), (Some(0), Some(last)));
        assert_eq!((item(rows.nth(1)), rows.len() as i32), (Some(2), last - 3));
        assert_eq!(item(rows.nth_back(0)), Some(last - 1));
        assert_eq!((item(rows.nth(100)), rows.len()), (None, 0));
        assert_eq!(
            (item(rows.next()), item(rows.next_back()), item(rows.nth(usize::MAX))),
            (None, None, None)
        );
    }
    let empty = ops::zeros([0, 3], Dtype::Int32).unwrap();
    assert_eq!((empty.iter().len(), empty.iter().count()), (0, 0));
    let widths: Vec<usize> = ops::zeros([3, 0], Dtype::Int32).unwrap().iter().map(|row| row.size()).collect();
    assert_eq!(widths, [0, 0, 0]);
}

#[test]
#[should_panic(expected = "iteration over a 0-d tensor (operands: int32 [])")]
fn nothing_to_iterate_over() {
    let _ = ops::sum(&tensor![1], ..).unwrap().iter();
}

/// `sum()` starts at 0, `math.prod()` at 1, and the tensor is put first, as `int + array` is in Python.
#[test]
fn sums_and_products() {
    let (a, b) = (tensor![1.0, 2.0], tensor![[3.0], [4.0]]);
    let total: Tensor = [&a, &b].into_iter().sum();
    assert_eq!(total.to_vec::<f32>().unwrap(), [4.0, 5.0, 5.0, 6.0]);
    let total: Tensor = [&a, &b].into_iter().sum();
    assert_eq!(labels(&total), ["Broadcast", "Add", "Broadcast", "Broadcast", "Add"]);
    assert_eq!(labels(&total), labels(&(0 + &a + &b)));
    let product: Tensor = vec![a.clone(), b.clone(), a.clone()].into_iter().product();
    assert_eq!(
        labels(&product),
        ["Broadcast", "Multiply", "Broadcast", "Broadcast", "Multiply", "Broadcast", "Multiply"]
    );
    assert_eq!(product.to_vec::<f32>().unwrap(), [3.0, 12.0, 4.0, 16.0]);
    let rows: Tensor = ops::zeros([3, 2], Dtype::Float32).unwrap().iter().sum();
    let nodes =
        ["Broadcast", "Full", "Split", "Squeeze", "Broadcast", "Add", "Squeeze", "Add", "Squeeze", "Add"];
    assert_eq!(labels(&rows), nodes);
}

#[test]
fn sums_of_little() {
    let nothing: [Tensor; 0] = [];
    let (sum, product): (Tensor, Tensor) = (nothing.iter().sum(), nothing.iter().product());
    assert_eq!((sum.dtype(), sum.item::<i32>().unwrap()), (Dtype::Int32, 0));
    assert_eq!((product.dtype(), product.item::<i32>().unwrap()), (Dtype::Int32, 1));
    let bools: Tensor = [tensor![true, false]].into_iter().sum();
    assert_eq!((bools.dtype(), bools.to_vec::<i32>().unwrap()), (Dtype::Int32, vec![1, 0]));
    let half: Tensor = [tensor![1.5].astype(Dtype::Bfloat16)].iter().product();
    assert_eq!(half.dtype(), Dtype::Bfloat16);
}

#[test]
#[should_panic(expected = "broadcast")]
fn shapes_that_do_not_meet() {
    let _: Tensor = [tensor![1, 2], tensor![1, 2, 3]].iter().sum();
}

#[test]
fn the_longest_axis_can_be_skipped() {
    let x = ops::broadcast_to(&tensor![1.0], [i32::MAX]).unwrap();
    let mut rows = x.iter();
    assert!(rows.nth(usize::MAX).is_none());
    assert!(rows.next().is_none() && rows.next_back().is_none());
    assert_eq!(rows.len(), 0);
    assert!(x.iter().nth(i32::MAX as usize - 1).is_some());
}
