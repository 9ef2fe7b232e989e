//! How ops are called, learnt from the parity cases: each op has some, or `cargo xtask tidy` fails.

use crate::parity::case;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What stands in a place of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tensor,
    /// A list of tensors.
    Tensors,
    Number,
    /// A list of integers: a shape, or axes.
    Ints,
    Flag,
    Dtype,
    Text,
}

/// A step of a parity case, with the places in it that can be filled otherwise.
#[derive(Clone)]
pub(super) struct Template {
    pub(super) op: String,
    pub(super) step: Json,
    /// JSON pointers into the step.
    pub(super) slots: Vec<(String, Kind)>,
}

impl Template {
    pub(super) fn of(step: &Json) -> Option<Template> {
        // The body of a transform is cases of its own.
        if step.get("body").is_some() {
            return None;
        }
        let mut slots = Vec::new();
        for (key, value) in step.as_object()? {
            if !["op", "out"].contains(&key.as_str()) {
                // The list of arguments is none of them.
                find_within(value, &format!("/{key}"), &mut slots);
            }
        }
        Some(Template { op: step["op"].as_str()?.to_owned(), step: step.clone(), slots })
    }

    /// The places of tensors alone, or of lists of them.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &(String, Kind)> {
        self.slots.iter().filter(|(_, kind)| kind.is_tensor())
    }

    /// The step with other values in some places.
    pub(super) fn with<'a>(&self, values: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
        let mut step = self.step.clone();
        for (pointer, value) in values {
            if let Some(place) = step.pointer_mut(pointer) {
                *place = value;
            }
        }
        step
    }

    /// Two steps with the same are called alike.
    fn signature(&self) -> String {
        let slots: Vec<String> = self.slots.iter().map(|(at, kind)| format!("{at}:{kind:?}")).collect();
        // The op first, so that those of one op stand together.
        format!("{} {}", self.op, slots.join(" "))
    }
}

impl Kind {
    pub(super) fn is_tensor(self) -> bool {
        matches!(self, Kind::Tensor | Kind::Tensors)
    }
}

fn find(value: &Json, pointer: String, slots: &mut Vec<(String, Kind)>) {
    let is_tensor = |value: &Json| value.as_str().is_some_and(|text| text.starts_with('$'));
    let kind = match value {
        _ if is_tensor(value) => Kind::Tensor,
        Json::Bool(_) => Kind::Flag,
        Json::Number(_) => Kind::Number,
        Json::String(_) => Kind::Text,
        Json::Array(items) if !items.is_empty() && items.iter().all(is_tensor) => Kind::Tensors,
        Json::Array(items) if items.iter().all(Json::is_i64) => Kind::Ints,
        Json::Object(form) if form.contains_key("dtype") => Kind::Dtype,
        Json::Object(form) if form.contains_key("complex") || form.contains_key("float") => Kind::Number,
        _ => return find_within(value, &pointer, slots),
    };
    slots.push((pointer, kind));
}

fn find_within(value: &Json, pointer: &str, slots: &mut Vec<(String, Kind)>) {
    match value {
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| find(item, format!("{pointer}/{i}"), slots));
        }
        // The three bounds are no shape.
        Json::Object(form) if form.contains_key("slice") => {
            find_within(&form["slice"], &format!("{pointer}/slice"), slots);
        }
        Json::Object(form) => {
            form.iter().for_each(|(key, item)| find(item, format!("{pointer}/{key}"), slots));
        }
        _ => {}
    }
}

/// One template for each way in which the parity cases call an op, op by op.
pub(super) fn all() -> Result<Vec<Template>, String> {
    let mut found = BTreeMap::new();
    for entry in case::load(&["tests/parity".into()])? {
        let case = entry.case.map_err(|why| format!("{}: {why}", entry.label))?;
        collect(&case.body["steps"], &mut found);
    }
    Ok(found.into_values().collect())
}

fn collect(steps: &Json, found: &mut BTreeMap<String, Template>) {
    for step in steps.as_array().into_iter().flatten() {
        if let Some(template) = Template::of(step) {
            found.entry(template.signature()).or_insert(template);
        }
        collect(&step["body"]["steps"], found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn slots(step: Json) -> Vec<(String, Kind)> {
        Template::of(&step).expect("a step").slots
    }

    #[track_caller]
    fn check(step: Json, wanted: &[(&str, Kind)]) {
        let wanted: Vec<(String, Kind)> = wanted.iter().map(|(at, kind)| ((*at).into(), *kind)).collect();
        assert_eq!(slots(step), wanted);
    }

    #[test]
    fn places_are_found_by_kind() {
        check(
            json!({"out": "y", "op": "mx.full", "args": [[2, 3], {"float": "nan"}, {"dtype": "int8"}]}),
            &[("/args/0", Kind::Ints), ("/args/1", Kind::Number), ("/args/2", Kind::Dtype)],
        );
        check(
            json!({"out": "y", "op": "mx.f", "args": [["$a", "$b"], null], "kw": {"axis": 1, "keep": true, "mode": "m"}}),
            &[
                ("/args/0", Kind::Tensors),
                ("/kw/axis", Kind::Number),
                ("/kw/keep", Kind::Flag),
                ("/kw/mode", Kind::Text),
            ],
        );
        check(json!({"out": "y", "op": "neg", "args": ["$a"]}), &[("/args/0", Kind::Tensor)]);
        check(
            json!({"out": "y", "op": "index", "args": ["$a", [{"slice": [1, null, 2]}, "...", 4]]}),
            &[
                ("/args/0", Kind::Tensor),
                ("/args/1/0/slice/0", Kind::Number),
                ("/args/1/0/slice/2", Kind::Number),
                ("/args/1/1", Kind::Text),
                ("/args/1/2", Kind::Number),
            ],
        );
    }

    #[test]
    fn places_are_filled() {
        let template =
            Template::of(&json!({"op": "mx.sum", "args": ["$a"], "kw": {"axis": [0]}})).expect("one");
        let step = template.with([("/args/0", json!("$t0")), ("/kw/axis", json!([7]))]);
        assert_eq!(step, json!({"op": "mx.sum", "args": ["$t0"], "kw": {"axis": [7]}}));
    }

    #[test]
    fn steps_called_alike_are_one_template() {
        let steps = json!([
            {"op": "+", "args": ["$a", 1]}, {"op": "+", "args": ["$b", 0.5]}, {"op": "+", "args": [1, "$b"]},
            {"op": "grad", "body": {"steps": [{"op": "neg", "args": ["$x"]}]}},
        ]);
        let mut found = BTreeMap::new();
        collect(&steps, &mut found);
        assert_eq!(found.values().map(|it| it.op.as_str()).collect::<Vec<_>>(), ["+", "+", "neg"]);
    }
}
