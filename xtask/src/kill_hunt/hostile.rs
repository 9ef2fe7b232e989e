//! What is hostile: tensors, as inputs and steps of a case, and arguments by kind.

use super::template::Kind;
use mlx_core::Dtype;
use serde_json::{Map, Value as Json, json};

/// What a tensor holds.
#[derive(Clone, Copy)]
pub(super) enum Content {
    Ones,
    Zeros,
    /// NaN, infinities, the largest and smallest values, 0 and -1, one after another.
    Extremes,
}

/// How a tensor lies in memory, or that it does not yet.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Plain,
    /// Not computed yet.
    Lazy,
    /// Columns before rows.
    Transposed,
    /// Its first axis backwards, so that its memory starts at its end.
    Reversed,
    /// One element seen as many.
    Broadcast(&'static [i32]),
}

/// A tensor without its dtype.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    pub(super) content: Content,
    pub(super) shape: &'static [i32],
    pub(super) form: Form,
}

const fn recipe(content: Content, shape: &'static [i32], form: Form) -> Recipe {
    Recipe { content, shape, form }
}

const MAX: i32 = i32::MAX;

/// Every op sees each of these in each dtype.
pub(super) const RECIPES: [Recipe; 13] = [
    recipe(Content::Ones, &[0], Form::Plain),
    recipe(Content::Ones, &[0, 3], Form::Plain),
    recipe(Content::Ones, &[3, 0], Form::Lazy),
    recipe(Content::Ones, &[0, 0], Form::Plain),
    recipe(Content::Zeros, &[], Form::Plain),
    recipe(Content::Extremes, &[], Form::Lazy),
    recipe(Content::Zeros, &[1], Form::Lazy),
    recipe(Content::Extremes, &[1], Form::Plain),
    recipe(Content::Extremes, &[2, 3], Form::Plain),
    recipe(Content::Extremes, &[3, 3], Form::Lazy),
    recipe(Content::Extremes, &[3, 2], Form::Transposed),
    recipe(Content::Extremes, &[4, 2], Form::Reversed),
    recipe(Content::Ones, &[1, 2, 1, 2, 1, 2, 1, 2], Form::Plain),
];

/// More elements than 31 bits count, than 40 bits count, and than memory holds; none takes any.
pub(super) const HUGE: [Recipe; 7] = [
    recipe(Content::Ones, &[], Form::Broadcast(&[1 << 16, 1 << 16])),
    recipe(Content::Ones, &[], Form::Broadcast(&[MAX, 1, 2])),
    recipe(Content::Zeros, &[], Form::Broadcast(&[1 << 20, 1 << 21])),
    recipe(Content::Extremes, &[], Form::Broadcast(&[MAX, 1 << 20])),
    recipe(Content::Ones, &[], Form::Broadcast(&[1 << 20, 1 << 10, 1 << 20, 1 << 9])),
    recipe(Content::Ones, &[1, 0], Form::Broadcast(&[MAX, MAX, 1, 0])),
    recipe(Content::Ones, &[], Form::Broadcast(&[MAX])),
];

/// Inputs and the steps that make tensors of them.
#[derive(Clone, Default)]
pub(super) struct Setup {
    pub(super) inputs: Map<String, Json>,
    pub(super) steps: Vec<Json>,
}

impl Setup {
    /// The name of a new tensor.
    pub(super) fn tensor(&mut self, recipe: Recipe, dtype: Dtype) -> String {
        let name = format!("t{}", self.inputs.len());
        let size: i32 = recipe.shape.iter().product();
        let one = values(recipe.content, dtype);
        let values: Vec<&Json> = one.iter().cycle().take(size as usize).collect();
        let dtype = json!(python_name(dtype));
        self.inputs.insert(name.clone(), json!({"dtype": dtype, "shape": recipe.shape, "values": values}));
        let itself = format!("${name}");
        let (op, args) = match recipe.form {
            Form::Plain => return name,
            Form::Lazy => ("mx.where", json!([true, itself, itself])),
            Form::Transposed => ("mx.transpose", json!([itself])),
            Form::Reversed => ("index", json!([itself, [{"slice": [null, null, -1]}]])),
            Form::Broadcast(shape) => ("mx.broadcast_to", json!([itself, shape])),
        };
        self.steps.push(json!({"out": name, "op": op, "args": args}));
        name
    }
}

fn python_name(dtype: Dtype) -> &'static str {
    if dtype == Dtype::Bool { "bool_" } else { dtype.name() }
}

fn values(content: Content, dtype: Dtype) -> Vec<Json> {
    let bits = 8 * dtype.size() as u32;
    match content {
        Content::Ones => vec![json!(1)],
        Content::Zeros => vec![json!(0)],
        Content::Extremes if dtype == Dtype::Bool => vec![json!(true), json!(false)],
        Content::Extremes if dtype == Dtype::Complex64 => {
            vec![json!(["nan", 0.0]), json!(["inf", "-inf"]), json!([3.4e38, 3.4e38]), json!([-0.0, -1.0])]
        }
        Content::Extremes if dtype.is_inexact() => ["nan", "inf", "-inf"]
            .map(Json::from)
            .into_iter()
            .chain([3e38, -1e-45, -0.0].map(Json::from))
            .collect(),
        Content::Extremes if dtype.name().starts_with("uint") => {
            let max = u64::MAX >> (64 - bits);
            vec![json!(max), json!(0), json!(1), json!(max - 1)]
        }
        Content::Extremes => {
            let max = i64::MAX >> (64 - bits);
            vec![json!(-max - 1), json!(-1), json!(max), json!(0), json!(1)]
        }
    }
}

/// The hostile arguments of a kind.
pub(super) fn arguments(kind: Kind) -> Vec<Json> {
    match kind {
        Kind::Number => {
            let mut all = positions();
            all.extend([json!(1_i64 << 31), json!(i64::MIN), json!(i64::MAX), json!(u64::MAX), json!(300)]);
            all.extend([0.0, -0.0, 0.5, 1e308, -1e308, 1e-320, 2e9].map(Json::from));
            all.extend(["nan", "inf", "-inf"].map(|value| json!({"float": value})));
            all.extend([json!({"complex": ["nan", "inf"]}), json!(true), json!(null)]);
            all
        }
        Kind::Ints => {
            let mut all: Vec<Json> = positions().into_iter().map(|position| json!([position])).collect();
            all.extend([
                json!([]),
                json!([0, 0]),
                json!([-1, -1]),
                json!([-2, -2]),
                json!([0, -1]),
                json!([1, 0]),
                json!([0, 1, 2]),
                json!([-1, 0, 3]),
                json!([MAX, MAX]),
                json!([MAX, MAX, MAX, 0]),
                json!([i32::MIN, i32::MIN]),
                json!([i32::MIN, MAX]),
                json!([1 << 16, 1 << 16]),
                json!([1 << 16, 1 << 16, 1 << 16, 1 << 16]),
                json!([-(1 << 16), -(1 << 16)]),
                json!([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3]),
                json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
                json!(null),
                json!(MAX),
                json!(i32::MIN),
            ]);
            all
        }
        Kind::Flag => vec![json!(true), json!(false)],
        Kind::Dtype => Dtype::ALL.iter().map(|&dtype| json!({"dtype": python_name(dtype)})).collect(),
        Kind::Text => vec![json!(""), json!("%n%s"), json!("none"), json!("\u{0}")],
        Kind::Tensor | Kind::Tensors => Vec::new(),
    }
}

fn positions() -> Vec<Json> {
    [0, 1, -1, 2, -2, 3, -3, 64, MAX, MAX - 1, i32::MIN, i32::MIN + 1].map(Json::from).to_vec()
}
