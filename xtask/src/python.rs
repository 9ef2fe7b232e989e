//! Python packages for the tasks: installed once, below `target/`, at pinned versions.

use std::{fs, path::PathBuf, process::Command};

/// `target/xtask/NAME`, with `packages` installed there by pip.
pub(crate) fn site(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let site = crate::root().join("target/xtask").join(name);
    let stamp = site.join("installed.txt");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(site);
    }
    if site.exists() {
        fs::remove_dir_all(&site).map_err(|e| format!("{}: {e}", site.display()))?;
    }
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--root-user-action=ignore",
        "--disable-pip-version-check",
        "--only-binary=:all:",
        "--target",
    ]);
    crate::succeed(pip.arg(&site).args(packages))?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(site)
}
