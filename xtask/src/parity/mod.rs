//! `cargo xtask parity`: runs cases under Python MLX and under this library, and compares bit for bit.
//!
//! [`case`] reads case files, [`driver`] runs a case on both sides through [`side`], [`judge`] decides with
//! [`compare`] and [`canonical`]; [`blas`] sees to it that both use the same BLAS. [`worker`] is the Rust side.
//! [`pipeline`] keeps both sides busy for [`fuzz`]; [`coverage`] and [`report`] say what there is;
//! [`models`] compares whole models.
//! Not here: what a case means under Python (`xtask/parity/*.py`).

mod blas;
mod canonical;
pub(crate) mod case;
mod compare;
pub(crate) mod coverage;
mod driver;
mod fast;
mod fuzz;
mod hex;
mod judge;
pub(crate) mod models;
mod pipeline;
mod report;
mod side;
pub(crate) mod worker;

use clap::{Args, Subcommand};
use driver::Driver;
use judge::Verdict;
use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

/// `parity` and `parity run` are the same.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Parity {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: Run,
}

#[derive(Subcommand)]
enum Command {
    /// Run cases on both sides and compare (the default).
    Run(Run),
    /// Run random programs on both sides and compare.
    Fuzz(fuzz::Fuzz),
    /// Run whole models on real weights on both sides and compare.
    Models(models::Models),
    /// Check that each name of Python MLX can be called here, or has a reason why not.
    Coverage(coverage::Coverage),
    /// Run cases and write a page of ops by dtypes.
    Report(Run),
}

#[derive(Args)]
struct Run {
    /// Case files, or folders of them.
    #[arg(default_value = "tests/parity")]
    paths: Vec<PathBuf>,
    /// How long a case may take, in seconds.
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// The CPU mode of both sides: the BLAS that MLX comes with, or OpenBLAS; `fast` adds our kernels on ours alone.
    #[arg(long, value_enum, default_value_t = blas::Cpu::Stock)]
    cpu: blas::Cpu,
    /// The device that computes on both sides; without it, MLX's own choice.
    #[arg(long, value_enum)]
    device: Option<driver::Place>,
    /// A folder with Python MLX and numpy, in place of one that pip fills.
    #[arg(long)]
    site: Option<PathBuf>,
    /// Name every case, and let the workers' own output through.
    #[arg(long)]
    verbose: bool,
}

impl Run {
    fn surroundings(&self) -> driver::Surroundings {
        driver::Surroundings {
            limit: Duration::from_secs(self.limit),
            cpu: self.cpu,
            device: self.device,
            site: self.site.clone(),
            verbose: self.verbose,
        }
    }
}

/// Runs the cases; `false` when one failed.
pub(crate) fn run(parity: Parity) -> Result<bool, String> {
    let run = match parity.command {
        Some(Command::Run(run)) => run,
        Some(Command::Fuzz(fuzz)) => return fuzz::run(&fuzz),
        Some(Command::Models(models)) => return models::run(&models),
        Some(Command::Coverage(coverage)) => return coverage::run(&coverage),
        Some(Command::Report(run)) => return report::run(&run),
        None => parity.run,
    };
    let entries = case::load(&run.paths)?;
    let mut driver = Driver::start(&run.surroundings())?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut out = io::stdout().lock();
    let mut say = |line: String| writeln!(out, "{line}").map_err(|e| e.to_string());
    for line in driver.greeting() {
        say(line)?;
    }
    for entry in entries {
        let verdict = match entry.case {
            Ok(case) => driver.run(&case)?,
            Err(why) => Verdict::Failed(format!("ill-formed: {why}")),
        };
        match verdict {
            Verdict::Passed => passed += 1,
            Verdict::Skipped => skipped += 1,
            Verdict::Failed(_) => failed += 1,
        }
        match verdict {
            Verdict::Failed(why) => say(format!("FAIL {}: {}", entry.label, on_one_line(&why)))?,
            Verdict::Passed if run.verbose => say(format!("ok {}", entry.label))?,
            Verdict::Skipped if run.verbose => say(format!("skip {}", entry.label))?,
            _ => {}
        }
    }
    say(format!("{passed} passed, {failed} failed, {skipped} skipped"))?;
    Ok(failed == 0)
}

/// Messages of MLX and Python may span lines; a failing case is one line.
fn on_one_line(text: &str) -> String {
    text.trim_end().replace('\n', "\\n")
}
