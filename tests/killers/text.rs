//! Printing what fails, what is huge, what is odd.

use crate::{failing::failing, programs, programs::Program};
use mlx::{Dtype, Tensor, ops, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("print_a_failing_tensor", print_a_failing_tensor),
    ("print_huge_tensors", print_huge_tensors),
    ("print_with_options", print_with_options),
    ("print_every_dtype", print_every_dtype),
];

fn print_a_failing_tensor() {
    let x = &failing(1, 3)[0] + 1;
    for _ in 0..2 {
        let text = x.to_string();
        assert!(text.contains("unable to read") && text.starts_with('<'), "{text}");
    }
    assert_eq!(format!("{x:?}"), "Tensor(int32, [3])");
    assert_eq!(format!("{:#?}", failing(1, 2)[0]), "Tensor(int32, [2])");
    println!("{x:>40} {x:.3} {x:?}");
    programs::end();
}

fn print_huge_tensors() {
    let long = ops::arange(0, 5_000_000, 1).unwrap();
    assert_eq!(long.to_string(), "array([0, 1, 2, ..., 4999997, 4999998, 4999999], dtype=int32)");
    let view = tensor![1.5].broadcast_to([1 << 30, 1 << 20]);
    assert!(view.to_string().contains("[1.5, 1.5, 1.5, ..., 1.5, 1.5, 1.5]"));
    let deep = tensor![true].reshape([1; 60]);
    assert!(deep.to_string().contains("True"));
    let empty = ops::zeros([0, 1 << 30], Dtype::Float16).unwrap();
    assert_eq!(empty.to_string(), "array([], dtype=float16)");
    programs::end();
}

fn print_with_options() {
    let x = tensor![1, 2];
    let plain = "array([1, 2], dtype=int32)";
    assert_eq!(format!("{x:>40}"), format!("{plain:>40}"));
    assert_eq!(format!("{x:<40}|"), format!("{plain:<40}|"));
    assert_eq!(format!("{x:*^41}"), format!("{plain:*^41}"));
    assert_eq!(format!("{x:5}"), plain);
    assert_eq!(format!("{x:+}{x:#}{x:04}"), plain.repeat(3));
    programs::end();
}

fn print_every_dtype() {
    for dtype in Dtype::ALL {
        let scalar = Tensor::scalar(1, dtype).unwrap();
        assert!(scalar.to_string().ends_with(&format!("dtype={dtype})")), "{scalar}");
        assert!(!ops::zeros([0], dtype).unwrap().to_string().is_empty());
        let row = scalar.broadcast_to([2, 2]).t();
        assert_eq!(row.to_string().lines().count(), 2);
    }
    programs::end();
}
