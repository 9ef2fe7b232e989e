//! `cargo xtask bench`: runs the benches and writes what they measured into `benches/record`.
//!
//! The benches' own tables pair the engines in short turns; criterion's estimates of each engine alone come from the
//! files that it writes. Not here: the benches (`benches/`).

use crate::{python, record};
use serde_json::Value as Json;
use std::{
    env,
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const BENCHES: [&str; 6] = ["graph_build", "encoder", "transforms", "host_kernel", "gemm", "training"];

/// Runs all benches and writes the record.
pub(crate) fn run() -> Result<(), String> {
    let machine = record::machine();
    let site = python::site("parity", &[&format!("mlx[cpu]=={}", mlx_core::MLX_VERSION), "numpy"])?;
    // A folder of its own: what other runs left in target/criterion is none of this record's.
    let estimates = crate::root().join("target/xtask/bench");
    if estimates.exists() {
        fs::remove_dir_all(&estimates).map_err(|e| format!("{}: {e}", estimates.display()))?;
    }
    let mut text = heading(&machine)?;
    for bench in BENCHES {
        let said = measure(bench, &estimates, &site)?;
        let _ = write!(text, "\n## {bench}\n\n{}", tables(&said));
    }
    text.push_str("\n## Each engine alone\n\nCriterion's medians, with the bounds between which they lie in 95 of 100 runs.\n\n");
    text.push_str(&estimates_table(&estimates)?);
    let (today, platform) = (record::today()?, record::platform());
    let path = record::write(&format!("{today}-{platform}"), &text)?;
    println!("{}", crate::short(&path));
    Ok(())
}

fn heading(machine: &str) -> Result<String, String> {
    let (today, platform) = (record::today()?, record::platform());
    let (rust, commit) = (record::said("rustc", &["--version"])?, record::commit()?);
    let python = record::said("python3", &["--version"])?;
    Ok(format!(
        "# Benches, {today}, {platform}\n\n{machine}; MLX {}, {rust} release, {python}; commit {commit}.\n\
         `cargo xtask bench`. Times are the fastest turn of each engine; ratios are medians of the ratios within a \
         round,\nand hold when the machine is busy.\n",
        mlx_core::MLX_VERSION
    ))
}

/// Runs a bench, whose lines are shown as they come, and returns them.
fn measure(bench: &str, estimates: &Path, site: &Path) -> Result<Vec<String>, String> {
    let known = env::var_os("PYTHONPATH").unwrap_or_default();
    let paths = env::join_paths([site.to_owned()].into_iter().chain(env::split_paths(&known)));
    let mut child = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["bench", "--bench", bench])
        .current_dir(crate::root())
        .env("CRITERION_HOME", estimates)
        .env("PYTHONPATH", paths.map_err(|e| e.to_string())?)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cargo did not start: {e}"))?;
    let mut said = Vec::new();
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line.map_err(|e| format!("{bench}: {e}"))?;
        println!("{line}");
        said.push(line);
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(said) } else { Err(format!("{bench} failed: {status}")) }
}

/// The tables among a bench's lines, and what it says it was without.
fn tables(said: &[String]) -> String {
    let mut text = String::new();
    for row in said.iter().filter(|line| line.starts_with('|')) {
        let _ = writeln!(text, "{row}");
    }
    for gap in said.iter().filter(|line| line.starts_with("Without ")) {
        let _ = write!(text, "\n{gap}\n");
    }
    text
}

/// What criterion estimated of one engine of a case, in nanoseconds.
#[derive(Debug, PartialEq)]
struct Estimate {
    case: String,
    engine: String,
    median: f64,
    low: f64,
    high: f64,
}

/// From the files that criterion writes: whose estimates they are, and the estimates.
fn estimate(benchmark: &Json, estimates: &Json) -> Option<Estimate> {
    let median = &estimates["median"];
    let bound = |name: &str| median["confidence_interval"][name].as_f64();
    Some(Estimate {
        case: benchmark["group_id"].as_str()?.to_owned(),
        engine: benchmark["function_id"].as_str()?.to_owned(),
        median: median["point_estimate"].as_f64()?,
        low: bound("lower_bound")?,
        high: bound("upper_bound")?,
    })
}

/// All estimates below criterion's folder: `CASE/ENGINE/new/{benchmark,estimates}.json`.
fn estimates(folder: &Path) -> Result<Vec<Estimate>, String> {
    let mut found = Vec::new();
    for engine in folders(folder)?.iter().map(|case| folders(case)).collect::<Result<Vec<_>, _>>()?.concat() {
        let new = engine.join("new");
        // Beside the engines stand reports.
        if !new.join("estimates.json").exists() {
            continue;
        }
        let read = |name: &str| -> Result<Json, String> {
            let path = new.join(name);
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
        };
        let estimate = estimate(&read("benchmark.json")?, &read("estimates.json")?);
        found.push(estimate.ok_or_else(|| format!("{}: not criterion's form", new.display()))?);
    }
    if found.is_empty() {
        return Err(format!("criterion wrote nothing below {}", folder.display()));
    }
    found.sort_by(|a, b| (&a.case, &a.engine).cmp(&(&b.case, &b.engine)));
    Ok(found)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let broken = |e: std::io::Error| format!("{}: {e}", folder.display());
    let paths: Result<Vec<PathBuf>, _> =
        fs::read_dir(folder).map_err(broken)?.map(|entry| entry.map(|entry| entry.path())).collect();
    Ok(paths.map_err(broken)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn estimates_table(folder: &Path) -> Result<String, String> {
    let mut text = String::from("| case | engine | median | from | to |\n|---|---|--:|--:|--:|\n");
    for Estimate { case, engine, median, low, high } in estimates(folder)? {
        let _ = writeln!(text, "| {case} | {engine} | {median:.0} ns | {low:.0} | {high:.0} |");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn files(case: &str, engine: &str, median: f64) -> [Json; 2] {
        let interval =
            json!({"confidence_level": 0.95, "lower_bound": median - 1.0, "upper_bound": median + 2.0});
        let of = |point: f64| json!({"confidence_interval": interval, "point_estimate": point, "standard_error": 1.0});
        [
            json!({"group_id": case, "function_id": engine, "full_id": format!("{case}/{engine}")}),
            json!({"mean": of(9.0), "median": of(median), "slope": null}),
        ]
    }

    #[test]
    fn estimates_are_read_from_criterions_files() {
        let folder = tempfile::tempdir().expect("a folder");
        for (case, engine, median) in
            [("a * b", "raw C", 7.0), ("a * b", "ours", 7.5), ("eval", "ours", 9000.4)]
        {
            let new = folder.path().join(case.replace('*', "_")).join(engine).join("new");
            fs::create_dir_all(&new).expect("a folder");
            let [benchmark, estimates] = files(case, engine, median);
            fs::write(new.join("benchmark.json"), benchmark.to_string()).expect("a file");
            fs::write(new.join("estimates.json"), estimates.to_string()).expect("a file");
        }
        fs::create_dir_all(folder.path().join("report")).expect("a folder");
        let table = estimates_table(folder.path()).expect("well-formed");
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| a * b | ours | 8 ns | 6 | 10 |",
                "| a * b | raw C | 7 ns | 6 | 9 |",
                "| eval | ours | 9000 ns | 8999 | 9002 |"
            ]
        );
    }

    #[test]
    fn a_missing_estimate_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(estimates(folder.path()).is_err_and(|why| why.contains("wrote nothing")));
        let [benchmark, mut broken] = files("a", "ours", 1.0);
        assert!(estimate(&benchmark, &broken).is_some());
        broken["median"]["point_estimate"] = json!("fast");
        assert_eq!(estimate(&benchmark, &broken), None);
    }

    #[test]
    fn only_tables_and_gaps_come_into_the_record() {
        let said =
            ["Benchmarking a", "| case | ours |", "|---|--:|", "| a | 1 ns |", "Without Python MLX: why."];
        let text = tables(&said.map(str::to_owned));
        assert_eq!(text, "| case | ours |\n|---|--:|\n| a | 1 ns |\n\nWithout Python MLX: why.\n");
    }
}
