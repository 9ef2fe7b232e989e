//! A compiled function is sent to another thread only where its closure may be used from several.

use mlx_core::{Tensor, transforms::compile};
use std::{cell::Cell, thread};

fn main() {
    let calls = Cell::new(0);
    let f = compile(move |x: &Tensor| {
        calls.set(calls.get() + 1);
        x + 1.0
    });
    thread::spawn(move || f.trace_count());
}
