//! `cargo xtask soak`: many threads compute for minutes; every value is checked, and so is the memory.
//!
//! The rule for memory: after a warm-up of a quarter of the time, the straight line through the resident size of every
//! second rises by at most [`ALLOWED`] over the rest. Not here: the threads' work ([`work`]).

mod work;

use crate::{chance::Chance, record};
use clap::Args;
use std::{
    fmt::Write as _,
    fs,
    panic::{self, AssertUnwindSafe},
    process,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use work::{JOBS, Shared};

/// Options of `soak`.
#[derive(Args)]
pub(crate) struct Soak {
    /// How long, in minutes.
    #[arg(long, default_value_t = 3)]
    minutes: u64,
    /// How many threads compute.
    #[arg(long, default_value_t = 4)]
    threads: u64,
    /// Chooses the threads' work.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// What the fitted line may rise by, in MiB.
const ALLOWED: f64 = 16.0;
/// The part of the time that warms up.
const WARM_UP: f64 = 0.25;
/// A soak in which no job ends for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the threads tell.
struct State {
    shared: Shared,
    stop: AtomicBool,
    jobs: [AtomicU64; JOBS.len()],
    failure: Mutex<Option<String>>,
}

/// Soaks; `false` on a wrong value, an unexpected error, or memory that grows.
pub(crate) fn run(options: &Soak) -> Result<bool, String> {
    let machine = record::machine();
    let folder = tempfile::tempdir().map_err(|e| format!("no folder for temporary files: {e}"))?;
    let state = Arc::new(State {
        shared: Shared::new(folder.path()),
        stop: AtomicBool::new(false),
        jobs: [const { AtomicU64::new(0) }; JOBS.len()],
        failure: Mutex::default(),
    });
    let threads: Vec<_> = (0..options.threads)
        .map(|number| {
            let (state, seed) = (Arc::clone(&state), options.seed.wrapping_mul(1000).wrapping_add(number));
            thread::spawn(move || work_on(&state, Chance::new(seed)))
        })
        .collect();
    let mut told = String::from("| minute | jobs | resident |\n|--:|--:|--:|\n");
    let memory = watch(&state, Duration::from_secs(60 * options.minutes), &mut told)?;
    state.stop.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().map_err(|_| "a thread panicked")?;
    }
    let failure = state.failure.lock().map_err(|e| e.to_string())?.clone();
    let growth = rise(&memory);
    let verdict = match (failure, growth) {
        (Some(why), _) => Err(why),
        (None, None) => Err("too short to see whether memory grows".into()),
        (None, Some(growth)) if growth > ALLOWED => Err(format!("memory grew by {growth:.1} MiB")),
        (None, Some(growth)) => {
            Ok(format!("every value right; the line through the resident size rose by {growth:.1} MiB"))
        }
    };
    let verdict_line = match &verdict {
        Ok(well) => format!("passed: {well} (allowed: {ALLOWED} MiB)"),
        Err(why) => format!("FAILED: {why}"),
    };
    println!("{verdict_line}");
    let text = recorded(options, &machine, &told, &state, &verdict_line)?;
    let path = record::write(&format!("soak-{}", record::today()?), &text)?;
    println!("{}", crate::short(&path));
    Ok(verdict.is_ok())
}

/// Jobs by chance until the end, or until one goes wrong.
fn work_on(state: &State, mut chance: Chance) {
    while !state.stop.load(Ordering::Relaxed) {
        let which = chance.below(JOBS.len());
        let (name, job) = JOBS[which];
        // An operator of a right program that panics is an unexpected error like any other.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| job(&state.shared, &mut chance)));
        match outcome.unwrap_or_else(|_| Err("a panic, whose text stands above".into())) {
            Ok(()) => {
                state.jobs[which].fetch_add(1, Ordering::Relaxed);
            }
            Err(why) => {
                state.stop.store(true, Ordering::Relaxed);
                if let Ok(mut failure) = state.failure.lock() {
                    failure.get_or_insert(format!("{name}: {why}"));
                }
            }
        }
    }
}

/// The resident size of each second, as (seconds, MiB); a line each minute.
fn watch(state: &State, time: Duration, told: &mut String) -> Result<Vec<(f64, f64)>, String> {
    let start = Instant::now();
    let (mut memory, mut minute) = (Vec::new(), 0);
    let (mut last, mut moved) = (0, Instant::now());
    while start.elapsed() < time && !state.stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_secs(1));
        let seconds = start.elapsed().as_secs_f64();
        let size = resident()?;
        memory.push((seconds, size));
        let jobs = state.jobs.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        if jobs != last {
            (last, moved) = (jobs, Instant::now());
        } else if moved.elapsed() > PATIENCE {
            println!("FAILED: no job ended within {PATIENCE:?}");
            // Threads that hang can neither be joined nor left behind.
            process::abort();
        }
        if seconds >= f64::from(minute + 1) * 60.0 {
            minute += 1;
            println!("minute {minute}: {jobs} jobs, {size:.1} MiB resident");
            let _ = writeln!(told, "| {minute} | {jobs} | {size:.1} MiB |");
        }
    }
    Ok(memory)
}

/// The resident size of this process, in MiB.
fn resident() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/statm").map_err(|e| format!("/proc/self/statm: {e}"))?;
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u32>().ok());
    // A page is 4 KiB on x86-64 and on most aarch64 systems.
    pages.map(|pages| f64::from(pages) / 256.0).ok_or_else(|| format!("/proc/self/statm says {text}"))
}

/// How much the least-squares line through (seconds, size) rises behind the warm-up; nothing of too few points.
fn rise(samples: &[(f64, f64)]) -> Option<f64> {
    let end = samples.last()?.0;
    let late: Vec<(f64, f64)> = samples.iter().copied().filter(|(at, _)| *at >= WARM_UP * end).collect();
    if late.len() < 10 {
        return None;
    }
    let count = late.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| late.iter().map(of).sum::<f64>() / count;
    let (middle, level) = (mean(|sample| sample.0), mean(|sample| sample.1));
    let covariance: f64 = late.iter().map(|(at, size)| (at - middle) * (size - level)).sum();
    let variance: f64 = late.iter().map(|(at, _)| (at - middle).powi(2)).sum();
    Some(covariance / variance * (end - late[0].0))
}

fn recorded(
    options: &Soak,
    machine: &str,
    told: &str,
    state: &State,
    verdict: &str,
) -> Result<String, String> {
    let Soak { minutes, threads, seed } = options;
    let mut text = format!(
        "# soak, {}, {}\n\n{machine}; MLX {}; {} build; commit {}.\n\
         `cargo xtask soak --minutes {minutes} --threads {threads} --seed {seed}`\n\n{verdict}\n\n{told}\n\
         | job | times |\n|---|--:|\n",
        record::today()?,
        record::platform(),
        mlx_core::MLX_VERSION,
        if cfg!(debug_assertions) { "debug" } else { "release" },
        record::commit()?,
    );
    for ((name, _), count) in JOBS.iter().zip(&state.jobs) {
        let _ = writeln!(text, "| {name} | {} |", count.load(Ordering::Relaxed));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(size: impl Fn(f64) -> f64, wanted: f64) {
        let samples: Vec<(f64, f64)> = (1..=100).map(|at| (f64::from(at), size(f64::from(at)))).collect();
        let found = rise(&samples).expect("enough points");
        assert!((found - wanted).abs() < 1.0, "{found} instead of {wanted}");
    }

    #[test]
    fn growth_is_the_rise_of_the_line_behind_the_warm_up() {
        check(|_| 300.0, 0.0);
        check(|at| 300.0 + 0.5 * at, 37.5);
        check(|at| 300.0 - 0.5 * at, -37.5);
        // What the warm-up allocates is none, nor is what comes and goes.
        check(|at| if at < 25.0 { at * 10.0 } else { 250.0 }, 0.0);
        check(|at| 300.0 + if at as i64 % 2 == 0 { 20.0 } else { 0.0 }, 0.0);
        assert_eq!(rise(&[(1.0, 1.0), (2.0, 1.0)]), None);
    }

    #[test]
    fn the_resident_size_is_read() {
        assert!(resident().is_ok_and(|size| size > 1.0 && size < 1e6));
    }

    #[test]
    fn each_job_passes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (shared, mut chance) = (Shared::new(folder.path()), Chance::new(7));
        for _ in 0..20 {
            for (name, job) in JOBS {
                assert_eq!(job(&shared, &mut chance), Ok(()), "{name}");
            }
        }
    }
}
