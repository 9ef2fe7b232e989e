//! Threads that end, and what they still do then.

use crate::{programs, programs::Program};
use mlx::{Device, ErrorKind, Stream, prelude::*, with_device};
use std::{
    cell::RefCell,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

pub(crate) const PROGRAMS: &[Program] = &[("thread_local_older_than_mlx", thread_local_older_than_mlx)];

/// Counts the uses that were refused when its thread ended.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

struct Late(Tensor);

impl Drop for Late {
    fn drop(&mut self) {
        let Late(x) = self;
        let results = [
            x.to_vec::<f32>().map(drop),
            mlx::ops::add(&*x, 1.0).and_then(|y| y.eval()),
            with_device(Device::cpu(), || ()),
            Stream::current().map(drop),
        ];
        for result in results {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Setup);
            REFUSED.fetch_add(1, Ordering::Relaxed);
        }
        assert_eq!(x.shape(), [2]);
    }
}

thread_local! {
    static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
}

/// Thread-locals are destroyed in reverse order: what is older than MLX's own on its thread is destroyed behind them, and
/// computing then would write to freed memory.
fn thread_local_older_than_mlx() {
    static SHARED: OnceLock<Tensor> = OnceLock::new();
    let shared = SHARED.get_or_init(|| tensor![1.0, 2.0] + 1.0);
    for _ in 0..20 {
        let work = move || {
            LATE.set(Some(Late(shared.clone())));
            assert_eq!((shared * 2.0).to_vec::<f32>().unwrap(), [4.0, 6.0]);
        };
        thread::spawn(work).join().unwrap();
    }
    assert_eq!(REFUSED.load(Ordering::Relaxed), 80);
    programs::end();
}
