//! `cargo xtask kill-hunt`: each op on hostile input, in processes that may die of it.
//!
//! Ops and how they are called come from the parity cases ([`template`]), so the hunt grows with them; [`hostile`] has
//! the inputs, [`trial`] puts them together. [`worker`] is a process that makes trials, [`process`] watches it,
//! [`bisect`] finds the trials it died of. Here: batches, findings, the verdict. Not here: known killers
//! (`tests/killers`), to which each finding goes.

mod bisect;
mod hostile;
mod process;
mod template;
mod trial;
pub(crate) mod worker;

use crate::tidy;
use clap::Args;
use process::{Ending, Report, Terms};
use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};
use trial::Trial;

/// Options of `kill-hunt`.
#[derive(Args)]
pub(crate) struct KillHunt {
    /// Chooses the mixtures and the deepest graphs.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only this op, as parity cases write it (`mx.sum`, `method.item`, `//`), or by its bare name.
    #[arg(long)]
    only: Option<String>,
    /// At most so many trials an op, which the seed chooses; without it all of them.
    #[arg(long)]
    per_op: Option<usize>,
    /// How long a trial may take, in seconds.
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// Let MLX fuse compiled functions, which it does by a C++ compiler: takes minutes more.
    #[arg(long)]
    fuse: bool,
}

/// Trials of one process.
const BATCH: usize = 500;

/// What the processes have told so far.
#[derive(Default)]
struct Found {
    /// Trials by op, without the ill-formed ones.
    tried: BTreeMap<String, usize>,
    skipped: usize,
    kills: usize,
    hangs: usize,
}

/// Hunts; `false` when something was caught.
pub(crate) fn run(options: &KillHunt) -> Result<bool, String> {
    let start = Instant::now();
    let mut templates = template::all()?;
    let is_wanted =
        |op: &str| options.only.as_ref().is_none_or(|only| op == only || op.rsplit('.').next() == Some(only));
    templates.retain(|template| is_wanted(&template.op));
    // What the tables have and no parity case shows cannot be called, which must not pass for well.
    let ops: BTreeSet<String> = tidy::table_ops()
        .filter(|op| is_wanted(op))
        .chain(templates.iter().map(|template| template.op.clone()))
        .collect();
    if ops.is_empty() {
        return Err("there is no such op".into());
    }
    let terms = Terms { limit: Duration::from_secs(options.limit), fuses: options.fuse };
    // A hunt that cannot see a kill would find none.
    let killer = process::run(&[Trial::killer()], terms)?.ending;
    if !matches!(killer, Ending::Killed(_)) {
        return Err(format!("a process that ends by exit code 0 is taken for {killer:?}"));
    }
    let trials = Mutex::new(trial::all(&templates, options.seed, options.per_op));
    let found = Mutex::new(Found::default());
    let hunter = Hunter { terms, found: &found };
    let next =
        || -> Vec<Trial> { trials.lock().map_or(Vec::new(), |mut rest| rest.by_ref().take(BATCH).collect()) };
    let work = || -> Result<(), String> {
        loop {
            match next() {
                batch if batch.is_empty() => return Ok(()),
                batch => hunter.hunt(&batch)?,
            }
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|thread| thread.join().expect("hunters do not panic"))
    })?;
    let found = found.into_inner().map_err(|e| e.to_string())?;
    let untried: Vec<&String> = ops.iter().filter(|op| !found.tried.contains_key(*op)).collect();
    for op in &untried {
        println!("UNTRIED {op}: no parity case shows a call of it that is well-formed");
    }
    let tried: usize = found.tried.values().sum();
    let (ops, seconds) = (found.tried.len(), start.elapsed().as_secs());
    println!("{ops} ops, seed {}, {seconds} s; {} ill-formed calls left out", options.seed, found.skipped);
    println!("{tried} tried, {} kills, {} hangs", found.kills, found.hangs);
    Ok(found.kills + found.hangs == 0 && untried.is_empty())
}

/// Runs batches and notes what became of them.
struct Hunter<'a> {
    terms: Terms,
    found: &'a Mutex<Found>,
}

impl Hunter<'_> {
    /// Makes all trials of the batch; those behind one that ended the process in the next process.
    fn hunt(&self, mut batch: &[Trial]) -> Result<(), String> {
        while !batch.is_empty() {
            let report = self.run(batch)?;
            self.note(batch, &report.outcomes)?;
            if report.ending == Ending::Whole {
                break;
            }
            let reached = (report.outcomes.len() + 1).min(batch.len());
            self.name(&batch[..reached], report.ending)?;
            batch = &batch[reached..];
        }
        Ok(())
    }

    fn run(&self, batch: &[Trial]) -> Result<Report, String> {
        process::run(batch, self.terms)
    }

    fn note(&self, batch: &[Trial], outcomes: &[String]) -> Result<(), String> {
        let mut found = self.found.lock().map_err(|e| e.to_string())?;
        for (trial, outcome) in batch.iter().zip(outcomes) {
            if outcome.starts_with("skipped") {
                found.skipped += 1;
                continue;
            }
            *found.tried.entry(trial.op.clone()).or_default() += 1;
            if let Some(text) = outcome.strip_prefix("panic ") {
                found.kills += 1;
                println!("PANIC {}: {text}\n  {}", trial.op, trial.case());
            }
        }
        Ok(())
    }

    /// Names the trials that end a process, which did so within or behind the last of these.
    fn name(&self, suspects: &[Trial], ending: Ending) -> Result<(), String> {
        let fails = |part: &[Trial]| Ok(self.run(part)?.ending != Ending::Whole);
        let last = &suspects[suspects.len() - 1..];
        let alone = self.run(last)?.ending;
        let (culprits, ending, again) = if alone != Ending::Whole {
            (last.to_vec(), alone, true)
        } else if fails(suspects)? {
            (bisect::fewest(suspects.to_vec(), fails)?, ending, true)
        } else {
            (last.to_vec(), ending, false)
        };
        let mut found = self.found.lock().map_err(|e| e.to_string())?;
        *found.tried.entry(last[0].op.clone()).or_default() += 1;
        let how = match ending {
            Ending::Hung => {
                found.hangs += 1;
                "HANG".into()
            }
            Ending::Killed(how) => {
                found.kills += 1;
                format!("KILL {how}")
            }
            Ending::Whole => return Err("a process that ended well has no culprit".into()),
        };
        println!("{how}: {}", culprits[culprits.len() - 1].op);
        for culprit in culprits {
            println!("  {}", culprit.case());
        }
        if !again {
            println!("  the last of {} trials, and it did not happen again", suspects.len());
        }
        Ok(())
    }
}
