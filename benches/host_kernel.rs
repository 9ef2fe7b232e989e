//! What a host kernel costs beside an op of MLX's: one node, and ten in a row, built and evaluated.
//!
//! `cargo bench --bench host_kernel`. Not here: how engines are compared (`paired`).

mod paired;

use mlx::{Dtype, Tensor, fast::HostKernel, ops};
use paired::{Case, Engine};
use std::{hint::black_box, time::Instant};

const COLUMNS: &[&str] = &["host kernel", "stock op"];

fn main() {
    let cases = [case("one node of 1 element", 1), case("ten nodes of 1 element", 10)];
    paired::run_brief(&cases, COLUMNS);
}

fn timed(work: impl Fn() -> Tensor + 'static) -> Engine {
    Box::new(move |count| {
        let start = Instant::now();
        for _ in 0..count {
            black_box(work()).eval().expect("one element");
        }
        start.elapsed()
    })
}

fn case(name: &'static str, nodes: usize) -> Case {
    let x = ops::full([1], 0.5, Dtype::Float32).expect("one element");
    x.eval().expect("one element");
    let negative = HostKernel::new("negative", |inputs, outputs| {
        for (y, x) in outputs[0].slice_mut::<f32>()?.iter_mut().zip(inputs[0].slice::<f32>()?) {
            *y = -x;
        }
        Ok(())
    })
    .output_like(0);
    let again = x.clone();
    let ours = move || (0..nodes).fold(again.clone(), |y, _| negative.call_one([&y]).expect("floats"));
    let stock = move || (0..nodes).fold(x.clone(), |y, _| ops::negative(&y).expect("floats"));
    Case { name, engines: vec![("host kernel", timed(ours)), ("stock op", timed(stock))] }
}
