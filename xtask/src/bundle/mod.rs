//! `cargo xtask bundle BIN OUT`: a folder with a program and the libraries that it loads, to be copied to another machine.
//!
//! Not here: how a file's dynamic section is read and changed (`elf`); what is copied (`contents`).

mod contents;
mod elf;

use crate::Outcome;
use contents::Contents;
use std::{fs, path::Path, process::Command};

/// Makes the folder `out` and says what its program still takes from the machine it runs on.
pub(crate) fn run(binary: &Path, out: &Path) -> Outcome {
    let contents = Contents::of(binary)?;
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!("{} is not empty: remove it or name another folder.", out.display()));
    }
    let made = contents.write(out).and_then(|program| {
        let out = fs::canonicalize(out).map_err(|e| format!("{}: {e}.", out.display()))?;
        say_what_is_missing(&out.join(program), &out)
    });
    if made.is_err() {
        // It was empty; half a bundle would be taken for a whole one.
        let _ = fs::remove_dir_all(out);
    }
    made
}

/// Asks the loader, without running the program.
fn say_what_is_missing(program: &Path, out: &Path) -> Outcome {
    let mut command = Command::new(program);
    command.env_clear().env("LD_TRACE_LOADED_OBJECTS", "1").current_dir("/");
    let loaded = match command.output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => {
            println!("{}: made for another machine, so not checked here", out.display());
            return Ok(());
        }
    };
    let (mut inside, mut system) = (0, Vec::new());
    for line in loaded.lines() {
        let (name, path) = line.trim().split_once(" => ").unwrap_or((line.trim(), line.trim()));
        let path = path.split(" (0x").next().unwrap_or_default();
        match path {
            "not found" if name == "libcuda.so.1" => system.push("libcuda.so.1 (NVIDIA's driver)"),
            "not found" => return Err(format!("{} needs {name}, which was not found.", program.display())),
            _ if Path::new(path).starts_with(out) => inside += 1,
            _ if path.starts_with('/') => system.push(path),
            // The kernel's own.
            _ => {}
        }
    }
    system.sort_unstable();
    println!("{}: the program and {inside} libraries that it loads", out.display());
    println!("from the machine it runs on: {}", system.join(" "));
    Ok(())
}
