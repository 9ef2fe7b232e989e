//! The sources from elsewhere: a git repository, a vendor folder, a read-only tree, paths with spaces and commas.

use crate::support::{cargo, empty_folder, root, said, starts, with_cache, without_network, write_package};
use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

/// What this workspace is made of, copied.
fn copy_of_the_sources(to: &Path) {
    let parts = [
        "Cargo.toml",
        "Cargo.lock",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "README.md",
        "crates",
        "src",
        "xtask",
        "tests",
        "benches",
        "examples",
    ];
    fs::create_dir_all(to).expect("a folder of ours");
    for part in parts {
        copy(&root().join(part), &to.join(part));
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder of ours");
        for entry in fs::read_dir(from).expect("the sources are readable") {
            let entry = entry.expect("the sources are readable");
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).expect("the sources are readable");
    }
}

#[track_caller]
fn succeed(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}\n{}", said(&output));
}

/// Makes the folder a git repository with one commit: the same commit for the same files.
fn commit(place: &Path) {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(place).args(["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]);
        git.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z").env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
        succeed(git.args(arguments));
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "All of it"]);
}

/// The user's own home of cargo, or a new one with the same packages, so that what is fetched here does not stay there.
fn home_of_cargo(name: &str) -> PathBuf {
    let home = empty_folder(name);
    let own = env::var_os("CARGO_HOME")
        .map_or_else(|| Path::new(&env::var_os("HOME").expect("a home")).join(".cargo"), PathBuf::from);
    for part in ["registry", "config.toml"] {
        if own.join(part).exists() {
            symlink(own.join(part), home.join(part)).expect("an empty folder");
        }
    }
    home
}

/// A user's package has this workspace from a repository, and is itself installed from one.
#[test]
#[ignore = "compiles all packages anew: a minute"]
fn it_is_a_git_dependency_and_is_installed_from_git() {
    let (library, user) = (empty_folder("git/library"), empty_folder("git/user"));
    copy_of_the_sources(&library);
    commit(&library);
    write_package(&user, &format!("git = 'file://{}'", library.display()));
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).expect("the sources are readable");
    commit(&user);
    let (home, to) = (home_of_cargo("git/cargo"), empty_folder("git/installed"));
    let mut install = cargo("git/target");
    install.env("CARGO_HOME", home).current_dir("/").args(["install", "--root"]).arg(&to);
    install.arg("--git").arg(format!("file://{}", user.display()));
    with_cache(&mut install);
    succeed(&mut install);
    // Neither the build, nor the repositories, nor cargo's copies of them.
    for gone in ["git/target", "git/library", "git/user", "git/cargo"] {
        empty_folder(gone);
    }
    starts(&to.join("bin/downstream"));
}

/// All files and folders below `place`, and when each was changed last.
fn listing(place: &Path) -> Vec<(PathBuf, SystemTime)> {
    let mut found =
        vec![(place.to_owned(), fs::metadata(place).and_then(|m| m.modified()).expect("readable"))];
    if place.is_dir() {
        for entry in fs::read_dir(place).expect("readable") {
            found.extend(listing(&entry.expect("readable").path()));
        }
    }
    found.sort();
    found
}

/// The whole way without a network: MLX from a folder, all packages vendored, mlx-c too, in a tree that stays as it is.
#[test]
#[ignore = "compiles mlx-c: a minute"]
fn it_builds_vendored_offline_read_only_at_odd_paths() {
    let place = empty_folder("vendored, with spaces");
    let (library, user) = (place.join("the library, copied"), place.join("a user"));
    copy_of_the_sources(&library);
    write_package(&user, &format!("path = '{}'", library.display()));
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).expect("the sources are readable");
    let vendor = cargo("vendored-target").current_dir(&user).arg("vendor").output().expect("cargo starts");
    assert!(vendor.status.success(), "{}", said(&vendor));
    fs::create_dir(user.join(".cargo")).expect("a folder of ours");
    fs::write(user.join(".cargo/config.toml"), &vendor.stdout).expect("a folder of ours");
    // Root may write everywhere: the listing tells, too.
    succeed(Command::new("chmod").args(["-R", "a-w"]).arg(&library));
    let before = listing(&library);

    let mut build = cargo("vendored-target");
    build.current_dir(&user).args(["build", "--locked"]).env_remove("CARGO_TARGET_DIR");
    build.env("CARGO_HOME", empty_folder("vendored-cargo")).env("MLX_LINK_CACHE", place.join("a cache, too"));
    build.env("MLX_LINK_DIR", mlx_link::MLX_DIR.expect("the tests were linked to an MLX"));
    let built = without_network(&mut build).output().expect("cargo starts");
    let after = listing(&library);
    succeed(Command::new("chmod").args(["-R", "u+w"]).arg(&library));

    assert!(built.status.success(), "{}", said(&built));
    assert_eq!(after, before);
    starts(&user.join("target/debug/downstream"));
}
