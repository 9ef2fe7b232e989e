//! Python MLX, where `cargo xtask parity` installed it or `$MLX_PYTHON_SITE` says.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of its packages; where there is none, it says that the test is not run.
pub(crate) fn site() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let site = env::var_os("MLX_PYTHON_SITE").map_or_else(|| root.join("target/xtask/parity"), PathBuf::from);
    if site.join("mlx").exists() {
        return Some(site);
    }
    eprintln!("not run: there is no Python MLX in {}", site.display());
    None
}

/// Runs a script to its end.
#[allow(dead_code, reason = "tests whose scripts are files")]
pub(crate) fn run(site: &Path, script: &str, arguments: &[PathBuf]) {
    finish(Command::new("python3").args(["-c", script]).args(arguments).env("PYTHONPATH", site));
}

/// Runs a script of the repository to its end.
#[allow(dead_code, reason = "tests whose scripts are short")]
pub(crate) fn run_file(site: &Path, script: &str, arguments: &[PathBuf]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    finish(Command::new("python3").arg(script).args(arguments).env("PYTHONPATH", site));
}

fn finish(python: &mut Command) {
    let output = python.output().expect("python3 is there where its packages are");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
