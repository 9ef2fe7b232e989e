//! The graph below tensors, as text.

use crate::{Result, Tensor, ffi};

/// MLX's dot text of the graph below `outputs`, as `mx.export_to_dot` writes it. Nothing is evaluated.
///
/// # Errors
/// A graph too deep for a stack.
pub fn dot(outputs: &[Tensor]) -> Result<String> {
    ffi::graph_dot(outputs)
}
