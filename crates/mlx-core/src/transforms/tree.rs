//! Trees of tensors: what functions take and give when they are transformed.
//!
//! Not here: the functions of `mlx.utils` over trees (`crate::utils`).

use crate::Tensor;
use indexmap::IndexMap;
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Debug,
    hash::{BuildHasher, Hash},
};

/// Tensors in an order, held by a tensor, a tuple, an array, a `Vec`, an `Option`, a map, or these within each other.
///
/// Maps are walked in the order of their keys, an `IndexMap` in its own. A struct is a tree once it says how it is walked and built:
///
/// ```
/// use mlx_core::{Tensor, tensor, transforms::{Tree, grad}};
/// use mlx_ops::ReduceOps;
///
/// struct Line {
///     slope: Tensor,
///     offset: Tensor,
/// }
///
/// impl Tree for Line {
///     type Structure = ();
///     fn structure(&self) {}
///     fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
///         leaf(&self.slope);
///         leaf(&self.offset);
///     }
///     fn keys((): &(), prefix: &str, into: &mut Vec<String>) {
///         <[Tensor; 2]>::keys(&[(), ()], prefix, into);
///     }
///     fn build((): &(), leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Line> {
///         Some(Line { slope: leaves.next()?, offset: leaves.next()? })
///     }
/// }
///
/// let line = Line { slope: tensor![2.0], offset: tensor![1.0] };
/// let x = tensor![3.0, 4.0];
/// let slopes = grad(|line: &Line| (&line.slope * &x + &line.offset).sum(..), &line)?;
/// assert_eq!((slopes.slope.item::<f32>()?, slopes.offset.item::<f32>()?), (7.0, 2.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub trait Tree: Sized {
    /// What is left of a tree without its tensors: lengths, keys, which options are there.
    type Structure: Clone + Debug + Eq + Hash + Send + Sync + 'static;

    /// The tree without its tensors.
    fn structure(&self) -> Self::Structure;

    /// Calls `leaf` with each tensor, in order.
    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor));

    /// Appends a key for each tensor, in order: `prefix` and the way to the tensor, as Python's `tree_flatten` joins them
    /// by dots. A tensor's own key is the prefix.
    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>);

    /// A tree of that structure with these tensors; `None` when there are too few.
    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Self>;
}

/// A key below `prefix`.
#[must_use]
pub fn joined(prefix: &str, key: impl std::fmt::Display) -> String {
    if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") }
}

/// The tensors of a tree, counted once more.
pub(super) fn tensors<T: Tree>(tree: &T) -> Vec<Tensor> {
    let mut tensors = Vec::new();
    tree.visit(&mut |leaf| tensors.push(leaf.clone()));
    tensors
}

impl Tree for Tensor {
    type Structure = ();

    fn structure(&self) {}

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        leaf(self);
    }

    fn keys((): &(), prefix: &str, into: &mut Vec<String>) {
        into.push(prefix.to_owned());
    }

    fn build((): &(), leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Tensor> {
        leaves.next()
    }
}

impl<T: Tree> Tree for Vec<T> {
    type Structure = Vec<T::Structure>;

    fn structure(&self) -> Self::Structure {
        self.iter().map(T::structure).collect()
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        for tree in self {
            tree.visit(leaf);
        }
    }

    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
        for (i, tree) in structure.iter().enumerate() {
            T::keys(tree, &joined(prefix, i), into);
        }
    }

    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Vec<T>> {
        structure.iter().map(|tree| T::build(tree, leaves)).collect()
    }
}

impl<T: Tree, const N: usize> Tree for [T; N] {
    type Structure = [T::Structure; N];

    fn structure(&self) -> Self::Structure {
        self.each_ref().map(T::structure)
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        for tree in self {
            tree.visit(leaf);
        }
    }

    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
        for (i, tree) in structure.iter().enumerate() {
            T::keys(tree, &joined(prefix, i), into);
        }
    }

    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<[T; N]> {
        let built: Option<Vec<T>> = structure.iter().map(|tree| T::build(tree, leaves)).collect();
        built?.try_into().ok()
    }
}

impl<T: Tree> Tree for Option<T> {
    type Structure = Option<T::Structure>;

    fn structure(&self) -> Self::Structure {
        self.as_ref().map(T::structure)
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        if let Some(tree) = self {
            tree.visit(leaf);
        }
    }

    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
        if let Some(tree) = structure {
            T::keys(tree, prefix, into);
        }
    }

    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Option<T>> {
        match structure {
            None => Some(None),
            Some(tree) => T::build(tree, leaves).map(Some),
        }
    }
}

/// Keys of maps: what has an order, and a name in a dotted key.
pub trait TreeKey: Clone + Debug + std::fmt::Display + Eq + Hash + Ord + Send + Sync + 'static {}

impl<K: Clone + Debug + std::fmt::Display + Eq + Hash + Ord + Send + Sync + 'static> TreeKey for K {}

impl<K: TreeKey, T: Tree> Tree for BTreeMap<K, T> {
    type Structure = Vec<(K, T::Structure)>;

    fn structure(&self) -> Self::Structure {
        self.iter().map(|(key, tree)| (key.clone(), tree.structure())).collect()
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        for tree in self.values() {
            tree.visit(leaf);
        }
    }

    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
        for (key, tree) in structure {
            T::keys(tree, &joined(prefix, key), into);
        }
    }

    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
        entries(structure, leaves)
    }
}

impl<K: TreeKey, T: Tree, S: BuildHasher + Default> Tree for HashMap<K, T, S> {
    type Structure = Vec<(K, T::Structure)>;

    fn structure(&self) -> Self::Structure {
        in_order(self).into_iter().map(|(key, tree)| (key.clone(), tree.structure())).collect()
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        for (_, tree) in in_order(self) {
            tree.visit(leaf);
        }
    }

    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
        <BTreeMap<K, T> as Tree>::keys(structure, prefix, into);
    }

    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
        entries(structure, leaves)
    }
}

impl<K: TreeKey, T: Tree, S: BuildHasher + Default> Tree for IndexMap<K, T, S> {
    type Structure = Vec<(K, T::Structure)>;

    fn structure(&self) -> Self::Structure {
        self.iter().map(|(key, tree)| (key.clone(), tree.structure())).collect()
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        for tree in self.values() {
            tree.visit(leaf);
        }
    }

    fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
        <BTreeMap<K, T> as Tree>::keys(structure, prefix, into);
    }

    fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
        entries(structure, leaves)
    }
}

/// The entries of a map, built in turn.
fn entries<K: TreeKey, T: Tree, M: FromIterator<(K, T)>>(
    structure: &[(K, T::Structure)],
    leaves: &mut dyn Iterator<Item = Tensor>,
) -> Option<M> {
    structure.iter().map(|(key, tree)| Some((key.clone(), T::build(tree, leaves)?))).collect()
}

fn in_order<K: Ord, T, S>(map: &HashMap<K, T, S>) -> Vec<(&K, &T)> {
    let mut entries: Vec<(&K, &T)> = map.iter().collect();
    entries.sort_unstable_by_key(|&(key, _)| key);
    entries
}

/// Nothing to take or to give.
impl Tree for () {
    type Structure = ();

    fn structure(&self) {}

    fn visit<'a>(&'a self, _leaf: &mut dyn FnMut(&'a Tensor)) {}

    fn keys((): &(), _prefix: &str, _into: &mut Vec<String>) {}

    fn build((): &(), _leaves: &mut dyn Iterator<Item = Tensor>) -> Option<()> {
        Some(())
    }
}

macro_rules! tuple {
    ($($name:ident $position:tt),*) => {
        impl<$($name: Tree),*> Tree for ($($name,)*) {
            type Structure = ($($name::Structure,)*);

            fn structure(&self) -> Self::Structure {
                ($(self.$position.structure(),)*)
            }

            fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
                $(self.$position.visit(leaf);)*
            }

            fn keys(structure: &Self::Structure, prefix: &str, into: &mut Vec<String>) {
                $($name::keys(&structure.$position, &joined(prefix, $position), into);)*
            }

            fn build(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
                Some(($($name::build(&structure.$position, leaves)?,)*))
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, F 4);
tuple!(A 0, B 1, C 2, D 3, F 4, G 5);
