//! Gradients, products and maps of closures that fail, panic, borrow, wait, or go deep.

use mlx::{
    Error, Result, Tensor, ops,
    prelude::*,
    transforms::{grad, grad_argnums, jvp, value_and_grad, value_and_grad_argnums, vjp, vmap, vmap_axes},
};
use std::{
    cell::Cell,
    fmt,
    panic::{self, AssertUnwindSafe},
    sync::mpsc,
    thread,
};

/// An error of a user's.
#[derive(Debug, PartialEq)]
pub(crate) struct Mine(pub(crate) String);

impl fmt::Display for Mine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for Mine {
    fn from(error: Error) -> Mine {
        Mine(format!("from MLX: {}", error.message()))
    }
}

/// Each transform of a function, without its result.
fn each(f: &dyn Fn(&Tensor) -> Result<Tensor, Mine>) -> [Result<(), Mine>; 5] {
    let x = tensor![1.0, 2.0];
    [
        grad(f, &x).map(drop),
        value_and_grad(f, &x).map(drop),
        vjp(f, &x, &Vec::<Tensor>::new()).map(drop),
        jvp(f, &x, &x).map(drop),
        vmap(f, &x).map(drop),
    ]
}

#[test]
fn an_error_comes_out_as_itself() {
    let fails = Cell::new(true);
    let f = |x: &Tensor| if fails.get() { Err(Mine("mine".into())) } else { Ok(x.sum(..)) };
    for result in each(&f) {
        assert_eq!(result, Err(Mine("mine".into())));
    }
    fails.set(false);
    for (i, result) in each(&f).into_iter().enumerate() {
        let expected = if i == 2 { Err(Mine("from MLX".into())) } else { Ok(()) };
        assert_eq!(result.is_ok(), expected.is_ok(), "{i}: {result:?}");
    }
    let refused = each(&|x| Ok(ops::add(x, tensor![1.0, 2.0, 3.0])?));
    assert!(refused[0].as_ref().unwrap_err().0.starts_with("from MLX: [broadcast_shapes]"));
}

#[test]
fn a_panic_goes_on_as_itself() {
    let f = |_: &Tensor| -> Result<Tensor, Mine> { panic::panic_any("payload") };
    let x = tensor![1.0];
    for _ in 0..3 {
        let panicked = [
            panic::catch_unwind(AssertUnwindSafe(|| grad(f, &x).map(drop))),
            panic::catch_unwind(AssertUnwindSafe(|| vmap(f, &x).map(drop))),
            panic::catch_unwind(AssertUnwindSafe(|| grad(|x| vmap(f, x), &x).map(drop))),
        ];
        for panicked in panicked {
            assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"payload"));
        }
    }
    assert_eq!(grad(|x| (x * x).sum(..), &x).unwrap().to_vec::<f32>().unwrap(), [2.0]);
}

#[test]
fn argnums_are_in_the_callers_order() {
    let args = [tensor![2.0], tensor![5.0], tensor![7.0]];
    let f = |[x, y, z]: &[Tensor; 3]| (x * y * z).sum(..);
    let values = |found: Vec<Tensor>| found.iter().map(|g| g.to_vec::<f32>().unwrap()[0]).collect::<Vec<_>>();
    assert_eq!(values(grad_argnums(f, &[2, 0], &args).unwrap()), [10.0, 35.0]);
    let (value, found) = value_and_grad_argnums(f, &[1, 2, 0], &args).unwrap();
    assert_eq!((value.to_vec::<f32>().unwrap(), values(found)), (vec![70.0], vec![14.0, 10.0, 35.0]));
    for (argnums, text) in [
        (&[][..], "Gradient wrt no argument requested"),
        (&[-1], "negative argument index -1"),
        (&[1, 1], "Duplicate argument index 1"),
        (&[3], "called with only 3 positional arguments"),
    ] {
        let error = grad_argnums(f, argnums, &args).unwrap_err();
        assert!(error.message().contains(text), "{argnums:?}: {error}");
    }
}

#[test]
fn what_cannot_be_differentiated_is_an_error() {
    let check = |result: Result<Tensor>, text: &str| {
        let error = result.unwrap_err();
        assert!(error.message().contains(text), "{error}");
    };
    let sum = |x: &Tensor| x.sum(..);
    check(grad(sum, &tensor![1, 2]), "a tensor of dtype int32");
    check(grad(sum, &tensor![true]), "a tensor of dtype bool");
    check(grad(|x: &Tensor| x * 2.0, &tensor![1.0, 2.0]), "does not match cotangent shape ()");
    assert!(grad(|(): &()| tensor![1.0].sum(..), &()).unwrap_err().message().contains("no tensor to"));
    let error = value_and_grad(|_: &Tensor| Vec::<Tensor>::new(), &tensor![1.0]).unwrap_err();
    assert!(error.message().contains("gave no tensor"), "{error}");
    let x = tensor![1.0];
    let error = vjp(|x: &Tensor| x * 2.0, &x, &(x.clone(), x.clone())).unwrap_err();
    assert!(error.message().contains("gave 1 tensors, and there are 2 cotangents"), "{error}");
    let error = vmap_axes(|x: &Tensor| x * 2.0, [None], 0, &x).unwrap_err();
    assert!(error.message().contains("At least one of in_axes must be non-None"), "{error}");
    let error = vmap_axes(|x: &Tensor| x * 2.0, [Some(0), None], 0, &x).unwrap_err();
    assert!(error.message().contains("2 input axes for 1 tensors"), "{error}");
}

#[test]
fn evaluating_inside_is_an_error() {
    let other = tensor![3.0] + 1.0;
    let f = |x: &Tensor| -> Result<Tensor> {
        assert_eq!(other.to_vec::<f32>()?, [4.0], "what does not depend on the arguments has a value");
        Ok(x * f64::from(x.to_vec::<f32>()?[0]))
    };
    let x = tensor![1.0];
    for result in [grad(f, &x), vmap(f, &x), jvp(f, &x, &x).map(|(y, _)| y)] {
        let error = result.unwrap_err();
        assert!(error.message().contains("transformation"), "{error}");
    }
    let mut escaped = None;
    vmap(|x: &Tensor| escaped.insert(x.clone()).clone(), &x).unwrap();
    for _ in 0..2 {
        assert!(escaped.as_ref().unwrap().to_vec::<f32>().unwrap_err().message().contains("transformation"));
    }
}

/// The lock is not held while a function runs: it would wait for ever here.
#[test]
fn other_threads_go_on_while_a_function_runs() {
    let (ask, asked) = mpsc::channel::<f32>();
    let (answer, answers) = mpsc::channel::<f32>();
    let worker = thread::spawn(move || {
        for x in asked {
            let y = (Tensor::from_slice(&[x]).unwrap() * 2.0).to_vec::<f32>().unwrap()[0];
            let slope = grad(|x| (x * x).sum(..), &tensor![y]).unwrap();
            answer.send(slope.to_vec::<f32>().unwrap()[0]).unwrap();
        }
    });
    let f = |x: &Tensor| {
        ask.send(3.0).unwrap();
        (x * f64::from(answers.recv().unwrap())).sum(..)
    };
    let x = tensor![1.0, 2.0];
    assert_eq!(grad(f, &x).unwrap().to_vec::<f32>().unwrap(), [12.0, 12.0]);
    let nested = grad(|x| grad(f, x).map(|g| (g * x).sum(..)), &x).unwrap();
    assert_eq!(nested.to_vec::<f32>().unwrap(), [12.0, 12.0]);
    assert_eq!(vmap(f, &x).unwrap().to_vec::<f32>().unwrap(), [12.0, 24.0]);
    drop(ask);
    worker.join().unwrap();
}

#[test]
fn deep_graphs_are_transformed_on_small_stacks() {
    let deep = || {
        let f = |x: &Tensor| (0..100_000).fold(x.clone(), |y, _| y + x).sum(..);
        let x = tensor![1.0];
        let slope = grad(f, &x).unwrap().to_vec::<f32>().unwrap();
        let (_, forward) = jvp(f, &x, &x).unwrap();
        (slope, forward.to_vec::<f32>().unwrap(), vmap(f, &x).unwrap().to_vec::<f32>().unwrap())
    };
    let worker = thread::Builder::new().stack_size(256 << 10).spawn(deep).unwrap();
    assert_eq!(worker.join().unwrap(), (vec![100_001.0], vec![100_001.0], vec![100_001.0]));
}
