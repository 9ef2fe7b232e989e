//! What it costs to load 500 MB of safetensors and compute every tensor: ours and Python's, in processes that take turns,
//! and the most memory that each had beyond the file.
//!
//! `cargo bench --bench load`; Python is found where `cargo xtask parity` installs it, or in `$MLX_PYTHON_SITE`. The file
//! is in the page cache. Not here: a disk.

use mlx::{eval, ops, prelude::*};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// Set to the file in a process that loads it.
const LOAD: &str = "MLX_BENCH_LOAD";
const ROUNDS: usize = 15;

const PYTHON: &str = r#"
import os, time
import mlx.core as mx
mx.eval(mx.zeros((1,)))
start = time.perf_counter()
tensors = mx.load(os.environ["MLX_BENCH_LOAD"])
mx.eval(tensors)
seconds = time.perf_counter() - start
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, peak.split()[1])
"#;

fn main() {
    if let Some(path) = env::var_os(LOAD) {
        load(Path::new(&path));
        return;
    }
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let path = env::temp_dir().join(format!("mlx-bench-load-{}.safetensors", std::process::id()));
    for (what, count, size) in [("8 of 62.5 MB", 8, 15_625_000), ("500 of 1 MB", 500, 250_000)] {
        write(&path, count, size);
        compare(what, &path);
    }
    fs::remove_file(&path).expect("written above");
}

fn write(path: &Path, count: usize, size: i32) {
    let x = ops::arange(0, size, 1).expect("a range").astype(Dtype::Float32);
    let tensors: Vec<(String, Tensor)> = (0..count).map(|i| (i.to_string(), &x + i as f32)).collect();
    ops::save_safetensors(path, tensors.iter().map(|(name, x)| (name, x))).expect("room for a file");
}

/// One load, and what it took.
fn load(path: &Path) {
    Tensor::from_slice(&[1.0_f32]).and_then(|x| x.eval()).expect("MLX starts");
    let start = Instant::now();
    let found = ops::load_safetensors(path).expect("written by us");
    eval(found.tensors.values()).expect("the file is whole");
    let seconds = start.elapsed().as_secs_f64();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    println!("{seconds} {}", peak.split_whitespace().next().unwrap_or("0"));
}

fn compare(what: &str, path: &Path) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let site = env::var_os("MLX_PYTHON_SITE").map_or_else(|| root.join("target/xtask/parity"), PathBuf::from);
    let (mut ours, mut pythons) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut us = Command::new(env::current_exe().expect("this program has a path"));
        ours.push(measured(us.env(LOAD, path)).expect("ours loads it"));
        let mut python = Command::new("python3");
        pythons.extend(measured(python.args(["-c", PYTHON]).env("PYTHONPATH", &site).env(LOAD, path)));
    }
    let file = fs::metadata(path).map_or(0.0, |found| found.len() as f64);
    let told = |name: &str, all: &[(f64, f64)]| {
        let (seconds, peak) = (median(all.iter().map(|one| one.0)), median(all.iter().map(|one| one.1)));
        let beyond = (peak * 1024.0 - file) / f64::from(1 << 20);
        println!("{what}, {name}: {:.1} ms, file + {beyond:.0} MiB", seconds * 1e3);
        seconds
    };
    let us = told("ours", &ours);
    if pythons.len() == ROUNDS {
        let python = told("Python", &pythons);
        let pairs = ours.iter().zip(&pythons).map(|(us, python)| us.0 / python.0);
        println!(
            "{what}: {:.3} of Python's time; {:.3} in the middle of the pairs",
            us / python,
            median(pairs)
        );
    } else {
        println!("{what}: without Python, which is not in {}", site.display());
    }
}

/// The seconds and the peak in KiB that a process prints.
fn measured(command: &mut Command) -> io::Result<(f64, f64)> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(seconds), Some(peak)) => Ok((seconds, peak)),
        _ => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
