//! How two graphs differ, each told by MLX's dot text.

use mlx_core::graph::canonical_dot;

/// The first line in which two graphs differ.
pub(crate) fn difference(python: &str, rust: &str) -> Option<String> {
    let (python, rust) = match (canonical_dot(python), canonical_dot(rust)) {
        (Ok(python), Ok(rust)) => (python, rust),
        (Err(error), _) => return Some(format!("Python's graph: {error}")),
        (_, Err(error)) => return Some(format!("Rust's graph: {error}")),
    };
    let (mut left, mut right) = (python.lines(), rust.lines());
    let longest = python.lines().count().max(rust.lines().count());
    let (number, left, right) = (1..=longest)
        .map(|number| (number, left.next(), right.next()))
        .find(|(_, left, right)| left != right)?;
    let shown = |line: Option<&str>| line.map_or("nothing".into(), |line| format!("`{line}`"));
    Some(format!("graph line {number}: Python has {}, Rust {}", shown(left), shown(right)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOT: &str = "digraph {\n{ rank=source; \"A\"; }\n{ 94483 [label =\"Abs\", shape=rectangle]; }\n\
        \"A\" -> 94483\n{ \"B\"; }\n94483 -> \"B\"\n{ 7 [label =\"12 34\", shape=rectangle]; }\n\"B\" -> 7\n\
        { rank=sink; \"C\"; }\n7 -> \"C\"\n}";

    #[test]
    fn addresses_do_not_differ() {
        assert_eq!(difference(DOT, &DOT.replace("94483", "5").replace(" 7", " 9").replace("7 ", "9 ")), None);
    }

    #[test]
    fn the_first_difference_is_told() {
        let told = difference(DOT, &DOT.replace("Abs", "Exp")).expect("they differ");
        assert_eq!(told, "graph line 2: Python has `B = Abs(A)`, Rust `B = Exp(A)`");
        // The same primitives joined in another way are another graph.
        let told = difference(DOT, &DOT.replace("\"B\" -> 7", "\"A\" -> 7")).expect("they differ");
        assert_eq!(told, "graph line 3: Python has `C = 12 34(B)`, Rust `C = 12 34(A)`");
        let told = difference(DOT, &DOT.replace("\n}", "\n{ rank=source; \"D\"; }\n}")).expect("they differ");
        assert_eq!(told, "graph line 2: Python has `B = Abs(A)`, Rust `leaf D`");
        let told = difference(&DOT.replace("\n}", ""), DOT).expect("half a text");
        assert!(told.starts_with("Python's graph: "), "{told}");
    }
}
