//! What the BLAS and LAPACK routines in front of MLX do where they cannot compute, and that products are right, in each CPU mode.

#![cfg(not(target_vendor = "apple"))]

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The C++ program beside this file, linked as MLX is: by the routines' plain names.
fn program() -> PathBuf {
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("blas");
    let library = mlx_link::MLXC_DIR.expect("the tests were linked to one");
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(compiler);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blas.cpp"));
    command.args(["-std=c++17", "-O1", "-pthread", "-o"]).arg(&binary).arg("-L").arg(library).arg("-lmlxc");
    let output = command.output().expect("the compiler that built the library starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    binary
}

#[test]
fn products_are_right_and_what_cannot_be_computed_is_an_error_or_nan() {
    let program = program();
    for (mode, threads) in [("stock", "1"), ("blas", "1"), ("blas", "2"), ("blas", "5")] {
        let mut command = Command::new(&program);
        let output = command.env("MLX_CPU", mode).env("OPENBLAS_NUM_THREADS", threads).output();
        let output = output.expect("it was just built");
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{mode}, {threads}: {}\n{complained}", output.status);
        assert_eq!(output.stdout, b"the end\n", "{mode}, {threads}");
        assert_eq!(complained, "", "{mode}, {threads}");
    }
}
