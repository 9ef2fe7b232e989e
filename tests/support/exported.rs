//! What is unsafe about exported functions, for tests that keep the contracts.

use mlx::{
    Error, Result,
    transforms::{FunctionExporter, ImportedFunction, Tree, import_function},
};
use std::path::Path;

/// A function from a file of this test's own.
pub(crate) fn import(path: impl AsRef<Path>) -> Result<ImportedFunction> {
    // SAFETY: the exporter of this version of MLX wrote the file, or it is cut off, which is an error.
    unsafe { import_function(path) }
}

/// For functions without a number that comes from a shape.
#[allow(dead_code, reason = "programs that only import")]
pub(crate) fn shapeless<A: Tree, K: Tree, E: From<Error> + 'static>(
    exporter: FunctionExporter<'_, A, K, E>,
) -> FunctionExporter<'_, A, K, E> {
    // SAFETY: the caller's function has no size of its arguments in a node.
    unsafe { exporter.shapeless() }
}
