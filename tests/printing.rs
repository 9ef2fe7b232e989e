//! Printing: `Display` is Python's `str`, `Debug` computes nothing.

use mlx::{
    Complex32, Dtype, PrintOptions, Tensor, async_eval, get_printoptions, ops, prelude::*, with_printoptions,
};

/// The text of Python MLX 0.32.2.
#[track_caller]
fn check(tensor: &Tensor, python: &str) {
    assert_eq!(tensor.to_string(), python);
}

#[test]
fn floats() {
    check(&tensor![1.0, 2.5, -0.0, 0.1], "array([1, 2.5, -0, 0.1], dtype=float32)");
    check(&tensor![f64::INFINITY, f64::NEG_INFINITY, f64::NAN], "array([inf, -inf, nan], dtype=float32)");
    check(
        &tensor![1e-8, 123_456_789.0, 1e20, 1e-45],
        "array([1e-08, 1.23457e+08, 1e+20, 1.4013e-45], dtype=float32)",
    );
    check(&Tensor::from_slice(&[1.0_f64 / 3.0, 1e300]).unwrap(), "array([0.333333, 1e+300], dtype=float64)");
    check(&tensor![1.0 / 3.0, 65504.0].astype(Dtype::Float16), "array([0.333252, 65504], dtype=float16)");
    check(
        &tensor![1.0 / 3.0, 3e38].astype(Dtype::Bfloat16),
        "array([0.333984, 3.00406e+38], dtype=bfloat16)",
    );
}

#[test]
fn other_dtypes() {
    check(&tensor![true, false], "array([True, False], dtype=bool)");
    let square = Tensor::from_shape_slice([2, 2], &[true, false, false, true]).unwrap();
    check(&square, "array([[True, False],\n       [False, True]], dtype=bool)");
    check(&Tensor::from_slice(&[0_u8, 255]).unwrap(), "array([0, 255], dtype=uint8)");
    check(&Tensor::from_slice(&[-128_i8, 127]).unwrap(), "array([-128, 127], dtype=int8)");
    check(&Tensor::from_slice(&[u64::MAX]).unwrap(), "array([18446744073709551615], dtype=uint64)");
    check(&Tensor::from_slice(&[i64::MIN]).unwrap(), "array([-9223372036854775808], dtype=int64)");
    let complex = tensor![Complex32::new(1.0, 2.0), Complex32::new(-0.5, -1e10)];
    check(&complex, "array([1+2j, -0.5-1e+10j], dtype=complex64)");
}

#[test]
fn zero_dimensions_and_nothing() {
    check(&Tensor::scalar(3.0, Dtype::Float32).unwrap(), "array(3, dtype=float32)");
    check(&Tensor::scalar(-7, Dtype::Int32).unwrap(), "array(-7, dtype=int32)");
    check(&Tensor::scalar(true, Dtype::Bool).unwrap(), "array(True, dtype=bool)");
    check(&ops::zeros([0], Dtype::Float32).unwrap(), "array([], dtype=float32)");
    check(&ops::zeros([2, 0], Dtype::Float32).unwrap(), "array([[],\n       []], dtype=float32)");
}

#[test]
fn many_elements() {
    let range = |stop: i32| ops::arange(0, stop, 1).unwrap();
    check(&range(7), "array([0, 1, 2, ..., 4, 5, 6], dtype=int32)");
    check(&range(1001), "array([0, 1, 2, ..., 998, 999, 1000], dtype=int32)");
    check(
        &range(8).reshape([2, 2, 2]),
        "array([[[0, 1],\n        [2, 3]],\n       [[4, 5],\n        [6, 7]]], dtype=int32)",
    );
    check(
        &range(20).reshape([2, 10]),
        "array([[0, 1, 2, ..., 7, 8, 9],\n       [10, 11, 12, ..., 17, 18, 19]], dtype=int32)",
    );
    check(
        &range(14).reshape([7, 2]),
        "array([[0, 1],\n       [2, 3],\n       [4, 5],\n       ...,\n       [8, 9],\n       [10, 11],\n       [12, 13]], dtype=int32)",
    );
}

#[test]
fn views_print_in_their_own_order() {
    let x = ops::arange(0, 6, 1).unwrap().reshape([2, 3]);
    check(&x.t(), "array([[0, 3],\n       [1, 4],\n       [2, 5]], dtype=int32)");
    check(&x.index((0, Slice::step(.., -1))), "array([2, 1, 0], dtype=int32)");
    check(&tensor![7].broadcast_to([2, 2]), "array([[7, 7],\n       [7, 7]], dtype=int32)");
}

/// The graph below a tensor is still there after `Debug`, and gone after `Display`.
#[test]
fn debug_does_not_evaluate() {
    let x = tensor![1.0, 2.0] * 3.0;
    assert_eq!(format!("{x:?}"), "Tensor(float32, [2])");
    assert!(mlx::graph::dot(std::slice::from_ref(&x)).unwrap().contains("Multiply"));
    check(&x, "array([3, 6], dtype=float32)");
    assert!(!mlx::graph::dot(std::slice::from_ref(&x)).unwrap().contains("Multiply"));
    assert_eq!(format!("{x:?}"), "Tensor(float32, [2])");
    assert_eq!(format!("{:?}", Some(Tensor::scalar(1, Dtype::Bool).unwrap())), "Some(Tensor(bool, []))");
    let in_flight = tensor![1] + 1;
    async_eval([&in_flight]).unwrap();
    assert_eq!(format!("{in_flight:?}"), "Tensor(int32, [1])");
}

/// Python's own texts with `mx.set_printoptions(precision=3)` and `0`.
#[test]
fn decimals() {
    let floats = tensor![1.234_567_89, 1e10, 1e-10, -0.0, f64::NAN, f64::INFINITY];
    let text = "array([1.235, 10000000000.000, 0.000, -0.000, nan, inf], dtype=float32)";
    let half = tensor![0.5].astype(Dtype::Float16);
    let complex = tensor![Complex32::new(1.0, 2.333_333)];
    with_printoptions(PrintOptions::decimals(3), || {
        assert_eq!(get_printoptions(), PrintOptions::decimals(3));
        check(&floats, text);
        check(&half, "array([0.500], dtype=float16)");
        check(&complex, "array([1.000+2.333j], dtype=complex64)");
        check(&tensor![1, 2], "array([1, 2], dtype=int32)");
        check(&tensor![true], "array([True], dtype=bool)");
        with_printoptions(PrintOptions::decimals(0), || {
            check(&tensor![0.5, 1.5, 2.5], "array([0, 2, 2], dtype=float32)");
            with_printoptions(PrintOptions::default(), || check(&half, "array([0.5], dtype=float16)"));
        });
        check(&half, "array([0.500], dtype=float16)");
        assert_eq!(format!("{half:.1}"), "array([0.5], dtype=float16)");
    });
    assert_eq!(get_printoptions(), PrintOptions::default());
    check(&half, "array([0.5], dtype=float16)");
    assert_eq!(format!("{floats:.3}"), text);
    let plain = "array([0.50], dtype=float16)";
    assert_eq!(format!("{half:>40.2}|{half:^31.2}|{half:<30.2}|{half:5.2}"), {
        format!("{plain:>40}|{plain:^31}|{plain:<30}|{plain:5}")
    });
    // Beyond what MLX is told.
    assert_eq!(format!("{half:.60000}").len(), "array([0.5], dtype=float16)".len() - 1 + 255);
}

/// Scoped options are their thread's own, and end with a panic, too.
#[test]
fn options_of_threads() {
    let x = tensor![0.5];
    let turns = |decimals: u8| {
        let wanted = format!("array([{:.1$}], dtype=float32)", 0.5, usize::from(decimals));
        for _ in 0..200 {
            with_printoptions(PrintOptions::decimals(decimals), || assert_eq!(x.to_string(), wanted));
            assert_eq!(x.to_string(), "array([0.5], dtype=float32)");
        }
    };
    std::thread::scope(|scope| (1..5).for_each(|decimals| drop(scope.spawn(move || turns(decimals)))));
    let unwound =
        std::panic::catch_unwind(|| with_printoptions(PrintOptions::decimals(2), || panic!("on purpose")));
    assert!(unwound.is_err());
    assert_eq!(get_printoptions(), PrintOptions::default());
}
