//! The nodes that MLX's dot text tells of, and the canonical text of them.

use crate::{Error, ErrorKind, Result};
use std::{collections::HashMap, fmt};

/// A graph in MLX's order: each node stands behind what it needs.
#[derive(Debug, Default)]
pub(super) struct Nodes<'t> {
    /// The arrays' names, escaped as in dot. Arrays are numbered as they appear.
    pub(super) names: Vec<&'t str>,
    pub(super) nodes: Vec<Node<'t>>,
}

/// A leaf or an op.
#[derive(Debug, Default)]
pub(super) struct Node<'t> {
    /// MLX's name of the primitive; none for a leaf.
    pub(super) op: Option<&'t str>,
    pub(super) inputs: Vec<usize>,
    /// One array for a leaf and for most ops.
    pub(super) outputs: Vec<usize>,
}

/// A line of MLX's dot text. Its primitives are named by their heap addresses, which two ops of a compiled function
/// may share, so what joins the lines of an op is that they follow each other.
enum Line<'t> {
    Leaf(&'t str),
    Op { address: &'t str, label: &'t str },
    Input { name: &'t str, address: &'t str },
    Output(&'t str),
    Edge { address: &'t str, name: &'t str },
}

impl<'t> Nodes<'t> {
    /// The nodes of MLX's dot text.
    pub(super) fn read(dot: &'t str) -> Result<Nodes<'t>> {
        let body = dot.trim_end().strip_prefix("digraph {\n").and_then(|text| text.strip_suffix('}'));
        let body = body.ok_or_else(|| refused("the text is not a whole digraph as MLX writes one".into()))?;
        let (mut graph, mut numbers, mut current) = (Nodes::default(), HashMap::new(), "");
        for (i, line) in body.lines().enumerate() {
            let understood = Line::read(line).and_then(|line| graph.add(line, &mut numbers, &mut current));
            understood.ok_or_else(|| refused(format!("line {} is not as MLX writes it: {line}", i + 2)))?;
        }
        // An array is named once; a second time is another array of that name.
        if let Some(name) = graph.names.iter().enumerate().find_map(|(i, n)| (numbers[n] != i).then_some(n)) {
            return Err(refused(format!(
                "the name \"{name}\" stands for two tensors (one of them may be MLX's own: A, B, …)"
            )));
        }
        Ok(graph)
    }

    /// Takes in a line, unless it does not go with those before it.
    fn add(
        &mut self,
        line: Line<'t>,
        numbers: &mut HashMap<&'t str, usize>,
        current: &mut &'t str,
    ) -> Option<()> {
        let mut declare = |name| {
            self.names.push(name);
            numbers.insert(name, self.names.len() - 1);
            self.names.len() - 1
        };
        match line {
            Line::Leaf(name) => {
                let outputs = vec![declare(name)];
                self.nodes.push(Node { outputs, ..Node::default() });
                *current = "";
            }
            Line::Op { address, label } => {
                self.nodes.push(Node { op: Some(label), ..Node::default() });
                *current = address;
            }
            Line::Input { name, address } if address == *current => {
                self.nodes.last_mut()?.inputs.push(*numbers.get(name)?);
            }
            Line::Output(name) if !current.is_empty() => {
                let number = declare(name);
                self.nodes.last_mut()?.outputs.push(number);
            }
            // It says again what the output's own line said.
            Line::Edge { address, name } if address == *current && self.names.last() == Some(&name) => {}
            Line::Input { .. } | Line::Output(_) | Line::Edge { .. } => return None,
        }
        Some(())
    }
}

impl<'t> Line<'t> {
    fn read(line: &'t str) -> Option<Line<'t>> {
        if let Some(inner) = line.strip_prefix("{ ").and_then(|inner| inner.strip_suffix("; }")) {
            if let Some(name) = inner.strip_prefix("rank=source; ") {
                return Some(Line::Leaf(quoted(name)?));
            }
            // What nothing uses is a sink; the graph shows that without being told.
            let inner = inner.strip_prefix("rank=sink; ").unwrap_or(inner);
            if inner.starts_with('"') {
                return Some(Line::Output(quoted(inner)?));
            }
            let (address, label) = inner.split_once(" [label =\"")?;
            let label = label.strip_suffix("\", shape=rectangle]")?;
            return Some(Line::Op { address: number(address)?, label });
        }
        if line.starts_with('"') {
            let (name, address) = line.rsplit_once(" -> ")?;
            return Some(Line::Input { name: quoted(name)?, address: number(address)? });
        }
        let (address, name) = line.split_once(" -> ")?;
        Some(Line::Edge { address: number(address)?, name: quoted(name)? })
    }
}

/// What stands between the quotes of a text that is one quoted name.
fn quoted(text: &str) -> Option<&str> {
    let name = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut escape = false;
    for byte in name.bytes() {
        if byte == b'"' && !escape {
            return None;
        }
        escape = byte == b'\\' && !escape;
    }
    (!name.is_empty() && !escape).then_some(name)
}

fn number(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Value, "export_to_dot", message)
}

/// The canonical text, whose format [`super::canonical`] tells.
impl fmt::Display for Nodes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for leaf in self.nodes.iter().filter(|node| node.op.is_none()) {
            writeln!(f, "leaf {}", List(&self.names, &leaf.outputs))?;
        }
        for node in &self.nodes {
            let Some(op) = node.op else { continue };
            let (inputs, outputs) = (List(&self.names, &node.inputs), List(&self.names, &node.outputs));
            writeln!(f, "{outputs} = {op}({inputs})")?;
        }
        Ok(())
    }
}

/// Some of the names, with commas.
pub(super) struct List<'t>(pub(super) &'t [&'t str], pub(super) &'t [usize]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &number) in self.1.iter().enumerate() {
            let name = self.0[number];
            let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
            let (comma, quote) = (if i == 0 { "" } else { ", " }, if plain { "" } else { "\"" });
            write!(f, "{comma}{quote}{name}{quote}")?;
        }
        Ok(())
    }
}
