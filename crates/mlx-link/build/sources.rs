//! The mlx-c sources and headers: those inside the crates.io package mlx-sys, wherever cargo has it.

use crate::Step;
use sha2::{Digest, Sha256};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// SHA-256 over the sorted names and contents of `mlx/c/**` in mlx-sys 0.7.0 (mlx-c 0.7.0).
pub(crate) const MLXC_SHA256: &str = "cd2673ff9b77cb2475f3090ed38083342da09b013444472685ff4536f171630d";

/// The folder that holds `mlx/c/`, with its contents checked.
pub(crate) fn mlxc() -> Step<PathBuf> {
    // Cargo's configuration is that of the folder it runs in and those above: ours where this package itself is vendored or
    // a git dependency; the target folder, which mostly lies in the user's workspace, where it is a path dependency.
    let (ours, users) = (crate::package(), out_dir());
    let manifest = probe(&ours, true).or_else(|_| probe(&users, true)).or_else(|_| probe(&ours, false))?;
    let folder = manifest.with_file_name("src").join("mlx-c");
    let found = tree_sha256(&folder.join("mlx/c"))?;
    if found == MLXC_SHA256 {
        Ok(folder)
    } else {
        Err(format!(
            "the mlx-c sources in {} are not those of mlx-sys 0.7.0: their SHA-256 is {found} and should be {MLXC_SHA256}; \
             remove the package from cargo's registry folder or vendor folder and fetch it again.",
            folder.display()
        ))
    }
}

fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// Asks cargo where mlx-sys lies, from a folder whose configuration (vendoring, source replacement) is to apply.
///
/// A package of its own, since our manifest names mlx-sys for Apple only and a lock file may be read-only.
fn probe(folder: &Path, offline: bool) -> Step<PathBuf> {
    let probe = out_dir().join("probe");
    let manifest = "[package]\nname = \"mlxc-probe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
                    [dependencies]\nmlx-sys = \"=0.7.0\"\n";
    fs::create_dir_all(probe.join("src"))
        .and_then(|()| fs::write(probe.join("src/lib.rs"), ""))
        .and_then(|()| fs::write(probe.join("Cargo.toml"), manifest))
        .map_err(|e| format!("cannot write {}: {e}.", probe.display()))?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder).args(["metadata", "--format-version=1", "--manifest-path"]);
    cargo.arg(probe.join("Cargo.toml"));
    if offline {
        cargo.arg("--offline");
    }
    let failed = |why: String| {
        format!(
            "the crates.io package mlx-sys 0.7.0 (its mlx-c sources) could not be found with `cargo metadata`: {why}; \
             check the network (only the first build needs it) or vendor the package."
        )
    };
    let output = cargo.output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return Err(failed(last.trim().to_owned()));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let package = packages.iter().find(|package| package["name"] == "mlx-sys");
    let path = package.and_then(|package| package["manifest_path"].as_str());
    path.map(PathBuf::from).ok_or_else(|| failed("the answer does not name it".into()))
}

fn tree_sha256(root: &Path) -> Step<String> {
    let broken = |e: std::io::Error| format!("cannot read the mlx-c sources in {}: {e}.", root.display());
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let name = file.strip_prefix(root).expect("found below root").to_string_lossy().replace('\\', "/");
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(fs::read(&file).map_err(broken)?);
    }
    Ok(format!("{:x}", hash.finalize()))
}
