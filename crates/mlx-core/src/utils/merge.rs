//! Two trees in one.

use super::Nested;
use crate::{Error, ErrorKind, Result};

const OP: &str = "tree_merge";

/// The entries and items of both trees, a deep update of maps; what is empty gives way.
///
/// Entries come in the order of `a`, then those of `b` alone. Python's order is any, and it refuses an empty subtree
/// beside nothing, which stays here.
///
/// # Errors
/// Values at the same place; an empty list beside an empty map.
///
/// ```
/// # use mlx_core::utils::{tree_merge, tree_unflatten};
/// let a = tree_unflatten([("a.x", 1), ("b.0", 2)])?;
/// let both = tree_merge(a, tree_unflatten([("a.y", 3)])?)?;
/// assert_eq!(both, tree_unflatten([("a.x", 1), ("a.y", 3), ("b.0", 2)])?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_merge")]
pub fn tree_merge<V>(a: Nested<V>, b: Nested<V>) -> Result<Nested<V>> {
    tree_merge_with(a, b, |_, _| {
        let message = "Trees contain elements at the same locations but no merge function was provided";
        Err(Error::new(ErrorKind::Value, OP, message))
    })
}

/// [`tree_merge`] with a function for what stands at the same place: two values, or two subtrees that are not alike.
///
/// # Errors
/// What `merge` returns; an empty list beside an empty map.
///
/// ```
/// # use mlx_core::{Error, utils::{tree_merge_with, tree_unflatten}};
/// let (a, b) = (tree_unflatten([("a", 1), ("b", 2)])?, tree_unflatten([("b", 3), ("c", 4)])?);
/// let both = tree_merge_with(a, b, |old, _new| Ok::<_, Error>(old))?;
/// assert_eq!(both, tree_unflatten([("a", 1), ("b", 2), ("c", 4)])?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_merge")]
pub fn tree_merge_with<V, E: From<Error>>(
    a: Nested<V>,
    b: Nested<V>,
    mut merge: impl FnMut(Nested<V>, Nested<V>) -> Result<Nested<V>, E>,
) -> Result<Nested<V>, E> {
    merged(a, b, &mut merge)
}

type Merge<'f, V, E> = &'f mut dyn FnMut(Nested<V>, Nested<V>) -> Result<Nested<V>, E>;

fn merged<V, E: From<Error>>(a: Nested<V>, b: Nested<V>, merge: Merge<'_, V, E>) -> Result<Nested<V>, E> {
    match (a, b) {
        (a, b) if is_empty(&a) && is_empty(&b) => {
            if std::mem::discriminant(&a) == std::mem::discriminant(&b) {
                return Ok(a);
            }
            let message = format!("Cannot merge {} with {}", name(&a), name(&b));
            Err(Error::new(ErrorKind::Value, OP, message).into())
        }
        (a, b) if is_empty(&b) => Ok(a),
        (a, b) if is_empty(&a) => Ok(b),
        (Nested::List(a), Nested::List(b)) => {
            let (mut a, mut b) = (a.into_iter(), b.into_iter());
            let pairs = std::iter::from_fn(|| match (a.next(), b.next()) {
                (None, None) => None,
                pair => Some(pair),
            });
            let items = pairs.map(|pair| match pair {
                (Some(a), Some(b)) => merged(a, b, merge),
                (Some(one), None) | (None, Some(one)) => Ok(one),
                (None, None) => unreachable!("the pairs end before"),
            });
            items.collect::<Result<_, E>>().map(Nested::List)
        }
        (Nested::Map(mut a), Nested::Map(b)) => {
            for (key, other) in b {
                match a.get_mut(&key) {
                    Some(tree) => {
                        let own = std::mem::replace(tree, Nested::List(Vec::new()));
                        *tree = merged(own, other, merge)?;
                    }
                    None => drop(a.insert(key, other)),
                }
            }
            Ok(Nested::Map(a))
        }
        (a, b) => merge(a, b),
    }
}

fn is_empty<V>(tree: &Nested<V>) -> bool {
    match tree {
        Nested::Leaf(_) => false,
        Nested::List(items) => items.is_empty(),
        Nested::Map(entries) => entries.is_empty(),
    }
}

/// Python's name of what it is.
fn name<V>(tree: &Nested<V>) -> &'static str {
    match tree {
        Nested::Leaf(_) => "array",
        Nested::List(_) => "list",
        Nested::Map(_) => "dict",
    }
}
