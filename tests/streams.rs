//! Devices, streams and memory: scopes end also on unwind, work across streams is right, errors reach their own batch.

#[path = "support/failing.rs"]
mod failing;

use failing::failing;
use mlx::{
    Device, DeviceKind, ErrorKind, Stream, async_eval, eval, memory, prelude::*, synchronize, with_device,
    with_stream,
};
use std::{panic, thread};

/// A chain of sums on `stream` whose value is known.
fn chain(stream: &Stream, start: f64, steps: usize) -> Tensor {
    let build = || (0..steps).fold(tensor![0.0, 0.0, 0.0] + start, |sum, _| sum + 1.0);
    with_stream(stream, build).unwrap()
}

fn check(x: &Tensor, value: f64) {
    assert_eq!(x.to_vec::<f32>().unwrap(), [value as f32; 3]);
}

#[test]
fn a_scope_ends_with_its_work_also_on_unwind() {
    let outer = Stream::current().unwrap();
    let (a, b) = (Stream::new(Device::cpu()).unwrap(), Stream::new(Device::cpu()).unwrap());
    with_stream(&a, || {
        assert_eq!(Stream::current().unwrap(), a);
        with_stream(&b, || assert_eq!(Stream::current().unwrap(), b)).unwrap();
        assert_eq!(Stream::current().unwrap(), a);
        let unwound = panic::catch_unwind(|| with_stream(&b, || panic!("on purpose")));
        assert!(unwound.is_err());
        assert_eq!(Stream::current().unwrap(), a);
        let other = thread::spawn(|| Stream::current().unwrap()).join().unwrap();
        assert_eq!(other, outer, "a scope is of its thread");
    })
    .unwrap();
    assert_eq!(Stream::current().unwrap(), outer);
    with_device(Device::cpu(), || assert_eq!(Device::current().unwrap(), Device::cpu())).unwrap();
    assert_eq!(Stream::current().unwrap(), outer);
}

#[test]
fn a_device_that_is_not_there_is_an_error_that_says_so() {
    let gpus = Device::count(DeviceKind::Gpu).unwrap();
    let missing = Device::nth_gpu(u8::try_from(gpus).unwrap());
    assert!(!missing.is_available().unwrap());
    let errors = [
        with_device(missing, || ()).unwrap_err(),
        Stream::new(missing).map(drop).unwrap_err(),
        missing.info().map(drop).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::Setup);
        assert!(error.to_string().contains(&missing.to_string()), "{error}");
        assert!(gpus > 0 || error.message().contains("there is no GPU"), "{error}");
    }
}

#[test]
fn the_processor_is_there_and_has_a_name() {
    assert_eq!(Device::count(DeviceKind::Cpu).unwrap(), 1);
    let info = Device::cpu().info().unwrap();
    assert!(!info.architecture.is_empty(), "{info:?}");
    assert_eq!((Device::cpu().to_string(), Device::nth_gpu(2).to_string()), ("cpu".into(), "gpu:2".into()));
}

#[test]
fn work_across_streams_has_the_right_values() {
    let (a, b) = (Stream::new(Device::cpu()).unwrap(), Stream::new(Device::cpu()).unwrap());
    for round in 0..300 {
        let start = f64::from(round);
        let (x, y) = (chain(&a, start, 30), chain(&b, 1.0, 20));
        if round % 3 != 0 {
            async_eval([&x]).unwrap();
        }
        if round % 3 == 2 {
            async_eval([&y]).unwrap();
        }
        let z = with_stream(&b, || &x + &y).unwrap();
        let w = with_stream(&a, || &z * 2.0 + &y).unwrap();
        eval([&w, &z]).unwrap();
        check(&w, 2.0 * (start + 51.0) + 21.0);
        check(&z, start + 51.0);
        check(&x, start + 30.0);
    }
}

#[test]
fn threads_with_streams_of_their_own_share_tensors() {
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new(Device::cpu()).unwrap()).collect();
    for round in 0..40 {
        let shared = chain(&streams[round % 4], round as f64, 15);
        thread::scope(|scope| {
            for (turn, stream) in streams.iter().enumerate() {
                let shared = &shared;
                scope.spawn(move || {
                    let mine = with_stream(stream, || shared * turn as f64 + 1.0).unwrap();
                    check(&mine, (round as f64 + 15.0) * turn as f64 + 1.0);
                });
            }
        });
    }
}

/// Evaluating `bad` fails with the file's error, twice, and `good` is right.
fn check_failed(bad: &Tensor, good: &Tensor, value: f64) {
    for _ in 0..2 {
        let error = eval([bad]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Eval);
        assert!(error.message().contains("read"), "{error}");
        assert!(bad.to_vec::<f32>().is_err());
        check(good, value);
    }
}

/// Where a GPU is the default, MLX waits for the CPU's stream while it schedules, and takes the error that it finds there.
#[test]
fn errors_stay_with_their_batch_while_others_cross_its_stream() {
    let (a, b) = (Stream::new(Device::cpu()).unwrap(), Stream::new(Device::current().unwrap()).unwrap());
    thread::scope(|scope| {
        let failed = scope.spawn(|| {
            for _ in 0..200 {
                let broken = with_stream(&a, || failing(1, 1000)[0].sum(..)).unwrap();
                let error = eval([&broken]).expect_err("what cannot be read");
                assert!(error.message().contains("read"), "{error}");
            }
        });
        for round in 0.. {
            if failed.is_finished() {
                break;
            }
            let (start, x) = (f64::from(round), chain(&a, f64::from(round), 10));
            let y = with_stream(&b, || &x + 1.0).unwrap();
            if round % 2 == 0 {
                eval([&x, &y]).unwrap();
            }
            check(&y, start + 11.0);
        }
    });
}

#[test]
fn an_error_on_another_stream_reaches_its_batch_and_no_other() {
    let (a, b) = (Stream::new(Device::cpu()).unwrap(), Stream::new(Device::cpu()).unwrap());
    for round in 0..60 {
        let good = chain(&b, f64::from(round), 10);
        async_eval([&good]).unwrap();
        let broken = with_stream(&a, || failing(1, 1000)[0].sum(..)).unwrap();
        // The failing node is in the same batch; under way; done; or read on both streams.
        match round % 4 {
            0 => {}
            1 => async_eval([&broken]).unwrap(),
            2 => drop(eval([&broken]).unwrap_err()),
            _ => async_eval([&with_stream(&a, || &broken + 1.0).unwrap()]).unwrap(),
        }
        let bad = with_stream(&b, || &broken + &good).unwrap();
        let innocent = with_stream(&a, || &good + 1.0).unwrap();
        check_failed(&bad, &good, f64::from(round) + 10.0);
        check(&innocent, f64::from(round) + 11.0);
        assert!(eval([&broken]).is_err());
    }
    synchronize().unwrap();
    a.synchronize().unwrap();
}

#[test]
fn limits_end_with_their_guard() {
    let now = memory::memory_limit().unwrap();
    let limit = memory::set_memory_limit(1 << 40).unwrap();
    assert_eq!((limit.before(), memory::memory_limit().unwrap()), (now, 1 << 40));
    let unwound = panic::catch_unwind(|| {
        let _inner = memory::set_memory_limit(1 << 41).unwrap();
        panic!("on purpose");
    });
    assert!(unwound.is_err());
    assert_eq!(memory::memory_limit().unwrap(), 1 << 40);
    drop(limit);
    assert_eq!(memory::memory_limit().unwrap(), now);
    memory::set_memory_limit(now).unwrap().keep();
    assert_eq!(memory::memory_limit().unwrap(), now);
}
