//! Documents: that they are there, and that what ARCHITECTURE.md calls an invariant is guarded.

use super::{Findings, Tree};

const DOCUMENTS: [&str; 6] =
    ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
const MOST_ARCHITECTURE_LINES: usize = 150;

pub(super) fn check(tree: &Tree) -> Findings {
    let missing = DOCUMENTS.iter().filter(|path| tree.get(path).is_none());
    let mut findings: Findings = missing.map(|path| format!("{path}: is missing")).collect();
    let Some(architecture) = tree.get("ARCHITECTURE.md") else { return findings };
    let lines = architecture.lines().count();
    if lines > MOST_ARCHITECTURE_LINES {
        findings.push(format!("ARCHITECTURE.md: {lines} lines, more than {MOST_ARCHITECTURE_LINES}"));
    }
    for (line, text) in invariants(architecture) {
        let guards = guards(&text);
        if !guards.iter().any(|guard| exists(tree, guard)) {
            findings.push(format!("ARCHITECTURE.md:{line}: an invariant without an existing test or lint"));
        }
        let lost = guards.iter().filter(|guard| is_path(guard) && !exists(tree, guard));
        findings.extend(lost.map(|guard| format!("ARCHITECTURE.md:{line}: there is no {guard}")));
    }
    findings
}

/// The paragraphs or list items that say "Invariant:", each with the line it starts at.
fn invariants(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        if line.contains("Invariant:") {
            found.push((number + 1, line.to_owned()));
            open = true;
        } else if line.trim().is_empty() || line.starts_with(['-', '*', '#', '|']) {
            open = false;
        } else if let (true, Some((_, text))) = (open, found.last_mut()) {
            text.push(' ');
            text.push_str(line);
        }
    }
    found
}

/// What may be a guard: quoted words, and paths.
fn guards(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let words = text.split(|c: char| c.is_whitespace() || "`(),;".contains(c));
    quoted.chain(words.map(|word| word.trim_end_matches('.')).filter(|word| is_path(word))).collect()
}

fn is_path(guard: &str) -> bool {
    let path = guard.split("::").next().unwrap_or_default();
    path.contains('/') && [".rs", ".py", ".toml", ".json"].iter().any(|end| path.ends_with(end))
}

/// Whether a guard is there: a file, `FILE::TEST`, the name of a test anywhere, or a task of ours.
fn exists(tree: &Tree, guard: &str) -> bool {
    let defines = |text: &str, name: &str| text.contains(&format!("fn {name}("));
    if let Some((path, name)) = guard.split_once("::").filter(|_| is_path(guard)) {
        let name = name.rsplit("::").next().unwrap_or(name);
        return tree.get(path).is_some_and(|text| defines(text, name));
    }
    let is_lint = |text: &str| text.contains(&format!("{guard} = "));
    tree.get(guard).is_some()
        || guard == "cargo xtask tidy"
        || guard == "cargo xtask parity"
        || ["Cargo.toml", "clippy.toml", "deny.toml"].iter().any(|path| tree.get(path).is_some_and(is_lint))
        || tree.with(&["rs"]).any(|(_, text)| text.contains("#[test]") && defines(text, guard))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_architecture(text: &str, findings: usize) {
        let files = [
            ("ARCHITECTURE.md", text),
            ("tests/threads.rs", "#[test]\nfn sharing_is_sound() {}\n"),
            ("Cargo.toml", "missing_docs = \"deny\"\n"),
        ];
        let tree = Tree(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
        let found = check(&tree);
        let found = found.iter().filter(|finding| finding.starts_with("ARCHITECTURE.md:"));
        assert_eq!(found.count(), findings, "{text}");
    }

    #[test]
    fn invariants_name_what_is_there() {
        check_architecture("Invariant: x, see\n`tests/threads.rs`.\n", 0);
        check_architecture("- Invariant: x (`sharing_is_sound`)\n- Invariant: y (`missing_docs`)\n", 0);
        check_architecture("Invariant: x (`tests/threads.rs::sharing_is_sound`)\n", 0);
        check_architecture("Invariant: x. (tests/threads.rs)\nInvariant: y. (tests/threads.rs)\n", 0);
        check_architecture("Invariant: x. (tests/other.rs)\n", 2);
        check_architecture("Invariant: x, see tests\n\n`tests/threads.rs`\n", 1);
    }
}
