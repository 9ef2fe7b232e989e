//! What the library's front costs: building, cloning and evaluating against bare mlx-c calls and Python MLX.
//!
//! `cargo bench --bench graph_build`. Criterion measures each engine for itself; the table at the end pairs them in
//! short turns, so that whatever else the machine does hits all alike. Not here: the engines (`raw`, `python`).

mod python;
mod raw;

use criterion::Criterion;
use mlx::prelude::*;
use python::Python;
use raw::{Array, BFLOAT16, FLOAT32, Stream};
use std::{
    hint::black_box,
    rc::Rc,
    time::{Duration, Instant},
};

const ROUNDS: usize = 601;
const TURN: Duration = Duration::from_micros(500);

/// Runs its work so many times and says how long that took.
type Engine = Box<dyn Fn(u64) -> Duration>;

struct Case {
    name: &'static str,
    /// Ours, raw C, and Python where it has such a case.
    engines: Vec<(&'static str, Engine)>,
}

fn main() {
    let mut cases = build_cases();
    cases.extend([1, 1024, 16384].map(eval_case));
    match Python::start() {
        Ok(python) => add_python(&mut cases, &Rc::new(python)),
        Err(why) => println!("Without Python MLX: {why}"),
    }

    let mut criterion = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for case in &cases {
        let mut group = criterion.benchmark_group(case.name);
        for (name, engine) in &case.engines {
            group.bench_function(*name, |bencher| bencher.iter_custom(engine));
        }
        group.finish();
    }
    criterion.final_summary();

    // With a filter or another of criterion's options, its own reports are what was asked for.
    if std::env::args().skip(1).eq(["--bench"]) {
        println!(
            "| case | ours | raw C | Python | ours / raw C | ours / Python |\n|---|--:|--:|--:|--:|--:|"
        );
        cases.iter().for_each(print_row);
    }
}

/// An engine whose work includes dropping what it made.
fn building<T>(work: impl Fn() -> T + 'static) -> Engine {
    Box::new(move |count| {
        let start = Instant::now();
        for _ in 0..count {
            drop(black_box(work()));
        }
        start.elapsed()
    })
}

/// An engine that times `eval` of what `build` makes.
fn evaluating<T>(build: impl Fn() -> T + 'static, eval: impl Fn(&T) + 'static) -> Engine {
    Box::new(move |count| {
        (0..count)
            .map(|_| {
                let built = black_box(build());
                let start = Instant::now();
                eval(&built);
                start.elapsed()
            })
            .sum()
    })
}

/// An evaluated matrix of 0.5.
fn half(rows: i32, columns: i32, dtype: Dtype) -> Tensor {
    let tensor = mlx::ops::full([rows, columns], 0.5, dtype).expect("a small matrix");
    tensor.eval().expect("a small matrix");
    tensor
}

fn build_cases() -> Vec<Case> {
    let case = |name, ours, raw| Case { name, engines: vec![("ours", ours), ("raw C", raw)] };
    let dtypes = [
        (Dtype::Float32, FLOAT32, ["a + b, f32", "a * 0.5, f32"]),
        (Dtype::Bfloat16, BFLOAT16, ["a + b, bf16", "a * 0.5, bf16"]),
    ];
    let mut cases = Vec::new();
    for (dtype, raw_dtype, [add, halve]) in dtypes {
        let (a, b) = (half(2, 3, dtype), half(2, 3, dtype));
        let stream = Stream::current();
        let (x, y) = (Array::half(2, 3, raw_dtype, stream), Array::half(2, 3, raw_dtype, stream));
        let (a2, x2) = (a.clone(), x.clone());
        cases.push(case(add, building(move || &a + &b), building(move || x.add(&y, stream))));
        cases.push(case(halve, building(move || &a2 * 0.5), building(move || x2.halve(raw_dtype, stream))));
    }
    let (a, stream) = (half(2, 3, Dtype::Float32), Stream::current());
    let x = Array::half(2, 3, FLOAT32, stream);
    let (a2, b, x2, y) = (a.clone(), a.clone(), x.clone(), x.clone());
    cases.push(case("clone + drop", building(move || a.clone()), building(move || x.clone())));
    let chain = building(move || (0..10).fold(a2.clone(), |c, _| &c * 0.5 + &b));
    let raw_chain =
        building(move || (0..10).fold(x2.clone(), |c, _| c.halve(FLOAT32, stream).add(&y, stream)));
    cases.push(case("chain of 20", chain, raw_chain));
    cases
}

fn eval_case(columns: i32) -> Case {
    let name = match columns {
        1 => "eval of 1",
        1024 => "eval of 1024",
        _ => "eval of 16384",
    };
    let (a, stream) = (half(1, columns, Dtype::Float32), Stream::current());
    let x = Array::half(1, columns as usize, FLOAT32, stream);
    let ours = evaluating(move || &a + &a, |c| c.eval().expect("a sum of floats"));
    let raw = evaluating(move || x.add(&x, stream), Array::eval);
    Case { name, engines: vec![("ours", ours), ("raw C", raw)] }
}

fn add_python(cases: &mut [Case], python: &Rc<Python>) {
    for case in cases {
        let name = case.name;
        if python.run(name, 1).is_some() {
            let python = Rc::clone(python);
            let engine = move |count| python.run(name, count).expect("a case that it just ran");
            case.engines.push(("Python", Box::new(engine)));
        }
    }
}

/// The fastest turn of each engine, and the medians of the ratios within a round.
fn print_row(case: &Case) {
    let once = case.engines[1].1(1000) / 1000;
    let count = (TURN.as_nanos() / once.as_nanos().max(1)).max(1) as u64;
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); case.engines.len()];
    for round in 0..ROUNDS {
        for turn in 0..case.engines.len() {
            let engine = (round + turn) % case.engines.len();
            times[engine].push(case.engines[engine].1(count).as_nanos() as f64 / count as f64);
        }
    }
    let ratio = |to: usize| {
        times.get(to).map(|other| median(times[0].iter().zip(other).map(|(ours, other)| ours / other)))
    };
    let fastest = |engine: usize| {
        times
            .get(engine)
            .map_or("-".into(), |t| format!("{:.0} ns", t.iter().copied().fold(f64::MAX, f64::min)))
    };
    let [to_raw, to_python] = [1, 2].map(|to| ratio(to).map_or("-".into(), |ratio| format!("{ratio:.3}")));
    let [ours, raw, python] = [0, 1, 2].map(fastest);
    println!("| {} | {ours} | {raw} | {python} | {to_raw} | {to_python} |", case.name);
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
