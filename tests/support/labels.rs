//! The nodes of a graph, by their labels in MLX's dot text.

use mlx::{Tensor, graph};

/// In the order in which MLX walks the graph below `x`, as the Python scripts of the tests print them.
pub(crate) fn labels(x: &Tensor) -> Vec<String> {
    let text = graph::dot(std::slice::from_ref(x)).unwrap();
    let found = text.split("label =\"").skip(1);
    found.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
}
