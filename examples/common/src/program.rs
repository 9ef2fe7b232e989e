//! How programs end: with their error in one line, and by Ctrl-C with what they have.
//!
//! Not here: what each does when it was asked to end.

use crate::Result;
use std::{
    process::{self, ExitCode},
    sync::atomic::{AtomicBool, Ordering},
};

/// What shells expect of a program that Ctrl-C ended.
const ENDED_BY_CTRL_C: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The end of the program `name`: where `work` fails, its error goes to stderr.
pub fn run(name: &str, work: impl FnOnce() -> Result<()>) -> ExitCode {
    match work() {
        Ok(()) if is_interrupted() => ExitCode::from(ENDED_BY_CTRL_C),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// [`run`] of work that looks at [`is_interrupted`] now and then, and ends early with what it has. The second Ctrl-C ends the
/// program at once: a download looks at nothing.
pub fn run_interruptible(name: &str, work: impl FnOnce() -> Result<()>) -> ExitCode {
    let handler = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            process::exit(ENDED_BY_CTRL_C.into());
        }
    });
    run(name, || handler.map_err(Into::into).and_then(|()| work()))
}

/// Whether somebody pressed Ctrl-C.
#[must_use]
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
