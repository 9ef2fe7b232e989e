//! The verdict on a case from what the two sides answered.

use super::{canonical, case::Case, compare};
use serde_json::Value;

/// What becomes of a case.
pub(crate) enum Verdict {
    Passed,
    Failed(String),
    Skipped,
}

/// What a side made of a case.
pub(crate) enum Answer {
    Outputs {
        outputs: Vec<Value>,
        dot: Option<String>,
    },
    Error {
        kind: String,
        message: String,
    },
    /// The case itself is not valid.
    IllFormed(String),
    /// The process is gone, or had to be ended, and why.
    Lost(String),
}

impl Answer {
    /// A reply of the line protocol.
    pub(crate) fn from_reply(mut reply: Value) -> Answer {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(why) = reply.get("illformed") {
            return Answer::IllFormed(text(why));
        }
        if let Some(error) = reply.get("error") {
            return Answer::Error { kind: text(&error["type"]), message: text(&error["message"]) };
        }
        match reply.get_mut("outputs").map(Value::take) {
            Some(Value::Array(outputs)) => {
                Answer::Outputs { outputs, dot: reply["dot"].as_str().map(str::to_owned) }
            }
            _ => Answer::Lost(format!("answered with neither outputs nor an error: {reply}")),
        }
    }
}

/// What judges a case: [`judge`], or what stands before it in a mode.
pub(crate) type Judge = fn(&Case, Option<Answer>, Answer) -> Verdict;

/// The verdict; `python` is absent for a case that must not run there.
pub(crate) fn judge(case: &Case, python: Option<Answer>, rust: Answer) -> Verdict {
    let Some(python) = python else { return alone(case, rust) };
    match differs(case, python, rust) {
        None => Verdict::Passed,
        Some(what) => Verdict::Failed(what),
    }
}

/// A case that would kill Python is judged when Rust must refuse it.
fn alone(case: &Case, rust: Answer) -> Verdict {
    if !case.expects_error {
        return Verdict::Skipped;
    }
    match rust {
        Answer::Error { kind, message } => match unfit(&kind, &message) {
            None => Verdict::Passed,
            Some(what) => Verdict::Failed(what),
        },
        Answer::Outputs { .. } => Verdict::Failed("Rust returns a value where an error is due".into()),
        Answer::IllFormed(why) => Verdict::Failed(format!("ill-formed: {why}")),
        Answer::Lost(why) => Verdict::Failed(format!("Rust: {why}")),
    }
}

/// Errors of the Rust side that are never the right answer.
fn unfit(kind: &str, message: &str) -> Option<String> {
    match kind {
        "Unsupported" => Some(message.into()),
        "Panic" => Some(format!("Rust panics: {message}")),
        _ => None,
    }
}

fn differs(case: &Case, python: Answer, rust: Answer) -> Option<String> {
    match (python, rust) {
        (Answer::IllFormed(why), _) => Some(format!("ill-formed: {why}")),
        (Answer::Lost(why), Answer::Lost(too)) => Some(format!("Python: {why}; Rust: {too}")),
        (Answer::Lost(why), _) => Some(format!("Python: {why}")),
        (_, Answer::Lost(why)) => Some(format!("Rust: {why}")),
        (_, Answer::IllFormed(why)) => Some(format!("ill-formed on the Rust side: {why}")),
        (_, Answer::Error { kind, message }) if unfit(&kind, &message).is_some() => unfit(&kind, &message),
        (Answer::Error { message, .. }, Answer::Error { message: rust, .. }) => {
            let differs = case.compare.message && message != rust;
            differs.then(|| format!("error text: Python says {message:?}, Rust {rust:?}"))
        }
        (Answer::Error { kind, message }, Answer::Outputs { .. }) => {
            Some(format!("Python raises {kind} {message:?}, Rust returns a value"))
        }
        (Answer::Outputs { .. }, Answer::Error { kind, message }) => {
            Some(format!("Rust gives the error {kind} {message:?}, Python a value"))
        }
        (Answer::Outputs { .. }, Answer::Outputs { .. }) if case.expects_error => {
            Some("an error is expected and Python does not raise".into())
        }
        (
            Answer::Outputs { outputs: python, dot: python_dot },
            Answer::Outputs { outputs: rust, dot: rust_dot },
        ) => {
            let graph = || match (&python_dot, &rust_dot) {
                (Some(python), Some(rust)) => canonical::difference(python, rust),
                (None, None) => None,
                _ => Some("only one side has a graph".into()),
            };
            let value = || compare::difference(&case.body["outputs"], &python, &rust);
            // A differing value says more than a differing graph.
            let value = if case.compare.value { value() } else { None };
            value.or_else(|| if case.compare.graph { graph() } else { None })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parity::case::Compare;
    use serde_json::json;
    use std::path::PathBuf;

    fn case(compare: Compare, expects_error: bool, skips_python: bool) -> Case {
        let body = json!({"name": "case", "outputs": ["y"]});
        Case { body, folder: PathBuf::new(), compare, expects_error, skips_python }
    }

    fn error(kind: &str, message: &str) -> Answer {
        Answer::from_reply(json!({"error": {"type": kind, "message": message}}))
    }

    fn value(number: i32) -> Answer {
        Answer::from_reply(json!({"outputs": [{"json": number}], "dot": null}))
    }

    /// Fails with a text that has `failure` in it, or passes when that is empty.
    fn check(case: &Case, python: Option<Answer>, rust: Answer, failure: &str) {
        match judge(case, python, rust) {
            Verdict::Passed => assert_eq!(failure, ""),
            Verdict::Failed(what) => assert!(!failure.is_empty() && what.contains(failure), "{what}"),
            Verdict::Skipped => panic!("skipped"),
        }
    }

    #[test]
    fn errors_meet_errors() {
        let (plain, message) = (Compare::default(), Compare { message: true, ..Compare::default() });
        let (a, b) = (|| error("ValueError", "a"), || error("Mlx", "b"));
        check(&case(plain, false, false), Some(a()), b(), "");
        check(&case(message, false, false), Some(a()), b(), "error text");
        check(&case(plain, false, false), Some(a()), value(1), "Python raises ValueError");
        check(&case(plain, false, false), Some(value(1)), b(), "Rust gives the error Mlx");
        check(&case(plain, true, false), Some(value(1)), value(1), "does not raise");
    }

    #[test]
    fn missing_ops_and_panics_never_pass() {
        let plain = case(Compare::default(), true, false);
        check(
            &plain,
            Some(error("ValueError", "a")),
            error("Unsupported", "not supported: x"),
            "not supported",
        );
        check(&plain, Some(error("ValueError", "a")), error("Panic", "x"), "panics");
        let alone = case(Compare::default(), true, true);
        check(&alone, None, error("Unsupported", "not supported: x"), "not supported");
        check(&alone, None, Answer::Lost("died of signal 8".into()), "signal 8");
        check(&alone, None, value(1), "an error is due");
        check(&alone, None, error("Value", "x"), "");
    }

    #[test]
    fn a_skip_without_an_expectation_is_skipped() {
        let case = case(Compare::default(), false, true);
        assert!(matches!(judge(&case, None, value(1)), Verdict::Skipped));
    }
}
