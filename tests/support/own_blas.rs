//! Tests with MLX's own BLAS, which is chosen for a whole process: so a child process runs them.

use std::{env, process::Command};

/// Runs an ignored test of this program with it; the child's output tells why it failed.
#[track_caller]
pub(crate) fn run(test: &str) {
    let child = Command::new(env::current_exe().expect("this program has a path"))
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("MLX_CPU", "stock")
        .output()
        .expect("this program starts again");
    let said = String::from_utf8_lossy(&child.stdout);
    let complained = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && said.contains("1 passed"), "{said}{complained}");
}
