//! Ops without a parity case.

use super::{Findings, Tree};
use crate::parity::worker::functions::{IRREGULAR, MODULES, Row};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn check(tree: &Tree) -> Findings {
    let mut covered = BTreeSet::new();
    for (path, text) in tree.with(&["json"]) {
        if path.starts_with("tests/parity/") {
            ops(&serde_json::from_str(text).unwrap_or_default(), &mut covered);
        }
    }
    let uncovered = table_ops().chain(named().map(str::to_owned)).filter(|op| !covered.contains(op));
    uncovered.map(|op| format!("tests/parity: no case has {op}")).chain(unlisted(tree)).collect()
}

/// The ops of the tables, under each of Python's spellings, and of the worker's list.
pub(crate) fn table_ops() -> impl Iterator<Item = String> {
    let regular = mlx_ops::REGISTRY.iter().copied().flatten().map(|entry| entry.name);
    let names = regular.chain(IRREGULAR.iter().copied().flatten().map(|(name, _)| *name));
    let rows = |(module, rows): &'static (&str, &[Row])| {
        rows.iter().map(move |(name, _)| format!("{module}.{name}"))
    };
    names.map(|name| format!("mx.{name}")).chain(MODULES.iter().flat_map(rows))
}

/// Functions, layers and optimizers, as cases spell them.
fn named() -> impl Iterator<Item = &'static str> {
    mlx_fast::NAMES.iter().chain(mlx_nn::NAMES).chain(mlx_nn::optimizers::NAMES).copied()
}

/// Public functions and structs with Python's names that the lists of their crates leave out, so that nobody asks for
/// their cases.
fn unlisted(tree: &Tree) -> Findings {
    let listed: BTreeSet<&str> = named().collect();
    let mut found = Findings::new();
    for (path, text) in tree.with(&["rs"]) {
        if !(path.starts_with("crates/mlx-fast/src/") || path.starts_with("crates/mlx-nn/src/")) {
            continue;
        }
        // Every one has its Python name as an alias of its documentation, in a table or by itself.
        let is_name = |text: &&str| {
            ["mx.", "nn."].iter().any(|module| text.starts_with(module))
                && !text.contains(char::is_whitespace)
        };
        for alias in text.split('"').filter(is_name) {
            let inner = ["mx.fast.", "nn.losses.", "nn.init."].iter().any(|module| alias.starts_with(module));
            let name = if inner { alias.split_once('.').map_or(alias, |(_, name)| name) } else { alias };
            if !listed.contains(name) {
                found.push(format!("{path}: {alias} is missing in the crate's NAMES"));
            }
        }
    }
    found
}

/// The ops of all steps, those of bodies too.
fn ops(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| ops(item, found)),
        Value::Object(entries) => {
            found.extend(entries.get("op").and_then(Value::as_str).map(str::to_owned));
            entries.values().for_each(|value| ops(value, found));
        }
        _ => {}
    }
}
