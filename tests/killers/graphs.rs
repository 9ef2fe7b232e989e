//! Graphs too deep for a stack, destructors at odd moments, panics in the middle of building.

use crate::{check, failing::failing, programs, programs::Program};
use mlx::{Dtype, Tensor, eval, graph, ops, prelude::*};
use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("deep_chain_built_and_dropped", deep_chain_dropped),
    ("deep_chain_evaluated", deep_chain_evaluated),
    ("deep_chain_on_a_small_stack", deep_chain_on_a_small_stack),
    ("deep_chain_as_dot", deep_chain_as_dot),
    ("deep_chain_that_fails", deep_chain_that_fails),
    ("deep_tree_of_shared_nodes", deep_tree_of_shared_nodes),
    ("wide_graph", wide_graph),
    ("dropped_with_thread_locals", dropped_with_thread_locals),
    ("used_in_destructors_of_thread_locals", used_in_destructors),
    ("panic_while_building", panic_while_building),
    ("panic_in_an_iterator", panic_in_an_iterator),
    ("nothing_to_evaluate", nothing_to_evaluate),
];

const DEPTH: i32 = 1_000_000;

fn chain(depth: i32) -> Tensor {
    (0..depth).fold(tensor![0], |x, _| x + 1)
}

fn deep_chain_dropped() {
    drop(chain(DEPTH));
    drop(vec![chain(DEPTH / 10); 3]);
    programs::end();
}

fn deep_chain_evaluated() {
    let x = chain(DEPTH);
    check(Ok(x.clone()), &[i64::from(DEPTH)]);
    drop(x);
    check(Ok(tensor![1] + 1), &[2]);
    programs::end();
}

fn deep_chain_on_a_small_stack() {
    let small = || thread::Builder::new().stack_size(128 << 10);
    let x = chain(DEPTH / 5);
    let y = &x + 1;
    small().spawn(move || drop(x)).unwrap().join().unwrap();
    small().spawn(move || drop(y)).unwrap().join().unwrap();
    let x = chain(DEPTH / 5);
    small().spawn(move || check(Ok(x), &[i64::from(DEPTH / 5)])).unwrap().join().unwrap();
    programs::end();
}

fn deep_chain_as_dot() {
    for depth in [1, 1999, 2001, DEPTH] {
        let x = chain(depth);
        match graph::dot(&[x]) {
            Ok(text) => assert_eq!(text.matches("Add").count(), depth as usize),
            Err(error) => assert!(error.message().contains("too deep") && depth == DEPTH, "{error}"),
        }
    }
    programs::end();
}

fn deep_chain_that_fails() {
    let x = (0..100_000).fold(failing(1, 1).remove(0), |x, _| x + 1);
    assert!(x.eval().is_err() && x.eval().is_err());
    assert!((&x + 1).eval().is_err());
    drop(x);
    programs::end();
}

/// 2^200 paths, 200 nodes.
fn deep_tree_of_shared_nodes() {
    let x = (0..200).fold(tensor![1.0], |x, _| (&x + &x) * 0.5);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0]);
    let lazy = (0..200).fold(tensor![1.0], |x, _| &x + &x);
    assert!(graph::dot(std::slice::from_ref(&lazy)).unwrap().len() < 200_000);
    drop(lazy);
    programs::end();
}

fn wide_graph() {
    let parts: Vec<Tensor> = (0..20_000).map(|value| tensor![value] + 1).collect();
    let all = ops::concatenate(&parts, 0).unwrap();
    let wanted: Vec<i64> = (1..=20_000).collect();
    check(Ok(all), &wanted);
    eval(&parts).unwrap();
    check(Ok(parts[19_999].clone()), &[20_000]);
    programs::end();
}

thread_local! {
    static KEPT: RefCell<Vec<Tensor>> = const { RefCell::new(Vec::new()) };
}

fn dropped_with_thread_locals() {
    for _ in 0..50 {
        let keep = || {
            let x = tensor![1, 2] + 1;
            KEPT.with_borrow_mut(|kept| kept.extend([x.clone(), &x * 2, chain(1000)]));
            check(Ok(x), &[2, 3]);
        };
        thread::spawn(keep).join().unwrap();
    }
    KEPT.with_borrow_mut(|kept| kept.push(chain(DEPTH / 5)));
    programs::end();
}

/// Its destructor computes, on a thread whose own locals may be gone.
struct Computes {
    x: Option<Tensor>,
    /// Whether MLX's locals are gone by then: a computation would read them.
    refused: bool,
}

impl Drop for Computes {
    fn drop(&mut self) {
        let x = self.x.take().unwrap();
        let found = ops::add(&x, 1).and_then(|y| y.to_vec::<i32>());
        match found {
            Ok(values) => assert!(!self.refused && values == [3]),
            Err(error) => {
                assert!(self.refused && error.message().contains("this thread is ending"), "{error}");
            }
        }
    }
}

thread_local! {
    static LAST_WORDS: RefCell<Vec<Computes>> = const { RefCell::new(Vec::new()) };
}

fn used_in_destructors() {
    for _ in 0..50 {
        // The local is registered before the thread's first use of tensors, or after it.
        for early in [false, true] {
            let work = move || {
                if early {
                    LAST_WORDS.with_borrow_mut(Vec::clear);
                }
                let x = tensor![1] + 1;
                LAST_WORDS.with_borrow_mut(|words| words.push(Computes { x: Some(x), refused: early }));
            };
            thread::spawn(work).join().unwrap();
        }
    }
    programs::end();
}

fn panic_while_building() {
    std::panic::set_hook(Box::new(|_| {}));
    let shared = tensor![1, 2] + 1;
    for _ in 0..2000 {
        let work =
            || (0..10).fold(shared.clone(), |x, turn| if turn == 7 { x + tensor![1, 2, 3] } else { x + 1 });
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    assert!(catch_unwind(AssertUnwindSafe(|| &shared + tensor![1, 2, 3])).is_err());
                    check(Ok(&shared * 2), &[4, 6]);
                }
            });
        }
    });
    check(Ok(shared), &[2, 3]);
    programs::end();
}

fn panic_in_an_iterator() {
    std::panic::set_hook(Box::new(|_| {}));
    let x = tensor![1] + 1;
    let third = |turn| if turn == 2 { panic!("the user's own") } else { &x };
    assert!(catch_unwind(AssertUnwindSafe(|| eval((0..5).map(third)))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| ops::concatenate((0..5).map(third), 0))).is_err());
    thread::scope(|scope| scope.spawn(|| check(Ok(&x + 1), &[3])).join().unwrap());
    programs::end();
}

fn nothing_to_evaluate() {
    eval([]).unwrap();
    mlx::async_eval([]).unwrap();
    mlx::synchronize().unwrap();
    assert!(graph::dot(&[]).is_ok());
    let x = ops::ones((), Dtype::Bool).unwrap();
    eval([&x, &x, &x]).unwrap();
    assert!(x.item::<bool>().unwrap());
    assert_eq!(mlx::spins(0), 2000);
    check(Ok(tensor![1] + 1), &[2]);
    assert_eq!(mlx::spins(u16::MAX), 0);
    check(Ok(tensor![1] + 1), &[2]);
    programs::end();
}
