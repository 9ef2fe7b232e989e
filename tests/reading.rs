//! Reading: `to_vec`, `as_slice` and `item` of every dtype, of views, of nothing, of what others computed.

use half::{bf16, f16};
use mlx::{Complex32, Dtype, Element, ErrorKind, Tensor, async_eval, ops, prelude::*};
use std::fmt::Debug;

/// The elements in row-major order, by every way of reading; `as_slice` only where they lie so.
#[track_caller]
fn check<T: Element + PartialEq + Debug>(tensor: &Tensor, wanted: &[T], in_order: bool) {
    assert_eq!(tensor.to_vec::<T>().unwrap(), wanted);
    assert_eq!(tensor.to_bytes().unwrap().len(), tensor.nbytes());
    assert_eq!(tensor.size(), wanted.len());
    match tensor.as_slice::<T>() {
        Ok(found) => assert_eq!((found, in_order), (wanted, true)),
        Err(error) => assert_eq!((error.kind(), in_order), (ErrorKind::Shape, false)),
    }
    match (tensor.item::<T>(), wanted) {
        (Ok(found), [wanted]) => assert_eq!(found, *wanted),
        (Err(error), _) => assert!(error.kind() == ErrorKind::Shape && wanted.len() != 1),
        (found, _) => panic!("{found:?} of {wanted:?}"),
    }
}

fn round_trip<T: Element + PartialEq + Debug>(values: &[T; 4]) {
    let x = Tensor::from_slice(values).unwrap();
    assert_eq!((x.dtype(), x.shape(), x.nbytes()), (T::DTYPE, &[4][..], 4 * size_of::<T>()));
    let [a, b, c, d] = *values;
    check(&x, &[a, b, c, d], true);
    check(&x.reshape([2, 2]).t(), &[a, c, b, d], false);
    check(&x.index(Slice::step(.., -1)), &[d, c, b, a], false);
    check(&x.index(Slice::step(.., 2)), &[a, c], false);
    check(&x.index(1..3), &[b, c], true);
    check(&x.index(3), &[d], true);
    check::<T>(&x.index(4..), &[], true);
    check(&x.index(1).broadcast_to([2, 2]), &[b; 4], false);
    check(&x.reshape([2, 2]).index((.., 1)), &[b, d], false);
    check(&x.reshape([4, 1]).broadcast_to([4, 2]).t(), &[a, b, c, d, a, b, c, d], false);
}

#[test]
fn every_dtype() {
    round_trip(&[true, false, false, true]);
    round_trip(&[0_u8, 1, 254, 255]);
    round_trip(&[0_u16, 1, 2, u16::MAX]);
    round_trip(&[0_u32, 1, 2, u32::MAX]);
    round_trip(&[0_u64, 1, 2, u64::MAX]);
    round_trip(&[i8::MIN, -1, 1, i8::MAX]);
    round_trip(&[i16::MIN, -1, 1, i16::MAX]);
    round_trip(&[i32::MIN, -1, 1, i32::MAX]);
    round_trip(&[i64::MIN, -1, 1, i64::MAX]);
    round_trip(&[f16::MIN, f16::NEG_INFINITY, f16::MIN_POSITIVE, f16::from_bits(1)]);
    round_trip(&[bf16::MIN, bf16::NEG_INFINITY, bf16::MIN_POSITIVE, bf16::from_bits(1)]);
    round_trip(&[f32::MIN, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::from_bits(1)]);
    round_trip(&[f64::MIN, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::from_bits(1)]);
    round_trip(&[1.0, 2.0, -3.0, f32::INFINITY].map(|re| Complex32::new(re, -re)));
}

#[test]
fn bits_survive() {
    let bits = [0x7fc0_0123_u32, 0xffff_ffff, 0x8000_0000, 0x0000_0001];
    let found = Tensor::from_slice(&bits.map(f32::from_bits)).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(found.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), bits);
    for bits in [0x7d01_u16, 0xfe00, 0x8000, 0x7fc1] {
        let half = Tensor::from_slice(&[f16::from_bits(bits)]).unwrap();
        assert_eq!(half.item::<f16>().unwrap().to_bits(), bits);
        let half = Tensor::from_slice(&[bf16::from_bits(bits)]).unwrap();
        assert_eq!(half.item::<bf16>().unwrap().to_bits(), bits);
    }
}

#[test]
fn zero_dimensions_and_nothing() {
    check(&Tensor::from_shape_slice((), &[2.5_f32]).unwrap(), &[2.5_f32], true);
    check(&Tensor::scalar(7, Dtype::Int64).unwrap(), &[7_i64], true);
    check::<f32>(&Tensor::from_slice::<f32>(&[]).unwrap(), &[], true);
    let none = Tensor::from_shape_slice::<u8>([3, 0, 2], &[]).unwrap();
    check::<u8>(&none, &[], true);
    check::<u8>(&none.t(), &[], true);
    check::<i32>(&(tensor![1].index(1..) + 1), &[], true);
    check(&tensor![5].reshape([1, 1, 1, 1]).t(), &[5], true);
}

#[test]
fn many_dimensions_with_odd_strides() {
    let x = ops::arange(0, 24, 1).unwrap().reshape([2, 3, 4]);
    let turned: Vec<i32> =
        (0..4).flat_map(|k| (0..2).flat_map(move |i| (0..3).map(move |j| i * 12 + j * 4 + k))).collect();
    check(&x.transpose([2, 0, 1]), &turned, false);
    let odd = Slice { start: Some(3), stop: Some(0), step: Some(-2) };
    let back = x.index((Slice::step(.., -1), Slice::step(.., -2), odd));
    let wanted: Vec<i32> =
        [1, 0].iter().flat_map(|i| [2, 0].map(|j| [3, 1].map(|k| i * 12 + j * 4 + k)).concat()).collect();
    check(&back, &wanted, false);
    check(&x.index((.., 1..2, ..)), &[4, 5, 6, 7, 16, 17, 18, 19], false);
    check(&x.index((0, 1..)), &[4, 5, 6, 7, 8, 9, 10, 11], true);
    let seven = tensor![1, 2].reshape([1, 1, 2, 1, 1, 1, 1]).broadcast_to([1, 2, 2, 1, 2, 1, 1]);
    check(&seven, &[1, 1, 2, 2, 1, 1, 2, 2], false);
}

/// A node that two others rest on is computed with the first, and read after both.
#[test]
fn an_intermediate_of_two_evaluations_is_readable() {
    let middle = tensor![1, 2] + 1;
    (&middle * 2).eval().unwrap();
    (&middle * 3).eval().unwrap();
    check(&middle, &[2, 3], true);
    let started = tensor![1, 2] + 5;
    async_eval([&started]).unwrap();
    mlx::synchronize().unwrap();
    check(&(&started * 3), &[18, 21], true);
    check(&started, &[6, 7], true);
    let first = &started - 1;
    let both = [&first * 2, &first * 3];
    async_eval(&both).unwrap();
    check(&both[1], &[15, 18], true);
    check(&first, &[5, 6], true);
    check(&both[0], &[10, 12], true);
}

#[test]
fn a_slice_stays_while_others_compute() {
    let x = tensor![1.0, 2.0, 3.0] + 1.0;
    let slice = x.as_slice::<f32>().unwrap();
    // A buffer that nobody else uses would be taken for the result.
    let results: Vec<Tensor> = (0..50).map(|turn| (&x.clone() * f64::from(turn)).exp()).collect();
    mlx::eval(&results).unwrap();
    assert_eq!(slice, [2.0, 3.0, 4.0]);
    let clone = x.clone();
    let slice = clone.as_slice::<f32>().unwrap();
    drop(x);
    drop(results);
    assert_eq!(slice, [2.0, 3.0, 4.0]);
}

#[test]
fn shapes_and_sizes() {
    let x = ops::zeros([2, 3, 4], Dtype::Float16).unwrap();
    assert_eq!((x.shape(), x.ndim(), x.size(), x.nbytes()), (&[2, 3, 4][..], 3, 24, 48));
    assert_eq!((x.dim(0), x.dim(-1), x.dim(1), x.dim(-3)), (2, 4, 3, 2));
    assert_eq!(ops::zeros(vec![2_usize, 3], Dtype::Bool).unwrap().shape(), [2, 3]);
    assert_eq!(ops::zeros((), Dtype::Bool).unwrap().shape(), [0_i32; 0]);
    assert!(Tensor::from_shape_slice([2, 2], &[1, 2, 3]).is_err());
    assert!(Tensor::from_shape_slice([0], &[1]).is_err());
    assert!(Tensor::from_shape_slice((), &[] as &[i32]).is_err());
}
