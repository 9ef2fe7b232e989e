//! The graph below tensors, as text and as a picture. Nothing here evaluates.
//!
//! [`dot`] is the text that Python's `mx.export_to_dot` writes, [`canonical`] one line a node and the same in every
//! process, [`svg`] a picture, [`node_count`] its size. [`Graph`] does the same with names for some of the tensors.
//!
//! ```
//! # use mlx_core::{graph, tensor};
//! let x = tensor![1.0, 2.0];
//! let y = &x * 0.5;
//! assert_eq!(graph::canonical([&y])?, "leaf A\nleaf B\nC = Broadcast(B)\nD = Multiply(A, C)\n");
//! # Ok::<(), mlx_core::Error>(())
//! ```
//!
//! A tensor that was evaluated is a leaf: it has its values and no longer knows how they came about.

mod layout;
mod nodes;
mod picture;

use crate::{Error, ErrorKind, Result, Tensor, ffi};
use nodes::Nodes;
use std::ffi::CString;

/// MLX's dot text of the graph below `outputs`, as `mx.export_to_dot` writes it.
///
/// # Errors
/// A graph too deep for a stack: beyond about a million nodes, as memory allows.
///
/// ```
/// # use mlx_core::{graph, tensor};
/// assert!(graph::dot([&-tensor![2.0]])?.contains("[label =\"Negative\", shape=rectangle]"));
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn dot<'a>(outputs: impl IntoIterator<Item = &'a Tensor>) -> Result<String> {
    Graph::of(outputs).dot()
}

/// The graph below `outputs`, one line a node, without the heap addresses in MLX's own text.
///
/// Equal graphs give equal texts, in any process and in Python: [`canonical_dot`] makes it of Python's dot text. The nodes are
/// told, not values or settings: `&x * 0.5` and `&x * 0.7` are alike.
/// First a line for each leaf, a tensor that has its values. Then the ops, each behind what it needs, with their
/// operands in order. MLX names what has no name A, B, …, Z, AA, … in the order of its traversal.
///
/// ```text
/// leaf A
/// leaf B
/// C = Broadcast(B)
/// D = Multiply(A, C)
/// E, F = Split(D)
/// ```
///
/// A given name ([`Graph::name`]) that has other characters than letters, digits, `_` and `.` stands in quotes,
/// escaped as in dot.
///
/// # Errors
/// As [`dot`].
///
/// ```
/// # use mlx_core::{graph, tensor};
/// let y = tensor![1.0] - tensor![2.0];
/// assert_eq!(graph::canonical([&y])?, "leaf A\nleaf B\nC = Subtract(A, B)\n");
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn canonical<'a>(outputs: impl IntoIterator<Item = &'a Tensor>) -> Result<String> {
    Graph::of(outputs).canonical()
}

/// What [`canonical`] says, from MLX's dot text: that of another process, or of Python's `mx.export_to_dot`.
///
/// # Errors
/// Text that MLX does not write, and a name that stands for two tensors.
///
/// ```
/// # use mlx_core::graph;
/// let python = "digraph {\n{ rank=source; \"x\"; }\n{ 7 [label =\"Abs\", shape=rectangle]; }\n\
///     \"x\" -> 7\n{ rank=sink; \"B\"; }\n7 -> \"B\"\n}";
/// assert_eq!(graph::canonical_dot(python)?, "leaf x\nB = Abs(x)\n");
/// assert!(graph::canonical_dot("graph").is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn canonical_dot(dot: &str) -> Result<String> {
    Ok(Nodes::read(dot)?.to_string())
}

/// A picture of the graph below `outputs`: boxes in rows, operands above what uses them.
///
/// # Errors
/// As [`dot`]; a graph of more than 5000 nodes, or with so many long edges that nobody could follow them.
///
/// ```
/// # use mlx_core::{graph, tensor};
/// let svg = graph::svg([&(tensor![1.0] + tensor![2.0])])?;
/// assert!(svg.starts_with("<svg ") && svg.contains("C = Add"));
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn svg<'a>(outputs: impl IntoIterator<Item = &'a Tensor>) -> Result<String> {
    Graph::of(outputs).svg()
}

/// The number of nodes below `outputs`: leaves and ops, which are the lines of [`canonical`].
///
/// # Errors
/// As [`dot`].
///
/// ```
/// # use mlx_core::{graph, tensor};
/// let x = tensor![1.0, 2.0];
/// assert_eq!(graph::node_count([&(&x * &x)])?, 2);
/// assert_eq!(graph::node_count([&(&x * 2.0)])?, 4); // x, 2.0, its broadcast, the product
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn node_count<'a>(outputs: impl IntoIterator<Item = &'a Tensor>) -> Result<usize> {
    Graph::of(outputs).node_count()
}

/// The graph below some tensors, with names for those that have one: what Python's keywords of `mx.export_to_dot` do.
///
/// ```
/// # use mlx_core::{graph::Graph, tensor};
/// let (x, w) = (tensor![1.0, 2.0], tensor![3.0, 4.0]);
/// let y = &x * &w;
/// let graph = Graph::of([&y]).name("x", &x).name("w", &w).name("y", &y);
/// assert_eq!(graph.canonical()?, "leaf x\nleaf w\ny = Multiply(x, w)\n");
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Graph {
    tensors: Vec<Tensor>,
    names: Vec<Option<String>>,
}

impl Graph {
    /// The graph below `outputs`.
    pub fn of<'a>(outputs: impl IntoIterator<Item = &'a Tensor>) -> Graph {
        let tensors: Vec<Tensor> = outputs.into_iter().cloned().collect();
        Graph { names: vec![None; tensors.len()], tensors }
    }

    /// The same with a name for `tensor`: a leaf, an output, or anything between.
    ///
    /// As in Python, a tensor that is not below the outputs is shown beside them, and the last of two names counts.
    pub fn name(mut self, name: impl Into<String>, tensor: &Tensor) -> Graph {
        self.tensors.push(tensor.clone());
        self.names.push(Some(name.into()));
        self
    }

    /// MLX's dot text, as [`dot`]; quotes, backslashes and newlines in names are escaped.
    ///
    /// # Errors
    /// As [`dot`]; an empty name, one with a control character other than a newline, and a name of two tensors, where
    /// the other may be one of those that MLX calls A, B, …, Z, AA, ….
    ///
    /// ```
    /// # use mlx_core::{graph::Graph, tensor};
    /// let x = tensor![1.0];
    /// assert!(Graph::of([&x]).name("the \"input\"", &x).dot()?.contains(r#""the \"input\"""#));
    /// assert!(Graph::of([&x]).name("", &x).dot().is_err());
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn dot(&self) -> Result<String> {
        let names: Vec<Option<CString>> =
            self.names.iter().map(|name| name.as_deref().map(escaped).transpose()).collect::<Result<_>>()?;
        let text = ffi::graph_dot(&self.tensors, &names)?;
        if names.iter().any(Option::is_some) {
            // MLX would write one node for two tensors of one name.
            Nodes::read(&text)?;
        }
        Ok(text)
    }

    /// One line a node, as [`canonical`].
    ///
    /// # Errors
    /// As [`Graph::dot`].
    pub fn canonical(&self) -> Result<String> {
        canonical_dot(&self.dot()?)
    }

    /// A picture, as [`svg`].
    ///
    /// # Errors
    /// As [`Graph::dot`] and [`svg`].
    pub fn svg(&self) -> Result<String> {
        picture::svg(&Nodes::read(&self.dot()?)?)
    }

    /// The number of leaves and ops, as [`node_count`].
    ///
    /// # Errors
    /// As [`Graph::dot`].
    pub fn node_count(&self) -> Result<usize> {
        Ok(Nodes::read(&self.dot()?)?.nodes.len())
    }
}

/// A name as it stands between dot's quotes; MLX writes it as it gets it.
fn escaped(name: &str) -> Result<CString> {
    let refused =
        |why: &str| Error::new(ErrorKind::Value, "export_to_dot", format!("the name {name:?} {why}"));
    if name.is_empty() {
        return Err(refused("is empty"));
    }
    let escaped = name.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    if escaped.contains(char::is_control) {
        return Err(refused("has a control character"));
    }
    CString::new(escaped).map_err(|e| refused("has a NUL").with_source(e))
}
