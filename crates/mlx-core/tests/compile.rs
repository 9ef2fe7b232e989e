//! The library's own compiled functions: one trace for every shape, errors and panics as themselves, any thread.

#![allow(clippy::unnecessary_wraps, reason = "the type of a compiled function")]

use mlx_core::{
    BinaryOperator, Complex32, Dtype, Error, ErrorKind, Operand, OperandRef, Result, Tensor,
    compile_pointwise, graph, tensor, transforms::is_tracing_shapeless,
};
use std::{
    panic,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

fn scaled(x: &Tensor, parameters: &[OperandRef<'_>]) -> Result<Tensor> {
    let [factor, addend] = *parameters else { panic!("two parameters") };
    BinaryOperator::Add.apply(BinaryOperator::Multiply.apply(x.operand(), factor)?.operand(), addend)
}

fn check(x: &Tensor, parameters: [impl Operand; 2], expected: &[f32]) {
    let parameters = parameters.each_ref().map(Operand::operand);
    let y = compile_pointwise("scaled", scaled, x, &parameters).unwrap();
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
    let y = compile_pointwise("scaled", scaled, &x, &[2.0.operand(), 1.0.operand()]).unwrap();
    assert!(graph::dot(&[y]).unwrap().contains("Compiled"), "one fused node");
}

#[test]
fn tensors_are_inputs_and_kinds_of_scalars_are_told_apart() {
    let (x, whole) = (tensor![1.0, 2.0, 3.0], tensor![1, 2, 3]);
    for factor in 2..5_u8 {
        let expected = [1, 2, 3].map(|x| f32::from(x * factor) + 1.0);
        check(&x, [tensor![f64::from(factor)], tensor![1.0]], &expected);
        check(&x, [(&x * 0.0 + f64::from(factor)), tensor![1.0, 1.0, 1.0]], &expected);
    }
    let dtype =
        |one: OperandRef<'_>| compile_pointwise("scaled", scaled, &whole, &[one, one]).unwrap().dtype();
    assert_eq!((dtype(1.operand()), dtype(1.0.operand())), (Dtype::Int32, Dtype::Float32));
    assert_eq!((dtype(true.operand()), dtype(1.operand())), (Dtype::Int32, Dtype::Int32));
    let complex = Complex32::new(1.0, 0.0);
    let error = compile_pointwise("scaled", scaled, &x, &[complex.operand(), 1.0.operand()]).unwrap_err();
    assert!(error.message().contains("complex"), "{error}");
}

#[test]
fn shapes_that_do_not_broadcast_are_refused() {
    let (wide, tall) = (
        Tensor::from_shape_slice([2, 3], &[1.0_f32; 6]).unwrap(),
        Tensor::from_shape_slice([3, 2], &[2.0_f32; 6]).unwrap(),
    );
    let call = |x: &Tensor, y: &Tensor| compile_pointwise("scaled", scaled, x, &[y.operand(), 1.0.operand()]);
    for _ in 0..2 {
        let error = call(&wide, &tall).unwrap_err();
        assert!(error.message().contains("cannot be broadcast"), "{error}");
        assert_eq!(call(&wide, &wide).unwrap().to_vec::<f32>().unwrap(), [2.0; 6]);
        assert_eq!(call(&tall, &tall).unwrap().to_vec::<f32>().unwrap(), [5.0; 6]);
    }
}

#[test]
fn one_trace_serves_a_thread() {
    static TRACES: AtomicUsize = AtomicUsize::new(0);
    fn counted(x: &Tensor, _: &[OperandRef<'_>]) -> Result<Tensor> {
        TRACES.fetch_add(1, Ordering::Relaxed);
        Ok(x + x * 2.0)
    }
    let call = |x: &Tensor| compile_pointwise("counted", counted, x, &[]).unwrap();
    for size in 1..20 {
        let x = Tensor::from_slice(&vec![1.0_f32; size]).unwrap();
        assert_eq!(call(&x).to_vec::<f32>().unwrap(), vec![3.0; size]);
    }
    assert_eq!(TRACES.load(Ordering::Relaxed), 1);
}

#[test]
fn errors_and_panics_come_out_as_themselves() {
    fn fails(_: &Tensor, _: &[OperandRef<'_>]) -> Result<Tensor> {
        Err(Error::new(ErrorKind::Value, "fails", "on purpose"))
    }
    fn panics(x: &Tensor, _: &[OperandRef<'_>]) -> Result<Tensor> {
        assert!(is_tracing_shapeless());
        Ok(x + tensor![1.0, 2.0])
    }
    let x = tensor![1.0, 2.0, 3.0];
    for _ in 0..3 {
        let error = compile_pointwise("fails", fails, &x, &[]).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Value, "on purpose"));
        assert!(!is_tracing_shapeless());
        let panic = panic::catch_unwind(|| compile_pointwise("panics", panics, &x, &[]));
        assert!(!is_tracing_shapeless());
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
