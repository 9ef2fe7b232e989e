//! Templates of the generator: what ops there are and what each parameter takes, read from `xtask/parity/fuzz_ops.txt`.
//!
//! Not here: what a kind of argument is (`kinds`).

/// How a parameter may be given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    Positional,
    Either,
    Keyword,
}

/// A parameter: Python's name and the kind of its arguments.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) mode: Mode,
    pub(super) optional: bool,
    pub(super) takes_none: bool,
}

/// An op in one of its spellings, with its parameters.
pub(super) struct Template {
    pub(super) op: String,
    pub(super) parameters: std::rc::Rc<Vec<Parameter>>,
}

/// All templates, an op a line of the table and spelling.
pub(super) fn all() -> Result<Vec<Template>, String> {
    read(include_str!("../../../parity/fuzz_ops.txt"))
}

fn read(text: &str) -> Result<Vec<Template>, String> {
    let mut templates = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (ops, written) = line.split_once(" | ").ok_or_else(|| format!("no parameters: {line}"))?;
        let parameters = std::rc::Rc::new(parameters(written).ok_or_else(|| format!("ill-formed: {line}"))?);
        let spelt = ops
            .split_whitespace()
            .map(|op| Template { op: op.replace("\\|", "|"), parameters: parameters.clone() });
        templates.extend(spelt);
    }
    Ok(templates)
}

fn parameters(written: &str) -> Option<Vec<Parameter>> {
    let mut found: Vec<Parameter> = Vec::new();
    let mut mode = Mode::Either;
    for item in written.split(';').map(str::trim) {
        match item {
            "/" => found.iter_mut().for_each(|parameter| parameter.mode = Mode::Positional),
            "*" => mode = Mode::Keyword,
            _ => {
                let (name, kind) = item.split_once(':')?;
                let bare = kind.trim_end_matches('?');
                found.push(Parameter {
                    name: name.into(),
                    kind: bare.into(),
                    mode,
                    optional: bare.len() < kind.len(),
                    takes_none: kind.ends_with("??"),
                });
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read() {
        let read = read("mx.sum method.sum | a:any; /; axis:axes??; *; keep:flag?\n").expect("well-formed");
        let ops: Vec<&str> = read.iter().map(|template| template.op.as_str()).collect();
        assert_eq!(ops, ["mx.sum", "method.sum"]);
        let modes: Vec<Mode> = read[0].parameters.iter().map(|parameter| parameter.mode).collect();
        assert_eq!(modes, [Mode::Positional, Mode::Either, Mode::Keyword]);
        let axis = &read[0].parameters[1];
        assert_eq!((axis.kind.as_str(), axis.optional, axis.takes_none), ("axes", true, true));
    }

    #[test]
    fn the_table_is_read() {
        assert!(all().expect("well-formed").len() > 300);
    }
}
