//! What the build script says where it cannot go on: one sentence, with what was tried and what to do.

use crate::support::{
    cargo, empty_folder, folder, root, said, tools_with_python, tools_without_python, which, without_network,
};
use std::{fs, path::Path, process::Command};

/// The build of this package fails with one error of its own, one line that ends as a sentence and holds `words`.
#[track_caller]
fn check(words: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) {
    let mut command = cargo("bad-cases");
    command.current_dir(root()).args(["check", "--offline", "--package", "mlx-link"]);
    command.env("MLX_LINK_CACHE", empty_folder("bad-cases-cache"));
    change(&mut command);
    let output = command.output().expect("cargo starts");
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    let own: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("error: mlx-link@")).collect();
    let [sentence] = own[..] else { panic!("{} errors of the build script:\n{text}", own.len()) };
    assert!(sentence.ends_with('.') && sentence.len() < 600 && !text.contains("panicked"), "{sentence}");
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in {sentence:?}");
    }
}

/// One after another: they share a target folder.
#[test]
fn each_bad_case_is_one_sentence() {
    no_python();
    no_pip();
    no_network();
    no_network_for_cuda();
    odd_caches();
    wrong_hash();
    no_compiler();
    wrong_folders();
    unwritable_caches();
    broken_compiler();
}

fn no_python() {
    let words = ["MLX 0.32.2", "python3 did not start", "install python3", "MLX_LINK_DIR"];
    check(&words, |command| command.env("PATH", tools_without_python()));
}

/// The real interpreter without its packages.
fn no_pip() {
    let python = which("python3").expect("python3 is there");
    let bin = tools_with_python("bin-without-pip", &format!("exec '{}' -S \"$@\"", python.display()));
    let path = std::env::join_paths([bin, Path::new("/usr/bin").into(), Path::new("/bin").into()])
        .expect("plain paths");
    let words = ["MLX 0.32.2", "No module named pip", "install python3-pip", "MLX_LINK_DIR"];
    check(&words, |command| command.env("PATH", path));
}

fn no_network() {
    let words = ["MLX 0.32.2", "could not be fetched", "check the network", "MLX_LINK_DIR"];
    check(&words, without_network);
}

/// It is the CUDA build that is missed, and its size is said.
fn no_network_for_cuda() {
    let words = ["MLX 0.32.2", "mlx-cuda-13", "GB", "could not be fetched", "MLX_LINK_DIR"];
    check(&words, |command| without_network(command).args(["--features", "cuda"]));
}

/// Paths that the loader would read as two, or with something put in.
fn odd_caches() {
    let mlx = mlx_link::MLX_DIR.expect("the tests were linked to an MLX");
    for name in ["a:b", "$LIB"] {
        check(&["cannot be given the path", name, "set MLX_LINK_CACHE"], |command| {
            command.env("MLX_LINK_DIR", mlx).env("MLX_LINK_CACHE", empty_folder("odd-cache").join(name))
        });
    }
    // Below the build script's own folder, which is the package's.
    let relative = Path::new(&"../".repeat(40)).join(mlx.trim_start_matches('/'));
    check(&["cannot be given the path", "relative", "MLX_LINK_DIR"], |command| {
        command.env("MLX_LINK_DIR", relative)
    });
}

/// A wheel of the right name with other bytes in it.
fn wrong_hash() {
    let wheels = empty_folder("wrong-wheel");
    for arch in ["x86_64", "aarch64"] {
        let wheel = wheels.join(format!("mlx_cpu-0.32.2-py3-none-manylinux_2_35_{arch}.whl"));
        fs::write(wheel, "not the wheel").expect("a folder of ours");
    }
    check(&["MLX 0.32.2", "not the pinned one", "MLX_LINK_DIR"], |command| {
        command.env("PIP_CONFIG_FILE", "/dev/null").env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", wheels)
    });
}

/// MLX itself is there, so the compiler is the next thing to be missed.
fn no_compiler() {
    let mlx = mlx_link::MLX_DIR.expect("the tests were linked to an MLX");
    let words = ["C++20 compiler", "install g++", "set CXX"];
    check(&words, |command| command.env("MLX_LINK_DIR", mlx).env("CXX", "/nonexistent/c++"));
}

/// A compiler that compiles nothing, as an old one does with C++20.
fn broken_compiler() {
    let mlx = mlx_link::MLX_DIR.expect("the tests were linked to an MLX");
    check(&["C++20 compiler", "set CXX"], |command| {
        command.env("MLX_LINK_DIR", mlx).env("CXX", "/bin/false")
    });
}

fn wrong_folders() {
    fn with_dir(command: &mut Command) -> &mut Command {
        command.env("MLX_LINK_DIR", folder("wrong-mlx"))
    }
    let dir = empty_folder("wrong-mlx");
    check(&["MLX_LINK_DIR", "has no include/mlx/version.h", "MLX 0.32.2"], with_dir);
    let version = |minor: u32| {
        format!(
            "#define MLX_VERSION_MAJOR 0\n#define MLX_VERSION_MINOR {minor}\n#define MLX_VERSION_PATCH 2\n"
        )
    };
    fs::create_dir_all(dir.join("include/mlx")).expect("a folder of ours");
    fs::write(dir.join("include/mlx/version.h"), version(31)).expect("a folder of ours");
    check(&["MLX_LINK_DIR", "holds MLX 0.31.2", "built for MLX 0.32.2"], with_dir);
    fs::write(dir.join("include/mlx/version.h"), "nothing").expect("a folder of ours");
    check(&["MLX_LINK_DIR", "built for MLX 0.32.2"], with_dir);
    fs::write(dir.join("include/mlx/version.h"), version(32)).expect("a folder of ours");
    check(&["MLX_LINK_DIR", "has no lib/libmlx.so"], with_dir);
    check(&["MLX_LINK_DIR", "has no include/mlx/version.h"], |command| {
        command.env("MLX_LINK_DIR", "/nonexistent")
    });
}

fn unwritable_caches() {
    let file = folder("wrong-mlx").join("a-file");
    fs::write(&file, "").expect("a folder of ours");
    for cache in [file.join("below"), file, "/proc/mlx".into()] {
        check(&["cache folder", "set MLX_LINK_CACHE to a writable folder"], |command| {
            command.env("MLX_LINK_CACHE", cache)
        });
    }
    let home = std::env::var_os("CARGO_HOME")
        .unwrap_or_else(|| Path::new(&std::env::var_os("HOME").expect("a home")).join(".cargo").into());
    check(&["cache folder", "HOME", "set MLX_LINK_CACHE"], |command| {
        command
            .env("CARGO_HOME", home)
            .env_remove("HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("MLX_LINK_CACHE")
    });
}
