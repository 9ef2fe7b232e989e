//! What the library's front costs: building, cloning, indexing and evaluating against bare mlx-c calls and Python MLX.
//!
//! `cargo bench --bench graph_build`. `families`: an op of each family. Not here: how engines are compared (`paired`), the
//! engines (`raw`, `twin`).

mod families;
mod paired;
mod raw;
mod twin;

use mlx::prelude::*;
use paired::{Case, Engine};
use raw::{Array, BFLOAT16, FLOAT32, Stream};
use std::{hint::black_box, rc::Rc, time::Instant};
use twin::Twin;

const COLUMNS: &[&str] = &["ours", "raw C", "Python"];

fn main() {
    let mut cases = build_cases();
    cases.extend(index_cases());
    cases.extend(families::cases());
    cases.extend([1, 1024, 16384].map(eval_case));
    match Twin::python() {
        Ok(python) => add_python(&mut cases, &Rc::new(python)),
        Err(why) => println!("Without Python MLX: {why}"),
    }
    paired::run_brief(&cases, COLUMNS);
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

/// A slice, and an embedding lookup, whose positions are checked where they are there and limited by nodes where not.
fn index_cases() -> Vec<Case> {
    let stream = Stream::current();
    let (a, x) = (half(2, 6, Dtype::Float32), Array::half(2, 6, FLOAT32, stream));
    let slice = vec![
        ("ours", building(move || a.index((.., 1..3)))),
        ("raw C", building(move || x.columns(2, stream))),
    ];
    let values: Vec<i32> = (0..128).map(|i| i * 250).collect();
    let ids = Tensor::from_slice(&values).expect("128 integers");
    let (table, raw_table) = (half(32_000, 64, Dtype::Float32), Array::half(32_000, 64, FLOAT32, stream));
    let lookup = |ids: Tensor, evaluated: bool| {
        let (table, raw_table, raw_ids) = (table.clone(), raw_table.clone(), Array::ints(&values));
        let ours = move || {
            let ids = if evaluated { ids.clone() } else { &ids + 0 };
            let rows = table.take(&ids, 0);
            rows.eval().expect("rows that are there");
            rows
        };
        let zero = Array::ints(&[0]);
        let raw = move || {
            let ids = if evaluated { raw_ids.clone() } else { raw_ids.add(&zero, stream) };
            let rows = raw_table.rows(&ids, stream);
            rows.eval();
            rows
        };
        vec![("ours", building(ours)), ("raw C", building(raw))]
    };
    let (x, i, raw_x, raw_i) = (table.clone(), ids.clone(), raw_table.clone(), Array::ints(&values));
    let build = vec![
        ("ours", building(move || x.take(&i, 0))),
        ("raw C", building(move || raw_x.rows(&raw_i, stream))),
    ];
    let (seen, lazy) = (lookup(ids.clone(), true), lookup(ids, false));
    vec![
        Case { name: "x[:, 1:3]", engines: slice },
        Case { name: "lookup of 128 ids", engines: build },
        Case { name: "lookup of 128 ids, eval", engines: seen },
        Case { name: "lookup of 128 lazy ids, eval", engines: lazy },
    ]
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

fn add_python(cases: &mut [Case], python: &Rc<Twin>) {
    for case in cases {
        let name = case.name;
        if python.run(name, 1).is_some() {
            let python = Rc::clone(python);
            let engine = move |count| python.run(name, count).expect("a case that it just ran");
            case.engines.push(("Python", Box::new(engine)));
        }
    }
}
