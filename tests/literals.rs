//! `tensor!`: the dtype, shape and bits that `mx.array` gives the same list. Ragged rows: mlx-core/tests/ui.

use mlx::{Complex32, Dtype, Element, prelude::*};
use std::fmt::Debug;

#[track_caller]
fn check<T: Element + PartialEq + Debug>(x: &Tensor, shape: &[i32], wanted: &[T]) {
    assert_eq!((x.dtype(), x.shape()), (T::DTYPE, shape));
    assert_eq!(x.to_vec::<T>().unwrap(), wanted);
}

#[test]
fn one_kind() {
    check(&tensor![1, 2, 3], &[3], &[1, 2, 3]);
    check(&tensor![1.5, -0.0], &[2], &[1.5_f32, -0.0]);
    check(&tensor![true, false], &[2], &[true, false]);
    check(&tensor![Complex32::new(1.0, 2.0)], &[1], &[Complex32::new(1.0, 2.0)]);
    check(&tensor![i32::MIN, i32::MAX], &[2], &[i32::MIN, i32::MAX]);
    check(&tensor![1_u8, 2], &[2], &[1, 2]);
    check(&tensor![1.0_f32], &[1], &[1.0_f32]);
    check(&tensor![1e300, f64::NEG_INFINITY], &[2], &[f32::INFINITY, f32::NEG_INFINITY]);
}

#[test]
fn mixed_kinds() {
    check(&tensor![1, 2.5], &[2], &[1.0_f32, 2.5]);
    check(&tensor![true, 1], &[2], &[1, 1]);
    check(&tensor![true, 1.5], &[2], &[1.0_f32, 1.5]);
    check(&tensor![[1, 2.5], [3, 4]], &[2, 2], &[1.0_f32, 2.5, 3.0, 4.0]);
    check(&tensor![[true], [2]], &[2, 1], &[1, 2]);
    check(&tensor![[1.5], [2]], &[2, 1], &[1.5_f32, 2.0]);
    let (one, i) = (Complex32::new(1.0, 0.0), Complex32::new(0.0, 2.0));
    check(&tensor![1, i, true], &[3], &[one, i, one]);
}

#[test]
fn long_integers() {
    check(&tensor![1_i64 << 31], &[1], &[1_i64 << 31]);
    check(&tensor![i64::MAX, i64::MIN], &[2], &[i64::MAX, i64::MIN]);
    check(&tensor![true, 1_i64 << 40], &[2], &[1, 1_i64 << 40]);
    check(&tensor![1_i64 << 31, 1.5], &[2], &[2_147_483_648.0_f32, 1.5]);
    // Rounded twice, through f64: once would give 0x5d800001.
    let twice = tensor![(1_i64 << 60) + (1 << 36) + 1, 0.5];
    assert_eq!(twice.to_vec::<f32>().unwrap()[0].to_bits(), 0x5d80_0000);
    assert_eq!(tensor![(1 << 24) + 1, 0.5].to_vec::<f32>().unwrap()[0].to_bits(), 0x4b80_0000);
}

#[test]
#[should_panic(expected = "std::bad_cast")]
fn too_long_integers() {
    let _ = tensor![u64::MAX, 0];
}

#[test]
fn nested() {
    check(&tensor![[[1], [2]], [[3], [4]], [[5], [6]]], &[3, 2, 1], &[1, 2, 3, 4, 5, 6]);
    check(
        &tensor![[[1, 2], [3, 4]], [[5, 6], [7, 8.0]]],
        &[2, 2, 2],
        &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    );
    let (x, y) = ([4, 5], 6);
    check(&tensor![[x[0], x[1]], [y, -y],], &[2, 2], &[4, 5, 6, -6]);
    check(&tensor![[1, 2][1], y], &[2], &[2, 6]);
    check(&tensor![[[1, 2][1], y]], &[1, 2], &[2, 6]);
}

#[test]
fn nothing() {
    check::<f32>(&tensor![], &[0], &[]);
    check::<f32>(&tensor![[]], &[1, 0], &[]);
    check::<f32>(&tensor![[], []], &[2, 0], &[]);
    check::<f32>(&tensor![[[]]], &[1, 1, 0], &[]);
    assert_eq!(tensor![[[], []]].dtype(), Dtype::Float32);
}
