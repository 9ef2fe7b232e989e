//! `cargo xtask parity report`: ops by dtypes as one HTML page, from a run of the committed cases.
//!
//! Not here: the verdicts (`judge`), which ops there should be (`coverage`).

use super::{Run, case, coverage, driver::Driver, judge::Verdict, worker::value::python_name};
use mlx_core::{Dtype, MLX_VERSION};
use serde_json::Value as Json;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
};

/// What is known of an op with a dtype.
#[derive(Default)]
struct Cell {
    passed: usize,
    /// The label of the first case and why it failed.
    failed: Option<(String, String)>,
    /// The label of a case that passed, or was left out.
    example: Option<String>,
}

/// Ops, then dtypes.
type Table = BTreeMap<String, BTreeMap<&'static str, Cell>>;

/// Runs the cases and writes the page; `false` when one failed.
pub(super) fn run(options: &Run) -> Result<bool, String> {
    let mut driver = Driver::start(&options.surroundings())?;
    let mut table: Table = coverage::callable()?.into_iter().map(|op| (op, BTreeMap::new())).collect();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for entry in case::load(&options.paths)? {
        let case = entry.case.map_err(|why| format!("{}: {why}", entry.label))?;
        let verdict = driver.run(&case)?;
        match &verdict {
            Verdict::Passed => passed += 1,
            Verdict::Failed(_) => failed += 1,
            Verdict::Skipped => skipped += 1,
        }
        for (op, dtype) in touched(&case.body) {
            let cell = table.entry(op).or_default().entry(dtype).or_default();
            match &verdict {
                Verdict::Passed => cell.passed += 1,
                Verdict::Failed(why) => cell.failed = Some((entry.label.clone(), why.clone())),
                Verdict::Skipped => {}
            }
            cell.example.get_or_insert_with(|| entry.label.clone());
        }
    }
    let folder = crate::root().join("target/parity");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = folder.join("report.html");
    let summary = format!("{passed} passed, {failed} failed, {skipped} skipped");
    fs::write(&path, page(&table, &summary)).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}\n{summary}", path.display());
    Ok(failed == 0)
}

/// Each op of the case with the dtypes of the inputs it takes; of all inputs where it takes other steps' results.
fn touched(body: &Json) -> BTreeSet<(String, &'static str)> {
    let dtype_of = |name: &str| {
        let written = body["inputs"].get(name)?["dtype"].as_str()?;
        Dtype::ALL.into_iter().map(python_name).find(|dtype| *dtype == written)
    };
    let inputs = || body["inputs"].as_object().into_iter().flatten().filter_map(|(name, _)| dtype_of(name));
    let mut found = BTreeSet::new();
    for step in body["steps"].as_array().into_iter().flatten() {
        let op = step["op"].as_str().unwrap_or_default();
        let mut direct = BTreeSet::new();
        names(&step["args"], &mut |name| direct.extend(dtype_of(name)));
        if direct.is_empty() {
            direct.extend(inputs());
        }
        found.extend(direct.into_iter().map(|dtype| (op.to_owned(), dtype)));
    }
    found
}

fn names(value: &Json, each: &mut impl FnMut(&str)) {
    match value {
        Json::String(text) => text.strip_prefix('$').into_iter().for_each(each),
        Json::Array(items) => items.iter().for_each(|item| names(item, each)),
        _ => {}
    }
}

const STYLE: &str = "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}\
    td,th{border:1px solid #ccc;padding:2px 6px;text-align:center}td:first-child{text-align:left;font-family:monospace}\
    th{position:sticky;top:0;background:#fff}.g{background:#bfe5bf}.r{background:#f2a6a6}.n{background:#eee}\
    a{color:inherit;text-decoration:none}";

fn page(table: &Table, summary: &str) -> String {
    let dtypes: Vec<&str> = Dtype::ALL.into_iter().map(python_name).collect();
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Parity with MLX {MLX_VERSION}</title>\
         <style>{STYLE}</style><h1>Parity with Python MLX {MLX_VERSION}</h1><p>{summary}. A cell is green when every \
         case of the op with an input of the dtype passes, red when one fails, grey when there is none; it shows how \
         many pass and leads to one of them.</p>\n<table><tr><th>op</th>"
    );
    for dtype in &dtypes {
        let _ = write!(html, "<th>{dtype}</th>");
    }
    html += "</tr>\n";
    for (op, cells) in table {
        let _ = write!(html, "<tr><td>{}</td>", escaped(op));
        for dtype in &dtypes {
            html += &cells.get(dtype).map_or_else(|| "<td class=\"n\"></td>".into(), cell);
        }
        html += "</tr>\n";
    }
    html + "</table></html>\n"
}

fn cell(cell: &Cell) -> String {
    let (class, label, title) = match (&cell.failed, &cell.example) {
        (Some((label, why)), _) => ("r", label, format!("{label}: {why}")),
        (None, Some(label)) => (if cell.passed > 0 { "g" } else { "n" }, label, label.clone()),
        (None, None) => return "<td class=\"n\"></td>".into(),
    };
    // The page lies two folders below the workspace.
    let file = label.split("::").next().unwrap_or(label);
    let href = if file.starts_with('/') { file.to_owned() } else { format!("../../{file}") };
    let (href, title) = (escaped(&href), escaped(&title));
    format!("<td class=\"{class}\"><a href=\"{href}\" title=\"{title}\">{}</a></td>", cell.passed)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_step_counts_for_the_dtypes_it_takes() {
        let body = json!({"inputs": {"a": {"dtype": "int8"}, "b": {"dtype": "float32"}}, "steps": [
            {"op": "mx.abs", "args": ["$a"]}, {"op": "+", "args": ["$c", 1]}]});
        let touched: Vec<(String, &str)> = touched(&body).into_iter().collect();
        let op = |op: &str, dtype| (op.to_owned(), dtype);
        assert_eq!(touched, [op("+", "float32"), op("+", "int8"), op("mx.abs", "int8")]);
    }

    #[test]
    fn colours_say_what_became_of_cases() {
        let mut table = Table::new();
        let cells = table.entry("<".into()).or_default();
        cells.insert("int8", Cell { passed: 2, example: Some("tests/a.json::x".into()), failed: None });
        let failed = Some(("tests/b.json::y".into(), "\"worse\"".into()));
        cells.insert("bool_", Cell { failed, ..Cell::default() });
        let html = page(&table, "1 passed");
        assert!(html.contains("<td>&lt;</td>"));
        assert!(
            html.contains(
                "<td class=\"g\"><a href=\"../../tests/a.json\" title=\"tests/a.json::x\">2</a></td>"
            )
        );
        assert!(html.contains("title=\"tests/b.json::y: &quot;worse&quot;\">0</a>"));
    }
}
