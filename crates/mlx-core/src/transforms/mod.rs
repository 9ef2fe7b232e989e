//! Function transformations: ordinary closures, differentiated, vectorised, compiled, written to files.
//!
//! A function takes a [`Tree`] and gives one, as itself or in a `Result` whose error is any type that comes from
//! [`Error`]: an error that it returns comes out of the transform as itself, a panic goes on as itself. It may borrow.
//! While it runs its tensors are placeholders: evaluating one is an error.
//!
//! Not here: the calls of mlx-c and how MLX calls back (`ffi/closure.rs`, `ffi/transforms.rs`).

mod compile;
mod custom;
mod export;
mod grad;
mod import;
mod tree;
mod vmap;

use crate::{Error, Result, Tensor};

pub use compile::{
    CompileMode, Compiled, CompiledState, compile, compile_shapeless, compile_state, is_tracing_shapeless,
    set_compile_mode,
};
pub(crate) use custom::checked;
pub use custom::{Checkpoint, CustomFunction, checkpoint};
pub use export::{FunctionExporter, export_function};
pub use grad::{grad, grad_argnums, jvp, value_and_grad, value_and_grad_argnums, vjp};
pub use import::{ImportedFunction, import_function};
#[doc(hidden)]
pub use tree::joined;
pub use tree::{Tree, TreeKey};
pub(crate) use vmap::Wanted;
pub use vmap::{VmapAxes, vmap, vmap_axes};

/// What a function that is transformed may return: a tree of tensors, or a `Result` with one.
pub trait Outcome {
    /// The tensors.
    type Output: Tree;
    /// What it fails with; [`Error`] for a function that does not say.
    type Error: From<Error> + 'static;

    /// The same as a `Result`.
    ///
    /// # Errors
    /// The function's own.
    fn into_result(self) -> Result<Self::Output, Self::Error>;
}

impl<T: Tree> Outcome for T {
    type Output = T;
    type Error = Error;

    fn into_result(self) -> Result<T> {
        Ok(self)
    }
}

impl<T: Tree, E: From<Error> + 'static> Outcome for Result<T, E> {
    type Output = T;
    type Error = E;

    fn into_result(self) -> Result<T, E> {
        self
    }
}

/// A function of trees as MLX calls it, once: tensors in, tensors out. `seen` gets the structure of what it gave.
fn body<'a, A: Tree, R: Outcome>(
    f: impl FnOnce(&A) -> R + 'a,
    structure: &'a A::Structure,
    seen: &'a mut Option<<R::Output as Tree>::Structure>,
) -> impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, R::Error> + 'a {
    move |inputs| {
        let given = built::<A>(structure, inputs);
        let output = f(&given).into_result()?;
        *seen = Some(output.structure());
        Ok(tree::tensors(&output))
    }
}

/// The tree of as many tensors as its structure has room for.
pub(crate) fn built<T: Tree>(structure: &T::Structure, tensors: Vec<Tensor>) -> T {
    T::build(structure, &mut tensors.into_iter()).expect("as many tensors as the tree had")
}

/// What the function gave, with other tensors.
fn rebuilt<T: Tree>(seen: Option<&T::Structure>, tensors: Vec<Tensor>) -> T {
    built(seen.expect("the function returned before MLX did"), tensors)
}
