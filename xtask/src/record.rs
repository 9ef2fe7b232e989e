//! Records of measurements: dated files in `benches/record`, and what they say of the machine.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Writes a record of today, `STEM.md` or the first free one of `STEM-2.md`, `STEM-3.md`, …: what was measured before
/// stays.
pub(crate) fn write(stem: &str, text: &str) -> Result<PathBuf, String> {
    let path = free(&crate::root().join("benches/record"), stem);
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn free(folder: &Path, stem: &str) -> PathBuf {
    let first = folder.join(format!("{stem}.md"));
    let mut paths =
        std::iter::once(first).chain((2..).map(|number| folder.join(format!("{stem}-{number}.md"))));
    paths.find(|path| !path.exists()).expect("numbers do not end")
}

/// Today, as in 2026-11-30.
pub(crate) fn today() -> Result<String, String> {
    said("date", &["+%F"])
}

/// The system and the processor family, as in linux-x86_64.
pub(crate) fn platform() -> String {
    format!("{}-{}", env::consts::OS, env::consts::ARCH)
}

/// The processor, how many of it, and how busy they are with other things.
pub(crate) fn machine() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!("{cores} cores of {}, load {load} at the start", model.trim_start_matches(['\t', ':', ' ']))
}

/// The commit that is checked out, and whether files differ from it.
pub(crate) fn commit() -> Result<String, String> {
    let commit = said("git", &["rev-parse", "--short", "HEAD"])?;
    let changed = !said("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Ok(if changed { format!("{commit} with changes") } else { commit })
}

/// What a program prints.
pub(crate) fn said(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(crate::root()).output();
    let output = output.map_err(|e| format!("{program} did not start: {e}"))?;
    if !output.status.success() {
        return Err(format!("{program} failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_record_of_a_day_stands_beside_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let next = || {
            let path = free(folder.path(), "2026-01-02-linux");
            fs::write(&path, "").expect("a file");
            path.file_name().expect("a name").to_string_lossy().into_owned()
        };
        assert_eq!(
            [next(), next(), next()],
            ["2026-01-02-linux.md", "2026-01-02-linux-2.md", "2026-01-02-linux-3.md"]
        );
    }
}
