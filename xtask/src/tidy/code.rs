//! Rust as code: where `unsafe` may stand and what is said of it, and signatures that are against the style.

use super::{Findings, Tree, is_generated, lexer::code_of};
use std::collections::BTreeMap;

pub(super) const MOST_UNSAFE_BLOCKS: usize = 40;
const MOST_COPIES_OF_A_REASON: usize = 2;

/// Folders in which `unsafe` is at home: the calls into C, their declarations, the vectors, the raw calls of the benches.
const UNSAFE_FOLDERS: [&str; 4] =
    ["crates/mlx-core/src/ffi/", "crates/mlx-cpu/src/arch/", "crates/mlx-link/src/", "benches/"];

/// Folders whose unsafe blocks are not counted: the vectors, and benches, which call C to compare with it.
const UNCOUNTED_FOLDERS: [&str; 2] = ["crates/mlx-cpu/src/arch/", "benches/"];

/// Single places elsewhere, and how often the word stands there.
const UNSAFE_PLACES: [(&str, usize); 10] = [
    ("crates/mlx-core/src/guard/mod.rs", 1),
    ("crates/mlx-core/src/kernel/mod.rs", 1),
    ("crates/mlx-core/src/transforms/compile.rs", 1),
    ("crates/mlx-core/src/transforms/export.rs", 1),
    ("crates/mlx-core/src/transforms/import.rs", 1),
    ("tests/support/exported.rs", 2),
    ("tests/gpu_kernels.rs", 1),
    ("tests/owned_memory.rs", 1),
    ("xtask/src/parity/worker/case.rs", 1),
    ("xtask/src/parity/worker/transforms.rs", 1),
];

/// Crates that may contain `unsafe`; every other forbids it.
const UNSAFE_CRATES: [&str; 3] = ["mlx-core", "mlx-cpu", "mlx-link"];

pub(super) fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::new();
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in tree.with(&["rs"]).filter(|(_, text)| !is_generated(text)) {
        let code = code_of(text);
        findings.extend(misplaced_unsafe(path, &code));
        findings.extend(style(path, &code));
        for (line, reason) in safety_reasons(text) {
            reasons.entry(reason).or_default().push(format!("{path}:{line}"));
        }
    }
    for (reason, places) in reasons {
        if places.len() > MOST_COPIES_OF_A_REASON {
            findings.push(format!(
                "{}: a SAFETY text stands {} times, which asks for a helper: {reason:?} (also {})",
                places[0],
                places.len(),
                places[1..].join(", ")
            ));
        }
    }
    let blocks = unsafe_blocks(tree);
    if blocks > MOST_UNSAFE_BLOCKS {
        findings.push(format!("{blocks} unsafe blocks, more than {MOST_UNSAFE_BLOCKS}"));
    }
    findings.extend(missing_forbids(tree));
    findings
}

/// The unsafe blocks of what is shipped and of the tasks.
pub(super) fn unsafe_blocks(tree: &Tree) -> usize {
    let uncounted = |path: &str| UNCOUNTED_FOLDERS.iter().any(|folder| path.starts_with(folder));
    let counted = tree.with(&["rs"]).filter(|(path, text)| !uncounted(path) && !is_generated(text));
    counted
        .map(|(_, text)| {
            let code = code_of(text);
            words(&code, "unsafe")
                .filter(|&i| code[i + "unsafe".len()..].trim_start().starts_with('{'))
                .count()
        })
        .sum()
}

/// Where `word` stands as a whole word.
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(i, _)| i).filter(move |&i| {
        let (before, after) = (code[..i].chars().next_back(), code[i + word.len()..].chars().next());
        !before.is_some_and(in_word) && !after.is_some_and(in_word)
    })
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

fn misplaced_unsafe(path: &str, code: &str) -> Findings {
    if UNSAFE_FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        return Findings::new();
    }
    let allowed = UNSAFE_PLACES.iter().find(|(place, _)| *place == path).map_or(0, |(_, count)| *count);
    let found: Vec<usize> = words(code, "unsafe").collect();
    let beyond = found.iter().skip(allowed);
    beyond.map(|&i| format!("{path}:{}: unsafe has no place here", line_of(code, i))).collect()
}

fn style(path: &str, code: &str) -> Findings {
    let mut findings = Findings::new();
    let mut find = |at: usize, what: &str| findings.push(format!("{path}:{}: {what}", line_of(code, at)));
    for (at, _) in code.match_indices("Into<Option") {
        find(at, "Into<Option: two functions, or an enum, say more");
    }
    for at in words(code, "fn") {
        let Some((name, parameters)) = signature(&code[at + "fn".len()..]) else { continue };
        if name.ends_with("_device") && name != "with_device" {
            find(at, "a _device function: streams are scoped");
        }
        if parameters.iter().filter(|parameter| parameter.contains("Option<")).count() > 1 {
            find(at, "two Option parameters: an options struct names them");
        }
    }
    findings
}

/// The name and the parameters of the function whose text after `fn` this is; a function type has no name.
fn signature(text: &str) -> Option<(&str, Vec<&str>)> {
    let text = text.trim_start();
    let name = &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_')?];
    if name.is_empty() {
        return None;
    }
    let open = name.len() + parameters_start(&text[name.len()..])?;
    let (mut depth, mut start, mut parameters) = (0, open + 1, Vec::new());
    for (i, c) in text.char_indices().skip_while(|&(i, _)| i < open) {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if text[..i].ends_with('-') => {}
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 1 => {
                parameters.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
        if depth == 0 {
            parameters.push(&text[start..i]);
            return Some((name, parameters));
        }
    }
    None
}

/// Where the parameter list opens, behind the generics.
fn parameters_start(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..i].ends_with('-') => depth -= 1,
            '(' if depth == 0 => return Some(i),
            ';' | '{' | '}' | ')' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The texts of the `SAFETY:` comments with their lines, blanks made one.
fn safety_reasons(text: &str) -> Vec<(usize, String)> {
    let mut reasons = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let Some(start) = line.trim_start().strip_prefix("// SAFETY:") else { continue };
        let mut reason = start.to_owned();
        while let Some(more) = lines.peek().and_then(|(_, line)| line.trim_start().strip_prefix("// ")) {
            if more.starts_with("SAFETY:") {
                break;
            }
            reason.push(' ');
            reason.push_str(more);
            lines.next();
        }
        reasons.push((number + 1, reason.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    reasons
}

fn missing_forbids(tree: &Tree) -> Findings {
    let libraries = tree.with(&["rs"]).filter(|(path, _)| path.ends_with("src/lib.rs"));
    let may = |path: &str| {
        let name = path.strip_prefix("crates/").and_then(|path| path.split('/').next());
        name.is_some_and(|name| UNSAFE_CRATES.contains(&name))
    };
    libraries
        .filter(|(path, text)| !may(path) && !text.contains("#![forbid(unsafe_code)]"))
        .map(|(path, _)| format!("{path}: lacks #![forbid(unsafe_code)]"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_style(code: &str, findings: usize) {
        assert_eq!(style("a.rs", &code_of(code)).len(), findings, "{code}");
    }

    #[test]
    fn two_options_are_too_many() {
        check_style("fn f(a: Option<u8>, b: u8) -> Option<u8> {}", 0);
        check_style("fn f<F: Fn(u8) -> Option<u8>>(a: Option<u8>, b: (u8, F)) {}", 0);
        check_style("fn f<'a>(\n    a: Option<&'a u8>,\n    b: &[Option<u8>],\n) {}", 1);
        check_style("fn f(a: impl Into<Option<u8>>) {}", 1);
        check_style("fn exp_device(a: u8) {}", 1);
        check_style("let f: fn(Option<u8>, Option<u8>) = g; // fn x_device()", 0);
    }

    #[test]
    fn unsafe_stands_in_its_places_only() {
        let code = code_of("#![deny(unsafe_code)] // unsafe\nfn f() { unsafe { g() } }");
        assert_eq!(misplaced_unsafe("src/lib.rs", &code), ["src/lib.rs:2: unsafe has no place here"]);
        assert_eq!(misplaced_unsafe("crates/mlx-core/src/ffi/call.rs", &code), Findings::new());
        assert_eq!(misplaced_unsafe("crates/mlx-cpu/src/arch/avx2.rs", &code), Findings::new());
        assert_eq!(misplaced_unsafe("crates/mlx-cpu/src/pool.rs", &code).len(), 1);
        assert_eq!(misplaced_unsafe("xtask/src/parity/worker/case.rs", &code), Findings::new());
        let twice = code.repeat(2);
        assert_eq!(misplaced_unsafe("xtask/src/parity/worker/case.rs", &twice).len(), 1);
    }

    #[test]
    fn reasons_are_read_across_lines() {
        let text = "// SAFETY: a  b\n    // c\nx;\n// SAFETY: d\n// SAFETY: e\n";
        let reasons = [(1, "a b c".into()), (4, "d".into()), (5, "e".into())];
        assert_eq!(safety_reasons(text), reasons);
    }
}
