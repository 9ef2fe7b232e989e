//! Compiled functions: when they are traced, what they give, where their traces go.

use crate::errors::Mine;
use mlx::{
    Result, Tensor, graph, ops,
    prelude::*,
    random,
    transforms::{compile, compile_state, grad, is_tracing_shapeless, vmap},
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

fn check(x: &Tensor, expected: &[f32]) {
    assert_eq!(x.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn a_signature_is_traced_once() {
    let f = compile(|x: &Tensor| x * 2.0 + 1.0);
    for _ in 0..3 {
        check(&f.call(&tensor![1.0, 2.0]).unwrap(), &[3.0, 5.0]);
    }
    assert_eq!(f.trace_count(), 1);
    check(&f.call(&tensor![1.0, 2.0, 3.0]).unwrap(), &[3.0, 5.0, 7.0]);
    check(&f.clone().call(&tensor![4.0, 5.0, 6.0]).unwrap(), &[9.0, 11.0, 13.0]);
    assert_eq!(f.trace_count(), 2, "another shape, once for all clones");
    f.call(&tensor![1, 2, 3]).unwrap();
    assert_eq!(f.trace_count(), 3, "another dtype");
    thread::scope(|scope| {
        scope.spawn(|| check(&f.call(&tensor![0.5, 0.5]).unwrap(), &[2.0, 2.0]));
    });
    assert_eq!(f.trace_count(), 4, "another thread");
}

#[test]
fn structures_are_told_apart() {
    let f = compile(|parts: &Vec<Vec<Tensor>>| -> Vec<Tensor> {
        parts.iter().map(|part| part.iter().sum()).collect()
    });
    let (a, b) = (tensor![1.0], tensor![2.0]);
    for _ in 0..2 {
        let together = f.call(&vec![vec![a.clone(), b.clone()]]).unwrap();
        assert_eq!(together.len(), 1);
        check(&together[0], &[3.0]);
        let apart = f.call(&vec![vec![a.clone()], vec![b.clone()]]).unwrap();
        assert_eq!(apart.len(), 2);
        check(&apart[0], &[1.0]);
        check(&apart[1], &[2.0]);
    }
    assert_eq!(f.trace_count(), 2);
}

#[test]
fn results_have_the_structure_of_their_own_trace() {
    let f = compile(|x: &Tensor| -> BTreeMap<String, Tensor> {
        (0..x.dim(0)).map(|i| (format!("row{i}"), x.index(i) * 10.0)).collect()
    });
    let (two, three) = (tensor![1.0, 2.0], tensor![3.0, 4.0, 5.0]);
    for _ in 0..2 {
        assert_eq!(f.call(&two).unwrap().keys().collect::<Vec<_>>(), ["row0", "row1"]);
        let rows = f.call(&three).unwrap();
        assert_eq!(rows.len(), 3);
        check(&rows["row2"].reshape([1]), &[50.0]);
    }
}

#[test]
fn elementwise_work_is_one_node() {
    let f = compile(|x: &Tensor| (x * 2.0).tanh() + 1.0);
    let dot = graph::dot(&[f.call(&tensor![1.0, 2.0]).unwrap()]).unwrap();
    assert!(dot.contains("Compiled") && !dot.contains("\"Tanh\""), "{dot}");
}

#[test]
fn state_goes_in_and_out() {
    let step = compile_state(|(count, seen): &mut (Tensor, Vec<Tensor>), x: &Tensor| {
        *count += 1;
        seen.push(x * 2.0);
    });
    let mut state = (tensor![0], Vec::new());
    for turn in 0..3_u8 {
        step.call(&mut state, &tensor![f32::from(turn)]).unwrap();
    }
    assert_eq!(state.0.to_vec::<i32>().unwrap(), [3]);
    assert_eq!(state.1.len(), 3);
    check(&state.1[2], &[4.0]);
    assert_eq!(step.trace_count(), 3, "a longer state is another signature");
}

#[test]
fn a_failed_call_leaves_the_state() {
    let step = compile_state(|total: &mut Tensor, x: &Tensor| -> Result<Tensor> {
        *total += x;
        ops::add(&*total, tensor![1.0, 2.0, 3.0])
    });
    let mut total = tensor![1.0, 2.0];
    let error = step.call(&mut total, &tensor![5.0, 5.0]).unwrap_err();
    assert!(error.message().contains("cannot be broadcast"), "{error}");
    check(&total, &[1.0, 2.0]);
}

#[test]
fn random_keys_are_state() {
    let draw = compile_state(|key: &mut Tensor, (): &()| -> Result<Tensor> {
        let keys = random::split(&*key, 2)?;
        *key = keys.index(0);
        random::Normal::new().key(&keys.index(1)).sample([3])
    })
    .lift_constants();
    let mut key = random::key(7).unwrap();
    let draws: Vec<_> = (0..3).map(|_| draw.call(&mut key, &()).unwrap().to_vec::<f32>().unwrap()).collect();
    let mut key = random::key(7).unwrap();
    for drawn in draws {
        let keys = random::split(&key, 2).unwrap();
        key = keys.index(0);
        let expected = random::Normal::new().key(&keys.index(1)).sample([3]).unwrap();
        assert_eq!(drawn, expected.to_vec::<f32>().unwrap());
    }
    assert_eq!(draw.trace_count(), 1);
}

#[test]
fn an_error_comes_out_as_itself_and_the_next_call_is_right() {
    let fails = RefCell::new(true);
    let f = compile(|x: &Tensor| if *fails.borrow() { Err(Mine("not yet".into())) } else { Ok(x + 1.0) });
    let x = tensor![1.0];
    for _ in 0..3 {
        assert_eq!(f.call(&x).err(), Some(Mine("not yet".into())));
    }
    *fails.borrow_mut() = false;
    check(&f.call(&x).unwrap(), &[2.0]);
    assert_eq!(f.trace_count(), 4);
}

#[test]
fn an_error_passes_through_other_transforms() {
    let f = compile(|_: &Tensor| -> Result<Tensor, Mine> { Err(Mine("inner".into())) });
    let x = tensor![1.0];
    assert_eq!(grad(|x| f.call(x), &x).err(), Some(Mine("inner".into())));
    let outer = compile(|x: &Tensor| f.call(x));
    assert_eq!(outer.call(&x).err(), Some(Mine("inner".into())));
    assert_eq!(vmap(|x| f.call(x), &x).err(), Some(Mine("inner".into())));
}

#[test]
fn a_panic_goes_on_as_itself() {
    let f = compile(|x: &Tensor| {
        if x.size() == 2 {
            panic::panic_any(42);
        }
        x + 1.0
    });
    for _ in 0..2 {
        let panicked = panic::catch_unwind(AssertUnwindSafe(|| f.call(&tensor![1.0, 2.0])));
        assert_eq!(panicked.unwrap_err().downcast_ref::<i32>(), Some(&42));
        check(&f.call(&tensor![1.0]).unwrap(), &[2.0]);
    }
}

#[test]
fn evaluating_inside_is_an_error() {
    let f = compile(|x: &Tensor| -> Result<Tensor> {
        let first = x.to_vec::<f32>()?[0];
        Ok(x * f64::from(first))
    });
    let error = f.call(&tensor![3.0, 4.0]).unwrap_err();
    assert!(error.message().contains("transformation"), "{error}");
}

#[test]
fn what_is_captured_may_be_evaluated_inside() {
    let scale = tensor![3.0] + 1.0;
    let f = compile(|x: &Tensor| -> Result<Tensor> { Ok(x * f64::from(scale.item::<f32>()?)) });
    check(&f.call(&tensor![2.0]).unwrap(), &[8.0]);
}

#[test]
fn a_placeholder_that_escaped_is_an_error_for_good() {
    let escaped = RefCell::new(None);
    let f = compile(|x: &Tensor| {
        *escaped.borrow_mut() = Some((x.clone(), x + 1.0));
        x * 2.0
    });
    check(&f.call(&tensor![1.0]).unwrap(), &[2.0]);
    let (input, node) = escaped.take().unwrap();
    for _ in 0..2 {
        assert!(input.to_vec::<f32>().unwrap_err().message().contains("transformation"));
        let error = node.eval().unwrap_err();
        assert!(error.message().contains("transformation"), "{error}");
    }
}

#[test]
fn a_function_that_calls_itself_while_traced_is_an_error() {
    type Call = dyn Fn(&Tensor) -> Result<Tensor> + Send + Sync;
    let itself: Arc<OnceLock<Box<Call>>> = Arc::default();
    let again = Arc::clone(&itself);
    let f = compile(move |x: &Tensor| -> Result<Tensor> {
        let inner = again.get().expect("set below")(&tensor![1.0, 2.0, 3.0])?;
        Ok(x + inner)
    });
    let call = f.clone();
    assert!(itself.set(Box::new(move |x| call.call(x))).is_ok());
    for _ in 0..3 {
        let error = f.call(&tensor![1.0]).unwrap_err();
        assert!(error.message().contains("called itself while it was traced"), "{error}");
    }
}

/// MLX's own ids are addresses: a new function at a freed one's answered with the old one's traces.
#[test]
fn no_trace_outlives_its_function() {
    let x = tensor![1.0, 2.0];
    // Few factors, since MLX has each compiled by the C++ compiler; what is next to another is not the same.
    for turn in (0..4_u8).cycle().take(200) {
        let factor = f64::from(turn);
        let f = compile(move |x: &Tensor| x * factor + 1.0);
        let expected = [f32::from(turn) + 1.0, 2.0 * f32::from(turn) + 1.0];
        thread::scope(|scope| {
            scope.spawn(|| check(&f.call(&x).unwrap(), &expected));
        });
        check(&f.call(&x).unwrap(), &expected);
        assert_eq!(f.trace_count(), 2);
        thread::spawn(move || drop(f.call(&tensor![0.0]).map(|_| f))).join().unwrap();
    }
}

#[test]
fn dropping_a_function_drops_what_it_captured() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let captured = Counted(Arc::clone(&drops));
    let f = compile(move |x: &Tensor| {
        let _ = &captured;
        x + 1.0
    });
    f.call(&tensor![1.0]).unwrap();
    let other = f.clone();
    drop(f);
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    other.call(&tensor![1.0]).unwrap();
    drop(other);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn many_threads_share_a_function() {
    let f = compile(|(x, y): &(Tensor, Tensor)| (x * y).sum(..) * 0.5);
    thread::scope(|scope| {
        for seed in 0..4_u8 {
            let f = &f;
            scope.spawn(move || {
                for turn in 0..200_u8 {
                    let x = f32::from(seed) * 1000.0 + f32::from(turn);
                    let sum = f.call(&(tensor![x, 1.0], tensor![2.0, 4.0])).unwrap();
                    check(&sum, &[x + 2.0]);
                }
            });
        }
    });
    assert_eq!(f.trace_count(), 4);
}

/// MLX prints seven digits of a constant into its kernels.
#[test]
fn lifted_constants_keep_their_bits() {
    let x = random::Normal::new().key(&random::key(3).unwrap()).sample([64]).unwrap();
    x.eval().unwrap();
    let mut differing = 0;
    for turn in 0..300_u32 {
        let value = f32::from_bits(0x3f80_0000 | turn.wrapping_mul(0x9e37_79b9) >> 9);
        let captured = tensor![value] + 0.0;
        captured.eval().unwrap();
        let f = |x: &Tensor| (x * f64::from(value)).exp() / &captured + f64::from(value);
        let eager = f(&x).to_vec::<f32>().unwrap();
        let lifted = compile(f).lift_constants();
        assert_eq!(lifted.call(&x).unwrap().to_vec::<f32>().unwrap(), eager, "{value}");
        assert_eq!(lifted.call(&x).unwrap().to_vec::<f32>().unwrap(), eager, "{value}");
        assert_eq!(lifted.trace_count(), 1);
        if turn < 4 {
            let plain = compile(f).call(&x).unwrap().to_vec::<f32>().unwrap();
            differing += usize::from(plain != eager);
        }
    }
    assert!(differing > 0, "else MLX prints more digits now, and the option can go");
}

/// What goes wrong in MLX where a trace serves every shape: the safe compile traces each shape.
#[test]
fn functions_of_shapes_are_right_for_each_shape() {
    type Function = fn(&Tensor) -> Tensor;
    let functions: [(&str, Function); 8] = [
        ("x / x.shape[0]", |x| x / f64::from(x.dim(0))),
        ("x + arange(n)", |x| x + ops::arange(0, x.dim(0), 1).unwrap()),
        ("x * ones(shape)", |x| x * ops::ones(x.shape(), Dtype::Float32).unwrap()),
        ("broadcast_to", |x| x.index(0).broadcast_to([x.dim(0)])),
        ("tril", |x| (x.index((NewAxis, ..)) * x.index((.., NewAxis))).tril(0).sum(0)),
        ("part", |x| x.index(..x.dim(0) - 1)),
        ("cumsum", |x| x.cumsum(0)),
        ("pad", |x| x.pad(1, 0.0)),
    ];
    for (name, function) in functions {
        let f = compile(function);
        for n in [3_u8, 5, 2, 12] {
            let values: Vec<f32> = (0..n).map(|i| f32::from(i) + 0.5).collect();
            let x = Tensor::from_slice(&values).unwrap();
            let expected = function(&x).to_vec::<f32>().unwrap();
            assert_eq!(f.call(&x).unwrap().to_vec::<f32>().unwrap(), expected, "{name} of {n}");
        }
        assert_eq!(f.trace_count(), 4, "{name}");
    }
}

#[test]
fn deep_graphs_are_compiled_on_small_stacks() {
    let deep = || {
        let f = compile(|x: &Tensor| (0..100_000).fold(x.clone(), |y, _| y + x));
        f.call(&tensor![1]).unwrap().shape().to_vec()
    };
    let worker = thread::Builder::new().stack_size(256 << 10).spawn(deep).unwrap();
    assert_eq!(worker.join().unwrap(), [1]);
}

#[test]
fn it_is_not_tracing_for_every_shape() {
    let f = compile(|x: &Tensor| {
        assert!(!is_tracing_shapeless());
        x + 1.0
    });
    check(&f.call(&tensor![1.0]).unwrap(), &[2.0]);
    assert!(!is_tracing_shapeless());
}
