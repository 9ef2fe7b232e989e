//! Transforms of the case format: functions written as a `body` of steps.
//!
//! Not here: the steps (`case`).

use super::{
    case,
    failure::{Failure, Result, ill_formed, unsupported},
    value::{Names, Value, argument, arguments, lookup, tensors_in},
};
use mlx_core::{Tensor, transforms};
use serde_json::Value as Json;

/// What a transform gives, flattened, if `op` is one.
pub(crate) fn find(op: &str, step: &Json, names: &Names) -> Option<Result<Value>> {
    let run = match op {
        "grad" => grad,
        "value_and_grad" => value_and_grad,
        "vjp" => vjp,
        "jvp" => jvp,
        "vmap" => vmap,
        "compile" => compile,
        "checkpoint" => checkpoint,
        _ => return None,
    };
    Some(Transform::read(op, step, names).and_then(run).map(flat))
}

/// Owns what it needs: some functions outlive the step.
struct Transform {
    op: String,
    params: Vec<String>,
    steps: Json,
    outputs: Vec<String>,
    args: Vec<Value>,
    kw: Vec<(String, Value)>,
    names: Names,
}

impl Transform {
    fn read(op: &str, step: &Json, names: &Names) -> Result<Transform> {
        let body = &step["body"];
        let (Some(params), Some(outputs)) = (case::strings(&body["params"]), case::strings(&body["outputs"]))
        else {
            return ill_formed("a body has params, steps and outputs");
        };
        let args = arguments(step["args"].as_array().map_or(&[][..], |args| args), names)?;
        let kw = step["kw"].as_object().into_iter().flatten();
        let kw = kw.map(|(name, value)| Ok((name.clone(), argument(value, names)?)));
        let kw = kw.collect::<Result<Vec<_>>>()?;
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let (params, outputs, steps) = (owned(params), owned(outputs), body["steps"].clone());
        Ok(Transform { op: op.to_owned(), params, steps, outputs, args, kw, names: names.clone() })
    }

    fn kw(&self, name: &str) -> Option<&Value> {
        self.kw.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The function's outputs for tensors in the places of those among the arguments.
    fn call(&self, tensors: &[Tensor]) -> Result<Vec<Tensor>> {
        if self.params.len() != self.args.len() {
            return ill_formed("body: wrong number of arguments");
        }
        let mut tensors = tensors.iter();
        let mut names = self.names.clone();
        for (name, arg) in self.params.iter().zip(&self.args) {
            names.insert(name.clone(), filled(arg, &mut tensors));
        }
        case::steps(&self.steps, &mut names)?;
        let output = |name: &String| match lookup(name, &names)? {
            Value::Tensor(tensor) => Ok(tensor),
            _ => unsupported(format!("{} of a function that gives no tensor", self.op)),
        };
        self.outputs.iter().map(output).collect()
    }

    /// The arguments, which have to be tensors or lists of tensors.
    fn strict(&self) -> Result<Vec<Tensor>> {
        self.args.iter().try_for_each(only_tensors)?;
        Ok(tensors_in(&self.args))
    }

    /// Positions of arguments in ascending order: Python sorts, and our functions keep the caller's order.
    fn argnums(&self) -> Result<Vec<i32>> {
        let int = |value: &Value| match value {
            Value::Int(position) => i32::try_from(*position).or_else(|_| ill_formed("argnums are ints")),
            _ => ill_formed("argnums are ints"),
        };
        let mut argnums = match self.kw("argnums") {
            None | Some(Value::None) => vec![0],
            Some(Value::List(positions)) => positions.iter().map(int).collect::<Result<_>>()?,
            Some(position) => vec![int(position)?],
        };
        argnums.sort_unstable();
        for arg in argnums.iter().filter_map(|&i| self.args.get(usize::try_from(i).ok()?)) {
            only_tensors(arg)?;
        }
        Ok(argnums)
    }

    /// The tensors of each argument.
    fn separate(&self) -> Vec<Vec<Tensor>> {
        self.args.iter().map(|arg| tensors_in(std::slice::from_ref(arg))).collect()
    }

    fn vectors(&self, name: &str) -> Result<Vec<Tensor>> {
        match self.kw(name) {
            None => ill_formed(format!("{} needs {name}", self.op)),
            Some(vectors) => {
                only_tensors(vectors)?;
                Ok(tensors_in(std::slice::from_ref(vectors)))
            }
        }
    }
}

fn grad(transform: Transform) -> Result<Vec<Tensor>> {
    let single = |args: &Vec<Vec<Tensor>>| {
        let mut outputs = transform.call(&args.concat())?;
        match (outputs.pop(), outputs.is_empty()) {
            (Some(output), true) => Ok(output),
            _ => Err(Failure::raised(
                "ValueError",
                "[grad] The return value of the function whose gradient we want to compute should be a scalar array; \
                 but tuple was returned.",
            )),
        }
    };
    Ok(transforms::grad_argnums(single, &transform.argnums()?, &transform.separate())?.concat())
}

fn value_and_grad(transform: Transform) -> Result<Vec<Tensor>> {
    let f = |args: &Vec<Vec<Tensor>>| transform.call(&args.concat());
    let (values, gradients) =
        transforms::value_and_grad_argnums(f, &transform.argnums()?, &transform.separate())?;
    Ok([values, gradients.concat()].concat())
}

fn vjp(transform: Transform) -> Result<Vec<Tensor>> {
    let cotangents = transform.vectors("cotangents")?;
    let f = |primals: &Vec<Tensor>| transform.call(primals);
    let (values, products) = transforms::vjp(f, &transform.strict()?, &cotangents)?;
    Ok([values, products].concat())
}

fn jvp(transform: Transform) -> Result<Vec<Tensor>> {
    let tangents = transform.vectors("tangents")?;
    let f = |primals: &Vec<Tensor>| transform.call(primals);
    let (values, products) = transforms::jvp(f, &transform.strict()?, &tangents)?;
    Ok([values, products].concat())
}

fn vmap(transform: Transform) -> Result<Vec<Tensor>> {
    let inputs = transform.strict()?;
    let zero = Value::Int(0);
    let tree = match &transform.args[..] {
        [one] => one.clone(),
        several => Value::List(several.to_vec()),
    };
    let in_axes = axes(&tree, transform.kw("in_axes").unwrap_or(&zero))?;
    // What the function gives is known by its names alone: a tensor, or a tuple of them.
    let output = || inputs.first().cloned().map_or(Value::None, Value::Tensor);
    let outputs = match transform.outputs.len() {
        1 => output(),
        count => Value::List((0..count).map(|_| output()).collect()),
    };
    let out_axes = axes(&outputs, transform.kw("out_axes").unwrap_or(&zero))?;
    transforms::vmap_axes(|args: &Vec<Tensor>| transform.call(args), in_axes, out_axes, &inputs)
}

fn compile(transform: Transform) -> Result<Vec<Tensor>> {
    let calls = match transform.kw("calls") {
        None => 1,
        Some(Value::Int(calls)) if *calls > 0 => *calls,
        Some(_) => return ill_formed("calls is a positive int"),
    };
    let inputs = tensors_in(&transform.args);
    let f = |inputs: &Vec<Tensor>| transform.call(inputs);
    let compiled = match transform.kw("shapeless") {
        // SAFETY: the case compiles it so in Python MLX, too, whose bits are asked for; the case calls it with one shape.
        Some(Value::Bool(true)) => unsafe { transforms::compile_shapeless(f) },
        _ => transforms::compile(f),
    };
    let mut result = Vec::new();
    for _ in 0..calls {
        result = compiled.call(&inputs)?;
    }
    Ok(result)
}

fn checkpoint(transform: Transform) -> Result<Vec<Tensor>> {
    let inputs = tensors_in(&transform.args);
    transforms::checkpoint(move |inputs: &Vec<Tensor>| transform.call(inputs)).call(&inputs)
}

/// An axis for each tensor of a tree, from axes of which one may stand for a whole branch.
fn axes(tree: &Value, axes: &Value) -> Result<Vec<Option<i32>>> {
    let refused = |text: &str| Err(Failure::raised("ValueError", text));
    match (tree, axes) {
        (Value::List(trees), Value::List(each)) => {
            if trees.len() != each.len() {
                return refused("[tree_map] Additional input tree is not a valid prefix of the first tree.");
            }
            let parts = trees.iter().zip(each).map(|(tree, axes)| self::axes(tree, axes));
            Ok(parts.collect::<Result<Vec<_>>>()?.concat())
        }
        (Value::List(trees), axes) => {
            Ok(trees.iter().map(|tree| self::axes(tree, axes)).collect::<Result<Vec<_>>>()?.concat())
        }
        (_, Value::None) => Ok(vec![None]),
        (_, Value::Int(axis)) => match i32::try_from(*axis) {
            Ok(axis) => Ok(vec![Some(axis)]),
            Err(_) => Err(Failure::raised("RuntimeError", "std::bad_cast")),
        },
        (tree, Value::List(one)) if one.len() == 1 => self::axes(tree, &one[0]),
        _ => refused("[vmap] axis must be int or None."),
    }
}

fn only_tensors(value: &Value) -> Result<()> {
    match value {
        Value::Tensor(_) => Ok(()),
        Value::List(items) => items.iter().try_for_each(only_tensors),
        _ => Err(Failure::raised("ValueError", "[tree_flatten] The argument should contain only arrays")),
    }
}

/// The value with other tensors, which are as many.
fn filled<'a>(value: &Value, tensors: &mut impl Iterator<Item = &'a Tensor>) -> Value {
    match value {
        Value::Tensor(old) => Value::Tensor(tensors.next().unwrap_or(old).clone()),
        Value::List(items) => Value::List(items.iter().map(|item| filled(item, tensors)).collect()),
        other => other.clone(),
    }
}

fn flat(tensors: Vec<Tensor>) -> Value {
    Value::List(tensors.into_iter().map(Value::Tensor).collect())
}
