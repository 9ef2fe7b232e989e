//! The library's own compiled functions: one trace for every shape, errors and panics as themselves, any thread.

#![allow(clippy::unnecessary_wraps, reason = "the type of a compiled function")]

use mlx_core::{Error, ErrorKind, Result, Tensor, compile_pointwise, graph, tensor};
use std::{
    panic,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

fn scaled(inputs: &[Tensor], constants: &[f64]) -> Result<Tensor> {
    Ok(&inputs[0] * constants[0] + constants[1])
}

fn check(x: &Tensor, constants: [f64; 2], expected: &[f32]) {
    let y = compile_pointwise("scaled", scaled, std::slice::from_ref(x), &constants).unwrap();
    assert_eq!(y.shape(), x.shape());
    assert_eq!(y.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn constants_and_shapes_are_told_apart() {
    let (x, square) =
        (tensor![1.0, 2.0, 3.0], Tensor::from_shape_slice([2, 2], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap());
    for _ in 0..3 {
        check(&x, [2.0, 1.0], &[3.0, 5.0, 7.0]);
        check(&x, [3.0, 0.0], &[3.0, 6.0, 9.0]);
        check(&square, [2.0, 1.0], &[3.0, 5.0, 7.0, 9.0]);
    }
    let y = compile_pointwise("scaled", scaled, &[x], &[2.0, 1.0]).unwrap();
    assert!(graph::dot(&[y]).unwrap().contains("Compiled"), "one fused node");
}

#[test]
fn one_trace_serves_a_thread() {
    static TRACES: AtomicUsize = AtomicUsize::new(0);
    fn counted(inputs: &[Tensor], _: &[f64]) -> Result<Tensor> {
        TRACES.fetch_add(1, Ordering::Relaxed);
        Ok(&inputs[0] + &inputs[0] * 2.0)
    }
    let call = |x: &Tensor| compile_pointwise("counted", counted, std::slice::from_ref(x), &[]).unwrap();
    for size in 1..20 {
        let x = Tensor::from_slice(&vec![1.0_f32; size]).unwrap();
        assert_eq!(call(&x).to_vec::<f32>().unwrap(), vec![3.0; size]);
    }
    assert_eq!(TRACES.load(Ordering::Relaxed), 1);
}

#[test]
fn errors_and_panics_come_out_as_themselves() {
    fn fails(_: &[Tensor], _: &[f64]) -> Result<Tensor> {
        Err(Error::new(ErrorKind::Value, "fails", "on purpose"))
    }
    fn panics(inputs: &[Tensor], _: &[f64]) -> Result<Tensor> {
        Ok(&inputs[0] + tensor![1.0, 2.0])
    }
    let x = tensor![1.0, 2.0, 3.0];
    for _ in 0..3 {
        let error = compile_pointwise("fails", fails, std::slice::from_ref(&x), &[]).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Value, "on purpose"));
        let panic =
            panic::catch_unwind(|| compile_pointwise("panics", panics, std::slice::from_ref(&x), &[]));
        let text = panic.unwrap_err().downcast::<String>().unwrap();
        assert!(text.contains("(3)") && text.contains("(2)"), "{text}");
        check(&x, [2.0, 1.0], &[3.0, 5.0, 7.0]);
    }
}

#[test]
fn threads_share_the_functions() {
    thread::scope(|scope| {
        for turn in 0..8_u8 {
            scope.spawn(move || {
                for round in 0..50_u8 {
                    let (a, b) = (f64::from(turn % 2), f64::from(round % 2));
                    let x = tensor![1.0, 2.0] + 0.0;
                    check(&x, [a, b], &[(a + b) as f32, (2.0 * a + b) as f32]);
                }
            });
        }
    });
}
