//! What decoding spends its time in, computed on the default device: attention of one query over so many keys, and one row
//! times a quantized matrix, against Python MLX.
//!
//! `cargo bench --bench kernels`. A run builds and evaluates 16 of a kind, each on memory of its own, so that no cache holds
//! what the next run reads; what the negation of 16 MiB takes (which reads and writes them) says what the memory can do. Not here: how engines are
//! compared (`paired`), what building costs (`graph_build`). A CPU takes minutes for a run of some.

mod paired;
mod twin;

use criterion::Criterion;
use mlx::{
    eval,
    fast::{
        Attention, QuantMode, Quantization, QuantizedTensor, quantize, quantized_matmul,
        scaled_dot_product_attention,
    },
    ops,
    prelude::*,
    random::{self, Normal},
};
use paired::{Case, Engine, Turns};
use std::{
    cell::OnceCell,
    time::{Duration, Instant},
};

const COPIES: u64 = 16;

fn main() {
    let mut cases = cases();
    twin::add_python(&mut cases);
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    let turns = Turns {
        rounds: 51,
        turn: Duration::from_millis(10),
        rest: Duration::ZERO,
        columns: &["ours", "Python"],
    };
    paired::run(&cases, criterion, &turns);
}

/// `shape` of bfloat16 draws.
fn drawn(shape: &[i32], seed: u64) -> Result<Tensor> {
    let x = Normal::new().key(&random::key(seed)?).dtype(Dtype::Bfloat16).sample(shape)?;
    x.eval()?;
    Ok(x)
}

/// `work` on each of 16 operands, which are made at the first run, built, computed and dropped.
fn computed<T: 'static>(
    operand: impl Fn(u64) -> Result<T> + 'static,
    work: impl Fn(&T) -> Result<Tensor> + 'static,
) -> Vec<(&'static str, Engine)> {
    let operands = OnceCell::new();
    let run = move |count| {
        let operands: &Vec<T> = operands
            .get_or_init(|| (0..COPIES).map(&operand).collect::<Result<_>>().expect("room for the operands"));
        let results = || operands.iter().map(&work).collect::<Result<Vec<Tensor>>>();
        let start = Instant::now();
        for _ in 0..count {
            results().and_then(|results| eval(&results).map(|()| drop(results))).expect("operands that fit");
        }
        start.elapsed()
    };
    vec![("ours", Box::new(run))]
}

fn cases() -> Vec<Case> {
    let mut cases = vec![Case {
        name: "negate 16 MiB",
        engines: computed(|seed| drawn(&[8 << 20], seed), ops::negative),
    }];
    let lengths = [
        (1, "attention over 1"),
        (64, "attention over 64"),
        (512, "attention over 512"),
        (2048, "attention over 2048"),
        (8192, "attention over 8192"),
    ];
    for (length, name) in lengths {
        let operand = move |seed| {
            let kv = [1, 8, length, 128];
            Ok([drawn(&[1, 32, 1, 128], seed)?, drawn(&kv, seed + 100)?, drawn(&kv, seed + 200)?])
        };
        let work =
            |[q, k, v]: &[Tensor; 3]| scaled_dot_product_attention(q, k, v, &Attention::new(0.088_388_346));
        cases.push(Case { name, engines: computed(operand, work) });
    }
    for (bits, name) in [(4, "a row by 4 bits"), (8, "a row by 8 bits")] {
        let how = Quantization::new(QuantMode::Affine).bits(bits);
        let operand = move |seed| {
            let w = quantize(&drawn(&[4096, 4096], seed)?, how)?;
            eval([&w.packed, &w.scales].into_iter().chain(&w.biases))?;
            Ok((drawn(&[1, 4096], seed + 100)?, w))
        };
        let work = |(x, w): &(Tensor, QuantizedTensor)| quantized_matmul(x, w, true);
        cases.push(Case { name, engines: computed(operand, work) });
    }
    cases
}
