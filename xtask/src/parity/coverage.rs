//! `cargo xtask parity coverage`: each public name of Python MLX can be called by the worker, or a reason says why not.
//!
//! Names are in `xtask/parity/inventory.txt`, reasons in `xtask/dispositions.toml`. Not here: whether what can be called
//! is right (cases and `fuzz`).

use super::worker::{
    case,
    failure::Failure,
    value::{Names, Value},
};
use crate::python;
use clap::Args;
use mlx_core::{MLX_VERSION, Tensor};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    process::Command,
};

/// Options of `parity coverage`.
#[derive(Args)]
pub(crate) struct Coverage {
    /// Write the inventory anew from Python MLX.
    #[arg(long)]
    update: bool,
    /// Take out the reasons of names that can be called by now.
    #[arg(long)]
    prune: bool,
    /// Print every name that has a reason.
    #[arg(long)]
    verbose: bool,
    /// A folder with Python MLX and numpy, in place of one that pip fills.
    #[arg(long)]
    site: Option<PathBuf>,
}

/// Why a name cannot be called by the worker.
#[derive(Debug, PartialEq)]
enum Reason {
    /// Means something in Python's process only.
    HostPythonOnly,
    /// A spelling that Python itself advises against.
    DeprecatedAlias,
    /// Exists in Rust as another thing than a function of tensors: its name there.
    Rust(String),
    /// Belongs to an area that comes later.
    Issue(String),
}

impl Reason {
    fn read(text: &str) -> Option<Reason> {
        match text.split_once(": ") {
            None if text == "host-python-only" => Some(Reason::HostPythonOnly),
            None if text == "deprecated-alias" => Some(Reason::DeprecatedAlias),
            Some(("rust", name)) => Some(Reason::Rust(name.into())),
            Some(("issue", area)) => Some(Reason::Issue(area.into())),
            _ => None,
        }
    }

    fn kind(&self) -> String {
        match self {
            Reason::HostPythonOnly => "host-python-only".into(),
            Reason::DeprecatedAlias => "deprecated-alias".into(),
            Reason::Rust(_) => "in Rust another thing than an op".into(),
            Reason::Issue(area) => format!("issue: {area}"),
        }
    }
}

/// Prints the counts; `false` when a name has neither, or both.
pub(crate) fn run(coverage: &Coverage) -> Result<bool, String> {
    if coverage.update {
        update(coverage.site.clone())?;
    }
    if coverage.prune {
        prune()?;
    }
    let (inventory, reasons) = (inventory()?, reasons()?);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in &inventory {
        let kind = match reasons.get(name) {
            _ if is_callable(name) => "callable".into(),
            Some(reason) => reason.kind(),
            None => "without a reason".into(),
        };
        if coverage.verbose && kind != "callable" {
            println!("{name}: {kind}");
        }
        *counts.entry(kind).or_insert(0) += 1;
    }
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    for (kind, count) in &counts {
        println!("{count:5} {kind}");
    }
    println!("{} names of MLX {MLX_VERSION}, {} findings", inventory.len(), findings.len());
    Ok(findings.is_empty())
}

/// What is wrong, a line each.
pub(crate) fn findings() -> Result<Vec<String>, String> {
    let (inventory, reasons) = (inventory()?, reasons()?);
    let items = items()?;
    let mut found = Vec::new();
    for name in &inventory {
        match (is_callable(name), reasons.get(name)) {
            (false, None) => found.push(format!("{name} can neither be called nor has it a reason")),
            (true, Some(_)) => found.push(format!("{name} can be called: its reason is stale")),
            (false, Some(Reason::Rust(item))) if !items.contains(item) => {
                found.push(format!("{name} should be {item} in Rust, which is not there"));
            }
            _ => {}
        }
    }
    let unknown = reasons.keys().filter(|name| !inventory.contains(*name));
    found.extend(unknown.map(|name| format!("{name} has a reason and is no name of MLX {MLX_VERSION}")));
    Ok(found)
}

/// The names that the worker can call, as cases spell them.
pub(crate) fn callable() -> Result<BTreeSet<String>, String> {
    let names = inventory()?.into_iter().filter(|name| is_callable(name));
    Ok(names.map(|name| operator(&name).map_or(name.clone(), str::to_owned)).collect())
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(crate::root().join(path)).map_err(|e| format!("{path}: {e}"))
}

fn write(path: &str, text: &str) -> Result<(), String> {
    fs::write(crate::root().join(path), text).map_err(|e| format!("{path}: {e}"))
}

const INVENTORY: &str = "xtask/parity/inventory.txt";
const DISPOSITIONS: &str = "xtask/dispositions.toml";

fn inventory() -> Result<BTreeSet<String>, String> {
    Ok(read(INVENTORY)?.lines().map(str::to_owned).collect())
}

/// The file is TOML of one form: comments and `"NAME" = "REASON"`.
fn reasons() -> Result<BTreeMap<String, Reason>, String> {
    let mut reasons = BTreeMap::new();
    for line in read(DISPOSITIONS)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = entry(line).ok_or_else(|| format!("{DISPOSITIONS}: {line}"))?;
        if reasons.insert(name.to_owned(), reason).is_some() {
            return Err(format!("{DISPOSITIONS}: {name} stands there twice"));
        }
    }
    Ok(reasons)
}

fn entry(line: &str) -> Option<(&str, Reason)> {
    let (name, reason) = line.split_once(" = ")?;
    let name = name.strip_prefix('"')?.strip_suffix('"')?;
    Some((name, Reason::read(reason.strip_prefix('"')?.strip_suffix('"')?)?))
}

/// Whether the worker knows the name: called without what it needs, it complains of that.
fn is_callable(name: &str) -> bool {
    let Ok(tensor) = Tensor::from_slice(&[1.0_f32, 2.0]) else { return false };
    let op = operator(name).unwrap_or(name);
    let args = if op.starts_with("method.") { json!(["$x"]) } else { json!([]) };
    let steps = json!([{"out": "y", "op": op, "args": args}]);
    let ran = panic::catch_unwind(AssertUnwindSafe(|| {
        case::steps(&steps, &mut Names::from([("x".to_owned(), Value::Tensor(tensor))]))
    }));
    !matches!(ran, Ok(Err(Failure::Unsupported(_))))
}

/// The case format's op for a method that Python calls by an operator.
fn operator(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("method.__")?.strip_suffix("__")?;
    Some(match bare {
        "abs" => "abs",
        "neg" => "neg",
        "invert" => "~",
        "add" | "radd" => "+",
        "sub" | "rsub" => "-",
        "mul" | "rmul" => "*",
        "truediv" | "rtruediv" | "div" | "rdiv" => "/",
        "floordiv" | "rfloordiv" => "//",
        "mod" | "rmod" => "%",
        "pow" | "rpow" | "ipow" => "**",
        "matmul" | "imatmul" => "@",
        "and" | "iand" => "&",
        "or" | "ior" => "|",
        "xor" | "ixor" => "^",
        "lshift" | "ilshift" => "<<",
        "rshift" | "irshift" => ">>",
        "iadd" => "+=",
        "isub" => "-=",
        "imul" => "*=",
        "itruediv" => "/=",
        "ifloordiv" => "//=",
        "imod" => "%=",
        "eq" => "==",
        "ne" => "!=",
        "lt" => "<",
        "le" => "<=",
        "gt" => ">",
        "ge" => ">=",
        "getitem" => "index",
        "setitem" => "set_index",
        _ => return None,
    })
}

/// The names of public items in the crates' sources.
fn items() -> Result<BTreeSet<String>, String> {
    let mut items = BTreeSet::new();
    let mut folders = vec![crate::root().join("crates"), crate::root().join("src")];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path = file.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                items.extend(text.lines().filter_map(public_item).map(str::to_owned));
            }
        }
    }
    Ok(items)
}

fn public_item(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = ["const ", "unsafe "].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "mod ", "static "];
    let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind)).unwrap_or(rest);
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

fn update(site: Option<PathBuf>) -> Result<(), String> {
    let site = match site {
        Some(site) => site,
        None => python::site("parity", &[&format!("mlx[cpu]=={MLX_VERSION}"), "numpy"])?,
    };
    let script = crate::root().join("xtask/parity/inventory.py");
    let output = Command::new("python3").arg("-B").arg(script).env("PYTHONPATH", site).output();
    let output = output.map_err(|e| format!("python3 did not start: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    write(INVENTORY, &String::from_utf8_lossy(&output.stdout))
}

fn prune() -> Result<(), String> {
    let text = read(DISPOSITIONS)?;
    let is_stale = |line: &&str| entry(line).is_some_and(|(name, _)| is_callable(name));
    let kept: Vec<&str> = text.lines().filter(|line| !is_stale(line)).collect();
    write(DISPOSITIONS, &(kept.join("\n") + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_a_closed_list() {
        assert_eq!(entry("\"mx.a\" = \"issue: nn\""), Some(("mx.a", Reason::Issue("nn".into()))));
        assert_eq!(entry("\"mx.a\" = \"deprecated-alias\""), Some(("mx.a", Reason::DeprecatedAlias)));
        assert_eq!(entry("\"mx.a\" = \"not yet\""), None);
    }

    #[test]
    fn the_worker_is_asked() {
        assert!(is_callable("mx.sum") && is_callable("method.__radd__") && is_callable("method.shape"));
        assert!(!is_callable("mx.no_such_op") && !is_callable("method.no_such_method"));
    }
}
