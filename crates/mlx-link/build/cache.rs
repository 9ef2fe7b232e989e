//! The cache folder: one entry a thing, made once, whole or not there, also under parallel builds.

use crate::Step;
use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// `$MLX_LINK_CACHE`, else `$XDG_CACHE_HOME/mlx-link`, else `~/.cache/mlx-link`.
pub(crate) fn folder() -> Step<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("MLX_LINK_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("mlx-link")))
        .or_else(|| set("HOME").map(|dir| dir.join(".cache/mlx-link")))
        .ok_or("MLX's libraries need a cache folder and neither HOME nor XDG_CACHE_HOME is set: set MLX_LINK_CACHE.")?;
    fs::create_dir_all(&folder).and_then(|()| fs::canonicalize(&folder)).map_err(|e| {
        format!(
            "cannot make the cache folder {}: {e}; set MLX_LINK_CACHE to a writable folder.",
            folder.display()
        )
    })
}

/// The entry `name`; `make` fills a temporary folder that becomes the entry by one rename.
///
/// A file lock keeps parallel builds apart: the second waits and finds the first one's entry.
pub(crate) fn entry(cache: &Path, name: &str, make: impl FnOnce(&Path) -> Step<()>) -> Step<PathBuf> {
    let entry = cache.join(name);
    if entry.exists() {
        return Ok(entry);
    }
    let broken = |what: &str, e: std::io::Error| {
        format!(
            "cannot {what} in the cache folder {}: {e}; set MLX_LINK_CACHE to a writable folder.",
            cache.display()
        )
    };
    let lock =
        fs::File::create(cache.join(format!("{name}.lock"))).map_err(|e| broken("make a lock file", e))?;
    lock.lock().map_err(|e| broken("take a lock", e))?;
    if entry.exists() {
        return Ok(entry);
    }
    let fresh = cache.join(format!("{name}.partial"));
    if fresh.exists() {
        fs::remove_dir_all(&fresh).map_err(|e| broken("clear a broken-off entry", e))?;
    }
    fs::create_dir(&fresh).map_err(|e| broken("make a folder", e))?;
    make(&fresh)?;
    predate(&fresh).map_err(|e| broken("date an entry's files", e))?;
    fs::rename(&fresh, &entry).map_err(|e| broken("name an entry", e))?;
    Ok(entry)
}

/// Dates the libraries back: cargo runs a build script again where a file that it watches is younger than its last run, and
/// these were made during it, so that a user's second build would compile everything again.
fn predate(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            predate(&path)?;
        } else if path.extension().is_some_and(|end| end == "so") {
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            fs::File::options().append(true).open(&path)?.set_modified(long_ago)?;
        }
    }
    Ok(())
}
