//! Trees whose form is known at run time only: Python's nested dicts and lists.
//!
//! Not here: making one from keys (`unflatten`), two into one (`merge`).

use crate::{
    Tensor,
    transforms::{Tree, joined},
};
use indexmap::IndexMap;

/// A value, or lists and maps of such, within each other.
///
/// Maps keep the order in which their entries came, as Python's dicts do, and are equal whatever their order. With
/// tensors it is a [`Tree`] like others; values of other types map and flatten by its own methods.
///
/// ```
/// # use mlx_core::utils::{Nested, tree_unflatten};
/// let tree = tree_unflatten([("layers.0.size", 4), ("layers.1.size", 5), ("name", 6)])?;
/// assert_eq!(tree.get("layers.1.size"), Some(&Nested::Leaf(5)));
/// let doubled = tree.map(|size| 2 * size);
/// assert_eq!(doubled.flatten(), [("layers.0.size".into(), &8), ("layers.1.size".into(), &10), ("name".into(), &12)]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nested<V = Tensor> {
    /// A value.
    Leaf(V),
    /// A Python list.
    List(Vec<Nested<V>>),
    /// A Python dict.
    Map(IndexMap<String, Nested<V>>),
}

impl<V> Nested<V> {
    /// The tree at a key, `layers.0.weight`; at an empty one the whole.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Nested<V>> {
        if key.is_empty() {
            return Some(self);
        }
        let (first, rest) = key.split_once('.').unwrap_or((key, ""));
        match self {
            Nested::Leaf(_) => None,
            Nested::List(items) => items.get(first.parse::<usize>().ok()?)?.get(rest),
            Nested::Map(entries) => entries.get(first)?.get(rest),
        }
    }

    /// The value, of a leaf.
    #[must_use]
    pub fn as_leaf(&self) -> Option<&V> {
        if let Nested::Leaf(value) = self { Some(value) } else { None }
    }

    /// A tree of the same form, with what `f` gives for each value.
    pub fn map<W>(&self, mut f: impl FnMut(&V) -> W) -> Nested<W> {
        self.mapped(&mut |_| false, &mut |leaf| match leaf {
            Nested::Leaf(value) => Nested::Leaf(f(value)),
            _ => unreachable!("nothing else is taken for a leaf"),
        })
    }

    /// [`map`](Nested::map) with what `is_leaf` takes for leaves: `f` gets leaves and such subtrees.
    ///
    /// ```
    /// # use mlx_core::utils::{Nested, tree_unflatten};
    /// let tree = tree_unflatten([("a.0", 1), ("a.1", 2), ("b", 3)])?;
    /// let counts = tree.map_where(|tree| matches!(tree, Nested::List(_)), |tree| Nested::Leaf(tree.flatten().len()));
    /// assert_eq!(counts, tree_unflatten([("a", 2), ("b", 1)])?);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn map_where<W>(
        &self,
        mut is_leaf: impl FnMut(&Nested<V>) -> bool,
        mut f: impl FnMut(&Nested<V>) -> Nested<W>,
    ) -> Nested<W> {
        self.mapped(&mut is_leaf, &mut f)
    }

    fn mapped<W>(
        &self,
        is_leaf: &mut dyn FnMut(&Nested<V>) -> bool,
        f: &mut dyn FnMut(&Nested<V>) -> Nested<W>,
    ) -> Nested<W> {
        match self {
            taken if is_leaf(taken) => f(taken),
            Nested::Leaf(_) => f(self),
            Nested::List(items) => Nested::List(items.iter().map(|tree| tree.mapped(is_leaf, f)).collect()),
            Nested::Map(entries) => Nested::Map(
                entries.iter().map(|(key, tree)| (key.clone(), tree.mapped(is_leaf, f))).collect(),
            ),
        }
    }

    /// The values with their keys, in order; what is empty has none.
    #[must_use]
    pub fn flatten(&self) -> Vec<(String, &V)> {
        let leaves = self.flatten_where(|_| false).into_iter();
        leaves.filter_map(|(key, tree)| Some((key, tree.as_leaf()?))).collect()
    }

    /// The leaves, and the subtrees that `is_leaf` takes for such, with their keys, in order.
    pub fn flatten_where(&self, mut is_leaf: impl FnMut(&Nested<V>) -> bool) -> Vec<(String, &Nested<V>)> {
        let mut flat = Vec::new();
        self.flattened(String::new(), &mut is_leaf, &mut flat);
        flat
    }

    fn flattened<'a>(
        &'a self,
        key: String,
        is_leaf: &mut dyn FnMut(&Nested<V>) -> bool,
        into: &mut Vec<(String, &'a Nested<V>)>,
    ) {
        match self {
            taken if is_leaf(taken) => into.push((key, taken)),
            Nested::Leaf(_) => into.push((key, self)),
            Nested::List(items) => {
                for (i, tree) in items.iter().enumerate() {
                    tree.flattened(joined(&key, i), is_leaf, into);
                }
            }
            Nested::Map(entries) => {
                for (name, tree) in entries {
                    tree.flattened(joined(&key, name), is_leaf, into);
                }
            }
        }
    }
}

/// The form of a [`Nested`] tree: what is a list, what a map, and the keys in their order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NestedStructure(Form);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Leaf,
    List(Vec<NestedStructure>),
    Map(Vec<(String, NestedStructure)>),
}

impl Tree for Nested {
    type Structure = NestedStructure;

    fn structure(&self) -> NestedStructure {
        NestedStructure(match self {
            Nested::Leaf(_) => Form::Leaf,
            Nested::List(items) => Form::List(items.iter().map(Tree::structure).collect()),
            Nested::Map(entries) => {
                Form::Map(entries.iter().map(|(key, tree)| (key.clone(), tree.structure())).collect())
            }
        })
    }

    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        match self {
            Nested::Leaf(tensor) => leaf(tensor),
            Nested::List(items) => items.iter().for_each(|tree| tree.visit(leaf)),
            Nested::Map(entries) => entries.values().for_each(|tree| tree.visit(leaf)),
        }
    }

    fn keys(structure: &NestedStructure, prefix: &str, into: &mut Vec<String>) {
        match &structure.0 {
            Form::Leaf => into.push(prefix.to_owned()),
            Form::List(items) => Vec::<Nested>::keys(items, prefix, into),
            Form::Map(entries) => {
                for (key, tree) in entries {
                    Nested::keys(tree, &joined(prefix, key), into);
                }
            }
        }
    }

    fn build(structure: &NestedStructure, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Nested> {
        Some(match &structure.0 {
            Form::Leaf => Nested::Leaf(leaves.next()?),
            Form::List(items) => Nested::List(Vec::build(items, leaves)?),
            Form::Map(entries) => {
                let built =
                    entries.iter().map(|(key, tree)| Some((key.clone(), Nested::build(tree, leaves)?)));
                Nested::Map(built.collect::<Option<_>>()?)
            }
        })
    }
}
