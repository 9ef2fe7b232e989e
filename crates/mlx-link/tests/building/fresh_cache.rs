//! An empty cache: filled once, whole, also by two builds at a time.

use crate::support::{cargo, empty_folder, root, said};
use std::{fs, path::Path, process::Command, thread};

fn build(target: &str, cache: &Path) -> Command {
    let mut command = cargo(target);
    command.current_dir(root()).args(["build", "--offline", "--package", "mlx-link"]);
    // Pip as the user has it: the wheel is downloaded, once.
    for (name, value) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PIP_")) {
        command.env(name, value);
    }
    command.env("MLX_LINK_CACHE", cache);
    command
}

/// Both end well; the cache holds one MLX, one mlx-c and one OpenBLAS, and nothing half done.
fn check(cache: &Path) {
    let names: Vec<String> = fs::read_dir(cache)
        .expect("the cache is there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    let count =
        |head: &str| names.iter().filter(|name| name.starts_with(head) && cache.join(name).is_dir()).count();
    assert_eq!(["mlx-cpu-0.32.2", "mlxc-0.7.0", "openblas-"].map(count), [1, 1, 1], "{names:?}");
    assert!(!names.iter().any(|name| name.contains(".partial")), "{names:?}");
}

#[test]
#[ignore = "downloads the wheel and compiles mlx-c: a minute"]
fn two_builds_fill_one_empty_cache() {
    let cache = empty_folder("fresh-cache");
    thread::scope(|scope| {
        for target in ["fresh-a", "fresh-b"] {
            let cache = &cache;
            scope.spawn(move || {
                let output = build(target, cache).output().expect("cargo starts");
                assert!(output.status.success(), "{}", said(&output));
            });
        }
    });
    check(&cache);
    // What the first build made is not younger than the build.
    let again = build("fresh-a", &cache).arg("-v").output().expect("cargo starts");
    assert!(said(&again).contains("Fresh mlx-link "), "{}", said(&again));
}

/// A build that was broken off leaves no entry that a later one would take for whole.
#[test]
#[ignore = "downloads the wheel and compiles mlx-c: a minute"]
fn a_build_that_was_broken_off_is_made_good() {
    let cache = empty_folder("broken-off-cache");
    let partial = cache.join(format!("mlx-cpu-0.32.2-{}.partial", std::env::consts::ARCH));
    fs::create_dir_all(partial.join("mlx/lib")).expect("a folder of ours");
    fs::write(partial.join("mlx/lib/libmlx.so"), "half").expect("a folder of ours");
    let output = build("fresh-a", &cache).output().expect("cargo starts");
    assert!(output.status.success(), "{}", said(&output));
    check(&cache);
}
