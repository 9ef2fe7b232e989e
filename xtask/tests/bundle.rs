//! `cargo xtask bundle`: the folder runs anywhere, by itself. The program that is bundled is this one.

// On Apple a program holds MLX itself.
#![cfg(target_os = "linux")]

use mlx_core::Tensor;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// What a machine with glibc and a C++ library has.
const SYSTEM: [&str; 9] = [
    "libc.so.",
    "libm.so.",
    "libdl.so.",
    "librt.so.",
    "libpthread.so.",
    "libgcc_s.so.",
    "libstdc++.so.",
    "libgomp.so.",
    "ld-linux-",
];

/// An empty folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("cargo's folder is writable");
    folder
}

fn bundle(program: &Path, out: &Path) -> Output {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.arg("bundle").args([program, out]).output().expect("it starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What runs in the bundle: a sum, and a product by the BLAS in force.
#[test]
fn program() {
    let x = Tensor::from_slice(&[1.0_f32, 2.0]).expect("two numbers");
    let y = &x * 2.0 + 1.0;
    println!("it computed {y}");
    assert_eq!(y.to_string(), "array([3, 5], dtype=float32)");
    let product = mlx_ops::matmul(&y, &y).expect("two vectors");
    assert_eq!(product.to_string(), "array(34, dtype=float32)");
    println!("by {}", mlx_core::blas_library().expect("it is loaded"));
}

/// The program of a bundle that was moved, with no variable but the loader's own, from another folder.
fn run(program: &Path) -> String {
    let mut command = Command::new(program);
    command.env_clear().env("LD_DEBUG", "libs").env("HOME", "/nonexistent").current_dir("/");
    let output = command.args(["--exact", "program", "--nocapture"]).output().expect("it starts");
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

#[test]
fn a_bundle_runs_anywhere_by_itself() {
    let place = folder("bundle");
    let program = env::current_exe().expect("this test");
    let output = bundle(&program, &place.join("made here"));
    assert!(output.status.success(), "{}", said(&output));
    let moved = place.join("copied, elsewhere");
    fs::rename(place.join("made here"), &moved).expect("a folder of ours");

    let text = run(&moved.join(program.file_name().expect("a file")));
    assert!(text.contains("it computed array([3, 5], dtype=float32)"), "{text}");
    let loaded: Vec<&Path> =
        text.lines().filter_map(|line| Some(Path::new(line.split_once("calling init: ")?.1))).collect();
    for name in ["libmlxc.so", "libmlx.so"] {
        assert!(loaded.contains(&&*moved.join("lib/mlx/lib").join(name)), "{name} is not in {loaded:?}");
    }
    for library in loaded {
        let name = library.file_name().unwrap_or_default().to_string_lossy();
        let by_system = SYSTEM.iter().any(|head| name.starts_with(head));
        assert!(by_system || library.starts_with(&moved), "{} is outside the bundle", library.display());
    }
    // Nothing was even looked for where the build had it.
    let cache =
        Path::new(mlx_link::MLXC_DIR.expect("the tests were linked to one")).parent().expect("a cache");
    assert!(!text.contains(&*cache.to_string_lossy()), "{text}");
    // OpenBLAS comes along where the build has it.
    let blas = mlx_core::blas_library().expect("it is loaded");
    let by = text.lines().find_map(|line| line.strip_prefix("by ")).expect("it said so");
    if blas.contains("openblas") {
        let place = Path::new(&blas).strip_prefix(cache).expect("it lies in the cache");
        assert_eq!(fs::canonicalize(by).expect("a library"), moved.join("lib/mlx").join(place));
    }
    the_licences_are_there(&moved.join("licences"));
    the_library_of_mlx_is_unchanged(&moved);
}

#[track_caller]
fn the_licences_are_there(folder: &Path) {
    let holds = |name: &str, words: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(text.contains(words), "{name} does not say {words:?}");
    };
    holds("mlx-c/LICENSE", "MIT License");
    holds("mlx for Rust/LICENSE-MIT", "Permission is hereby granted");
    holds("mlx for Rust/LICENSE-APACHE", "Apache License");
    holds("netlib-and-gcc.txt", "The University of Tennessee");
    if Path::new(mlx_link::MLX_DIR.expect("linked")).with_file_name("mlx_cpu-0.32.2.dist-info").exists() {
        holds("mlx_cpu-0.32.2/licenses/LICENSE", "Apple Inc.");
    }
}

/// So that a bundle's bits are those of the build, and of Python.
#[track_caller]
fn the_library_of_mlx_is_unchanged(bundle: &Path) {
    let own = Path::new(mlx_link::MLX_DIR.expect("the tests were linked to one")).join("lib/libmlx.so");
    let read = |path: &Path| fs::read(path).expect("a library");
    assert!(read(&own) == read(&bundle.join("lib/mlx/lib/libmlx.so")));
}

/// One sentence, and no folder left behind.
#[test]
fn what_cannot_be_bundled_is_said_in_one_sentence() {
    let place = folder("bundle-bad");
    let check = |program: &Path, words: &str| {
        let out = place.join("out");
        let output = bundle(program, &out);
        let text = said(&output);
        assert!(!output.status.success() && text.contains(words), "{text:?} does not say {words:?}");
        assert!(text.trim_end().lines().count() == 1 && text.trim_end().ends_with('.'), "{text:?}");
        assert!(!out.exists());
    };
    check(Path::new("/nonexistent/program"), "cannot read /nonexistent/program");
    check(Path::new(mlx_link::MLXC_DIR.expect("linked")), "cannot read");
    check(&Path::new(mlx_link::MLXC_DIR.expect("linked")).join("LICENSE"), "is no 64-bit Linux program");
    check(&Path::new(mlx_link::MLX_DIR.expect("linked")).join("lib/libmlx.so"), "does not use MLX");
    let whole = fs::read(env::current_exe().expect("this test")).expect("readable");
    for length in [5, 64, 1000] {
        fs::write(place.join("cut-off"), &whole[..length]).expect("a folder of ours");
        check(&place.join("cut-off"), "is no 64-bit Linux program");
    }

    let good = place.join("good");
    assert!(bundle(&env::current_exe().expect("this test"), &good).status.success());
    let again = good.join(env::current_exe().expect("this test").file_name().expect("a file"));
    check(&again, "is bundled already");
    let output = bundle(&env::current_exe().expect("this test"), &good);
    assert!(!output.status.success() && said(&output).contains("is not empty"), "{}", said(&output));
    assert!(again.exists());
}

/// A program whose cache was cleared.
#[test]
fn a_program_without_its_library_is_to_be_built_again() {
    let place = folder("bundle-gone");
    let mut bytes = fs::read(env::current_exe().expect("this test")).expect("readable");
    let library = Path::new(mlx_link::MLXC_DIR.expect("linked")).join("libmlxc.so");
    let (old, new) = (
        library.to_string_lossy().into_owned() + "\0",
        library.to_string_lossy().replace("/mlxc-", "/gone-") + "\0",
    );
    let at: Vec<usize> =
        (0..bytes.len() - old.len()).filter(|&at| bytes[at..].starts_with(old.as_bytes())).collect();
    assert!(!at.is_empty());
    for at in at {
        bytes[at..][..new.len()].copy_from_slice(new.as_bytes());
    }
    fs::write(place.join("program"), bytes).expect("a folder of ours");
    let output = bundle(&place.join("program"), &place.join("out"));
    assert!(said(&output).contains("which is gone: build it again."), "{}", said(&output));
}
