//! `cargo xtask parity fuzz`: random programs on both sides.
//!
//! [`template`] reads what ops there are, [`program`] puts steps together with [`kinds`], [`tensors`], [`indexing`] and
//! [`values`], [`shrink`] makes a failing program small. Here: jobs, the count, case files. Not here: comparing.

mod indexing;
mod kinds;
mod program;
mod shrink;
mod template;
mod tensors;
mod values;

use super::{
    blas, case,
    driver::{Driver, Surroundings},
    judge::Verdict,
    on_one_line,
    pipeline::Pipeline,
};
use clap::Args;
use mlx_core::MLX_VERSION;
use program::Draw;
use serde_json::{Value as Json, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Options of `parity fuzz`.
#[derive(Args)]
pub(crate) struct Fuzz {
    /// Chooses the programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many programs.
    #[arg(long, default_value_t = 1000)]
    cases: u64,
    /// The number of the first program.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// How many pairs of workers run at once.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Only these ops, as cases write them (`mx.sum`, `method.item`, `//`).
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// None of these ops.
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Leave out what this library lacks, and say what that was.
    #[arg(long)]
    only_supported: bool,
    /// Run Python alone, which tries the templates: only a death or an ill-formed call is a failure.
    #[arg(long)]
    python_alone: bool,
    /// How long a case may take, in seconds.
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// The CPU mode of both sides.
    #[arg(long, value_enum, default_value_t = blas::Cpu::Stock)]
    cpu: blas::Cpu,
    /// A folder with Python MLX and numpy, in place of one that pip fills.
    #[arg(long)]
    site: Option<PathBuf>,
    /// After so many failures only count.
    #[arg(long, default_value_t = 50)]
    most_shrunk: u64,
}

/// Cases that both workers have before their answers are read.
const UNDER_WAY: usize = 24;

/// What all jobs share.
#[derive(Default)]
struct Tally {
    next: AtomicU64,
    passed: AtomicU64,
    failed: AtomicU64,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    lacking: BTreeSet<String>,
    ops: BTreeMap<String, u64>,
    raised: u64,
    /// How often Python alone has refused a program, by its last op.
    refused: BTreeMap<String, (u64, String)>,
}

/// Runs the programs; `false` when one failed.
pub(crate) fn run(fuzz: &Fuzz) -> Result<bool, String> {
    let started = Instant::now();
    let tally = Tally::default();
    let outcomes: Vec<Result<(), String>> = thread::scope(|scope| {
        let jobs: Vec<_> = (0..fuzz.jobs.max(1))
            .map(|job| {
                scope.spawn({
                    let tally = &tally;
                    move || work(fuzz, tally, job == 0)
                })
            })
            .collect();
        jobs.into_iter().map(|job| job.join().unwrap_or_else(|_| Err("a job panicked".into()))).collect()
    });
    outcomes.into_iter().collect::<Result<(), String>>()?;
    let found = tally.found.into_inner().map_err(|e| e.to_string())?;
    if !found.lacking.is_empty() {
        println!(
            "left out, since this library lacks it: {}",
            found.lacking.into_iter().collect::<Vec<_>>().join(", ")
        );
    }
    for (op, (count, said)) in &found.refused {
        println!("{op}: {count} of {} refused, such as {}", found.ops[op], on_one_line(said));
    }
    let steps: u64 = found.ops.values().sum();
    println!(
        "seed {}: {steps} steps of {} ops; {} programs ended with an error on both sides; {:.0} s",
        fuzz.seed,
        found.ops.len(),
        found.raised,
        started.elapsed().as_secs_f64()
    );
    let (passed, failed) = (tally.passed.into_inner(), tally.failed.into_inner());
    println!("{passed} passed, {failed} failed, 0 skipped");
    Ok(failed == 0)
}

/// One job: a pair of workers and the programs that are its turn.
fn work(fuzz: &Fuzz, tally: &Tally, greets: bool) -> Result<(), String> {
    let driver = Driver::start(&Surroundings {
        limit: Duration::from_secs(fuzz.limit),
        cpu: fuzz.cpu,
        device: None,
        site: fuzz.site.clone(),
        verbose: false,
    })?;
    if greets {
        for line in driver.greeting() {
            println!("{line}");
        }
    }
    let mut pipeline = driver.pipeline();
    if fuzz.python_alone {
        pipeline.python_alone();
    }
    let mut templates = template::all()?;
    templates.retain(|template| {
        (fuzz.only.is_empty() || fuzz.only.contains(&template.op)) && !fuzz.without.contains(&template.op)
    });
    if templates.is_empty() {
        return Err("no such op".into());
    }
    let draw = Draw { templates: &templates, only_supported: fuzz.only_supported };
    let mut found = Found::default();
    let mut failures = Vec::new();
    loop {
        let number = tally.next.fetch_add(1, Ordering::Relaxed);
        if number < fuzz.cases {
            let body = draw.case(fuzz.seed, fuzz.first + number, &mut found.lacking);
            count(&body, &mut found.ops);
            pipeline.submit(case::Case::whole(body))?;
            if pipeline.under_way() < UNDER_WAY {
                continue;
            }
        }
        let Some((case, verdict)) = pipeline.next()? else { break };
        match verdict {
            Verdict::Passed => tally.passed.fetch_add(1, Ordering::Relaxed),
            Verdict::Failed(why) => {
                failures.push((case.body, why));
                tally.failed.fetch_add(1, Ordering::Relaxed)
            }
            Verdict::Skipped => {
                found.refuse(&case.body, &pipeline.said);
                tally.passed.fetch_add(1, Ordering::Relaxed)
            }
        };
    }
    found.raised = pipeline.raised();
    for (body, why) in failures.into_iter().take(fuzz.most_shrunk as usize) {
        report(&mut pipeline, body, &why)?;
    }
    tally.found.lock().map_err(|e| e.to_string())?.join(found);
    Ok(())
}

impl Found {
    /// Python alone has refused a program.
    fn refuse(&mut self, body: &Json, said: &str) {
        let last = body["steps"].as_array().and_then(|steps| steps.last());
        let op = last.and_then(|step| step["op"].as_str()).unwrap_or_default();
        let entry = self.refused.entry(op.to_owned()).or_default();
        *entry = (entry.0 + 1, said.to_owned());
    }

    fn join(&mut self, other: Found) {
        self.lacking.extend(other.lacking);
        for (op, count) in other.ops {
            *self.ops.entry(op).or_default() += count;
        }
        for (op, (count, said)) in other.refused {
            let entry = self.refused.entry(op).or_default();
            *entry = (entry.0 + count, said);
        }
        self.raised += other.raised;
    }
}

fn count(body: &Json, ops: &mut BTreeMap<String, u64>) {
    for step in body["steps"].as_array().into_iter().flatten() {
        *ops.entry(step["op"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
    }
}

/// Makes a failing program small and writes it as a case file.
fn report(pipeline: &mut Pipeline, body: Json, why: &str) -> Result<(), String> {
    let name = body["name"].as_str().unwrap_or("fuzz").to_owned();
    let folder = crate::root().join("target/parity/fuzz");
    let whole = folder.join("whole");
    fs::create_dir_all(&whole).map_err(|e| format!("{}: {e}", whole.display()))?;
    write_case(&whole.join(format!("{name}.json")), &body)?;
    let (small, what) = shrink::shrink(pipeline, body, why)?;
    let path = folder.join(format!("{name}.json"));
    write_case(&path, &small)?;
    let last = small["steps"]
        .as_array()
        .and_then(|steps| steps.last())
        .map_or("no step", |step| step["op"].as_str().unwrap_or("?"));
    println!("FAIL {name} ({last}): {}\n     {}", on_one_line(&what), path.display());
    Ok(())
}

fn write_case(path: &Path, body: &Json) -> Result<(), String> {
    let file = json!({"mlx": MLX_VERSION, "cases": [body]});
    let text = serde_json::to_string_pretty(&file).map_err(|e| e.to_string())?;
    fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
}
