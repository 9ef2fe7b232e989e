//! The promotion guard: which calls it names, with which line, and what it leaves alone.

use mlx::{Dtype, ErrorKind, Promotion, PromotionGuard, ops, prelude::*, with_promotion_guard};
use std::{cell::RefCell, panic, rc::Rc};

fn bf16() -> Tensor {
    tensor![1.5, 2.5].astype(Dtype::Bfloat16)
}

/// What a warning guard is told while `work` runs.
fn told(work: impl FnOnce()) -> Vec<Promotion> {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&seen);
    with_promotion_guard(PromotionGuard::warn(move |p| sink.borrow_mut().push(p.clone())), work);
    seen.take()
}

#[track_caller]
fn check(work: impl FnOnce(), op: &str, line: u32) {
    let seen = told(work);
    assert_eq!(seen.len(), 1, "{seen:?}");
    let promotion = &seen[0];
    assert_eq!((promotion.op, promotion.from, promotion.to), (op, Dtype::Bfloat16, Dtype::Float32));
    assert_eq!((promotion.location.file(), promotion.location.line()), (file!(), line));
    assert!(promotion.operands.contains("bfloat16"), "{promotion}");
}

#[test]
fn every_way_to_call_names_the_callers_line() {
    let (x, wide) = (bf16(), tensor![1.0, 2.0]);
    check(|| drop(&x * &wide), "multiply", line!());
    check(|| drop(&wide - &x), "subtract", line!());
    check(|| drop(x.maximum(&wide)), "maximum", line!());
    check(|| drop(ops::logaddexp(&x, &wide)), "logaddexp", line!());
    check(|| drop(ops::where_(true, &x, &wide)), "where", line!());
    check(|| drop(x.clip(&wide, ..)), "clip", line!());
    check(|| drop(ops::concatenate([&x, &wide], 0)), "concatenate", line!());
    let mut y = x.clone();
    check(|| y += &wide, "add", line!());
    let (a, b) = (x.reshape([1, 2]), wide.reshape([2, 1]));
    check(|| drop(a.matmul(&b)), "matmul", line!());
    check(|| drop(ops::addmm(&tensor![1.0], &a, &b, 1.0, 1.0)), "addmm", line!());
}

#[test]
fn a_transform_names_the_callers_line() {
    let x = bf16();
    let seen = told(|| drop(ops::fft::rfft(&x, -1)));
    let found: Vec<_> = seen.iter().map(|p| (p.op, p.to, p.location.file(), p.location.line())).collect();
    assert_eq!(found, [("rfft", Dtype::Complex64, file!(), line!() - 2)]);
}

#[test]
fn what_keeps_the_dtype_or_says_it_is_left_alone() {
    let x = bf16();
    let seen = told(|| {
        let y = 0.5 * &x + 1.0;
        let y = y.tanh().sum(0).softmax(..);
        let _ = (y.gt(0), x.astype(Dtype::Float32), tensor![1.0] + 2.0);
        let _ = ops::full([2], x.sum(..), Dtype::Float32);
        let _ = x.astype(Dtype::Int32) / 2;
    });
    assert!(seen.is_empty(), "{seen:?}");
}

#[test]
fn deny_is_an_error_and_a_panic() {
    let (x, wide) = (bf16(), tensor![1.0, 2.0]);
    let (error, panic) = with_promotion_guard(PromotionGuard::Deny, || {
        let error = ops::add(&x, &wide).unwrap_err();
        (error, panic::catch_unwind(|| &x + &wide).unwrap_err())
    });
    assert_eq!((error.kind(), error.op()), (ErrorKind::Dtype, "add"));
    let text = format!("denies widening bfloat16 to float32 at {}", file!());
    assert!(error.message().contains(&text), "{error}");
    assert!(panic.downcast_ref::<String>().unwrap().contains(&text));
    assert_eq!((&x + &wide).dtype(), Dtype::Float32, "no guard, no error");
}

#[test]
fn guards_nest_and_end_with_their_scope_also_on_unwind() {
    let (x, wide) = (bf16(), tensor![1.0, 2.0]);
    let seen = told(|| {
        let unwound = panic::catch_unwind(|| with_promotion_guard(PromotionGuard::Deny, || drop(&x + &wide)));
        assert!(unwound.is_err());
        drop(&x - &wide);
    });
    assert_eq!(seen.iter().map(|p| p.op).collect::<Vec<_>>(), ["subtract"]);
    let inside = told(|| {
        std::thread::scope(|s| s.spawn(|| drop(&x * &wide)).join()).unwrap();
    });
    assert!(inside.is_empty(), "another thread is not watched");
}

#[test]
fn a_callback_may_compute() {
    let (x, wide) = (bf16(), tensor![1.0, 2.0]);
    let sums = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&sums);
    let again = (x.clone(), wide.clone());
    let callback = move |_: &Promotion| {
        sink.borrow_mut().push((&again.0 + &again.1).to_vec::<f32>().unwrap());
    };
    with_promotion_guard(PromotionGuard::warn(callback), || drop(&x + &wide));
    assert_eq!(sums.take(), [[2.5, 4.5]]);
}
