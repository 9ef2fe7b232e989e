//! `cargo xtask TASK`: the entry point and what all tasks share.
//!
//! Not here: the tasks themselves, one module each.

#[cfg(feature = "library")]
mod bench;
mod bindings;
mod bundle;
#[cfg(feature = "library")]
mod chance;
mod deny;
#[cfg(feature = "library")]
mod kill_hunt;
#[cfg(feature = "library")]
mod parity;
mod python;
#[cfg(feature = "library")]
mod record;
#[cfg(feature = "library")]
mod soak;
#[cfg(feature = "library")]
mod tidy;

use clap::{Parser, Subcommand};
use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// A task ends well or with one text for the person who ran it.
type Outcome = Result<(), String>;

/// The workspace's own tasks.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make a folder with a program and the libraries it loads, to be copied to another machine.
    Bundle {
        /// The program, linked to this library.
        program: PathBuf,
        /// The folder to make.
        out: PathBuf,
    },
    /// Check the dependencies' licences and sources against deny.toml.
    Deny,
    /// Write mlx-link's raw declarations from the headers it is linked to.
    Bindings {
        /// Only fail when the committed ones are stale.
        #[arg(long)]
        check: bool,
    },
    #[cfg(feature = "library")]
    /// Prove case files equal to Python MLX, bit for bit.
    Parity(parity::Parity),
    #[cfg(feature = "library")]
    /// The Rust side of `parity`; speaks its line protocol.
    #[command(hide = true)]
    ParityWorker,
    #[cfg(feature = "library")]
    /// The Rust side of `parity models`: computes a model's outputs and writes them.
    #[command(hide = true)]
    ParityModel { name: String, out: PathBuf },
    #[cfg(feature = "library")]
    /// Run the benches and write a dated record of them.
    Bench,
    #[cfg(feature = "library")]
    /// Compute on many threads for minutes; check every value and the memory.
    Soak(soak::Soak),
    #[cfg(feature = "library")]
    /// Try each op on hostile input in processes that may die of it.
    KillHunt(kill_hunt::KillHunt),
    #[cfg(feature = "library")]
    /// A process of `kill-hunt`: makes the trials of a file.
    #[command(hide = true)]
    KillHuntWorker { file: PathBuf },
    #[cfg(feature = "library")]
    /// Check the house rules that can be checked.
    Tidy,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Bundle { program, out } => bundle::run(&program, &out).map(|()| true),
        Task::Deny => deny::run().map(|()| true),
        Task::Bindings { check } => bindings::run(check).map(|()| true),
        #[cfg(feature = "library")]
        Task::Parity(options) => parity::run(options),
        #[cfg(feature = "library")]
        Task::ParityWorker => parity::worker::run(),
        #[cfg(feature = "library")]
        Task::ParityModel { name, out } => parity::models::write(&name, &out).map(|()| true),
        #[cfg(feature = "library")]
        Task::Bench => bench::run().map(|()| true),
        #[cfg(feature = "library")]
        Task::Soak(options) => soak::run(&options),
        #[cfg(feature = "library")]
        Task::KillHunt(options) => kill_hunt::run(&options),
        #[cfg(feature = "library")]
        Task::KillHuntWorker { file } => kill_hunt::worker::run(&file),
        #[cfg(feature = "library")]
        Task::Tidy => tidy::run(),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        // The task has said what is wrong.
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// `path` as it is written in messages: relative to the workspace.
fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Runs `command`; its failure is the error.
fn succeed(command: &mut Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed: {status}")),
        Err(e) => Err(format!("{command:?} did not start: {e}")),
    }
}
