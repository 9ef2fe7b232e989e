//! The graph as text and as a picture: names as Python's keywords give them, every structure, any depth.

use mlx::{
    Dtype, ErrorKind, Tensor, eval,
    graph::{self, Graph},
    ops,
    prelude::*,
};
use std::collections::HashMap;

/// The graph says what Python MLX 0.32.2 says of the same program: its `export_to_dot` text, brought to one line with
/// its heap addresses numbered.
#[track_caller]
fn check(graph: &Graph, python: &str) {
    let dot = graph.dot().unwrap();
    let mut numbers = HashMap::new();
    let words = dot.split_whitespace().map(|word| {
        if !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return word.to_owned();
        }
        let next = numbers.len() + 1;
        numbers.entry(word).or_insert(next).to_string()
    });
    assert_eq!(words.collect::<Vec<_>>().join(" "), python);
}

/// x, y and x * 0.5 + y
fn program() -> [Tensor; 3] {
    let (x, y) = (tensor![1.0, 2.0], tensor![3.0, 4.0]);
    let z = &x * 0.5 + &y;
    [x, y, z]
}

#[track_caller]
fn refused(graph: &Graph, words: &str) {
    for result in [graph.dot(), graph.canonical(), graph.svg(), graph.node_count().map(|n| n.to_string())] {
        let error = result.expect_err("a bad name");
        assert!(error.kind() == ErrorKind::Value && error.message().contains(words), "{error}");
    }
}

#[test]
fn without_names() {
    let [_, _, z] = program();
    check(
        &Graph::of([&z]),
        r#"digraph { { rank=source; "A"; } { rank=source; "B"; } { 1 [label ="Broadcast", shape=rectangle]; } "B" -> 1 { "C"; } 1 -> "C" { 2 [label ="Multiply", shape=rectangle]; } "A" -> 2 "C" -> 2 { "D"; } 2 -> "D" { rank=source; "E"; } { 3 [label ="Add", shape=rectangle]; } "D" -> 3 "E" -> 3 { rank=sink; "F"; } 3 -> "F" }"#,
    );
    assert_eq!(graph::dot([&z]).unwrap(), Graph::of([&z, &z]).dot().unwrap());
    check(&Graph::of([]), "digraph { }");
}

#[test]
fn names_of_leaves() {
    let [x, y, z] = program();
    check(
        &Graph::of([&z]).name("x", &x).name("y", &y),
        r#"digraph { { rank=source; "x"; } { rank=source; "C"; } { 1 [label ="Broadcast", shape=rectangle]; } "C" -> 1 { "D"; } 1 -> "D" { 2 [label ="Multiply", shape=rectangle]; } "x" -> 2 "D" -> 2 { "E"; } 2 -> "E" { rank=source; "y"; } { 3 [label ="Add", shape=rectangle]; } "E" -> 3 "y" -> 3 { rank=sink; "F"; } 3 -> "F" }"#,
    );
    check(
        &Graph::of([&z]).name("größe", &x).name("the input", &y),
        r#"digraph { { rank=source; "größe"; } { rank=source; "C"; } { 1 [label ="Broadcast", shape=rectangle]; } "C" -> 1 { "D"; } 1 -> "D" { 2 [label ="Multiply", shape=rectangle]; } "größe" -> 2 "D" -> 2 { "E"; } 2 -> "E" { rank=source; "the input"; } { 3 [label ="Add", shape=rectangle]; } "E" -> 3 "the input" -> 3 { rank=sink; "F"; } 3 -> "F" }"#,
    );
}

#[test]
fn names_between_and_at_the_end() {
    let [x, _, z] = program();
    check(
        &Graph::of([&(&z * &z)]).name("z", &z).name("x", &x),
        r#"digraph { { rank=source; "x"; } { rank=source; "C"; } { 1 [label ="Broadcast", shape=rectangle]; } "C" -> 1 { "D"; } 1 -> "D" { 2 [label ="Multiply", shape=rectangle]; } "x" -> 2 "D" -> 2 { "E"; } 2 -> "E" { rank=source; "F"; } { 3 [label ="Add", shape=rectangle]; } "E" -> 3 "F" -> 3 { "z"; } 3 -> "z" { 4 [label ="Multiply", shape=rectangle]; } "z" -> 4 "z" -> 4 { rank=sink; "G"; } 4 -> "G" }"#,
    );
    // Named tensors alone: each is an output too.
    check(
        &Graph::of([]).name("h", &z),
        r#"digraph { { rank=source; "B"; } { rank=source; "C"; } { 1 [label ="Broadcast", shape=rectangle]; } "C" -> 1 { "D"; } 1 -> "D" { 2 [label ="Multiply", shape=rectangle]; } "B" -> 2 "D" -> 2 { "E"; } 2 -> "E" { rank=source; "F"; } { 3 [label ="Add", shape=rectangle]; } "E" -> 3 "F" -> 3 { rank=sink; "h"; } 3 -> "h" }"#,
    );
    z.eval().unwrap();
    check(&Graph::of([&z]).name("z", &z), r#"digraph { { rank=source; "z"; } }"#);
}

#[test]
fn two_names_and_a_stranger() {
    let [x, _, z] = program();
    // The last of two names of one tensor.
    check(
        &Graph::of([&z]).name("x", &x).name("y", &x),
        r#"digraph { { rank=source; "y"; } { rank=source; "B"; } { 1 [label ="Broadcast", shape=rectangle]; } "B" -> 1 { "C"; } 1 -> "C" { 2 [label ="Multiply", shape=rectangle]; } "y" -> 2 "C" -> 2 { "D"; } 2 -> "D" { rank=source; "E"; } { 3 [label ="Add", shape=rectangle]; } "D" -> 3 "E" -> 3 { rank=sink; "F"; } 3 -> "F" }"#,
    );
    check(
        &Graph::of([&z]).name("w", &tensor![3.0]),
        r#"digraph { { rank=source; "B"; } { rank=source; "C"; } { 1 [label ="Broadcast", shape=rectangle]; } "C" -> 1 { "D"; } 1 -> "D" { 2 [label ="Multiply", shape=rectangle]; } "B" -> 2 "D" -> 2 { "E"; } 2 -> "E" { rank=source; "F"; } { 3 [label ="Add", shape=rectangle]; } "E" -> 3 "F" -> 3 { rank=sink; "G"; } 3 -> "G" { rank=source; "w"; } }"#,
    );
}

#[test]
fn ops_with_several_outputs() {
    let parts = ops::split(&tensor![1.0, 2.0, 3.0, 4.0], 2, 0).unwrap();
    let graph = Graph::of([&parts[1]]).name("b", &parts[1]);
    check(
        &graph,
        r#"digraph { { rank=source; "B"; } { 1 [label ="Split", shape=rectangle]; } "B" -> 1 { rank=sink; "C"; } 1 -> "C" { rank=sink; "b"; } 1 -> "b" }"#,
    );
    assert_eq!(graph.canonical().unwrap(), "leaf B\nC, b = Split(B)\n");
    assert_eq!(graph.node_count().unwrap(), 2);
}

#[test]
fn names_are_escaped() {
    let x = tensor![1.0];
    let graph = Graph::of([&-&x]).name("a \"b\"\n\\n <&>", &x);
    let escaped = r#""a \"b\"\n\\n <&>""#;
    assert!(graph.dot().unwrap().contains(&format!("{{ rank=source; {escaped}; }}\n{{ ")));
    assert_eq!(graph.canonical().unwrap(), format!("leaf {escaped}\nB = Negative({escaped})\n"));
}

#[test]
fn bad_names() {
    let [x, y, z] = program();
    refused(&Graph::of([&z]).name("", &x), "is empty");
    refused(&Graph::of([&z]).name("a\0b", &x), "control character");
    refused(&Graph::of([&z]).name("a\r", &x), "control character");
    refused(&Graph::of([&z]).name("x", &x).name("x", &y), "\"x\" stands for two tensors");
    // MLX calls the constant C, where one name was given.
    refused(&Graph::of([&z]).name("C", &y), "\"C\" stands for two tensors");
    assert!(Graph::of([&z]).name("A", &y).canonical().unwrap().contains("F = Add(E, A)"));
    assert!(Graph::of([&z]).name("x", &x).name("x", &x).canonical().unwrap().contains("leaf x\n"));
}

#[test]
fn canonical_is_the_same_when_built_again() {
    let build = || {
        let x = Tensor::from_shape_slice([2, 2], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap().astype(Dtype::Bfloat16);
        let parts = ops::split(&x, 2, 0).unwrap();
        (&parts[1] - parts[0].tanh()).softmax(-1).sum(-1)
    };
    let (a, b) = (build(), build());
    assert_ne!(graph::dot([&a]).unwrap(), graph::dot([&b]).unwrap());
    let text = graph::canonical([&a]).unwrap();
    assert_eq!(text, graph::canonical([&b]).unwrap());
    assert_eq!(text, graph::canonical_dot(&graph::dot([&b]).unwrap()).unwrap());
    assert_eq!(
        text,
        "leaf A\nB = AsType(A)\nC, D = Split(B)\nE = Tanh(C)\nF = Subtract(D, E)\nG = Softmax(F)\nH = Sum(G)\nI = Squeeze(H)\n"
    );
    assert_eq!(graph::node_count([&a]).unwrap(), text.lines().count());
    // The order of operands and the way they are shared are part of it.
    let (x, y) = (tensor![1.0], tensor![2.0]);
    let named = |z: &Tensor| Graph::of([z]).name("x", &x).name("y", &y).canonical().unwrap();
    assert_ne!(named(&(&x - &y)), named(&(&y - &x)));
    assert_ne!(graph::canonical([&(&x + &x)]).unwrap(), graph::canonical([&(&x + &y)]).unwrap());
    eval([&a]).unwrap();
    assert_eq!(graph::canonical([&a]).unwrap(), "leaf A\n");
}

#[test]
fn canonical_takes_no_other_text() {
    let dot = graph::dot([&(tensor![1.0] + 2.0)]).unwrap();
    assert!(graph::canonical_dot(&dot).is_ok());
    for bad in
        ["", "digraph {", "digraph {\n\"A\" -> 1\n}", "digraph {\nA -> B;\n}", "digraph {\n{ \"A\"; }\n}"]
    {
        assert_eq!(graph::canonical_dot(bad).expect_err(bad).kind(), ErrorKind::Value);
    }
    for cut in 0..dot.len() - 1 {
        assert!(graph::canonical_dot(&dot[..cut]).is_err(), "{}", &dot[..cut]);
    }
    // An op that uses what no line told of.
    assert!(graph::canonical_dot(&dot.replacen("{ rank=source; \"A\"; }\n", "", 1)).is_err());
}

/// The picture of a graph, parsed: its texts, and how many edges have a tip.
#[track_caller]
fn picture(graph: &Graph) -> (Vec<String>, usize) {
    let svg = graph.svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    assert!(root.has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    let size = |name: &str| root.attribute(name).unwrap().parse::<f64>().unwrap();
    for rect in root.descendants().filter(|node| node.has_tag_name("rect") && node.has_attribute("x")) {
        let number = |name: &str| rect.attribute(name).unwrap().parse::<f64>().unwrap();
        assert!(number("x") >= 0.0 && number("x") + number("width") <= size("width"));
        assert!(number("y") >= 0.0 && number("y") + number("height") <= size("height"));
    }
    let texts = root.descendants().filter(|node| node.has_tag_name("text"));
    let tips = root.descendants().filter(|node| node.has_attribute("marker-end")).count();
    (texts.map(|node| node.text().unwrap().to_owned()).collect(), tips)
}

#[test]
fn pictures_have_every_node_and_edge() {
    let [x, y, z] = program();
    let (texts, tips) = picture(&Graph::of([&z]).name("x", &x).name("<y> & \"co\" \u{ffff}", &y));
    let name = "\"<y> & \\\"co\\\" \u{fffd}\"";
    assert_eq!(texts, ["x", "C", "D = Broadcast", "E = Multiply", name, "F = Add"]);
    assert_eq!(tips, 5);
    let parts = ops::split(&tensor![1.0, 2.0], 2, 0).unwrap();
    let (texts, tips) = picture(&Graph::of([&(&parts[0] * &parts[0] - &parts[1])]));
    assert_eq!(texts, ["A", "B, C = Split", "D = Multiply", "E = Subtract"]);
    assert_eq!(tips, 5);
    assert_eq!(picture(&Graph::of([])), (vec![], 0));
}

/// Boxes of one row do not overlap, whatever crosses whatever.
#[test]
fn pictures_of_tangles() {
    let mut tensors = vec![tensor![1.0], tensor![2.0]];
    let mut state = 1_usize;
    for _ in 0..150 {
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            tensors[(state >> 33) % tensors.len()].clone()
        };
        let next = draw() + draw();
        tensors.push(next);
    }
    let graph = Graph::of(&tensors);
    let (texts, tips) = picture(&graph);
    assert_eq!((texts.len(), tips), (152, 300));
    let svg = graph.svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut rows: HashMap<&str, Vec<(f64, f64)>> = HashMap::new();
    for rect in document.descendants().filter(|node| node.has_attribute("rx")) {
        let number = |name: &str| rect.attribute(name).unwrap().parse::<f64>().unwrap();
        rows.entry(rect.attribute("y").unwrap()).or_default().push((number("x"), number("width")));
    }
    for row in rows.values_mut() {
        row.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(row.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0), "{row:?}");
    }
}

#[test]
fn pictures_have_a_limit() {
    let chain = |count: usize| (0..count).fold(tensor![1.0], |x, _| -x);
    assert_eq!(picture(&Graph::of([&chain(4999)])).1, 4999);
    let error = graph::svg([&chain(5000)]).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Value, "svg"));
    assert_eq!(error.message(), "a picture of 5001 nodes would be too large; the most is 5000");
    // Every second value is used at the very end: edges across all rows.
    let mut kept = vec![tensor![1.0]];
    (0..1000).for_each(|i| kept.push(-&kept[i]));
    let error = graph::svg([&ops::concatenate(&kept, 0).unwrap()]).unwrap_err();
    assert!(
        error.message().contains("bends in long edges would be too large; the most is 100000"),
        "{error}"
    );
}

#[test]
fn deep_graphs() {
    const DEPTH: usize = 70_000;
    let x = (0..DEPTH).fold(tensor![0], |x, _| x + 1);
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let work = move || {
        // The leaf; and each time a constant, its broadcast and the sum.
        assert_eq!(graph::node_count([&x]).unwrap(), 1 + 3 * DEPTH);
        let text = Graph::of([&x]).name("end", &x).canonical().unwrap();
        assert_eq!(text.lines().count(), 1 + 3 * DEPTH);
        assert!(text.starts_with("leaf B\nleaf C\n") && text.contains("\nD = Broadcast(C)\nE = Add(B, D)\n"));
        assert!(text.lines().last().unwrap().starts_with("end = Add("));
        assert!(graph::svg([&x]).unwrap_err().message().contains("210001 nodes"));
        assert_eq!(x.to_vec::<i32>().unwrap(), [DEPTH as i32]);
    };
    small.spawn(work).unwrap().join().unwrap();
}
