//! Running a case: inputs, steps, outputs.

use super::{
    failure::{Failure, Result, ill_formed, unsupported},
    fast, functions, indexing, input, layers, methods, nn_functions, operators, optimizers,
    signature::Call,
    transforms,
    value::{Names, Value, argument, arguments, encode, lookup, tensors_in},
};
use serde_json::{Value as Json, json};
use std::path::Path;

/// The reply to a request.
pub(crate) fn run(request: &Json) -> Result<Json> {
    let case = &request["case"];
    let folder = Path::new(request["dir"].as_str().unwrap_or("."));
    let wanted = strings(&case["outputs"]).filter(|names| !names.is_empty());
    let Some(wanted) = wanted else { return ill_formed("a case needs outputs") };
    // As on the Python side: a case must not depend on the one before it.
    mlx_ops::random::seed(0)?;
    let mut names = inputs(&case["inputs"], folder)?;
    let with_graph = request["graph"] == true;
    if with_graph {
        // SAFETY: the case runs in Python MLX too, where a divisor that traps ends the process just as here; this
        // process runs nothing but the case, and the driver reports its end.
        unsafe { mlx_core::unguarded(|| steps(&case["steps"], &mut names)) }?;
    } else {
        steps(&case["steps"], &mut names)?;
    }
    let outputs: Vec<Value> = wanted.iter().map(|name| lookup(name, &names)).collect::<Result<_>>()?;
    let tensors = tensors_in(&outputs);
    let dot = if with_graph && !tensors.is_empty() { Some(mlx_core::graph::dot(&tensors)?) } else { None };
    mlx_core::eval(&tensors)?;
    let outputs: Vec<Json> = outputs.iter().map(encode).collect::<Result<_>>()?;
    Ok(json!({"outputs": outputs, "dot": dot}))
}

/// The inputs by name, evaluated, so that they are leaves.
pub(crate) fn inputs(specs: &Json, folder: &Path) -> Result<Names> {
    let mut names = Names::new();
    for (name, spec) in specs.as_object().into_iter().flatten() {
        let tensor = input::tensor(spec, folder).and_then(|tensor| {
            tensor.eval()?;
            Ok(tensor)
        });
        match tensor {
            Ok(tensor) => names.insert(name.clone(), Value::Tensor(tensor)),
            Err(Failure::Raised { message, .. }) => return ill_formed(format!("input {name}: {message}")),
            Err(failure) => return Err(failure),
        };
    }
    Ok(names)
}

/// Runs steps over the names.
pub(crate) fn steps(steps: &Json, names: &mut Names) -> Result<()> {
    for step in steps.as_array().into_iter().flatten() {
        let op = step["op"].as_str().unwrap_or_default();
        let (mut result, is_flat) = match transforms::find(op, step, names) {
            Some(result) => (result?, true),
            None => (operation(step, names)?, op.starts_with("optim.")),
        };
        let outs = match step["out"].as_str() {
            Some(_) => None,
            None => strings(&step["out"]).filter(|outs| !outs.is_empty()),
        };
        // Transforms and optimizers answer with a list; one of one stands for its tensor, unless a list of one name asks for it.
        if is_flat && outs.as_ref().is_none_or(|outs| outs.len() > 1) {
            result = match result {
                Value::List(mut one) if one.len() == 1 => one.remove(0),
                other => other,
            };
        }
        let Some(outs) = outs else {
            let Some(name) = step["out"].as_str() else { return ill_formed("a step needs out") };
            names.insert(name.to_owned(), result);
            continue;
        };
        let parts = match result {
            Value::List(parts) => {
                operators::too_many_or_few(parts.len(), outs.len())?;
                parts
            }
            Value::Tensor(tensor) => operators::unpacked(&tensor, outs.len())?,
            _ => return unsupported("unpacking a value that is neither a list nor a tensor"),
        };
        names.extend(outs.into_iter().map(str::to_owned).zip(parts));
    }
    Ok(())
}

fn operation(step: &Json, names: &Names) -> Result<Value> {
    let Some(op) = step["op"].as_str() else { return ill_formed("a step needs an op") };
    let args = step["args"].as_array().map_or(&[][..], |args| args);
    if let Some(found) = indexing::find(op, args, names) {
        return found;
    }
    if let Some(operator) = operators::find(op) {
        return operators::apply(operator, op, &arguments(args, names)?);
    }
    let Some((prefix, name)) = op.split_once('.') else { return unsupported(op) };
    let call = Call { op: op.to_owned(), args: arguments(args, names)?, kw: keywords(&step["kw"], names)? };
    let made_with = || -> Result<Call> {
        Ok(Call { op: op.to_owned(), args: Vec::new(), kw: keywords(&step["init"], names)? })
    };
    match prefix {
        "mx" => functions::call(name, &call),
        "method" => methods::call(name, &call),
        "fast" => fast::call(op, &call).unwrap_or_else(|| unsupported(op)),
        "nn" if name.starts_with(char::is_uppercase) => {
            let init = made_with()?;
            let has_params = step.get("params").is_some();
            let params = has_params.then(|| keywords(&step["params"], names)).transpose()?;
            let to_quantized = step.get("to_quantized").map(|how| keywords(how, names)).transpose()?;
            let to_quantized = to_quantized.map(|kw| Call { op: op.to_owned(), args: Vec::new(), kw });
            layers::call(name, step, &init, layers::Given { params, to_quantized }, &call)
        }
        "nn" if name == "quantize" => layers::quantized_model(step, &call),
        "nn" => nn_functions::activation(name, &call),
        "losses" => nn_functions::loss(name, &call),
        "optim" => optimizers::call(name, step, &made_with()?, &call),
        "init" => nn_functions::initialized(name, &made_with()?, &call),
        _ => functions::of_module(prefix, name, &call).unwrap_or_else(|| unsupported(op)),
    }
}

/// Values by name.
fn keywords(written: &Json, names: &Names) -> Result<Vec<(String, Value)>> {
    let entries = written.as_object().into_iter().flatten();
    entries.map(|(name, value)| Ok((name.clone(), argument(value, names)?))).collect()
}

pub(crate) fn strings(list: &Json) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Json::as_str).collect()
}
