//! Graphs as text that two processes write alike: dot without heap addresses.

use std::fmt::Write;

/// MLX's dot text with its primitives, which it names by their heap addresses, numbered as they appear.
pub(crate) fn canonical(dot: &str) -> String {
    let mut seen: Vec<&str> = Vec::new();
    let mut text = String::with_capacity(dot.len());
    // Quoted names and labels stand at odd places; an address is a word of digits outside them.
    for (i, piece) in dot.split('"').enumerate() {
        if i > 0 {
            text.push('"');
        }
        if i % 2 == 1 {
            text.push_str(piece);
            continue;
        }
        for word in piece.split_inclusive([' ', '\n']) {
            let (name, end) = word.split_at(word.trim_end_matches([' ', '\n']).len());
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_digit()) {
                text.push_str(word);
                continue;
            }
            let number = seen.iter().position(|known| *known == name).unwrap_or_else(|| {
                seen.push(name);
                seen.len() - 1
            });
            let _ = write!(text, "#{number}{end}");
        }
    }
    text
}

/// The first line in which two graphs differ.
pub(crate) fn difference(python: &str, rust: &str) -> Option<String> {
    let (python, rust) = (canonical(python), canonical(rust));
    if python == rust {
        return None;
    }
    let (mut left, mut right) = (python.lines(), rust.lines());
    for number in 1.. {
        let (left, right) = (left.next(), right.next());
        if left != right {
            let shown = |line: Option<&str>| line.map_or("nothing".into(), |line| format!("`{line}`"));
            return Some(format!("graph line {number}: Python has {}, Rust {}", shown(left), shown(right)));
        }
        if left.is_none() {
            break;
        }
    }
    Some("the graphs' line ends differ".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOT: &str = "digraph {\n{ rank=source; \"A\"; }\n{ 94483 [label =\"Abs\", shape=rectangle]; }\n\"A\" -> 94483\n\
        { \"B\"; }\n94483 -> \"B\"\n{ 7 [label =\"12 34\", shape=rectangle]; }\n\"B\" -> 7\n}\n";

    #[test]
    fn addresses_become_numbers_in_order() {
        let text = canonical(DOT);
        assert!(text.contains("{ #0 [label =\"Abs\"") && text.contains("\"A\" -> #0\n"), "{text}");
        assert!(text.contains("#0 -> \"B\"") && text.contains("{ #1 [label =\"12 34\""), "{text}");
        assert_eq!(difference(DOT, &DOT.replace("94483", "5").replace(" 7", " 9")), None);
    }

    #[test]
    fn the_first_difference_is_told() {
        let told = difference(DOT, &DOT.replace("Abs", "Exp")).expect("they differ");
        assert!(told.starts_with("graph line 3: Python has `{ #0 [label =\"Abs\""), "{told}");
        let told = difference(DOT, DOT.trim_end_matches("}\n")).expect("they differ");
        assert_eq!(told, "graph line 9: Python has `}`, Rust nothing");
        // The same primitives joined in another way are another graph.
        assert!(difference(DOT, &DOT.replace("\"B\" -> 7", "\"A\" -> 7")).is_some());
    }
}
