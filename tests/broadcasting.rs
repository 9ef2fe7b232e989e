//! Broadcasting: which shapes meet, and every element where they do.

use mlx::{Tensor, ops, prelude::*};

/// `a - b` at every position of `shape`, against the rule in plain Rust; `None` when the shapes do not meet.
#[track_caller]
fn check(a: &[i32], b: &[i32], shape: Option<&[i32]>) {
    let (x, y) = (counted(a, 1000), counted(b, 1));
    for (x, y, a, b, sign) in [(&x, &y, a, b, 1), (&y, &x, b, a, -1)] {
        let Some(shape) = shape else {
            let message = ops::subtract(x, y).expect_err("shapes that do not meet").to_string();
            assert!(
                message.contains("cannot be broadcast") && message.contains(&format!("{a:?}")),
                "{message}"
            );
            continue;
        };
        let found = ops::subtract(x, y).unwrap();
        assert_eq!(found.shape(), shape);
        let positions = all_positions(shape);
        let (weight, other) = if sign == 1 { (1000, 1) } else { (1, 1000) };
        let wanted: Vec<i32> = positions.iter().map(|p| weight * place(a, p) - other * place(b, p)).collect();
        assert_eq!(found.to_vec::<i32>().unwrap(), wanted, "{a:?} - {b:?}");
        assert_eq!(ops::add(x, ops::negative(y).unwrap()).unwrap().to_vec::<i32>().unwrap(), wanted);
    }
}

/// `step` times 0, 1, 2, … in `shape`.
fn counted(shape: &[i32], step: i32) -> Tensor {
    let count: i32 = shape.iter().product();
    Tensor::from_shape_slice(shape, &(0..count).map(|i| i * step).collect::<Vec<_>>()).unwrap()
}

fn all_positions(shape: &[i32]) -> Vec<Vec<i32>> {
    shape.iter().fold(vec![vec![]], |all, &size| {
        all.iter().flat_map(|head| (0..size).map(move |i| [&head[..], &[i]].concat())).collect()
    })
}

/// The number of the element of `shape` that is seen at `position`.
fn place(shape: &[i32], position: &[i32]) -> i32 {
    let own = &position[position.len() - shape.len()..];
    shape.iter().zip(own).fold(0, |number, (&size, &i)| number * size + if size == 1 { 0 } else { i })
}

#[test]
fn shapes_that_meet() {
    check(&[2, 3], &[2, 3], Some(&[2, 3]));
    check(&[2, 3], &[3], Some(&[2, 3]));
    check(&[2, 3], &[1], Some(&[2, 3]));
    check(&[2, 3], &[], Some(&[2, 3]));
    check(&[], &[], Some(&[]));
    check(&[1], &[], Some(&[1]));
    check(&[2, 1], &[1, 3], Some(&[2, 3]));
    check(&[2, 1], &[3], Some(&[2, 3]));
    check(&[4, 1, 3], &[2, 1], Some(&[4, 2, 3]));
    check(&[1, 1, 1], &[2], Some(&[1, 1, 2]));
    check(&[2, 1, 2, 1, 2], &[3, 1, 3, 1], Some(&[2, 3, 2, 3, 2]));
}

#[test]
fn shapes_with_nothing_in_them() {
    check(&[0], &[0], Some(&[0]));
    check(&[0], &[1], Some(&[0]));
    check(&[0], &[], Some(&[0]));
    check(&[2, 0], &[1], Some(&[2, 0]));
    check(&[2, 0], &[2, 1], Some(&[2, 0]));
    check(&[0, 1], &[1, 3], Some(&[0, 3]));
    check(&[0, 1], &[1, 0], Some(&[0, 0]));
}

#[test]
fn shapes_that_do_not_meet() {
    check(&[2, 3], &[4], None);
    check(&[2, 3], &[2], None);
    check(&[2, 3], &[3, 2], None);
    check(&[0], &[2], None);
    check(&[2, 0], &[3], None);
    check(&[2, 3], &[2, 3, 1, 2], None);
}

#[test]
fn three_operands_meet() {
    let (rows, columns) = (tensor![0, 1].reshape([2, 1]), tensor![10, 20, 30]);
    let chosen = ops::where_(tensor![true, false, true], &rows, &columns).unwrap();
    assert_eq!((chosen.shape(), chosen.to_vec::<i32>().unwrap()), (&[2, 3][..], vec![0, 20, 0, 1, 20, 1]));
    let limited = columns.clip(&rows * 15, 25);
    assert_eq!(limited.to_vec::<i32>().unwrap(), [10, 20, 25, 15, 20, 25]);
    let batch = counted(&[2, 1, 1, 2], 1)
        .astype(Dtype::Float32)
        .matmul(&counted(&[3, 2, 1], 1).astype(Dtype::Float32));
    assert_eq!(batch.shape(), [2, 3, 1, 1]);
}
