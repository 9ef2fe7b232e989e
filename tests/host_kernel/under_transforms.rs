//! Host kernels in graphs and under transforms: their rules, and what is merged.

use super::{copy, labels::labels, scale};
use mlx::{
    Result, Shape,
    fast::HostKernel,
    ops,
    prelude::*,
    transforms::{compile, grad, jvp, value_and_grad, vmap, vmap_axes},
};
use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

#[test]
fn graphs_name_kernels() {
    assert_eq!(labels(&(scale(2.0).call_one([&tensor![1.0]]).unwrap() + 1.0)), ["scale", "Broadcast", "Add"]);
    let text = format!("{:?}", scale(2.0));
    assert_eq!(text, "HostKernel(scale)");
}

#[test]
fn gradients_go_by_the_rule() {
    let (kernel, x) = (scale(3.0), tensor![1.0, 2.0]);
    let square = |x: &Tensor| kernel.call_one([x]).map(|y| y.square().sum(..));
    let (value, slope) = value_and_grad(square, &x).unwrap();
    assert_eq!(value.to_vec::<f32>().unwrap(), [45.0]);
    assert_eq!(slope.to_vec::<f32>().unwrap(), [18.0, 36.0]);
    let curve = grad(|x: &Tensor| grad(square, x).map(|slope| slope.sum(..)), &x).unwrap();
    assert_eq!(curve.to_vec::<f32>().unwrap(), [18.0, 18.0]);
    let (_, product) = jvp(|x: &Tensor| kernel.call_one([x]), &x, &tensor![1.0, -1.0]).unwrap();
    assert_eq!(product.to_vec::<f32>().unwrap(), [3.0, -3.0]);
}

#[test]
fn transforms_without_a_rule_are_errors_with_the_name() {
    let (kernel, x) = (copy::<f32>(), tensor![1.0, 2.0]);
    let told = |error: mlx::Error, rule: &str| {
        assert!(error.message().contains(&format!("[copy] this host kernel has no {rule} rule")), "{error}");
    };
    told(grad(|x: &Tensor| kernel.call_one([x]).map(|y| y.sum(..)), &x).unwrap_err(), "vjp");
    told(jvp(|x: &Tensor| kernel.call_one([x]), &x, &x).unwrap_err(), "jvp");
    told(vmap(|x: &Tensor| kernel.call_one([x]), &x).unwrap_err(), "vmap");
    // Without a gradient through it nothing is asked of it.
    let slope = grad(
        |x: &Tensor| {
            let fixed = kernel.call_one([&ops::stop_gradient(x)?])?;
            Ok::<_, mlx::Error>((x * fixed).sum(..))
        },
        &x,
    );
    assert_eq!(slope.unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn rules_that_give_other_than_needed_are_errors() {
    let x = tensor![1.0, 2.0];
    let told = |kernel: HostKernel, words: &str| {
        let error = grad(|x: &Tensor| kernel.call_one([x]).map(|y| y.sum(..)), &x).unwrap_err();
        assert!(error.message().contains(words), "{error}");
    };
    let plain = copy::<f32>;
    told(plain().vjp(|_, _, _| Ok::<_, mlx::Error>(Vec::new())), "[copy] its vjp rule gave 0 tensors");
    told(
        plain().vjp(|_, _, _| Ok::<_, mlx::Error>(vec![tensor![1.0]])),
        "gave shape [1] for tensor 0 of [2]",
    );
    told(plain().vjp(|x, _, _| ops::reshape(&x[0], [7]).map(|x| vec![x])), "reshape");
    let few = plain().vmap(|_, _| Ok::<_, mlx::Error>((Vec::new(), 0.into())));
    let error = vmap(|x: &Tensor| few.call_one([x]), &x).unwrap_err();
    assert!(error.message().contains("[copy] its vmap rule gave 0 tensors, and 1 are needed"), "{error}");
    let far = plain().vmap(|x, _| Ok::<_, mlx::Error>((x.to_vec(), 5.into())));
    assert!(vmap(|x: &Tensor| far.call_one([x]), &x).unwrap_err().message().contains("axis 5"));
    let rude = plain().vjp(|_, _, _| -> Result<Vec<Tensor>> { panic!("in a rule") });
    let caught = std::panic::catch_unwind(AssertUnwindSafe(|| {
        grad(|x: &Tensor| rude.call_one([x]).map(|y| y.sum(..)), &x)
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"in a rule"));
}

#[test]
fn vmap_goes_by_the_rule() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let kernel = scale(10.0);
    let y = vmap(|x: &Tensor| kernel.call_one([x]), &x).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [10.0, 20.0, 30.0, 40.0]);
    let y = vmap_axes(|x: &Tensor| kernel.call_one([x]), 1, 0, &x).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [10.0, 30.0, 20.0, 40.0]);
    let slopes =
        vmap(|x: &Tensor| grad(|x: &Tensor| kernel.call_one([x]).map(|y| y.square().sum(..)), x), &x);
    assert_eq!(slopes.unwrap().to_vec::<f32>().unwrap(), [200.0, 400.0, 600.0, 800.0]);
}

#[test]
fn compiled_functions_call_the_kernel_each_time() {
    let calls = Arc::new(AtomicUsize::new(0));
    let kernel = HostKernel::new("counts", {
        let calls = Arc::clone(&calls);
        move |inputs, outputs| {
            calls.fetch_add(1, Ordering::SeqCst);
            outputs[0].slice_mut::<f32>()?.copy_from_slice(inputs[0].slice::<f32>()?);
            Ok(())
        }
    })
    .output_like(0);
    let f = compile(move |x: &Tensor| kernel.call_one([&(x * 2.0)]).map(|y| (y + 1.0) * x));
    for turn in 1..=5 {
        let x = tensor![turn as f32];
        assert_eq!(f.call(&x).unwrap().to_vec::<f32>().unwrap(), [(2.0 * turn as f32 + 1.0) * turn as f32]);
    }
    assert_eq!((calls.load(Ordering::SeqCst), f.trace_count()), (5, 1));
    // Inside a compiled gradient, and a gradient of a compiled function.
    let (kernel, x) = (scale(3.0), tensor![1.0, 2.0]);
    let square = move |x: &Tensor| kernel.call_one([x]).map(|y| y.square().sum(..));
    let compiled = compile(square.clone());
    let slope = grad(|x: &Tensor| compiled.call(x), &x).unwrap();
    assert_eq!(slope.to_vec::<f32>().unwrap(), [18.0, 36.0]);
    let slope = compile(move |x: &Tensor| grad(&square, x)).call(&x).unwrap();
    assert_eq!(slope.to_vec::<f32>().unwrap(), [18.0, 36.0]);
}

#[test]
fn only_the_same_kernel_is_merged() {
    let (two, three) = (scale(2.0), scale(3.0));
    let nodes = |a: HostKernel, b: HostKernel| {
        let f = compile(move |x: &Tensor| Ok::<_, mlx::Error>(a.call_one([x])? - b.call_one([x])?));
        let y = f.call(&tensor![1.0]).unwrap();
        let count = labels(&y).iter().filter(|label| *label == "scale").count();
        (count, y.item::<f32>().ok().or_else(|| y.to_vec::<f32>().ok().map(|y| y[0])).unwrap())
    };
    assert_eq!(nodes(two.clone(), three.clone()), (2, -1.0));
    assert_eq!(nodes(two.clone(), two.clone()), (1, 0.0));
    assert_eq!(nodes(two, scale(2.0)), (2, 0.0));
    // The same kernel with other shapes.
    let sizes = Arc::new(AtomicUsize::new(1));
    let grows = HostKernel::new("grows", |_, _| Ok(())).outputs_by(move |_| {
        Ok(vec![(Shape::from_slice(&[sizes.fetch_add(1, Ordering::SeqCst) as i32]), Dtype::Float32)])
    });
    let f = compile(move |x: &Tensor| {
        let (a, b) = (grows.call_one([x])?, grows.call_one([x])?);
        ops::concatenate([&a, &b], 0)
    });
    assert_eq!(f.call(&tensor![1.0]).unwrap().to_vec::<f32>().unwrap(), [0.0; 3]);
}
