//! Random inputs of a case, drawn by the Python worker for both sides.
//!
//! Only until this library draws them itself: then this file, its call in `driver`, `draw` in `worker.py` and the
//! worker's `hex` inputs go.

use super::{case::Case, side::Side};
use serde_json::{Map, Value, json};
use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

/// The case with its drawn inputs as bytes; or why Python cannot draw them.
pub(crate) fn body<'a>(
    case: &'a Case,
    python: &mut Side,
    limit: Duration,
) -> Result<Result<Cow<'a, Value>, String>, String> {
    let is_drawn =
        |spec: &Value| ["normal", "uniform", "randint"].iter().any(|kind| spec.get(kind).is_some());
    let inputs = case.body["inputs"].as_object();
    let drawn: Map<String, Value> = inputs
        .into_iter()
        .flatten()
        .filter(|(_, spec)| is_drawn(spec))
        .map(|(name, spec)| (name.clone(), spec.clone()))
        .collect();
    if drawn.is_empty() {
        return Ok(Ok(Cow::Borrowed(&case.body)));
    }
    python.send(&json!({"draw": drawn, "dir": case.folder}))?;
    let mut reply = match python.receive(Instant::now() + limit)? {
        Ok(reply) => reply,
        Err(why) => return Ok(Err(format!("Python: {why}"))),
    };
    let Some(Value::Object(drawn)) = reply.get_mut("drawn").map(Value::take) else {
        return Ok(Err(format!("ill-formed: {}", reply["illformed"].as_str().unwrap_or("not drawn"))));
    };
    let mut body = case.body.clone();
    for (name, tensor) in drawn {
        body["inputs"][name] = tensor;
    }
    Ok(Ok(Cow::Owned(body)))
}
