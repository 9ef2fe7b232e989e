//! Nodes and errors that no parity case asks for, since Python has no such function or cannot write such a call.

use mlx::{ErrorKind, Result, Tensor, axes, graph, ops, prelude::*};

/// The names of the nodes of a graph, in its order.
#[track_caller]
fn check(tensor: &Tensor, nodes: &[&str]) {
    let dot = graph::dot([tensor]).unwrap();
    let found: Vec<&str> =
        dot.split("label =\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(found, nodes);
}

#[test]
fn a_copy_is_a_node_over_the_same_elements() {
    let x = tensor![1.0, f64::NAN];
    x.eval().unwrap();
    let copy = x.copy();
    check(&copy, &["Copy"]);
    assert_eq!(copy.to_bytes().unwrap(), x.to_bytes().unwrap());
    assert_eq!(copy.as_slice::<f32>().unwrap().as_ptr(), x.as_slice::<f32>().unwrap().as_ptr());
}

#[test]
fn float64_goes_through_float32_to_8_bits_and_back() {
    let x = Tensor::from_slice(&[1.0_f64, -2.0]).unwrap();
    check(&x.to_fp8(), &["AsType", "ToFP8"]);
    check(&x.to_fp8().from_fp8(mlx::Dtype::Float64), &["AsType", "ToFP8", "FromFP8", "AsType"]);
    check(&tensor![1.0].to_fp8(), &["ToFP8"]);
}

#[test]
fn lazy_divisors_have_guards_and_seen_ones_have_none() {
    let (a, b) = (tensor![7, 8], tensor![2, 3]);
    check(&ops::divmod(&a, &b).unwrap().0, &["DivMod"]);
    let guarded = ops::divmod(&a, &b + 0).unwrap().0;
    assert!(graph::dot([&guarded]).unwrap().contains("Select"));
    assert_eq!(guarded.to_vec::<i32>().unwrap(), [3, 2]);
}

#[test]
fn the_place_of_an_extreme_takes_one_axis() {
    let x = tensor![[1, 9], [3, 4]];
    let refused = |found: Result<Tensor>| {
        let error = found.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Shape);
        assert!(error.to_string().contains("argm") && error.to_string().contains("int32 [2, 2]"), "{error}");
    };
    refused(ops::argmax(&x, [0, 1]));
    refused(ops::argmin(&x, axes([0_i32; 0]).keep()));
    assert_eq!(x.argmax(axes(..).keep()).shape(), [1, 1]);
}
