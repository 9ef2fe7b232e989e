//! Positions, slices, axes and shapes out of range.

use crate::{check, panics, programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Result, Tensor, axes, ops, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("index_out_of_bounds", index_out_of_bounds),
    ("index_spec_refused", index_spec_refused),
    ("slices_at_the_ends_of_i32", slices_at_the_ends_of_i32),
    ("slice_step_zero", slice_step_zero),
    ("slices_beside_tensors_of_nothing", slices_beside_tensors_of_nothing),
    ("reshape_two_unknown", reshape_two_unknown),
    ("reshape_empty", reshape_empty),
    ("negative_shapes", negative_shapes),
    ("axes_out_of_range", axes_out_of_range),
    ("concatenate_refused", concatenate_refused),
    ("wrong_dtypes_of_reads", wrong_dtypes_of_reads),
    ("items_of_other_sizes", items_of_other_sizes),
];

fn index_out_of_bounds() {
    let x = tensor![1, 2, 3];
    for position in [3, 4, -4, i64::from(i32::MAX), i64::from(u32::MAX), i64::MAX, i64::MIN] {
        refused(ops::index(&x, position), ErrorKind::Index);
        refused(ops::index(&x, (position,)), ErrorKind::Index);
        refused(ops::index(&x.reshape([3, 1]), (.., position)), ErrorKind::Index);
    }
    refused(ops::index(&x, usize::MAX), ErrorKind::Index);
    panics("index 3 is out of bounds for axis 0 with size 3", || x.index(3));
    let empty = x.index(3..);
    refused(ops::index(&empty, 0), ErrorKind::Index);
    refused(ops::index(&empty, -1), ErrorKind::Index);
    refused(ops::index(&empty, (0,)), ErrorKind::Index);
    check(ops::index(&x, -3), &[1]);
    check(ops::index(&x, (2,)), &[3]);
    programs::end();
}

fn index_spec_refused() {
    let (scalar, x) = (Tensor::scalar(1, Dtype::Int32).unwrap(), tensor![1, 2, 3]);
    refused(ops::index(&scalar, 0), ErrorKind::Index);
    refused(ops::index(&scalar, 0..1), ErrorKind::Index);
    refused(ops::index(&scalar, (..,)), ErrorKind::Index);
    refused(ops::index(&x, (0, 0)), ErrorKind::Index);
    refused(ops::index(&x, (.., .., ..)), ErrorKind::Index);
    refused(ops::index(&x, (Ellipsis, 0, Ellipsis)), ErrorKind::Index);
    check(ops::index(&scalar, NewAxis), &[1]);
    check(ops::index(&scalar, (Ellipsis, NewAxis)), &[1]);
    let many: Vec<ops::Index> = vec![NewAxis.into(); 40];
    check(ops::index(&x, &many[..]), &[1, 2, 3]);
    programs::end();
}

/// As Python lists, but for steps so large that MLX's own count of the elements wraps around: none are left there.
fn slices_at_the_ends_of_i32() {
    let x = tensor![0, 1, 2, 3, 4];
    let (least, most) = (i32::MIN, i32::MAX);
    check(ops::index(&x, least..most), &[0, 1, 2, 3, 4]);
    check(ops::index(&x, most..least), &[]);
    check(ops::index(&x, ..least), &[]);
    check(ops::index(&x, most..), &[]);
    check(ops::index(&x, least..=most), &[0, 1, 2, 3, 4]);
    check(ops::index(&x, ..=most), &[0, 1, 2, 3, 4]);
    check(ops::index(&x, Slice::step(.., most)), &[]);
    check(ops::index(&x, Slice::step(.., most - 5)), &[0]);
    check(ops::index(&x, Slice::step(.., 5 - most)), &[4]);
    refused(ops::index(&x, Slice::step(.., most - 3)), ErrorKind::Shape);
    check(ops::index(&x, Slice::step(1.., most)), &[]);
    check(ops::index(&x, Slice::step(.., least)), &[]);
    check(ops::index(&x, Slice::step(.., -most)), &[]);
    check(ops::index(&x, Slice::step(least..most, -1)), &[]);
    check(ops::index(&x, Slice::step(most..least, -1)), &[4, 3, 2, 1, 0]);
    check(ops::index(&x, Slice::step(most..least, -2)), &[4, 2, 0]);
    check(ops::index(&x, Slice::step(most..least, least)), &[]);
    check(ops::index(&x, (Slice::step(least..most, 2),)), &[0, 2, 4]);
    check(ops::index(&x.index(5..), Slice::step(.., -1)), &[]);
    check(ops::index(&x.index(5..), least..most), &[]);
    check(ops::index(&x, 0..usize::MAX), &[0, 1, 2, 3, 4]);
    programs::end();
}

/// They go on beyond their axis, as nothing is read there; nobody writes down gigabytes of positions.
fn slices_beside_tensors_of_nothing() {
    let (one, none) = (tensor![1], tensor![0].index(1..));
    let (flat, rows) =
        (ops::zeros([2, 3, 0], Dtype::Float32).unwrap(), ops::zeros([0, 3], Dtype::Float32).unwrap());
    let x = Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    let shape = |picked: Result<Tensor>| {
        let picked = picked.expect("a tensor");
        picked.eval().expect("a value");
        picked.shape().to_vec()
    };
    assert_eq!(shape(ops::index(&flat, (-5.., &one))), [5, 1, 0]);
    assert_eq!(shape(ops::index(&flat, (0..i32::MAX, &one))), [i32::MAX, 1, 0]);
    let deep = flat.expand_dims(2);
    assert_eq!(shape(ops::index(&deep, (0..i32::MAX, 0..i32::MAX, &one))), [i32::MAX, i32::MAX, 1, 0]);
    assert_eq!(shape(ops::index(&flat, (&one, Slice::step(.., i32::MIN), &none))), [0, 1]);
    assert_eq!(shape(ops::index(&x, (-1..i32::MAX, &none))), [i32::MAX - 1, 0]);
    // Python's own words, too.
    assert!(ops::index(&x, (i32::MIN..i32::MAX, &none)).unwrap_err().message().contains("Maximum size"));
    assert_eq!(
        shape(ops::index(&x, (Slice { start: Some(9), stop: Some(1), step: None }, &tensor![2, 0]))),
        [0, 2]
    );
    // A position outside is foreign only where it is read.
    assert_eq!(shape(ops::index(&flat, (.., tensor![7]))), [2, 1, 0]);
    for range in [0..1, -1..1, 0..i32::MAX] {
        assert!(ops::index(&rows, (range.clone(), &one)).is_err(), "{range:?}");
        assert!(ops::set_index(&rows, (range.clone(), &one), 1.0).is_err(), "{range:?}");
        assert_eq!(shape(ops::set_index(&flat, (range.clone(), &one), 1.0)), [2, 3, 0]);
        assert_eq!(shape(ops::index_update(&flat, (range, &one), ops::Update::Add, 1.0)), [2, 3, 0]);
    }
    check(ops::set_index(&x, (0..i32::MAX, &none), 0), &[1, 2, 3, 4, 5, 6]);
    check(ops::set_index(&x, (tensor![9], 1..1), 0), &[1, 2, 3, 4, 5, 6]);
    assert!(mlx::memory::peak().expect("a number") < 1 << 26);
    programs::end();
}

fn slice_step_zero() {
    let x = tensor![0, 1, 2];
    refused(ops::index(&x, Slice::step(.., 0)), ErrorKind::Value);
    refused(ops::index(&x, (NewAxis, Slice::step(1..2, 0))), ErrorKind::Value);
    refused(ops::index(&x.index(3..), Slice::step(.., 0)), ErrorKind::Value);
    panics("step of 0", || x.index(Slice::step(.., 0)));
    programs::end();
}

fn reshape_two_unknown() {
    let x = tensor![1, 2, 3, 4];
    for shape in
        [[-2, -2], [-1, -1], [-4, -1], [-1, -4], [2, -2], [i32::MIN, 2], [i32::MIN, i32::MIN], [3, -1]]
    {
        assert!(ops::reshape(&x, shape).is_err(), "{shape:?}");
        assert!(ops::reshape(&x.index(4..), shape).is_err() || shape == [3, -1], "{shape:?}");
    }
    assert!(ops::reshape(&x, ()).is_err());
    check(ops::reshape(&x, [-1, 2]), &[1, 2, 3, 4]);
    programs::end();
}

fn reshape_empty() {
    let (x, empty) = (tensor![1, 2], tensor![1].index(1..));
    for shape in [[0, -1], [-1, 0], [0, 2], [0, 0]] {
        assert!(ops::reshape(&x, shape).is_err(), "{shape:?}");
    }
    assert!(ops::reshape(&empty, [0, -1]).is_err());
    assert!(ops::reshape(&empty, [-1, 0]).is_err());
    check(ops::reshape(&empty, [0, 7]), &[]);
    check(ops::reshape(&empty, [-1]), &[]);
    // 2^64 elements are 0 in 64 bits.
    assert!(ops::reshape(&empty, [1 << 16; 4]).is_err());
    assert!(ops::reshape(&x, [1 << 16, 1 << 16, 1 << 16, 1 << 16]).is_err());
    assert!(ops::reshape(&empty, [i32::MAX; 8]).is_err());
    programs::end();
}

fn negative_shapes() {
    let x = tensor![1.0];
    for shape in
        [vec![-1], vec![i32::MIN], vec![-2, -2], vec![i32::MIN, i32::MIN], vec![0, -1], vec![3, -1, i32::MIN]]
    {
        assert!(ops::zeros(&shape, Dtype::Float32).is_err(), "{shape:?}");
        assert!(ops::ones(&shape, Dtype::Bool).is_err(), "{shape:?}");
        assert!(ops::full(&shape, 2.5, Dtype::Int64).is_err(), "{shape:?}");
        assert!(ops::full(&shape, &x, Dtype::Float32).is_err(), "{shape:?}");
        assert!(ops::broadcast_to(&x, &shape).is_err(), "{shape:?}");
        assert!(Tensor::from_shape_slice(&shape, &[0_u8; 4]).is_err(), "{shape:?}");
        assert!(Tensor::from_shape_slice::<u8>(&shape, &[]).is_err(), "{shape:?}");
    }
    assert!(ops::zeros([usize::MAX], Dtype::Float32).is_err());
    assert!(ops::zeros([1_usize << 31], Dtype::Float32).is_err());
    programs::end();
}

fn axes_out_of_range() {
    let x = Tensor::from_shape_slice([1, 2], &[1.0_f32, 2.0]).unwrap();
    for axis in [2, -3, 100, i32::MAX, i32::MIN, i32::MIN + 1] {
        let list = [axis, 0];
        assert!(ops::sum(&x, axis).is_err() && ops::sum(&x, list).is_err(), "{axis}");
        assert!(ops::max(&x, axes(axis).keep()).is_err() && ops::mean(&x, axis).is_err(), "{axis}");
        assert!(ops::var(&x, axis, 0).is_err() && ops::softmax(&x, axis).is_err(), "{axis}");
        assert!(ops::transpose(&x, list).is_err() && ops::squeeze(&x, axis).is_err(), "{axis}");
        assert!(ops::concatenate([&x, &x], axis).is_err(), "{axis}");
        assert!(ops::expand_dims(&x, axis).is_err() || axis == 2 || axis == -3, "{axis}");
    }
    assert!(ops::transpose(&x, [0, 0]).is_err() && ops::transpose(&x, [0]).is_err());
    assert!(ops::transpose(&x, [0, 1, 0]).is_err() && ops::transpose(&x, [0, -2]).is_err());
    assert!(ops::sum(&x, [0, 0]).is_err() && ops::sum(&x, [1, -1]).is_err());
    assert!(ops::squeeze(&x, [0, 0]).is_err() && ops::squeeze(&x, 1).is_err());
    assert!(ops::expand_dims(&x, [0, 0]).is_err() && ops::expand_dims(&x, ..).is_err());
    assert!(ops::softmax(&x, [0, 0]).is_err());
    programs::end();
}

fn concatenate_refused() {
    let (x, square) = (tensor![1, 2], Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4]).unwrap());
    let scalar = Tensor::scalar(1, Dtype::Int32).unwrap();
    let none: [&Tensor; 0] = [];
    assert!(ops::concatenate(none, 0).is_err());
    assert!(ops::concatenate([&scalar, &scalar], 0).is_err());
    assert!(ops::concatenate([&x, &square], 0).is_err());
    assert!(ops::concatenate([&square, &square.index((.., 1..))], 0).is_err());
    let long = x.index(..1).broadcast_to([i32::MAX]);
    assert!(ops::concatenate([&long, &long], 0).is_err());
    assert!(ops::concatenate([&long, &long, &long], 0).is_err());
    check(ops::concatenate([&x], 0), &[1, 2]);
    check(ops::concatenate([&x, &x.index(2..)], -1), &[1, 2]);
    programs::end();
}

fn wrong_dtypes_of_reads() {
    fn reads<T: mlx::Element>() {
        for dtype in Dtype::ALL {
            let x = Tensor::scalar(1, dtype).unwrap();
            let right = dtype == T::DTYPE;
            assert_eq!(x.to_vec::<T>().map(|v| v.len()).ok(), right.then_some(1), "{dtype}");
            assert_eq!(x.as_slice::<T>().map(<[T]>::len).ok(), right.then_some(1), "{dtype}");
            assert_eq!(x.item::<T>().is_ok(), right, "{dtype}");
            if !right {
                assert_eq!(x.item::<T>().err().unwrap().kind(), ErrorKind::Dtype);
            }
        }
    }
    reads::<bool>();
    reads::<u8>();
    reads::<u16>();
    reads::<u32>();
    reads::<u64>();
    reads::<i8>();
    reads::<i16>();
    reads::<i32>();
    reads::<i64>();
    reads::<f32>();
    reads::<f64>();
    reads::<half::f16>();
    reads::<half::bf16>();
    reads::<mlx::Complex32>();
    programs::end();
}

fn items_of_other_sizes() {
    assert!(tensor![1, 2].item::<i32>().is_err());
    assert!(tensor![1].index(1..).item::<i32>().is_err());
    assert_eq!(tensor![7].reshape([1, 1, 1]).item::<i32>().unwrap(), 7);
    assert_eq!(tensor![7].broadcast_to([1, 1]).item::<i32>().unwrap(), 7);
    programs::end();
}
