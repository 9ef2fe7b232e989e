//! Case files: finding them, reading them, and what the runner itself needs to know of a case.
//!
//! Not here: what inputs, steps and arguments mean; the two workers know that.

use mlx_core::MLX_VERSION;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A case or the reason why it is none, and how reports call it.
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) case: Result<Case, String>,
}

/// A case as the runner sees it.
pub(crate) struct Case {
    /// The case as it is written, for the workers.
    pub(crate) body: Value,
    /// The folder of its file, which input files are relative to.
    pub(crate) folder: PathBuf,
    pub(crate) compare: Compare,
    pub(crate) expects_error: bool,
    pub(crate) skips_python: bool,
}

impl Case {
    /// A case that is known to be well-formed: its values and graph are compared.
    pub(crate) fn whole(body: Value) -> Case {
        let compare = Compare { value: true, graph: true, message: false };
        Case { body, folder: PathBuf::from("."), compare, expects_error: false, skips_python: false }
    }
}

/// What must be equal.
#[derive(Clone, Copy, Default)]
pub(crate) struct Compare {
    pub(crate) value: bool,
    pub(crate) graph: bool,
    pub(crate) message: bool,
}

/// The cases of `paths`: files, and folders with the `.json` files below them, in order of their names.
pub(crate) fn load(paths: &[PathBuf]) -> Result<Vec<Entry>, String> {
    let mut files = Vec::new();
    for path in paths {
        // The default folder is named relative to the workspace, from wherever the task is started.
        let from_root = crate::root().join(path);
        let path = if !path.exists() && from_root.exists() { from_root } else { path.clone() };
        let path = path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?;
        find(&path, &mut files)?;
    }
    let entries: Vec<Entry> = files.iter().flat_map(|file| entries(file)).collect();
    if entries.is_empty() { Err("no cases found".into()) } else { Ok(entries) }
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let broken = |e: std::io::Error| format!("{}: {e}", path.display());
    let listed: Result<Vec<_>, _> =
        fs::read_dir(path).map_err(broken)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut inside = listed.map_err(broken)?;
    inside.sort();
    for path in inside {
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "json") {
            find(&path, files)?;
        }
    }
    Ok(())
}

fn entries(file: &Path) -> Vec<Entry> {
    let name = crate::short(file);
    let cases = match read(file) {
        Ok(cases) => cases,
        Err(why) => return vec![Entry { label: name, case: Err(why) }],
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    cases.into_iter().enumerate().map(|(i, body)| entry(&name, folder, i, body)).collect()
}

fn read(file: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(file).map_err(|e| e.to_string())?;
    let mut content: Value = serde_json::from_str(&text).map_err(|e| format!("not JSON: {e}"))?;
    if content["mlx"] != MLX_VERSION {
        return Err(format!("the file is for MLX {}, not {MLX_VERSION}", content["mlx"]));
    }
    match content["cases"].take() {
        Value::Array(cases) => Ok(cases),
        _ => Err("a case file has a list of cases".into()),
    }
}

fn entry(file: &str, folder: &Path, number: usize, body: Value) -> Entry {
    match body["name"].as_str() {
        Some(name) => Entry { label: format!("{file}::{name}"), case: case(folder, body) },
        None => Entry { label: format!("{file}::#{number}"), case: Err("the case has no name".into()) },
    }
}

fn case(folder: &Path, body: Value) -> Result<Case, String> {
    const KEYS: [&str; 7] = ["name", "inputs", "steps", "outputs", "compare", "expect", "python"];
    let object = body.as_object().ok_or("a case is an object")?;
    if let Some(key) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key {key:?}"));
    }
    let flag = |key: &str, only: &str| match object.get(key) {
        None => Ok(false),
        Some(value) if value == only => Ok(true),
        Some(value) => Err(format!("{key} is {value}, which can only be {only:?}")),
    };
    Ok(Case {
        compare: compare(object.get("compare"))?,
        expects_error: flag("expect", "error")?,
        skips_python: flag("python", "skip")?,
        folder: folder.to_owned(),
        body,
    })
}

/// A list that names neither values nor graphs says how errors are compared, and values are then as by default.
fn compare(list: Option<&Value>) -> Result<Compare, String> {
    let mut compare = Compare::default();
    let names = match list {
        None => &[][..],
        Some(list) => list.as_array().ok_or("compare is a list")?,
    };
    for name in names {
        match name.as_str() {
            Some("value") => compare.value = true,
            Some("graph") => compare.graph = true,
            Some("message") => compare.message = true,
            _ => return Err(format!("compare cannot be {name}")),
        }
    }
    compare.value |= !compare.graph;
    Ok(compare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(body: Value) -> String {
        case(Path::new("."), body).err().expect("ill-formed")
    }

    #[test]
    fn unknown_words_are_refused() {
        assert!(refused(json!({"name": "x", "expects": "error"})).contains("expects"));
        assert!(refused(json!({"name": "x", "compare": ["bits"]})).contains("bits"));
        assert!(refused(json!({"name": "x", "expect": "value"})).contains("error"));
    }

    #[test]
    fn values_are_compared_unless_graphs_alone_are_asked_for() {
        let of = |list: Value| compare(Some(&list)).expect("well-formed");
        assert!(compare(None).expect("well-formed").value);
        assert!(of(json!(["message"])).value);
        assert!(!of(json!(["graph"])).value);
        assert!(of(json!(["value", "graph"])).value);
    }
}
