//! Host kernels: their values, errors and panics, on threads, and under transforms.
//!
//! Not here: what they leave behind in memory (`leaks`), the end of the process (`exit`).

#[path = "../support/labels.rs"]
mod labels;
mod under_transforms;

use mlx::{
    Complex32, Device, Element, ErrorKind, Shape, bf16, f16,
    fast::HostKernel,
    ops,
    prelude::*,
    transforms::{compile, grad},
    with_device,
};
use std::{
    fmt::Debug,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// The values of its input, in row-major order.
fn copy<T: Element>() -> HostKernel {
    HostKernel::new("copy", |inputs, outputs| {
        outputs[0].slice_mut::<T>()?.copy_from_slice(inputs[0].slice::<T>()?);
        Ok(())
    })
    .output_like(0)
}

fn scale(by: f32) -> HostKernel {
    HostKernel::new("scale", move |inputs, outputs| {
        for (y, x) in outputs[0].slice_mut::<f32>()?.iter_mut().zip(inputs[0].slice::<f32>()?) {
            *y = x * by;
        }
        Ok(())
    })
    .output_like(0)
    .vjp(move |_, cotangents, _| Ok::<_, mlx::Error>(vec![&cotangents[0] * by]))
    .jvp(move |_, tangents| {
        Ok::<_, mlx::Error>(vec![tangents[0].as_ref().expect("the one input has a tangent") * by])
    })
    .vmap(move |inputs, axes| Ok::<_, mlx::Error>((scale(by).call(inputs)?, vec![axes[0]].into())))
}

fn failing(text: &'static str) -> HostKernel {
    HostKernel::new("failing", move |_, _| Err(text.into())).output_like(0)
}

/// Through the kernel `x` has the same values, and so have its views.
fn check<T: Element + Debug + PartialEq>(x: &Tensor) {
    let wanted = x.to_vec::<T>().unwrap();
    let y = copy::<T>().call_one([x]).unwrap();
    assert_eq!((y.shape(), y.dtype()), (x.shape(), x.dtype()));
    assert_eq!(y.to_vec::<T>().unwrap(), wanted);
}

fn check_views<T: Element + Debug + PartialEq>(values: [T; 12]) {
    let x = Tensor::from_shape_slice([3, 4], &values).unwrap();
    check::<T>(&x);
    check::<T>(&x.t());
    check::<T>(&x.index((1.., ..3)));
    check::<T>(&x.index((.., 1)));
    check::<T>(&x.index(2).index(3));
    check::<T>(&ops::broadcast_to(&x.index((.., 1)), [2, 3]).unwrap());
    check::<T>(&ops::flip(&x, [0, 1]).unwrap());
    check::<T>(&x.index(0..0));
    check::<T>(&x.reshape([3, 2, 2]).swapaxes(0, 2));
    // Lazy, and dropped before it is computed.
    let lazy = x.t();
    let y = copy::<T>().call_one([&lazy]).unwrap();
    drop((lazy, x));
    assert_eq!(y.to_vec::<T>().unwrap()[1], values[4]);
}

#[test]
fn every_dtype_and_view_comes_in_row_major_order() {
    check_views(std::array::from_fn(|i| i % 3 == 0));
    check_views(std::array::from_fn(|i| i as u8));
    check_views(std::array::from_fn(|i| i as u16 * 5000));
    check_views(std::array::from_fn(|i| i as u32 * 300_000_000));
    check_views(std::array::from_fn(|i| i as u64 * 1_000_000_000_000_000_000));
    check_views(std::array::from_fn(|i| i as i8 * -10));
    check_views(std::array::from_fn(|i| i as i16 * -2000));
    check_views(std::array::from_fn(|i| i as i32 * -100_000_000));
    check_views(std::array::from_fn(|i| i as i64 * -500_000_000_000_000_000));
    check_views(std::array::from_fn(|i| f16::from_f32(i as f32 * 0.5)));
    check_views(std::array::from_fn(|i| bf16::from_f32(i as f32 * 0.5)));
    check_views(std::array::from_fn(|i| i as f32 * 0.3));
    check_views(std::array::from_fn(|i| i as f64 * 0.3));
    check_views(std::array::from_fn(|i| Complex32::new(i as f32, -(i as f32))));
}

#[test]
fn elements_at_odd_addresses_are_copied() {
    let bytes = Tensor::from_slice(&(0..33).collect::<Vec<u8>>()).unwrap();
    let floats = ops::view(bytes.index(1..), Dtype::Float32).unwrap();
    check::<f32>(&floats);
    let bools = ops::view(Tensor::from_slice(&[0_u8, 1, 2]).unwrap(), Dtype::Bool).unwrap();
    let error = copy::<bool>().call_one([&bools]).unwrap().eval().unwrap_err();
    assert!(error.message().contains("neither 0 nor 1"), "{error}");
}

#[test]
fn outputs_are_zeros_and_as_many_as_listed() {
    let kernel = HostKernel::new("several", |inputs, outputs| {
        let x = inputs[0].slice::<i32>()?;
        let [sum, shapes, untouched] = outputs else { return Err("three outputs".into()) };
        sum.slice_mut::<i64>()?[0] = x.iter().map(|x| i64::from(*x)).sum();
        shapes.slice_mut::<i32>()?.copy_from_slice(inputs[0].shape());
        assert_eq!((untouched.shape(), untouched.dtype()), (&[2, 2][..], Dtype::Float16));
        assert!(untouched.slice_mut::<f16>()?.iter().all(|x| x.to_bits() == 0));
        Ok(())
    })
    .output((), Dtype::Int64)
    .output([2], Dtype::Int32)
    .output([2, 2], Dtype::Float16);
    for _ in 0..20 {
        let y = kernel.call([&tensor![[1, 2, 3], [4, 5, 6]]]).unwrap();
        assert_eq!(y[0].item::<i64>().unwrap(), 21);
        assert_eq!(y[1].to_vec::<i32>().unwrap(), [2, 3]);
        assert_eq!(y[2].to_vec::<f16>().unwrap(), [f16::ZERO; 4]);
        // One of several alone.
        let y = kernel.call([&tensor![[1, 2, 3]]]).unwrap().swap_remove(1);
        assert_eq!((y * 2).to_vec::<i32>().unwrap(), [2, 6]);
    }
}

#[test]
fn kernels_may_have_no_inputs_and_shapes_by_rule() {
    let pi = HostKernel::new("pi", |_, outputs| {
        outputs[0].slice_mut::<f64>()?[0] = std::f64::consts::PI;
        Ok(())
    })
    .output((), Dtype::Float64);
    assert_eq!(pi.call_one([]).unwrap().to_vec::<f64>().unwrap(), [std::f64::consts::PI]);
    let twice = HostKernel::new("twice", |inputs, outputs| {
        let (x, y) = (inputs[0].slice::<u8>()?, outputs[0].slice_mut::<u8>()?);
        y[..x.len()].copy_from_slice(x);
        y[x.len()..].copy_from_slice(x);
        Ok(())
    })
    .outputs_by(|inputs| Ok(vec![(Shape::from_slice(&[2 * inputs[0].dim(0)]), Dtype::Uint8)]));
    let x = Tensor::from_slice(&[7_u8, 8]).unwrap();
    assert_eq!(twice.call_one([&x]).unwrap().to_vec::<u8>().unwrap(), [7, 8, 7, 8]);
}

#[test]
fn bad_kernels_are_refused_when_called() {
    let x = tensor![1.0];
    let nothing = |name: &str| HostKernel::new(name, |_, _| Ok(()));
    let refused = |kernel: HostKernel, words: &str| {
        let error = kernel.call([&x]).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(nothing("none"), "[none] it has no outputs");
    refused(nothing("a b").output_like(0), "\"a b\"");
    refused(nothing("").output_like(0), "\"\"");
    refused(nothing("n").output_like(1), "[n] an output is like input 1 of 1");
    refused(nothing("n").output([-1], Dtype::Int8), "negative");
    refused(nothing("n").output([i32::MAX, i32::MAX, i32::MAX], Dtype::Int8), "bytes");
    refused(nothing("n").outputs_by(|_| Ok(Vec::new())), "[n] it has no outputs");
    refused(nothing("n").outputs_by(|_| Ok(Vec::new())).output_like(0), "by a rule, too");
    let two = nothing("n").output_like(0).output_like(0);
    assert!(two.call_one([&x]).unwrap_err().message().contains("2 tensors"));
}

#[test]
fn errors_come_out_at_each_evaluation() {
    let x = tensor![1.0, 2.0];
    let y = failing("the disk is full").call_one([&x]).unwrap();
    let z = &y + 1.0;
    for _ in 0..3 {
        for failed in [&y, &z] {
            let error = failed.eval().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Eval);
            assert!(error.message().contains("[failing] the disk is full"), "{error}");
        }
    }
    assert_eq!((&x + 1.0).to_vec::<f32>().unwrap(), [2.0, 3.0]);
    let wrong = copy::<i32>().call_one([&x]).unwrap().eval().unwrap_err();
    assert!(wrong.message().contains("a slice of int32 was asked for and the dtype is float32"), "{wrong}");
    let text = failing("nul \0 in it").call_one([&x]).unwrap().eval().unwrap_err();
    assert!(text.message().contains("nul \u{fffd} in it"), "{text}");
}

#[test]
fn panics_come_out_as_errors() {
    struct Rude;
    impl Drop for Rude {
        fn drop(&mut self) {
            panic!("while dropping");
        }
    }
    let x = tensor![1.0];
    let of = |body: fn()| {
        let kernel = HostKernel::new("panics", move |_, _| {
            body();
            Ok(())
        });
        let error = kernel.output_like(0).call_one([&x]).unwrap().eval().unwrap_err();
        error.message().to_owned()
    };
    assert!(of(|| panic!("at once")).contains("at once"));
    assert!(of(|| panic!("number {}", 3)).contains("number 3"));
    assert!(of(|| std::panic::panic_any(5)).contains("without a text"));
    assert!(of(|| std::panic::panic_any(Rude)).contains("without a text"));
    assert_eq!((x + 1.0).to_vec::<f32>().unwrap(), [2.0]);
}

#[test]
fn tensors_inside_are_errors_and_no_deadlock() {
    let captured = tensor![1.0, 2.0] * 3.0;
    let told = Arc::new(Mutex::new(Vec::new()));
    let kernel = HostKernel::new("curious", {
        let (captured, told) = (captured.clone(), Arc::clone(&told));
        move |_, _| {
            let mut told = told.lock().unwrap();
            told.push(captured.eval().unwrap_err());
            told.push(captured.to_vec::<f32>().unwrap_err());
            told.push(ops::add(&captured, 1.0).unwrap_err());
            told.push(Tensor::from_slice(&[1]).unwrap_err());
            told.push(scale(2.0).call([&captured]).unwrap_err());
            told.push(mlx::synchronize().unwrap_err());
            // What needs no values is allowed, and so is to drop.
            assert_eq!(captured.shape(), [2]);
            drop(captured.clone());
            Ok(())
        }
    })
    .output((), Dtype::Int32);
    assert_eq!(kernel.call_one([]).unwrap().item::<i32>().unwrap(), 0);
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 6);
    assert!(told.iter().all(|e| e.message().contains("inside a callback")), "{told:?}");
    assert_eq!(captured.to_vec::<f32>().unwrap(), [3.0, 6.0]);
}

#[test]
fn other_threads_build_and_evaluate_while_a_kernel_runs() {
    let (begun, running) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel();
    let may_go_on = Mutex::new(may_go_on);
    let slow = HostKernel::new("slow", move |_, _| {
        begun.send(())?;
        may_go_on.lock().unwrap().recv_timeout(Duration::from_secs(20))?;
        Ok(())
    })
    .output((), Dtype::Int32);
    let y = slow.call_one([]).unwrap();
    mlx::async_eval([&y]).unwrap();
    running.recv().unwrap();
    // Built and dropped while it runs; a stream of its own computes.
    let x = tensor![1.0] + 1.0;
    let stream = mlx::Stream::new(Device::cpu()).unwrap();
    let z = mlx::with_stream(&stream, || tensor![2.0] * 4.0).unwrap();
    assert_eq!(z.to_vec::<f32>().unwrap(), [8.0]);
    go_on.send(()).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [2.0]);
    assert_eq!(y.item::<i32>().unwrap(), 0);
}

#[test]
fn threads_share_kernels() {
    let kernel = scale(2.0);
    for round in 0..200 {
        thread::scope(|scope| {
            for number in 0..4 {
                let kernel = &kernel;
                scope.spawn(move || {
                    let x = Tensor::from_slice(&[number as f32; 64]).unwrap();
                    let y = kernel.call_one([&x]).unwrap() + round as f32;
                    let fails = failing("this one").call_one([&y]).unwrap();
                    assert_eq!(y.to_vec::<f32>().unwrap(), [2.0 * number as f32 + round as f32; 64]);
                    assert!(fails.eval().unwrap_err().message().contains("this one"));
                    let slope = grad(|x: &Tensor| kernel.call_one([x]).map(|y| y.sum(..)), &x).unwrap();
                    assert_eq!(slope.to_vec::<f32>().unwrap(), [2.0; 64]);
                });
            }
        });
    }
}

/// Counts how often it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn closures_are_dropped_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let gone = || {
        mlx::synchronize().unwrap();
        for _ in 0..1000 {
            if drops.load(Ordering::SeqCst) > 0 {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        drops.swap(0, Ordering::SeqCst)
    };
    let kernel = || {
        let counted = Counted(Arc::clone(&drops));
        HostKernel::new("counted", move |_, _| {
            let _ = &counted;
            Ok(())
        })
        .output((), Dtype::Int32)
    };
    drop(kernel());
    assert_eq!(gone(), 1);
    let lazy = kernel().call([]).unwrap();
    drop(lazy);
    assert_eq!(gone(), 1);
    for _ in 0..100 {
        kernel().call_one([]).unwrap().eval().unwrap();
        assert_eq!(gone(), 1);
    }
    let y = kernel().call_one([]).unwrap();
    thread::spawn(move || y.eval().unwrap()).join().unwrap();
    assert_eq!(gone(), 1);
    let f = compile({
        let kernel = kernel();
        move |x: &Tensor| kernel.call_one([]).map(|y| x + y)
    });
    f.call(&tensor![1]).unwrap().eval().unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(f);
    assert_eq!(gone(), 1);
    let in_flight = kernel().call_one([]).unwrap();
    mlx::async_eval([&in_flight]).unwrap();
    drop(in_flight);
    assert_eq!(gone(), 1);
}

#[test]
fn kernels_run_on_the_cpu_of_any_stream() {
    let stream = mlx::Stream::new(Device::cpu()).unwrap();
    let x = tensor![1.0, 2.0] * 2.0;
    let y = mlx::with_stream(&stream, || scale(5.0).call_one([&x])).unwrap().unwrap();
    assert_eq!((y + 1.0).to_vec::<f32>().unwrap(), [11.0, 21.0]);
    if Device::gpu().is_available().unwrap() {
        let y = with_device(Device::gpu(), || {
            let x = tensor![1.0, 2.0] * 2.0;
            scale(5.0).call_one([&x]).unwrap() + 1.0
        });
        assert_eq!(y.unwrap().to_vec::<f32>().unwrap(), [11.0, 21.0]);
    }
}
