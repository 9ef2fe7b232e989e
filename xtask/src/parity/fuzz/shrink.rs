//! Makes a failing program small: fewer outputs, steps, keywords and inputs, then plainer ones, as long as it fails alike.
//!
//! Not here: how programs are drawn.

use crate::parity::{case::Case, judge::Verdict, pipeline::Pipeline};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// How many programs may be tried for a failure.
const MOST_TRIALS: usize = 400;

/// The smallest program found that fails as `body` does, and how.
pub(super) fn shrink(pipeline: &mut Pipeline, body: Json, why: &str) -> Result<(Json, String), String> {
    let mut best = (body, why.to_owned());
    let mut trials = 0;
    loop {
        let mut smaller = None;
        for candidate in candidates(&best.0) {
            trials += 1;
            if trials > MOST_TRIALS {
                return Ok(best);
            }
            if let Verdict::Failed(what) = pipeline.one(Case::whole(candidate.clone()))?
                && sort(&what) == sort(why)
            {
                smaller = Some((candidate, what));
                break;
            }
        }
        match smaller {
            Some(found) => best = found,
            None => return Ok(best),
        }
    }
}

/// What a failure is about, without its particulars.
fn sort(why: &str) -> String {
    let words = why.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    words.take(4).collect::<Vec<_>>().join(" ")
}

/// Programs that are a little smaller, the boldest first.
fn candidates(body: &Json) -> Vec<Json> {
    let mut made = Vec::new();
    let steps = body["steps"].as_array().map_or(&[][..], Vec::as_slice);
    // One output alone, the last first; then nothing that it does not need.
    let outputs = body["outputs"].as_array().cloned().unwrap_or_default();
    if outputs.len() > 1 {
        made.extend(outputs.iter().rev().map(|output| with(body, "outputs", json!([output]))));
    }
    let trimmed = without_unused(body);
    if trimmed != *body {
        made.push(trimmed);
    }
    // A step's tensor replaced with an input or with another step's argument.
    for (i, step) in steps.iter().enumerate().rev() {
        let Some(out) = step["out"].as_str() else { continue };
        if outputs.iter().any(|output| output == out) && steps.len() == 1 {
            continue;
        }
        for argument in tensors(&step["args"]) {
            let mut rest = steps.to_vec();
            rest.remove(i);
            let mut renamed = with(body, "steps", json!(rest));
            rename(&mut renamed, out, &argument);
            made.push(without_unused(&renamed));
        }
    }
    for (i, step) in steps.iter().enumerate() {
        for key in step["kw"].as_object().into_iter().flatten().map(|(key, _)| key) {
            let mut smaller = body.clone();
            if let Some(kw) = smaller["steps"][i]["kw"].as_object_mut() {
                kw.remove(key);
            }
            made.push(smaller);
        }
    }
    made.extend(plainer_inputs(body));
    made
}

fn with(body: &Json, key: &str, value: Json) -> Json {
    let mut body = body.clone();
    body[key] = value;
    body
}

/// The names of tensors in arguments.
fn tensors(args: &Json) -> Vec<String> {
    match args {
        Json::String(text) => text.strip_prefix('$').map(str::to_owned).into_iter().collect(),
        Json::Array(items) => items.iter().flat_map(tensors).collect(),
        Json::Object(entries) => entries.values().flat_map(tensors).collect(),
        _ => Vec::new(),
    }
}

/// Only the steps and inputs that outputs rest on.
fn without_unused(body: &Json) -> Json {
    let names = |value: &Json| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let mut needed: BTreeSet<String> = names(&body["outputs"]).into_iter().collect();
    let mut kept = Vec::new();
    for step in body["steps"].as_array().into_iter().flatten().rev() {
        let outs = step["out"].as_str().map_or_else(|| names(&step["out"]), |out| vec![out.to_owned()]);
        if outs.iter().any(|out| needed.contains(out)) {
            needed.extend(tensors(&step["args"]));
            needed.extend(tensors(&step["kw"]));
            kept.push(step.clone());
        }
    }
    kept.reverse();
    let mut body = with(body, "steps", json!(kept));
    if let Some(inputs) = body["inputs"].as_object_mut() {
        inputs.retain(|name, _| needed.contains(name));
    }
    body
}

fn rename(value: &mut Json, from: &str, to: &str) {
    match value {
        Json::String(text) if text.strip_prefix('$') == Some(from) => *text = format!("${to}"),
        Json::String(text) if text == from => to.clone_into(text),
        Json::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        Json::Object(entries) => entries.values_mut().for_each(|value| rename(value, from, to)),
        _ => {}
    }
}

/// Inputs with ones for values, and inputs without their last axis.
fn plainer_inputs(body: &Json) -> Vec<Json> {
    let mut made = Vec::new();
    for (name, spec) in body["inputs"].as_object().into_iter().flatten() {
        let values = spec["values"].as_array().map_or(&[][..], Vec::as_slice);
        let one = match spec["dtype"].as_str() {
            Some("bool_") => json!(true),
            _ => json!(1),
        };
        if values.iter().any(|value| *value != one) {
            let mut plain = body.clone();
            plain["inputs"][name]["values"] = json!(vec![one; values.len()]);
            made.push(plain);
        }
        if values.len() > 1 {
            for dropped in 0..spec["shape"].as_array().map_or(0, Vec::len) {
                let mut smaller = body.clone();
                let size = spec["shape"][dropped].as_u64().unwrap_or(1).max(1) as usize;
                smaller["inputs"][name]["shape"][dropped] = json!(1);
                smaller["inputs"][name]["values"] = json!(values[..values.len() / size]);
                if size > 1 {
                    made.push(smaller);
                }
            }
        }
    }
    made
}
