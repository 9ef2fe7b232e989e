//! Cargo as a user runs it: another folder, another environment, another target folder.
//!
//! Everything lies below cargo's own folder for tests, and stays there to make the next run short.

use std::{
    env, fs,
    net::TcpListener,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

/// The root of this workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/mlx-link").to_owned()
}

/// A folder of the tests' own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("cargo's folder is writable");
    folder
}

/// The same with nothing in it.
pub(crate) fn empty_folder(name: &str) -> PathBuf {
    fs::remove_dir_all(folder(name)).expect("a folder of ours");
    folder(name)
}

/// Cargo without what cargo told this test, and without what pip and the build script listen to.
pub(crate) fn cargo(target: &str) -> Command {
    let program = PathBuf::from(env::var_os("CARGO").expect("cargo runs the tests"));
    let mut command = Command::new(&program);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let kept = ["CARGO_HOME", "CARGO_NET", "CARGO_HTTP", "CARGO_REGISTR", "CARGO_SOURCE"];
        let ours = ["CARGO", "PIP_", "MLX_LINK", "DOCS_RS", "CXX", "RUST_", "LD_LIBRARY_PATH", "OUT_DIR"];
        if ours.iter().any(|head| text.starts_with(head)) && !kept.iter().any(|head| text.starts_with(head)) {
            command.env_remove(&name);
        }
    }
    for (variable, name) in [("RUSTC", "rustc"), ("RUSTDOC", "rustdoc")] {
        let beside = program.with_file_name(name);
        if beside.exists() {
            command.env(variable, beside);
        }
    }
    command.env("CARGO_TARGET_DIR", folder(target)).env("CARGO_TERM_COLOR", "never");
    command
}

/// A `PATH` with what compiles and links, and with nothing of Python.
pub(crate) fn tools_without_python() -> PathBuf {
    /// Made once: tests that run side by side share it.
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let bin = empty_folder("bin-without-python");
        for name in
            ["cc", "c++", "gcc", "g++", "clang", "clang++", "ld", "as", "ar", "getconf", "sh", "uname"]
        {
            if let Some(path) = which(name) {
                symlink(path, bin.join(name)).expect("an empty folder");
            }
        }
        bin
    };
    MADE.get_or_init(make).clone()
}

/// The same with a `python3` that is this shell script.
pub(crate) fn tools_with_python(folder: &str, script: &str) -> PathBuf {
    let bin = empty_folder(folder);
    for entry in fs::read_dir(tools_without_python()).expect("made here") {
        let path = entry.expect("made here").path();
        let real = fs::read_link(&path).expect("a link");
        symlink(real, bin.join(path.file_name().expect("a name"))).expect("an empty folder");
    }
    let python = bin.join("python3");
    fs::write(&python, format!("#!/bin/sh\n{script}\n")).expect("an empty folder");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("a file of ours");
    bin
}

/// A program on the `PATH`.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A package index at a port where nobody listens.
pub(crate) fn without_network(command: &mut Command) -> &mut Command {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
    command.env("PIP_INDEX_URL", format!("http://{closed}/simple"));
    command.env("PIP_CONFIG_FILE", "/dev/null").env("PIP_NO_CACHE_DIR", "1").env("PIP_RETRIES", "0");
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1").env("CARGO_NET_OFFLINE", "true")
}

/// What a command said on both streams.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A package whose binary prints a sum; `mlx` says where it has this library from, as a manifest does.
pub(crate) fn write_package(place: &Path, mlx: &str) {
    let manifest = format!(
        "[package]\nname = \"downstream\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nmlx = {{ {mlx} }}\n"
    );
    let main = "//! A user's program.\nuse mlx::prelude::*;\n\nfn main() {\n    let x = tensor![1.0, 2.0];\n    \
                println!(\"{}\", &x * 2.0 + 1.0);\n}\n";
    fs::create_dir_all(place.join("src")).expect("a folder of ours");
    for (path, text) in [(place.join("Cargo.toml"), &manifest[..]), (place.join("src/main.rs"), main)] {
        // The same text again would make cargo build again.
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text).expect("a folder of ours");
        }
    }
}

/// That binary starts, with no variable and no cargo.
#[track_caller]
pub(crate) fn starts(binary: &Path) {
    let output = Command::new(binary).env_clear().current_dir("/").output().expect("the binary starts");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "array([3, 5], dtype=float32)\n");
}

/// With the cache of this workspace's own build, which it reads.
pub(crate) fn with_cache(command: &mut Command) {
    if let Some(cache) = env::var_os("MLX_LINK_CACHE") {
        command.env("MLX_LINK_CACHE", cache);
    }
}
