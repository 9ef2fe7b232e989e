//! The graph as SVG.
//!
//! Not here: where things lie (`layout`).

use super::{
    layout::{self, Layout},
    nodes::{List, Node, Nodes},
};
use crate::{Error, ErrorKind, Result};
use std::fmt::{self, Write};

const MOST_NODES: usize = 5000;
const MOST_BENDS: usize = 100_000;

const MARGIN: f64 = 12.0;
const ROW: f64 = 64.0;
const BOX: f64 = 26.0;
/// Of a character of the monospaced font, and the room a box leaves beside its text.
const CHARACTER: f64 = 7.3;
const PADDING: f64 = 18.0;

/// The picture of a graph.
pub(super) fn svg(graph: &Nodes<'_>) -> Result<String> {
    let too_large = |what: &str, count: usize, most: usize| {
        let message = format!("a picture of {count} {what} would be too large; the most is {most}");
        Err(Error::new(ErrorKind::Value, "svg", message))
    };
    if graph.nodes.len() > MOST_NODES {
        return too_large("nodes", graph.nodes.len(), MOST_NODES);
    }
    let rows = layout::rows(graph);
    let bends = layout::bend_count(graph, &rows);
    if bends > MOST_BENDS {
        return too_large("bends in long edges", bends, MOST_BENDS);
    }
    let labels: Vec<String> = graph.nodes.iter().map(|node| label(graph, node)).collect();
    let widths: Vec<f64> = labels.iter().map(|label| width(label)).collect();
    let picture =
        Picture { graph, labels, makers: layout::makers(graph), layout: Layout::new(graph, &rows, &widths) };
    Ok(picture.to_string())
}

fn label(graph: &Nodes<'_>, node: &Node<'_>) -> String {
    let names = List(&graph.names, &node.outputs);
    node.op.map_or_else(|| names.to_string(), |op| format!("{names} = {op}"))
}

fn width(label: &str) -> f64 {
    let characters: u32 = label.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    f64::from(characters) * CHARACTER + PADDING
}

struct Picture<'g> {
    graph: &'g Nodes<'g>,
    labels: Vec<String>,
    makers: Vec<usize>,
    layout: Layout,
}

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let right = self.layout.places.iter().map(|place| place.x + place.width / 2.0).fold(0.0, f64::max);
        let (width, height) =
            (right + 2.0 * MARGIN, self.layout.height() as f64 * ROW - (ROW - BOX) + 2.0 * MARGIN);
        let (width, height) = (width.ceil(), height.ceil().max(2.0 * MARGIN));
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
        )?;
        writeln!(f, "<g fill=\"none\" stroke=\"#555\">")?;
        self.edges(f)?;
        writeln!(f, "</g>\n<g stroke=\"#333\" text-anchor=\"middle\">")?;
        for i in 0..self.labels.len() {
            self.node(f, i)?;
        }
        writeln!(f, "</g>\n</svg>")
    }
}

impl Picture<'_> {
    fn node(&self, f: &mut fmt::Formatter<'_>, i: usize) -> fmt::Result {
        let (x, y) = self.top(i);
        let (left, width, text) =
            (x - self.layout.places[i].width / 2.0, self.layout.places[i].width, y + 17.0);
        // Leaves are round.
        let (radius, fill) =
            if self.graph.nodes[i].op.is_none() { (BOX / 2.0, "#e8f1e4") } else { (3.0, "#e9eef7") };
        write!(
            f,
            "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BOX}\" rx=\"{radius}\" \
             fill=\"{fill}\"/><text x=\"{x:.1}\" y=\"{text:.1}\" stroke=\"none\">"
        )?;
        for character in self.labels[i].chars() {
            match character {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                // XML has no way to write these two.
                '\u{fffe}' | '\u{ffff}' => f.write_char(char::REPLACEMENT_CHARACTER)?,
                _ => f.write_char(character)?,
            }
        }
        writeln!(f, "</text>")
    }

    /// The trunk of each array's edges through its bends, and a branch with a tip to each op that takes it.
    fn edges(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (array, bends) in self.layout.bends.iter().enumerate().filter(|(_, bends)| !bends.is_empty()) {
            let (mut x, mut y) = self.end_of(array, self.makers[array]);
            write!(f, "<path d=\"M{x:.1} {y:.1}")?;
            for &bend in bends {
                let to = self.top(bend);
                curve(f, (x, y), to)?;
                (x, y) = (to.0, to.1 + BOX);
                write!(f, "V{y:.1}")?;
            }
            writeln!(f, "\"/>")?;
        }
        for (i, node) in self.graph.nodes.iter().enumerate() {
            for (slot, &array) in node.inputs.iter().enumerate() {
                let maker = self.makers[array];
                let from = self.end_of(array, self.layout.last_before(array, maker, i));
                write!(f, "<path marker-end=\"url(#tip)\" d=\"M{:.1} {:.1}", from.0, from.1)?;
                curve(f, from, (self.port(i, slot, node.inputs.len()), self.top(i).1))?;
                writeln!(f, "\"/>")?;
            }
        }
        Ok(())
    }

    /// The middle of a place's upper side.
    fn top(&self, place: usize) -> (f64, f64) {
        let place = &self.layout.places[place];
        (place.x + MARGIN, place.row as f64 * ROW + MARGIN)
    }

    /// Where the edge of `array` leaves a place: its maker, at the output's own spot, or a bend.
    fn end_of(&self, array: usize, place: usize) -> (f64, f64) {
        let (x, y) = self.top(place);
        let Some(node) = self.graph.nodes.get(place) else { return (x, y + BOX) };
        let slot = node.outputs.iter().position(|&output| output == array).unwrap_or(0);
        (self.port(place, slot, node.outputs.len()), y + BOX)
    }

    /// The x of one of a node's inputs or outputs, spread over its width in their order.
    fn port(&self, node: usize, slot: usize, count: usize) -> f64 {
        let share = (slot + 1) as f64 / (count + 1) as f64 - 0.5;
        self.top(node).0 + share * self.layout.places[node].width
    }
}

fn curve(f: &mut fmt::Formatter<'_>, from: (f64, f64), to: (f64, f64)) -> fmt::Result {
    let middle = f64::midpoint(from.1, to.1);
    write!(f, "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}", from.0, to.0, to.0, to.1)
}
