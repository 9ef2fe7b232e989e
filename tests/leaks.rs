//! Memory: 100,000 rounds of building, evaluating, failing and dropping leave the process as large as it was.
//!
//! A process each, since other tests' memory would hide what a round keeps.

#[path = "support/exported.rs"]
mod exported;
#[path = "support/failing.rs"]
mod failing;
#[path = "support/folder.rs"]
mod folder;
#[path = "support/programs.rs"]
mod programs;

use exported::import;
use failing::failing;
use folder::Folder;
use mlx::{
    Tensor, eval,
    fast::HostKernel,
    ops,
    prelude::*,
    transforms::{FunctionExporter, checkpoint, compile, compile_state, grad, value_and_grad},
};
use std::{fs, process::ExitCode, thread};

const ROUNDS: usize = 100_000;

fn main() -> ExitCode {
    programs::main(
        &[
            ("build_evaluate_drop", build_evaluate_drop),
            ("build_drop", build_drop),
            ("clone_drop", clone_drop),
            ("failing_builds", failing_builds),
            ("failing_evaluations", failing_evaluations),
            ("evaluations_of_failed_tensors", evaluations_of_failed_tensors),
            ("unread_failures", unread_failures),
            ("work_in_flight_dropped", work_in_flight_dropped),
            ("reads_and_prints", reads_and_prints),
            ("threads_that_come_and_go", threads_that_come_and_go),
            ("files_opened_and_dropped", files_opened_and_dropped),
            ("guarded_divisions", guarded_divisions),
            ("calls_of_a_compiled_function", calls_of_a_compiled_function),
            ("compiled_functions_that_come_and_go", compiled_functions_that_come_and_go),
            ("compiled_functions_inside_gradients", compiled_functions_inside_gradients),
            ("gradient_steps", gradient_steps),
            ("gradients_of_checkpoints", gradients_of_checkpoints),
            ("functions_exported_and_imported", functions_exported_and_imported),
            ("host_kernels_that_come_and_go", host_kernels_that_come_and_go),
            ("owners_that_come_and_go", owners_that_come_and_go),
        ],
        1,
    )
}

/// The resident memory of this process, in KiB.
fn resident() -> i64 {
    let text = fs::read_to_string("/proc/self/statm").expect("Linux tells");
    4 * text.split(' ').nth(1).and_then(|pages| pages.parse::<i64>().ok()).expect("a number of pages")
}

/// `rounds` of `round` grow the process by less than 2 MiB, after a tenth as many to warm up.
fn check(rounds: usize, mut round: impl FnMut(usize)) {
    (0..rounds / 10).for_each(&mut round);
    let before = resident();
    (0..rounds).for_each(&mut round);
    let growth = resident() - before;
    println!("{growth} KiB");
    assert!(growth.abs() < 2048, "grew by {growth} KiB in {rounds} rounds");
    programs::end();
}

fn build_evaluate_drop() {
    let x = Tensor::from_slice(&[1.5_f32; 1000]).unwrap();
    check(ROUNDS, |turn| {
        let y = (&x * 2.0 + turn as f64).sum(..);
        let z = &y - 1000.0 * turn as f64;
        eval([&z]).unwrap();
        assert!((z.item::<f32>().unwrap() - 3000.0).abs() <= 1e-3 * (turn * 1000) as f32);
    });
}

fn build_drop() {
    let x = Tensor::from_slice(&[1.5_f32; 1000]).unwrap();
    check(ROUNDS, |_| {
        let y = (&x * 2.0).tanh().reshape([10, 100]).t().sum(0);
        assert_eq!(y.shape(), [10]);
        drop(y.index((2..5,)));
    });
}

fn clone_drop() {
    let x = tensor![1.0, 2.0] * 3.0;
    check(ROUNDS * 10, |_| drop(x.clone()));
}

fn failing_builds() {
    let (x, y) = (tensor![1.0, 2.0], tensor![1.0, 2.0, 3.0]);
    let square = ops::ones([2, 2], mlx::Dtype::Float32).unwrap();
    check(ROUNDS, |_| {
        assert!(ops::add(&x, &y).is_err());
        assert!(ops::reshape(&x, [5]).is_err() && ops::index(&x, 7).is_err());
        assert!(ops::concatenate([&x, &square], 0).is_err());
        assert!(ops::add(tensor![1].astype(mlx::Dtype::Uint8), 300).is_err());
    });
}

fn failing_evaluations() {
    let mut fails = std::iter::repeat_with(|| failing(500, 100)).flatten();
    check(ROUNDS, |_| {
        let y = fails.next().expect("endless") * 2 + 1;
        assert!(y.eval().is_err() && y.eval().is_err());
    });
}

fn evaluations_of_failed_tensors() {
    let failed = failing(1, 100).remove(0);
    check(ROUNDS, |_| assert!(failed.eval().is_err() && (&failed + 1).eval().is_err()));
}

fn unread_failures() {
    let mut fails = std::iter::repeat_with(|| failing(500, 100)).flatten();
    check(ROUNDS / 2, |turn| {
        mlx::async_eval([&(fails.next().expect("endless") + 1)]).unwrap();
        if turn % 100 == 99 {
            mlx::synchronize().unwrap();
            // The next evaluation looks after what is left of the failures.
            (tensor![1] + 1).eval().unwrap();
        }
    });
}

fn work_in_flight_dropped() {
    let x = Tensor::from_slice(&[1.5_f32; 1000]).unwrap();
    check(ROUNDS, |turn| {
        let y = &x * 2.0;
        mlx::async_eval([&y]).unwrap();
        drop(y);
        if turn % 100 == 99 {
            mlx::synchronize().unwrap();
        }
    });
}

fn reads_and_prints() {
    let x = Tensor::from_slice(&[1.5_f32; 100]).unwrap().reshape([10, 10]);
    check(ROUNDS / 10, |_| {
        assert_eq!(x.t().to_vec::<f32>().unwrap().len(), 100);
        assert_eq!(x.as_slice::<f32>().unwrap().len(), 100);
        assert!(x.to_string().len() > 100 && !format!("{x:?}").is_empty());
        assert!(mlx::graph::dot(&[&x + 1.0]).unwrap().len() > 10);
    });
}

fn threads_that_come_and_go() {
    let x = Tensor::from_slice(&[1; 100]).unwrap();
    check(5000, |turn| {
        let y = &x + turn as i32;
        thread::spawn(move || assert_eq!(y.to_vec::<i32>().unwrap(), [turn as i32 + 1; 100])).join().unwrap();
    });
}

fn files_opened_and_dropped() {
    check(3000, |_| drop(failing(3, 100)));
    let open = fs::read_dir("/proc/self/fd").expect("Linux tells").count();
    assert!(open < 40, "{open} files are open");
}

fn guarded_divisions() {
    let (a, divisor) = (tensor![7, 8], tensor![2, 0]);
    check(ROUNDS, |turn| {
        // Lazy again in each round: a divisor whose values are there is refused.
        let b = &divisor + 0;
        let y = a.floor_divide(&b) + (&a % &b);
        if turn % 100 == 0 {
            assert_eq!(y.to_vec::<i32>().unwrap(), [4, 0]);
        }
    });
}

fn calls_of_a_compiled_function() {
    let step = compile_state(|total: &mut Tensor, x: &Tensor| {
        *total += x;
        (&*total * 0.5).sum(..)
    });
    let (mut total, x) = (tensor![0.0, 0.0], tensor![1.0, -1.0]);
    check(ROUNDS, |turn| {
        let half = step.call(&mut total, &x).unwrap();
        eval([&total]).unwrap();
        if turn % 1000 == 0 {
            assert_eq!(half.to_vec::<f32>().unwrap(), [0.0]);
        }
    });
    assert_eq!(step.trace_count(), 1);
}

/// Each captures 4 KB, which its trace holds in the thread that called it, and which go when it is dropped on another.
fn compiled_functions_that_come_and_go() {
    let x = tensor![1.0];
    thread::scope(|scope| {
        let (sender, functions) = std::sync::mpsc::channel::<Box<dyn Send>>();
        scope.spawn(move || functions.into_iter().for_each(drop));
        check(ROUNDS / 20, |turn| {
            let offset = ops::full([1000], turn as f64, Dtype::Float32).unwrap();
            offset.eval().unwrap();
            let f = compile(move |x: &Tensor| (x + &offset).max(..));
            assert_eq!(f.call(&x).unwrap().to_vec::<f32>().unwrap(), [turn as f32 + 1.0]);
            sender.send(Box::new(f)).unwrap();
        });
    });
}

fn compiled_functions_inside_gradients() {
    let x = tensor![1.0, 2.0];
    let square = compile(|x: &Tensor| x * x);
    check(ROUNDS / 10, |_| {
        let g = grad(|x| square.call(x).map(|y| y.sum(..)), &x).unwrap();
        assert_eq!(g.to_vec::<f32>().unwrap(), [2.0, 4.0]);
    });
}

fn gradient_steps() {
    let (x, mut weight) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![0.5, -0.5]);
    check(ROUNDS, |_| {
        let loss = |weight: &Tensor| (x.matmul(weight) - 1.0).square().mean(..);
        let (_, slope) = value_and_grad(loss, &weight).unwrap();
        weight = &weight - slope * 0.01;
        weight.eval().unwrap();
    });
    assert!(weight.to_vec::<f32>().unwrap().iter().all(|w| w.is_finite()));
}

fn gradients_of_checkpoints() {
    let scale = tensor![2.0, 3.0];
    let layer = checkpoint(move |x: &Tensor| (x * &scale).tanh());
    let x = tensor![0.0, 0.0];
    check(ROUNDS / 10, |_| {
        let slope = grad(|x| layer.call(x).map(|y| y.sum(..)), &x).unwrap();
        assert_eq!(slope.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    });
}

/// Each file has 40 KB of constants, of which two lie out of order; some functions fail, some are never called.
fn functions_exported_and_imported() {
    let folder = Folder::new("leaks");
    let constant = ops::full([50, 100], 0.5, Dtype::Float32).unwrap().t() * 2.0;
    let turned = constant.t();
    eval([&constant, &turned]).unwrap();
    check(1000, |turn| {
        let f = |[x, y]: &[Tensor; 2]| match y.ndim() {
            3 => Err(mlx::Error::new(mlx::ErrorKind::Value, "mine", "no")),
            _ => Ok((x * &turned + &constant.t() + y, x.clone())),
        };
        let x = ops::zeros([50, 100], Dtype::Float32).unwrap();
        let mut exporter = FunctionExporter::new(folder.path("f"), f).unwrap();
        exporter.call(&[x.clone(), tensor![1.0]]).unwrap();
        exporter.call(&[x.clone(), tensor![[1.0]]]).unwrap();
        if turn % 3 == 0 {
            assert!(exporter.call(&[x.clone(), tensor![[[1.0]]]]).is_err());
            return;
        }
        exporter.close().unwrap();
        let f = import(folder.path("f")).unwrap();
        assert!(f.call(&x).is_err());
        if turn % 3 == 1 {
            let outputs = f.call(&[x, tensor![turn as f64]]).unwrap();
            assert_eq!(outputs[0].max(..).to_vec::<f32>().unwrap(), [turn as f32 + 1.0]);
        }
    });
    let open = fs::read_dir("/proc/self/fd").expect("Linux tells").count();
    assert!(open < 40, "{open} files are open");
}

/// Half of them fail; a third has a gradient.
fn host_kernels_that_come_and_go() {
    let x = Tensor::from_slice(&[1.5_f32; 100]).unwrap();
    check(ROUNDS / 5, |turn| {
        let kept = vec![turn as f32; 100];
        let kernel = HostKernel::new("kept", move |inputs, outputs| {
            if turn % 2 == 0 {
                return Err("an even turn".into());
            }
            let (x, y) = (inputs[0].slice::<f32>()?, outputs[0].slice_mut::<f32>()?);
            y.iter_mut().zip(x).zip(&kept).for_each(|((y, x), kept)| *y = x * kept);
            Ok(())
        })
        .output_like(0)
        .vjp(|_, cotangents, _| Ok::<_, mlx::Error>(vec![cotangents[0].clone()]));
        // A view, which is packed for the kernel.
        let y = kernel.call_one([&x.reshape([10, 10]).t()]).unwrap();
        match turn % 2 {
            0 => assert!(y.eval().is_err()),
            _ => assert_eq!(y.to_vec::<f32>().unwrap()[98..], [1.5 * turn as f32; 2]),
        }
        if turn % 3 == 0 {
            let slope = grad(|x| kernel.call_one([x]).map(|y| y.sum(..)), &x).unwrap();
            assert_eq!(slope.to_vec::<f32>().unwrap(), [1.0; 100]);
        }
    });
}

fn owners_that_come_and_go() {
    check(ROUNDS, |turn| {
        let x = Tensor::from_owner([1000], vec![turn as f32; 1000]).unwrap();
        let y = x * 2.0 + 1.0;
        assert_eq!(y.to_vec::<f32>().unwrap()[998..], [2.0 * turn as f32 + 1.0; 2]);
    });
}
