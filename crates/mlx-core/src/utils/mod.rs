//! `mlx.utils`: functions over trees of tensors, those whose type is known and [`Nested`] ones alike.
//!
//! Keys are Python's: the way to a tensor, joined by dots, as in `layers.0.weight`. Not here: what a tree is
//! ([`Tree`]), transforms.

mod merge;
mod nested;
mod unflatten;

#[doc(hidden)]
pub use crate::transforms::joined;
/// The map of [`Nested`] trees and of parameters by key: a `HashMap` that keeps the order of insertion.
#[doc(no_inline)]
pub use indexmap::IndexMap;
pub use merge::{tree_merge, tree_merge_with};
pub use nested::{Nested, NestedStructure};
pub use unflatten::{tree_unflatten, tree_unflatten_like};

use crate::{
    Error, ErrorKind, Result, Tensor,
    transforms::{Outcome, Tree, built},
};
use std::collections::HashMap;

/// A tree like `tree`, with what `f` gives for each tensor.
///
/// # Errors
/// The first that `f` returns.
///
/// ```
/// # use mlx_core::{tensor, utils::tree_map};
/// let (a, [b]) = tree_map(|x| x * x, &(tensor![3.0], [tensor![4.0]]))?;
/// assert_eq!((a.item::<f32>()?, b.item::<f32>()?), (9.0, 16.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_map")]
pub fn tree_map<T: Tree, R: Outcome<Output = Tensor>>(
    mut f: impl FnMut(&Tensor) -> R,
    tree: &T,
) -> Result<T, R::Error> {
    tree_map_with_path_rest(|_, x, []| f(x), tree, [tree; 0])
}

/// [`tree_map`] of several trees: `f` gets a tensor of `tree` and those at its place in `rest`, which may hold more.
///
/// # Errors
/// The first that `f` returns; a tree in `rest` without a tensor at that place.
///
/// ```
/// # use mlx_core::{tensor, utils::tree_map_rest};
/// let (weights, slopes) = ([tensor![1.0], tensor![2.0]], [tensor![10.0], tensor![20.0]]);
/// let [a, b] = tree_map_rest(|weight, [slope]| weight - 0.1 * slope, &weights, [&slopes])?;
/// assert_eq!((a.item::<f32>()?, b.item::<f32>()?), (0.0, 0.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_map")]
pub fn tree_map_rest<T: Tree, U: Tree, R: Outcome<Output = Tensor>, const N: usize>(
    mut f: impl FnMut(&Tensor, [&Tensor; N]) -> R,
    tree: &T,
    rest: [&U; N],
) -> Result<T, R::Error> {
    tree_map_with_path_rest(|_, x, rest| f(x, rest), tree, rest)
}

/// [`tree_map`] with a function that gets each tensor's key, too.
///
/// # Errors
/// The first that `f` returns.
///
/// ```
/// # use mlx_core::{tensor, utils::tree_map_with_path};
/// let tree = vec![[tensor![1.0], tensor![2.0]]];
/// let last = tree_map_with_path(|path, x| if path == "0.1" { -x } else { x.clone() }, &tree)?;
/// assert_eq!((last[0][0].item::<f32>()?, last[0][1].item::<f32>()?), (1.0, -2.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_map_with_path")]
pub fn tree_map_with_path<T: Tree, R: Outcome<Output = Tensor>>(
    mut f: impl FnMut(&str, &Tensor) -> R,
    tree: &T,
) -> Result<T, R::Error> {
    tree_map_with_path_rest(|path, x, []| f(path, x), tree, [tree; 0])
}

/// [`tree_map_rest`] with a function that gets each tensor's key, too.
///
/// # Errors
/// As [`tree_map_rest`].
#[doc(alias = "mlx.utils.tree_map_with_path")]
pub fn tree_map_with_path_rest<T: Tree, U: Tree, R: Outcome<Output = Tensor>, const N: usize>(
    mut f: impl FnMut(&str, &Tensor, [&Tensor; N]) -> R,
    tree: &T,
    rest: [&U; N],
) -> Result<T, R::Error> {
    let given = Flat::of(tree);
    let rest = rest.map(|tree| Beside::of(tree, &given));
    let mut mapped = Vec::with_capacity(given.tensors.len());
    for (i, (key, tensor)) in given.keys.iter().zip(&given.tensors).enumerate() {
        let mut beside = [*tensor; N];
        for (place, tree) in beside.iter_mut().zip(&rest) {
            *place = tree.at(i, key).ok_or_else(|| {
                let message = format!("a tree beside the first has no tensor at {key:?}");
                Error::new(ErrorKind::Index, "tree_map", message)
            })?;
        }
        mapped.push(f(key, tensor, beside).into_result()?);
    }
    Ok(built(&tree.structure(), mapped))
}

/// A tree's keys and tensors, in order.
struct Flat<'a> {
    keys: Vec<String>,
    tensors: Vec<&'a Tensor>,
}

impl<'a> Flat<'a> {
    fn of<T: Tree>(tree: &'a T) -> Flat<'a> {
        let (mut keys, mut tensors) = (Vec::new(), Vec::new());
        T::keys(&tree.structure(), "", &mut keys);
        tree.visit(&mut |leaf| tensors.push(leaf));
        Flat { keys, tensors }
    }
}

/// The tensors of a tree, to be found by those of another.
enum Beside<'a> {
    /// Both have the same keys in the same order.
    Alike(Vec<&'a Tensor>),
    ByKey(HashMap<String, &'a Tensor>),
}

impl<'a> Beside<'a> {
    fn of<T: Tree>(tree: &'a T, first: &Flat<'_>) -> Beside<'a> {
        let Flat { keys, tensors } = Flat::of(tree);
        if keys == first.keys {
            Beside::Alike(tensors)
        } else {
            Beside::ByKey(keys.into_iter().zip(tensors).collect())
        }
    }

    /// The tensor beside the first tree's `i`-th one, which has that key.
    fn at(&self, i: usize, key: &str) -> Option<&'a Tensor> {
        match self {
            Beside::Alike(tensors) => Some(tensors[i]),
            Beside::ByKey(tensors) => tensors.get(key).copied(),
        }
    }
}

/// The tensors of a tree with their keys, in order.
///
/// They collect into any map, which is Python's `destination`.
///
/// ```
/// # use mlx_core::{tensor, utils::tree_flatten};
/// let flat = tree_flatten(&vec![(tensor![1.0], [tensor![2.0]])]);
/// assert_eq!(flat.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["0.0", "0.1.0"]);
/// ```
#[doc(alias = "mlx.utils.tree_flatten")]
pub fn tree_flatten<T: Tree>(tree: &T) -> Vec<(String, Tensor)> {
    let flat = Flat::of(tree);
    flat.keys.into_iter().zip(flat.tensors.into_iter().cloned()).collect()
}

/// What `f` makes of `initializer` and the first tensor, then of that and the second, and so on.
///
/// ```
/// # use mlx_core::{tensor, utils::tree_reduce};
/// let tree = (tensor![1.0, 2.0], [tensor![3.0]]);
/// assert_eq!(tree_reduce(|count, x| count + x.size(), &tree, 0), 3);
/// ```
#[doc(alias = "mlx.utils.tree_reduce")]
pub fn tree_reduce<T: Tree, A>(f: impl FnMut(A, &Tensor) -> A, tree: &T, initializer: A) -> A {
    let mut leaves = Vec::new();
    tree.visit(&mut |leaf| leaves.push(leaf));
    leaves.into_iter().fold(initializer, f)
}
