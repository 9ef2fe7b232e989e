//! The functions of `mlx.utils` over trees: what Python MLX 0.32.2 gives for the same trees.

use mlx::{
    Result,
    prelude::*,
    utils::{
        IndexMap, Nested, tree_flatten, tree_map, tree_map_rest, tree_map_with_path, tree_merge,
        tree_merge_with, tree_reduce, tree_unflatten, tree_unflatten_like,
    },
};
use std::collections::{BTreeMap, HashMap};

fn leaf<V>(value: V) -> Nested<V> {
    Nested::Leaf(value)
}

fn map<V, const N: usize>(entries: [(&str, Nested<V>); N]) -> Nested<V> {
    Nested::Map(entries.map(|(key, tree)| (key.to_owned(), tree)).into_iter().collect())
}

fn list<V, const N: usize>(items: [Nested<V>; N]) -> Nested<V> {
    Nested::List(items.into_iter().collect())
}

fn empty() -> Nested<i32> {
    map([])
}

#[track_caller]
fn check(keys: &[(&str, i32)], tree: &Nested<i32>) {
    assert_eq!(&tree_unflatten(keys.iter().copied()).expect("Python takes them"), tree);
}

#[test]
fn keys_become_maps_and_lists() {
    check(&[("hello.world", 42)], &map([("hello", map([("world", leaf(42))]))]));
    check(&[("a", 1), ("a.b", 2)], &map([("a", map([("", leaf(1)), ("b", leaf(2))]))]));
    check(&[], &list([]));
    check(&[("", 3)], &leaf(3));
    check(&[("2.w", 1), ("0.w", 2)], &list([map([("w", leaf(2))]), empty(), map([("w", leaf(1))])]));
    check(&[("l.01", 1), ("l.1", 2)], &map([("l", map([("01", leaf(1)), ("1", leaf(2))]))]));
    check(&[("l.0", 1), ("l.x", 2)], &map([("l", map([("0", leaf(1)), ("x", leaf(2))]))]));
    check(&[("a.", 1), (".b", 2)], &map([("a", leaf(1)), ("", map([("b", leaf(2))]))]));
    let signs = [("l.-1", 1), ("l.1_0", 2), ("l.+2", 5), ("l. 3 ", 6)];
    let mut places = vec![leaf(1), empty(), leaf(5), leaf(6)];
    places.extend((0..6).map(|_| empty()));
    places.push(leaf(2));
    check(&signs, &map([("l", Nested::List(places))]));
}

#[test]
fn maps_keep_the_order_of_their_keys() {
    let tree = tree_unflatten([("b.y", 1), ("a", 2), ("b.x", 3)]).expect("keys");
    let keys: Vec<String> = tree.flatten().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["b.y", "b.x", "a"]);
}

#[test]
fn hostile_keys_are_errors() {
    let message = |keys: Vec<(String, i32)>| tree_unflatten(keys).expect_err("hostile").message().to_owned();
    assert_eq!(message(vec![("a".into(), 1), ("a".into(), 2)]), "a key stands there twice");
    assert_eq!(message(vec![("a.".repeat(100_000), 1)]), "a key has more than 256 levels");
    let far = message(vec![("99999999999999999999999".into(), 1)]);
    assert_eq!(far, "99999999999999999999999 is too far behind the list's other places");
    let many = (1..4).map(|i| ((i * 65_536).to_string(), 0)).collect();
    assert_eq!(message(many), "131072 is too far behind the list's other places");
}

#[test]
fn flat_keys_are_pythons() {
    let tree = BTreeMap::from([("a", (tensor![1.0], vec![tensor![2.0], tensor![3.0]]))]);
    let keys: Vec<String> = tree_flatten(&tree).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a.0", "a.1.0", "a.1.1"]);
    assert_eq!(tree_flatten(&tensor![5.0])[0].0, "");
    let dynamic = map([("a", list([leaf(1), map([("b", leaf(2))])])), ("e", list([]))]);
    assert_eq!(dynamic.flatten(), [("a.0".into(), &1), ("a.1.b".into(), &2)]);
    let lists = dynamic.flatten_where(|tree| matches!(tree, Nested::List(_)));
    assert_eq!(lists.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["a", "e"]);
}

#[test]
fn other_trees_may_hold_more() -> Result<()> {
    let sum = |x: &Tensor, [y]: [&Tensor; 1]| x + y;
    let (short, long) = (vec![tensor![1.0], tensor![2.0]], vec![tensor![3.0], tensor![4.0], tensor![5.0]]);
    let sums = tree_map_rest(sum, &short, [&long])?;
    assert_eq!((sums.len(), sums[0].item::<f32>()?, sums[1].item::<f32>()?), (2, 4.0, 6.0));
    let error = tree_map_rest(sum, &long, [&short]).expect_err("Python: list index out of range");
    assert_eq!(error.message(), "a tree beside the first has no tensor at \"2\"");
    let by_name = |entries: [(&'static str, Tensor); 2]| HashMap::from(entries);
    let (a, b) = (
        by_name([("x", tensor![1.0]), ("y", tensor![2.0])]),
        by_name([("y", tensor![1.0]), ("z", tensor![0.0])]),
    );
    assert!(tree_map_rest(sum, &a, [&b]).is_err(), "Python: KeyError 'x'");
    let both = tree_map_rest(|x, [y, z]| x + y * z, &short, [&short, &short])?;
    assert_eq!((both[0].item::<f32>()?, both[1].item::<f32>()?), (2.0, 6.0));
    Ok(())
}

#[test]
fn paths_and_errors_of_the_function() -> Result<()> {
    let tree = map([("model", list([map([("w", leaf(tensor![0.0])), ("b", leaf(tensor![1.0]))])]))]);
    let mut paths = Vec::new();
    let same = tree_map_with_path(
        |path, x| {
            paths.push(path.to_owned());
            x.clone()
        },
        &tree,
    )?;
    assert_eq!(paths, ["model.0.w", "model.0.b"]);
    assert_eq!(tree_flatten(&same)[1].1.to_vec::<f32>()?, [1.0]);
    let mut calls = 0;
    let failed = tree_map(
        |x| {
            calls += 1;
            if calls == 1 { x.item::<i32>().map(|_| x.clone()) } else { Ok(x.clone()) }
        },
        &tree,
    );
    assert!(failed.is_err() && calls == 1, "the first error ends it");
    Ok(())
}

#[test]
fn reduced_in_order() {
    let tree = (tensor![1.0], [tensor![2.0, 3.0], tensor![4.0, 5.0, 6.0]]);
    let sizes = tree_reduce(|sizes, x| format!("{sizes}{}", x.size()), &tree, String::from(":"));
    assert_eq!(sizes, ":123");
    assert_eq!(tree_reduce(|count: i32, _| count + 1, &(), 7), 7);
}

#[test]
fn merged_deep() {
    let a = || map([("a", map([("x", leaf(1))])), ("b", list([leaf(1), leaf(2)]))]);
    let b = map([("a", map([("y", leaf(3))])), ("b", list([]))]);
    let both = map([("a", map([("x", leaf(1)), ("y", leaf(3))])), ("b", list([leaf(1), leaf(2)]))]);
    assert_eq!(tree_merge(a(), b).expect("no two values at a place"), both);
    let message = |a, b| tree_merge::<i32>(a, b).expect_err("Python refuses").message().to_owned();
    let twice = "Trees contain elements at the same locations but no merge function was provided";
    assert_eq!(message(a(), map([("a", map([("x", leaf(2))]))])), twice);
    assert_eq!(message(map([("a", list([]))]), map([("a", map([]))])), "Cannot merge list with dict");
    let pair = |a: Nested<i32>, b: Nested<i32>| Ok::<_, Error>(list([a, b]));
    let lists = tree_merge_with(list([leaf(1), leaf(2)]), list([leaf(3), leaf(4), leaf(5)]), pair);
    let zipped = list([list([leaf(1), leaf(3)]), list([leaf(2), leaf(4)]), leaf(5)]);
    assert_eq!(lists.expect("pairs"), zipped);
    let order = tree_merge(map([("z", leaf(1))]), map([("y", leaf(2)), ("a", leaf(3))])).expect("merged");
    let keys: Vec<String> = order.flatten().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["z", "y", "a"]);
}

#[test]
fn into_a_known_form() -> Result<()> {
    let like = IndexMap::from([("w", [tensor![0.0], tensor![0.0]])]);
    let made = tree_unflatten_like(&like, [("w.1", tensor![2.0]), ("w.0", tensor![1.0])])?;
    assert_eq!((made["w"][0].item::<f32>()?, made["w"][1].item::<f32>()?), (1.0, 2.0));
    let message = |tensors: Vec<(&str, Tensor)>| {
        tree_unflatten_like(&like, tensors).expect_err("another form").message().to_owned()
    };
    let x = || tensor![1.0];
    assert_eq!(message(vec![("w.0", x())]), "there is no tensor for \"w.1\"");
    assert_eq!(message(vec![("w.0", x()), ("w.1", x()), ("b", x())]), "the tree has no \"b\"");
    assert_eq!(message(vec![("w.0", x()), ("w.0", x())]), "\"w.0\" stands there twice");
    Ok(())
}

#[test]
fn dynamic_trees_are_differentiated() -> Result<()> {
    let at = map([("b", leaf(tensor![3.0])), ("a", list([leaf(tensor![2.0])]))]);
    let value = |tree: &Nested| {
        let at = |key| tree.get(key).and_then(Nested::as_leaf).expect("a tensor").clone();
        (at("a.0") * at("b")).sum(..)
    };
    let slopes = mlx::transforms::grad(value, &at)?;
    assert_eq!(slopes.get("b").and_then(Nested::as_leaf).expect("a slope").to_vec::<f32>()?, [2.0]);
    assert_eq!(slopes.get("a.0").and_then(Nested::as_leaf).expect("a slope").to_vec::<f32>()?, [3.0]);
    Ok(())
}
