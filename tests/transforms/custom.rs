//! Functions with rules of their own, and those computed again for their gradient.

use crate::errors::Mine;
use mlx::{
    Error, Result, Tensor, graph, ops,
    prelude::*,
    transforms::{CustomFunction, VmapAxes, checkpoint, compile, grad, jvp, value_and_grad, vmap},
};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

type Pair = (Tensor, Tensor);

fn check(x: &Tensor, expected: &[f32]) {
    assert_eq!(x.to_vec::<f32>().unwrap(), expected);
}

/// `sin(x) * y` with rules that nobody would mistake for MLX's.
fn marked() -> CustomFunction<Pair, Tensor> {
    CustomFunction::new(|(x, y): &Pair| x.sin() * y)
        .vjp(|_, cotangent, _| (cotangent * 2.0, cotangent * 3.0))
        .jvp(|(x, _), tangents| tangents[0].clone().unwrap_or_else(|| x.zeros_like()) * 5.0)
        .vmap(|(x, y), axes| -> Result<_> { Ok((x.sin() * y + 100.0, VmapAxes::from(vec![axes[0]]))) })
}

#[test]
fn rules_take_the_place_of_mlxs() {
    let (f, args) = (marked(), (tensor![0.0, 0.0], tensor![3.0, 4.0]));
    check(&f.call(&args).unwrap(), &[0.0, 0.0]);
    let (dx, dy) = grad(|args| f.call(args).map(|z| z.sum(..)), &args).unwrap();
    check(&dx, &[2.0, 2.0]);
    check(&dy, &[3.0, 3.0]);
    let (_, product) = jvp(|args| f.call(args), &args, &(tensor![1.0, 2.0], tensor![9.0, 9.0])).unwrap();
    check(&product, &[5.0, 10.0]);
    let y = args.1.clone();
    let (_, alone) = jvp(|x: &Tensor| f.call(&(x.clone(), y.clone())), &args.0, &tensor![1.0, 2.0]).unwrap();
    check(&alone, &[5.0, 10.0]);
    check(&vmap(|args| f.call(args), &args).unwrap(), &[100.0, 100.0]);
    let compiled = compile(|args: &Pair| grad(|args| f.call(args).map(|z| z.sum(..)), args));
    check(&compiled.call(&args).unwrap().1, &[3.0, 3.0]);
}

/// The nodes that Python's `mx.custom_function` makes.
#[test]
fn its_nodes_are_pythons() {
    let args = (tensor![1.0, 2.0], tensor![3.0, 4.0]);
    let canonical = graph::canonical(&[marked().call(&args).unwrap()]).unwrap();
    let nodes: Vec<&str> =
        canonical.lines().filter_map(|line| line.split_once(" = ")).map(|(_, n)| n).collect();
    assert_eq!(nodes, ["Sin(A)", "Multiply(C, B)", "StopGradient(D)", "CustomTransforms(A, B, E)"]);
}

#[test]
fn what_a_rule_gives_is_checked() {
    let x = tensor![1.0, 2.0];
    let check = |f: CustomFunction<Vec<Tensor>, Vec<Tensor>>, text: &str| {
        let sum = |x: &Vec<Tensor>| f.call(x).map(|y| y[0].sum(..));
        let two = vec![x.clone(), x.clone()];
        let error = [
            grad(sum, &two).map(drop).err(),
            jvp(|x| f.call(x), &two, &two).map(drop).err(),
            vmap(|x| f.call(x), &two).map(drop).err(),
        ];
        assert!(error.iter().flatten().any(|e| e.message().contains(text)), "{text}: {error:?}");
    };
    let new = || CustomFunction::new(|x: &Vec<Tensor>| vec![&x[0] * &x[1]]);
    check(new().vjp(|x, _, _| vec![x[0].clone()]), "its vjp rule gave 1 tensors, and 2 are needed");
    check(new().vjp(|x, _, _| vec![x[0].clone(); 3]), "its vjp rule gave 3 tensors");
    check(new().vjp(|x, _, _| vec![x[0].sum(..), x[1].clone()]), "its vjp rule gave shape []");
    check(new().jvp(|_, _| vec![]), "its jvp rule gave 0 tensors");
    check(new().jvp(|x, _| vec![x[0].clone(), x[1].clone()]), "its jvp rule gave 2 tensors");
    check(new().jvp(|x, _| vec![x[0].sum(..)]), "its jvp rule gave shape []");
    let rule = |outputs: usize, axes: Vec<Option<i32>>| {
        new().vmap(move |x, _| -> Result<_> {
            Ok((vec![x[0].clone(); outputs], VmapAxes::from(axes.clone())))
        })
    };
    check(rule(0, vec![]), "its vmap rule gave 0 tensors");
    check(rule(2, vec![Some(0); 2]), "its vmap rule gave 2 tensors");
    check(rule(1, vec![]), "0 input axes for 1 tensors");
    check(rule(1, vec![Some(7)]), "axis 7");
    let empty = CustomFunction::new(|_: &Tensor| Vec::<Tensor>::new());
    assert!(empty.call(&x).unwrap_err().message().contains("gave no tensor"));
    let lonely = checkpoint(|(): &()| tensor![1.0]);
    assert!(lonely.call(&()).unwrap_err().message().contains("no tensor among the arguments"));
}

#[test]
fn errors_of_rules_come_out_of_the_transform() {
    let x = tensor![1.0];
    let f = CustomFunction::new(|x: &Tensor| -> Result<Tensor, Mine> { Ok(x * 2.0) })
        .vjp(|_, _, _| -> Result<Tensor, Mine> { Err(Mine("by a rule".into())) });
    let error = grad(|x| f.call(x).map(|y| y.sum(..)), &x).err();
    assert_eq!(error, Some(Mine("by a rule".into())));
    // Another type than the gradient's own.
    let error = grad(|x| -> Result<Tensor> { Ok(f.call(x).expect("forward").sum(..)) }, &x).unwrap_err();
    assert!(error.message().contains("Mine"), "{error}");
    let panics = CustomFunction::new(|x: &Tensor| x * 2.0).vjp(|_, _, _| -> Tensor { panic::panic_any(7) });
    let panicked =
        panic::catch_unwind(AssertUnwindSafe(|| grad(|x| panics.call(x).map(|y| y.sum(..)), &x).map(drop)));
    assert_eq!(panicked.unwrap_err().downcast_ref::<i32>(), Some(&7));
    check(&grad(|x| (x * x).sum(..), &x).unwrap(), &[2.0]);
}

#[test]
fn a_checkpoint_runs_again_for_its_gradient() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let f = checkpoint(move |x: &Tensor| -> Result<Tensor> {
        match counted.fetch_add(1, Ordering::Relaxed) {
            3.. => ops::add(x, tensor![1.0, 2.0, 3.0]),
            _ => Ok(x.exp() * x),
        }
    });
    let x = tensor![0.0, 1.0];
    let loss = |x: &Tensor| f.call(x).map(|y| y.sum(..));
    let (_, slope) = value_and_grad(loss, &x).unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 2);
    let plain = grad(|x: &Tensor| (x.exp() * x).sum(..), &x).unwrap();
    assert_eq!(slope.to_vec::<f32>().unwrap(), plain.to_vec::<f32>().unwrap());
    let error: Error = grad(loss, &x).unwrap_err();
    assert!(error.message().contains("cannot be broadcast"), "the second run fails: {error}");
}

#[test]
fn what_is_captured_goes_with_the_last_node() {
    struct Counted(Arc<AtomicUsize>, Tensor);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let captured = Counted(Arc::clone(&drops), tensor![1.0, 2.0]);
    let f = checkpoint(move |x: &Tensor| x * &captured.1);
    let y = f.call(&tensor![3.0, 4.0]).unwrap();
    drop(f);
    assert_eq!(drops.load(Ordering::Relaxed), 0, "the lazy result needs it");
    let y = thread::spawn(move || {
        check(&y, &[3.0, 8.0]);
        y
    })
    .join()
    .unwrap();
    drop(y);
    // MLX's own thread may be the last to hold the node.
    for _ in 0..1000 {
        if drops.load(Ordering::Relaxed) == 1 {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}
