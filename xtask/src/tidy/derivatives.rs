//! Ops whose derivatives no test takes: each has a row in `tests/transforms/derivatives`, or stands in its `apart.rs`.
//!
//! Not here: whether the rows hold (the test program `transforms`).

use super::{Findings, Tree, coverage::table_ops};
use crate::parity::worker::{
    indexing::UPDATES,
    operators::{BINARY, UNARY},
};
use std::collections::{BTreeMap, BTreeSet};

const ROWS: &str = "tests/transforms/derivatives/";

pub(super) fn check(tree: &Tree) -> Findings {
    let (listed, ops, functions) = (listed(tree), ops(), functions(tree));
    let missing = ops.difference(&listed).map(|op| format!("{ROWS}: {op} has no row and no reason"));
    // What Python does not have goes by its path.
    let is_function = |op: &str| op.rsplit_once("::").is_some_and(|(_, name)| functions.contains_key(name));
    let stale = listed.iter().filter(|op| !ops.contains(*op) && !is_function(op));
    let stale = stale.map(|op| format!("{ROWS}: there is no op {op}"));
    let named: BTreeSet<&str> = listed.iter().filter_map(|op| op.rsplit(['.', ':']).next()).collect();
    let unnamed = functions.iter().filter(|(name, _)| !named.contains(name.trim_end_matches('_')));
    let unnamed = unnamed.map(|(name, path)| format!("{path}: {name} has no row in {ROWS}"));
    missing.chain(stale).chain(unnamed).collect()
}

/// What the parity runner can call.
fn ops() -> BTreeSet<String> {
    let fused = mlx_fast::NAMES.iter().chain(mlx_nn::NAMES).copied();
    let operators = UNARY.iter().map(|(op, _)| *op).chain(BINARY.iter().map(|(op, _)| *op));
    let others = fused.chain(operators).chain(["index", "set_index"]).map(str::to_owned);
    let updates = UPDATES.iter().map(|(update, _)| format!("at.{update}"));
    table_ops().chain(others).chain(updates).collect()
}

/// The names of rows, and of what has none.
fn listed(tree: &Tree) -> BTreeSet<String> {
    let mut listed = BTreeSet::new();
    for (_, text) in files(tree) {
        // A row's names are the first argument of a call, a reason's the first of a pair.
        for call in text.split('(').skip(1) {
            let Some((names, after)) =
                call.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'))
            else {
                continue;
            };
            let next = after.trim_start_matches(',').trim_start();
            if after.starts_with(',')
                && ["&[", "TakesNoTensor", "GivesNoTensor"].iter().any(|start| next.starts_with(start))
            {
                listed.extend(names.split_whitespace().map(str::to_owned));
            }
        }
    }
    listed
}

fn files(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    let harness = ["check.rs", "mod.rs", "row.rs"];
    tree.with(&["rs"])
        .filter(move |(path, _)| path.strip_prefix(ROWS).is_some_and(|file| !harness.contains(&file)))
}

/// The free functions of the op families outside their tables, and where each stands.
fn functions(tree: &Tree) -> BTreeMap<&str, &str> {
    let is_family = |path: &str| {
        let is_op = path.starts_with("crates/mlx-ops/src/") || path.starts_with("crates/mlx-fast/src/");
        is_op && !path.starts_with("crates/mlx-ops/src/io")
    };
    let mut functions = BTreeMap::new();
    for (path, text) in tree.with(&["rs"]).filter(|(path, _)| is_family(path)) {
        let signatures = text.lines().filter_map(|line| line.strip_prefix("pub fn "));
        functions
            .extend(signatures.filter_map(|rest| rest.split(['(', '<']).next()).map(|name| (name, path)));
    }
    functions
}
