//! `cargo xtask tidy`: the house rules that a program can check, on every file that git tracks or would track.
//!
//! [`text`] looks at files as text, [`code`] at Rust as code, [`documents`] at what the documents promise,
//! [`coverage`] at ops without a parity case, [`derivatives`] at ops whose derivatives no test takes,
//! `parity::coverage` at names of Python MLX without an op or a reason. Not here: what clippy, rustfmt and rustc check.

mod code;
mod coverage;
mod derivatives;
mod documents;
mod lexer;
mod text;

pub(crate) use coverage::table_ops;

use std::{collections::BTreeMap, fs, process::Command};

/// What was found wrong, a line each: where, and what.
type Findings = Vec<String>;

/// The repository's files that are text, by their path from its root.
struct Tree(BTreeMap<String, String>);

impl Tree {
    /// The files that git tracks, and those it would if they were added.
    fn read() -> Result<Tree, String> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(crate::root())
            .output()
            .map_err(|e| format!("git did not start: {e}"))?;
        if !output.status.success() {
            return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let listed = String::from_utf8_lossy(&output.stdout);
        let paths = listed.split('\0').filter(|path| !path.is_empty());
        // A file that was deleted but is still tracked is no file, and bytes that are no text are no text.
        let texts = paths.filter_map(|path| {
            let text = fs::read_to_string(crate::root().join(path)).ok()?;
            Some((path.to_owned(), text))
        });
        Ok(Tree(texts.collect()))
    }

    fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// The files whose names end in one of `extensions`.
    fn with(&self, extensions: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        files.filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, end)| extensions.contains(&end)))
    }
}

/// Whether a file is made by a program, which says so in its first line.
fn is_generated(text: &str) -> bool {
    text.starts_with("//! Made by `cargo xtask")
}

/// Prints what is wrong, and what is worth watching; `false` when something is wrong.
pub(crate) fn run() -> Result<bool, String> {
    let tree = Tree::read()?;
    let findings = findings(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    println!("unsafe blocks: {} (at most {})", code::unsafe_blocks(&tree), code::MOST_UNSAFE_BLOCKS);
    println!("the ten largest files:");
    for (lines, path) in text::largest(&tree, 10) {
        println!("{lines:6} {path}");
    }
    println!("{} findings", findings.len());
    Ok(findings.is_empty())
}

fn findings(tree: &Tree) -> Findings {
    let names = crate::parity::coverage::findings().unwrap_or_else(|error| vec![error]);
    let ops = [coverage::check(tree), derivatives::check(tree), names].concat();
    [text::check(tree), code::check(tree), documents::check(tree), ops].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let findings = findings(&Tree::read().expect("git lists files"));
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
