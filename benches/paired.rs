//! Engines side by side: criterion measures each for itself, and a table pairs them in short turns, so that whatever
//! else the machine does hits all alike.

// Each bench uses some of these.
#![allow(dead_code)]

use criterion::Criterion;
use std::{env, thread, time::Duration};

/// Runs its work so many times and says how long that took.
pub(crate) type Engine = Box<dyn Fn(u64) -> Duration>;

/// One work, and the engines that do it; the first is what the others are compared with.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) engines: Vec<(&'static str, Engine)>,
}

/// How a table is measured.
pub(crate) struct Turns {
    /// How often all engines have a turn.
    pub(crate) rounds: usize,
    /// How long a turn takes, about, or one run where that takes longer.
    pub(crate) turn: Duration,
    /// The pause before each turn: an engine's threads may still look for work for a while after its own.
    pub(crate) rest: Duration,
    /// Names of all engines a table may have, in the order of its columns.
    pub(crate) columns: &'static [&'static str],
}

/// [`run`] for work of nanoseconds and microseconds: many short turns.
pub(crate) fn run_brief(cases: &[Case], columns: &'static [&'static str]) {
    let criterion = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    run(
        cases,
        criterion,
        &Turns { rounds: 601, turn: Duration::from_micros(500), rest: Duration::ZERO, columns },
    );
}

/// "CASE|ENGINE|COUNT": so many runs of that alone, for a profiler, or for a count of instructions, which a busy machine
/// does not change.
const ALONE: &str = "MLX_BENCH_ALONE";

/// Measures each case by criterion, then prints the table.
pub(crate) fn run(cases: &[Case], criterion: Criterion, turns: &Turns) {
    if let Ok(wanted) = env::var(ALONE) {
        return alone(cases, &wanted);
    }
    let mut criterion = criterion.configure_from_args();
    for case in cases {
        let mut group = criterion.benchmark_group(case.name);
        for (name, engine) in &case.engines {
            group.bench_function(*name, |bencher| bencher.iter_custom(engine));
        }
        group.finish();
    }
    criterion.final_summary();

    // With a filter or another of criterion's options, its own reports are what was asked for.
    if env::args().skip(1).eq(["--bench"]) {
        let (first, others) = turns.columns.split_first().expect("a table has columns");
        let ratios: Vec<String> = others.iter().map(|other| format!("{first} / {other}")).collect();
        println!("| case | {} | {} |", turns.columns.join(" | "), ratios.join(" | "));
        println!("|---|{}", "--:|".repeat(turns.columns.len() + ratios.len()));
        for case in cases {
            println!("{}", row(case, turns));
        }
    }
}

fn alone(cases: &[Case], wanted: &str) {
    let mut words = wanted.split('|');
    let (case, engine, count) =
        (words.next(), words.next(), words.next().and_then(|count| count.parse().ok()));
    let engines = cases.iter().filter(|it| Some(it.name) == case).flat_map(|case| &case.engines);
    let found = engines.into_iter().find(|(name, _)| Some(*name) == engine);
    let ((_, work), count) = found.zip(count).expect("CASE|ENGINE|COUNT");
    println!("{:?}", work(count));
}

/// The fastest turn of each engine, and the medians of the ratios within a round.
fn row(case: &Case, turns: &Turns) -> String {
    let Some((_, first)) = case.engines.first() else { return format!("| {} | no engine |", case.name) };
    // The clock is too coarse for one run of nanoseconds, and a thousand of a long one are too many.
    let alone = first(1);
    let once = if alone > Duration::from_micros(100) { alone } else { first(1000) / 1000 };
    let count = (turns.turn.as_nanos() / once.as_nanos().max(1)).max(1) as u64;
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); case.engines.len()];
    for round in 0..turns.rounds {
        for turn in 0..case.engines.len() {
            let engine = (round + turn) % case.engines.len();
            if !turns.rest.is_zero() {
                thread::sleep(turns.rest);
            }
            times[engine].push(case.engines[engine].1(count).as_nanos() as f64 / count as f64);
        }
    }
    let of = |column: &str| case.engines.iter().position(|(name, _)| *name == column).map(|at| &times[at]);
    let fastest = turns
        .columns
        .iter()
        .map(|column| of(column).map_or("-".into(), |t| shown(t.iter().copied().fold(f64::MAX, f64::min))));
    let ratios = turns.columns[1..].iter().map(|column| match (of(turns.columns[0]), of(column)) {
        (Some(ours), Some(other)) => {
            format!("{:.3}", median(ours.iter().zip(other).map(|(ours, other)| ours / other)))
        }
        _ => "-".into(),
    });
    let cells: Vec<String> = fastest.chain(ratios).collect();
    format!("| {} | {} |", case.name, cells.join(" | "))
}

fn shown(nanoseconds: f64) -> String {
    if nanoseconds < 1e6 { format!("{nanoseconds:.0} ns") } else { format!("{:.2} ms", nanoseconds / 1e6) }
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
