//! Trees from keys and values: Python's `tree_unflatten`, and into a tree whose form is known.

use super::{Flat, Nested};
use crate::{
    Error, ErrorKind, Result, Tensor,
    transforms::{Tree, built},
};
use indexmap::IndexMap;
use std::collections::{BTreeMap, HashMap};

/// Python gives up at about a thousand levels; these fit the stack of any thread.
const MOST_LEVELS: usize = 256;
/// Places of a list that no key names.
const MOST_EMPTY_PLACES: i64 = 1 << 16;

/// The tree that has these values at these keys, as Python makes it.
///
/// Entries come in the order of the keys. Where all keys of a level are integers it is a list, with empty maps at
/// places that no key names.
///
/// # Errors
/// A key that stands twice, of more than 256 levels, or that asks for a list of more than 65536 empty places.
///
/// ```
/// # use mlx_core::utils::{Nested, tree_unflatten};
/// let tree = tree_unflatten([("hello.world", 42)])?;
/// assert_eq!(tree.get("hello.world"), Some(&Nested::Leaf(42)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_unflatten")]
pub fn tree_unflatten<K: Into<String>, V>(tree: impl IntoIterator<Item = (K, V)>) -> Result<Nested<V>> {
    grown(tree.into_iter().map(|(key, value)| (key.into(), value)).collect(), 0)
}

fn refused<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Value, "tree_unflatten", message))
}

fn grown<V>(mut items: Vec<(String, V)>, level: usize) -> Result<Nested<V>> {
    if items.iter().all(|(key, _)| key.is_empty()) && !items.is_empty() {
        return match (items.pop(), items.is_empty()) {
            (Some((_, value)), true) => Ok(Nested::Leaf(value)),
            _ => refused("a key stands there twice"),
        };
    }
    if level == MOST_LEVELS {
        return refused(format!("a key has more than {MOST_LEVELS} levels"));
    }
    let mut children: IndexMap<String, Vec<(String, V)>> = IndexMap::new();
    for (key, value) in items {
        let (first, rest) = key.split_once('.').unwrap_or((&key, ""));
        let below = (rest.to_owned(), value);
        match children.get_mut(first) {
            Some(child) => child.push(below),
            None => drop(children.insert(first.to_owned(), vec![below])),
        }
    }
    // "01" and "1" are one number and two keys, which makes a map.
    let places: Option<BTreeMap<i64, &String>> =
        children.keys().map(|key| Some((place(key)?, key))).collect();
    if let Some(places) = places.filter(|places| places.len() == children.len()) {
        let places: Vec<(i64, String)> = places.into_iter().map(|(i, key)| (i, key.clone())).collect();
        return list(&places, children, level);
    }
    let grown = children.into_iter().map(|(key, child)| Ok((key, grown(child, level + 1)?)));
    grown.collect::<Result<_>>().map(Nested::Map)
}

fn list<V>(
    places: &[(i64, String)],
    mut children: IndexMap<String, Vec<(String, V)>>,
    level: usize,
) -> Result<Nested<V>> {
    let mut list = Vec::new();
    let mut empty = 0;
    for (place, key) in places {
        let before = place.saturating_sub(list.len() as i64).max(0);
        empty += before.min(MOST_EMPTY_PLACES + 1);
        if empty > MOST_EMPTY_PLACES {
            return refused(format!("{key} is too far behind the list's other places"));
        }
        list.extend((0..before).map(|_| Nested::Map(IndexMap::new())));
        list.push(grown(children.swap_remove(key).expect("each key once"), level + 1)?);
    }
    Ok(Nested::List(list))
}

/// The number that Python's `int` reads, saturated: `0`, `-1`, `+2`, `1_000`, with blanks around.
fn place(key: &str) -> Option<i64> {
    let text = key.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits.split('_').all(is_part) {
        return None;
    }
    let value = digits.replace('_', "").parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -value } else { value })
}

/// A tree of the form of `like` with these tensors, whatever their order.
///
/// # Errors
/// A key of `like` that is missing; one that it has not, or that stands twice.
///
/// ```
/// # use mlx_core::{tensor, utils::tree_unflatten_like};
/// let like = (tensor![0.0], vec![tensor![0.0]]);
/// let (a, b) = tree_unflatten_like(&like, [("1.0", tensor![2.0]), ("0", tensor![1.0])])?;
/// assert_eq!((a.item::<f32>()?, b[0].item::<f32>()?), (1.0, 2.0));
/// let error = tree_unflatten_like(&like, [("0", tensor![1.0])]).unwrap_err();
/// assert_eq!(error.message(), "there is no tensor for \"1.0\"");
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.utils.tree_unflatten")]
pub fn tree_unflatten_like<T: Tree, K: Into<String>>(
    like: &T,
    tensors: impl IntoIterator<Item = (K, Tensor)>,
) -> Result<T> {
    let mut given: HashMap<String, Tensor> = HashMap::new();
    for (key, tensor) in tensors {
        let key = key.into();
        if given.contains_key(&key) {
            return refused(format!("{key:?} stands there twice"));
        }
        given.insert(key, tensor);
    }
    let mut leaves = Vec::new();
    for key in Flat::of(like).keys {
        match given.remove(&key) {
            Some(tensor) => leaves.push(tensor),
            None => return refused(format!("there is no tensor for {key:?}")),
        }
    }
    if let Some(key) = given.keys().min() {
        return refused(format!("the tree has no {key:?}"));
    }
    Ok(built(&like.structure(), leaves))
}
