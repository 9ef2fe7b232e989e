//! Another workspace that depends on this one by path: its binary starts by itself, its builds work offline, and
//! its checks work without MLX.

use crate::support::{
    cargo, empty_folder, folder, root, said, starts, tools_without_python, with_cache, without_network,
    write_package,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
};

/// The tests share one target folder, and one takes it apart.
static TARGET: Mutex<()> = Mutex::new(());

/// A workspace with one binary.
fn workspace() -> PathBuf {
    let place = folder("downstream");
    write_package(&place, &format!("path = '{}'", root().display()));
    place
}

fn run(arguments: &[&str], change: impl FnOnce(&mut Command)) -> Output {
    let mut command = cargo("downstream-target");
    command.current_dir(workspace()).args(arguments).arg("--offline");
    change(&mut command);
    command.output().expect("cargo starts")
}

#[track_caller]
fn check(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}

/// An empty cache, no Python, no network.
fn with_nothing(command: &mut Command) {
    without_network(command);
    command.env("PATH", tools_without_python()).env("MLX_LINK_CACHE", empty_folder("downstream-cache"));
}

#[test]
fn its_binary_starts_by_itself_and_without_its_target_folder() {
    let _alone = TARGET.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    check(&run(&["build"], with_cache));
    let target = folder("downstream-target");
    let binary = target.join("debug/downstream");
    starts(&binary);
    let copy = folder("downstream-copy").join("downstream");
    fs::copy(&binary, &copy).expect("the binary was built");
    without(&target, || starts(&copy));
}

/// Does `check` while the folder is not there.
fn without(target: &Path, check: impl FnOnce()) {
    let away = target.with_file_name("downstream-target-away");
    let _ = fs::remove_dir_all(&away);
    fs::rename(target, &away).expect("a folder of ours");
    check();
    fs::rename(&away, target).expect("a folder of ours");
}

#[test]
fn it_is_installed_from_its_folder() {
    let _alone = TARGET.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let to = empty_folder("downstream-installed");
    let arguments = ["install", "--debug", "--path", ".", "--root", to.to_str().expect("UTF-8")];
    check(&run(&arguments, with_cache));
    without(&folder("downstream-target"), || starts(&to.join("bin/downstream")));
}

#[test]
fn it_builds_offline_with_a_filled_cache() {
    let _alone = TARGET.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    check(&run(&["build"], with_cache));
    // The build script must run again.
    check(&run(&["clean", "--package", "mlx-link"], |_| {}));
    let output = run(&["build", "-vv"], |command| {
        with_cache(command);
        without_network(command);
        command.env("SOME_VARIABLE", "1");
    });
    check(&output);
    // One more variable, another folder: it is the library that this workspace was linked to, and no new one.
    let library = mlx_link::MLXC_DIR.expect("the tests were linked to one");
    assert!(said(&output).contains(&format!("MLX_LINK_MLXC={library}")), "{}", said(&output));
    starts(&folder("downstream-target").join("debug/downstream"));
}

#[test]
fn its_checks_and_docs_need_no_mlx() {
    let _alone = TARGET.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for skip in ["DOCS_RS", "MLX_LINK_SKIP"] {
        let skipping = |command: &mut Command| {
            with_nothing(command);
            command.env(skip, "1");
        };
        check(&run(&["check"], skipping));
        let _ = fs::remove_dir_all(folder("downstream-target").join("doc"));
        check(&run(&["doc", "--no-deps", "--package", "downstream", "--package", "mlx"], skipping));
        assert!(folder("downstream-target").join("doc/mlx/index.html").exists());
        assert!(fs::read_dir(folder("downstream-cache")).expect("made here").next().is_none());
    }
}

#[test]
fn a_link_that_was_skipped_fails_with_a_hint() {
    let _alone = TARGET.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let output = run(&["build"], |command| {
        with_nothing(command);
        command.env("MLX_LINK_SKIP", "1");
    });
    assert!(!output.status.success());
    let hint = "mlxc-was-skipped--unset-MLX_LINK_SKIP-and-build-again";
    assert!(said(&output).contains(hint), "{}", said(&output));
}
