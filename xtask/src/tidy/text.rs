//! Files as text: how they begin and end, how long they are, and places and hosts they must not name.

use super::{Findings, Tree, is_generated};

/// Files that are read and written by people.
const WRITTEN: [&str; 7] = ["rs", "py", "cpp", "h", "toml", "md", "yml"];
const CODE: [&str; 4] = ["rs", "py", "cpp", "h"];
const MOST_LINES: usize = 400;

/// Where the machines of those who write this lie; put together so that this file does not name them.
const PLACES: [&str; 3] = [concat!("/", "work"), concat!("/", "root"), concat!("/", "home")];

/// The hosts a link may lead to; above all none that packages come from.
const HOSTS: [&str; 15] = [
    "arxiv.org",
    "doc.rust-lang.org",
    "docs.rs",
    "gcc.gnu.org",
    "github.com",
    "huggingface.co",
    "keepachangelog.com",
    "ml-explore.github.io",
    "opensource.org",
    "semver.org",
    "spdx.org",
    "www.apache.org",
    "www.gnu.org",
    "www.rust-lang.org",
    "www.w3.org",
];

pub(super) fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::new();
    for (path, text) in tree.with(&WRITTEN) {
        findings.extend(blanks(path, text));
    }
    for (path, text) in tree.with(&CODE) {
        if !opens_with_its_purpose(path, text) {
            findings.push(format!("{path}:1: opens without saying what lives here"));
        }
        let lines = text.lines().count();
        if lines > MOST_LINES && !is_generated(text) {
            findings.push(format!("{path}: {lines} lines, more than {MOST_LINES}"));
        }
    }
    for (path, text) in &tree.0 {
        for (number, line) in text.lines().enumerate() {
            findings.extend(named(line).map(|what| format!("{path}:{}: {what}", number + 1)));
        }
    }
    findings
}

/// The longest files that people wrote, with their lines.
pub(super) fn largest(tree: &Tree, count: usize) -> Vec<(usize, &str)> {
    let written = tree.with(&CODE).filter(|(_, text)| !is_generated(text));
    let mut sizes: Vec<(usize, &str)> = written.map(|(path, text)| (text.lines().count(), path)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.truncate(count);
    sizes
}

fn blanks(path: &str, text: &str) -> Findings {
    let trailing = text.lines().enumerate().filter(|(_, line)| line.ends_with([' ', '\t', '\r']));
    let mut findings: Findings =
        trailing.map(|(number, _)| format!("{path}:{}: trailing blanks", number + 1)).collect();
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        findings.push(format!("{path}: ends with other than one newline"));
    }
    findings
}

fn opens_with_its_purpose(path: &str, text: &str) -> bool {
    let start = match text.strip_prefix("#!/") {
        Some(_) => text.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    match path.rsplit_once('.') {
        Some((_, "rs")) => start.starts_with("//! "),
        Some((_, "py")) => start.starts_with("\"\"\""),
        _ => start.starts_with("//") || start.starts_with("/*"),
    }
}

/// A machine's folder or a host that a line names.
fn named(line: &str) -> Option<String> {
    let place = PLACES.iter().find(|place| names_place(line, place));
    if let Some(place) = place {
        return Some(format!("names {place}, a folder of one machine"));
    }
    let mut links = line.split("://").skip(1);
    let host = links.find_map(|rest| {
        let host = rest.split(|c: char| !c.is_ascii_alphanumeric() && !".-".contains(c)).next()?;
        // What follows the colon in a format string or a comment is no host.
        (host.contains('.') && !HOSTS.contains(&host)).then_some(host)
    })?;
    Some(format!("links to {host}, which is not among the known hosts"))
}

/// Whether `place` stands in `line` as the start of a path, not within one.
fn names_place(line: &str, place: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    line.match_indices(place).any(|(i, _)| {
        let (before, after) = (line[..i].chars().next_back(), line[i + place.len()..].chars().next());
        !before.is_some_and(in_name) && !after.is_some_and(in_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_paths_from_the_root() {
        let work = PLACES[0];
        assert!(named(&format!("cd {work}/main")).is_some());
        assert!(named(&format!("\"{work}\"")).is_some());
        assert!(named(&format!("parity{work}er.py and x{work}/y")).is_none());
    }

    #[test]
    fn links_lead_to_known_hosts() {
        assert!(named("see https://docs.rs/half").is_none());
        assert!(named(concat!("https:/", "/mirror.example.org/simple")).is_some());
    }

    #[test]
    fn files_end_with_one_newline() {
        assert_eq!(blanks("a.rs", "//! x\n"), Findings::new());
        assert_eq!(blanks("a.rs", "//! x\n\n").len(), 1);
        assert_eq!(blanks("a.rs", "//! x ").len(), 2);
    }
}
