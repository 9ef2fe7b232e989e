//! Integer division by 0, and of the smallest integer by -1: SIGFPE in Python.

use crate::{check, panics, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Result, Tensor, ops, prelude::*};

macro_rules! programs {
    ($($dtype:ident)*) => {
        pub(crate) const PROGRAMS: &[Program] = &[
            $((concat!("zero_scalar_", stringify!($dtype)), || { zero_scalar(Dtype::$dtype); crate::programs::end(); }),
            (concat!("zero_seen_", stringify!($dtype)), || { zero_seen(Dtype::$dtype); crate::programs::end(); }),
            (concat!("zero_lazy_", stringify!($dtype)), || { zero_lazy(Dtype::$dtype); crate::programs::end(); }),
            (concat!("zero_broadcast_", stringify!($dtype)), || { zero_broadcast(Dtype::$dtype); crate::programs::end(); }),
            (concat!("zero_strided_", stringify!($dtype)), || { zero_strided(Dtype::$dtype); crate::programs::end(); }),
            (concat!("zero_mixed_", stringify!($dtype)), || { zero_mixed(Dtype::$dtype); crate::programs::end(); }),)*
            ("min_by_minus_one_i32", || min_by_minus_one(Dtype::Int32, i64::from(i32::MIN))),
            ("min_by_minus_one_i64", || min_by_minus_one(Dtype::Int64, i64::MIN)),
            ("min_by_minus_one_i16", || min_wraps(Dtype::Int16, i64::from(i16::MIN))),
            ("min_by_minus_one_i8", || min_wraps(Dtype::Int8, i64::from(i8::MIN))),
            ("min_by_minus_one_met_by_promotion", min_met_by_promotion),
            ("zero_beside_bools", zero_beside_bools),
            ("zero_of_two_scalars", zero_of_two_scalars),
            ("zero_in_flight", zero_in_flight),
            ("a_zero_outside_of_a_view", zero_outside_of_a_view),
            ("divmod_by_zero", divmod_by_zero),
            ("divmod_of_the_smallest", divmod_of_the_smallest),
            ("shifts_beyond_the_width", shifts_beyond_the_width),
            ("powers_of_integers", powers_of_integers),
        ];
    };
}

programs! { Uint8 Uint16 Uint32 Uint64 Int8 Int16 Int32 Int64 }

fn ints(values: &[i64], dtype: Dtype) -> Tensor {
    let tensor = Tensor::from_slice(values).unwrap().astype(dtype);
    tensor.eval().unwrap();
    tensor
}

/// The same values, not computed yet.
fn lazy(tensor: &Tensor) -> Tensor {
    if tensor.dtype() == Dtype::Bool { tensor & true } else { tensor + 0 }
}

fn zero_scalar(dtype: Dtype) {
    let a = ints(&[7, 8, 9], dtype);
    for a in [&a, &lazy(&a)] {
        refused(ops::floor_divide(a, 0), ErrorKind::Value);
        refused(ops::remainder(a, 0), ErrorKind::Value);
        refused(ops::remainder(a, false), ErrorKind::Value);
        panics("integer division by zero", || a.floor_divide(0_u8));
        panics("integer division by zero", || a % 0_i64);
        panics("integer division by zero", || {
            let mut a = a.clone();
            a %= 0;
            a
        });
    }
    check(ops::floor_divide(&a, 2), &[3, 4, 4]);
}

fn zero_seen(dtype: Dtype) {
    let (a, b) = (ints(&[7, 8, 9], dtype), ints(&[2, 1, 0], dtype));
    refused(ops::floor_divide(&a, &b), ErrorKind::Value);
    refused(ops::remainder(&a, &b), ErrorKind::Value);
    refused(ops::floor_divide(7, &b), ErrorKind::Value);
    panics("integer division by zero", || 7 % &b);
    let zero = Tensor::scalar(0, dtype).unwrap();
    refused(ops::remainder(&a, &zero), ErrorKind::Value);
}

fn zero_lazy(dtype: Dtype) {
    let (a, b) = (ints(&[7, 8, 9, 100, 0], dtype), ints(&[2, 1, 0, 100, 0], dtype));
    for a in [&a, &lazy(&a)] {
        check(ops::floor_divide(a, lazy(&b)), &[3, 8, 0, 1, 0]);
        check(ops::remainder(a, lazy(&b)), &[1, 0, 0, 0, 0]);
        check(Ok(a % lazy(&b)), &[1, 0, 0, 0, 0]);
        assert_eq!((a % lazy(&b)).dtype(), dtype);
        assert_eq!(a.floor_divide(lazy(&b)).dtype(), dtype);
    }
    check(ops::floor_divide(7, lazy(&b)), &[3, 7, 0, 0, 0]);
    check(Ok(7 % lazy(&b)), &[1, 0, 0, 7, 0]);
}

fn zero_broadcast(dtype: Dtype) {
    let a = ints(&[1, 2, 3, 4, 5, 6], dtype).reshape([2, 3]);
    let (row, column) = (ints(&[2, 0, 1], dtype), ints(&[0, 4], dtype).reshape([2, 1]));
    check(ops::floor_divide(&a, lazy(&row)), &[0, 0, 3, 2, 0, 6]);
    check(ops::remainder(&a, lazy(&row)), &[1, 0, 0, 0, 0, 0]);
    check(ops::floor_divide(&a, lazy(&column)), &[0, 0, 0, 1, 1, 1]);
    check(ops::remainder(&a, lazy(&column)), &[0, 0, 0, 0, 1, 2]);
    check(ops::floor_divide(&row, lazy(&column)), &[0, 0, 0, 0, 0, 0]);
    let zero = lazy(&Tensor::scalar(0, dtype).unwrap());
    check(ops::floor_divide(&a, &zero), &[0; 6]);
    check(ops::remainder(&a, &zero), &[0; 6]);
    let same = row.broadcast_to([2, 3]);
    check(ops::floor_divide(&a, &same), &[0, 0, 3, 2, 0, 6]);
    same.eval().unwrap();
    check(ops::floor_divide(&a, &same), &[0, 0, 3, 2, 0, 6]);
    let empty = lazy(&ints(&[], dtype));
    check(ops::floor_divide(&empty, lazy(&empty)), &[]);
}

fn zero_strided(dtype: Dtype) {
    let a = ints(&[10, 20, 30, 40], dtype).reshape([2, 2]);
    let b = ints(&[1, 0, 7, 3], dtype);
    let turned = b.reshape([2, 2]).t();
    let back = b.index(Slice::step(.., -1)).reshape([2, 2]);
    for evaluated in [false, true] {
        if evaluated {
            mlx::eval([&turned, &back]).unwrap();
        }
        check(ops::floor_divide(&a, &turned), &[10, 2, 0, 13]);
        check(ops::remainder(&a, &turned), &[0, 6, 0, 1]);
        check(ops::floor_divide(a.t(), &turned), &[10, 4, 0, 13]);
    }
    let reversed = ints(&[1, 0, 7, 3], dtype).index(Slice::step(.., -1));
    reversed.eval().unwrap();
    check_or_refused(ops::floor_divide(ints(&[10, 20, 30, 40], dtype), &reversed), &[3, 2, 0, 40]);
    check_or_refused(ops::floor_divide(&a, &back), &[3, 2, 0, 40]);
}

/// A divisor that lies in another order may be looked at or guarded; both are right.
#[track_caller]
fn check_or_refused(tensor: Result<Tensor>, wanted: &[i64]) {
    match tensor {
        Err(error) => assert_eq!(error.kind(), ErrorKind::Value),
        found => check(found, wanted),
    }
}

fn zero_mixed(dtype: Dtype) {
    for other in [Dtype::Uint8, Dtype::Int16, Dtype::Int32, Dtype::Int64, Dtype::Bool] {
        let (a, b) = (ints(&[9, 8, 7], dtype), ints(&[1, 0, 1], other));
        if mlx::promote_types(dtype, other).is_inexact() {
            continue;
        }
        check(ops::floor_divide(&a, lazy(&b)), &[9, 0, 7]);
        check(ops::remainder(&a, lazy(&b)), &[0, 0, 0]);
        check(ops::floor_divide(&b, lazy(&a)), &[0, 0, 0]);
        refused(ops::floor_divide(&a, &b), ErrorKind::Value);
    }
}

fn min_by_minus_one(dtype: Dtype, min: i64) {
    let (a, b) = (ints(&[min, min, 5, min + 1], dtype), ints(&[-1, 2, -1, -1], dtype));
    let (quotients, remainders) = ([min, min / 2, -5, -(min + 1)], [0, 0, 0, 0]);
    refused(ops::floor_divide(&a, -1), ErrorKind::Value);
    refused(ops::remainder(&a, -1), ErrorKind::Value);
    refused(ops::floor_divide(&a, &b), ErrorKind::Value);
    refused(ops::remainder(&a, &b), ErrorKind::Value);
    refused(ops::floor_divide(min, ints(&[-1], dtype)), ErrorKind::Value);
    for (a, b) in [(lazy(&a), b.clone()), (a.clone(), lazy(&b)), (lazy(&a), lazy(&b))] {
        check(ops::floor_divide(&a, &b), &quotients);
        check(ops::remainder(&a, &b), &remainders);
    }
    check(ops::floor_divide(lazy(&a), -1), &[min, min, -5, -(min + 1)]);
    check(ops::remainder(lazy(&a), -1), &remainders);
    check(ops::floor_divide(min, lazy(&b)), &[min, min / 2, min, min]);
    check(ops::remainder(min, lazy(&b)), &remainders);
    check(ops::floor_divide(ints(&[5, -5], dtype), -1), &[-5, 5]);
    let column = lazy(&a).reshape([4, 1]);
    check(ops::floor_divide(&column, lazy(&ints(&[-1, 0], dtype))), &[min, 0, min, 0, -5, 0, -(min + 1), 0]);
    crate::programs::end();
}

fn min_wraps(dtype: Dtype, min: i64) {
    let (a, b) = (ints(&[min, 5], dtype), ints(&[-1, -1], dtype));
    for b in [&b, &lazy(&b)] {
        check(ops::floor_divide(&a, b), &[min, -5]);
        check(ops::remainder(&a, b), &[0, 0]);
    }
    check(ops::floor_divide(&a, -1), &[min, -5]);
    crate::programs::end();
}

fn min_met_by_promotion() {
    let min = i64::from(i32::MIN);
    let (a, b) = (ints(&[min, 3], Dtype::Int32), ints(&[-1, -1], Dtype::Int8));
    refused(ops::floor_divide(&a, &b), ErrorKind::Value);
    check(ops::floor_divide(lazy(&a), &b), &[min, -3]);
    check(ops::floor_divide(&a, lazy(&b)), &[min, -3]);
    // Beside int64 the same values divide as any others.
    check(ops::floor_divide(&a, ints(&[-1, -1], Dtype::Int64)), &[-min, -3]);
    check(ops::floor_divide(ints(&[min, 3], Dtype::Int64), &b), &[-min, -3]);
    check(ops::floor_divide(&a, ints(&[1, 1], Dtype::Uint32)), &[min, 3]);
    crate::programs::end();
}

fn zero_beside_bools() {
    let bools = tensor![true, false];
    refused(ops::floor_divide(&bools, 0), ErrorKind::Value);
    refused(ops::remainder(&bools, 0), ErrorKind::Value);
    check(ops::floor_divide(&bools, lazy(&tensor![0, 0])), &[0, 0]);
    check(ops::remainder(&bools, lazy(&tensor![0, 1])), &[0, 0]);
    refused(ops::floor_divide(&tensor![5, 6], &bools), ErrorKind::Value);
    check(ops::floor_divide(&tensor![5, 6], bools.logical_not().logical_not()), &[5, 0]);
    // Two bools divide without a trap.
    check(ops::floor_divide(&bools, &tensor![true, true]), &[1, 0]);
    assert!(ops::floor_divide(&bools, &tensor![false, false]).unwrap().eval().is_ok());
    crate::programs::end();
}

fn zero_of_two_scalars() {
    refused(ops::floor_divide(7, 0), ErrorKind::Value);
    refused(ops::remainder(7, 0), ErrorKind::Value);
    refused(ops::remainder(true, 0), ErrorKind::Value);
    refused(ops::floor_divide(i64::MIN, -1), ErrorKind::Value);
    refused(ops::floor_divide(i32::MIN, -1), ErrorKind::Value);
    check(ops::floor_divide(7, 2), &[3]);
    crate::programs::end();
}

fn zero_in_flight() {
    for turn in 0..200 {
        let b = ints(&[turn, turn + 1], Dtype::Int32) * 1 - turn;
        mlx::async_eval([&b]).unwrap();
        check_or_refused(ops::floor_divide(&tensor![6, 6], &b), &[0, 6]);
    }
    crate::programs::end();
}

fn zero_outside_of_a_view() {
    let all = ints(&[0, 2, 3, 0], Dtype::Int32);
    let inner = all.index(1..3);
    inner.eval().unwrap();
    check(ops::floor_divide(&tensor![7, 7], &inner), &[3, 2]);
    let with_zero = all.index(2..);
    with_zero.eval().unwrap();
    refused(ops::floor_divide(&tensor![7, 7], &with_zero), ErrorKind::Value);
    crate::programs::end();
}

fn shifts_beyond_the_width() {
    for by in [31, 32, 63, 64, 200, -1, i32::MIN] {
        let a = tensor![1, -1];
        assert!((&a << by).eval().is_ok() && (&a >> by).eval().is_ok());
        assert!((ints(&[1], Dtype::Int64) << by).eval().is_ok());
    }
    crate::programs::end();
}

fn powers_of_integers() {
    check(ops::power(tensor![2, 3, -2, 0, 1, -1], tensor![-1, -2, -3, -1, -1, -1]), &[0; 6]);
    check(ops::power(tensor![0, 3], tensor![0, 3]), &[1, 27]);
    check(ops::power(tensor![2], i32::MAX), &[0]);
    check(ops::power(tensor![2], i32::MIN), &[0]);
    crate::programs::end();
}

fn divmod_by_zero() {
    for dtype in Dtype::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
        let (a, b) = (ints(&[7, 8, 9, 100, 0], dtype), ints(&[2, 1, 0, 100, 0], dtype));
        refused(ops::divmod(&a, &b).map(|(quotient, _)| quotient), ErrorKind::Value);
        refused(ops::divmod(lazy(&a), 0).map(|(_, remainder)| remainder), ErrorKind::Value);
        for a in [&a, &lazy(&a)] {
            let (quotient, remainder) = a.divmod(lazy(&b));
            assert_eq!((quotient.dtype(), remainder.dtype()), (dtype, dtype));
            check(Ok(quotient), &[3, 8, 0, 1, 0]);
            check(Ok(remainder), &[1, 0, 0, 0, 0]);
        }
        let (quotient, remainder) = ops::divmod(7, lazy(&b)).unwrap();
        check(Ok(quotient), &[3, 7, 0, 0, 0]);
        check(Ok(remainder), &[1, 0, 0, 7, 0]);
    }
    crate::programs::end();
}

fn divmod_of_the_smallest() {
    for (dtype, smallest) in [(Dtype::Int32, i64::from(i32::MIN)), (Dtype::Int64, i64::MIN)] {
        let (a, b) = (ints(&[smallest, 5], dtype), ints(&[-1, -1], dtype));
        refused(ops::divmod(&a, -1).map(|(quotient, _)| quotient), ErrorKind::Value);
        let (quotient, remainder) = ops::divmod(&a, lazy(&b)).unwrap();
        check(Ok(quotient), &[smallest, -5]);
        check(Ok(remainder), &[0, 0]);
    }
    crate::programs::end();
}
