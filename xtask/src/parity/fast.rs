//! What of a case is compared in mode `fast`, whose kernels round in an order of their own.
//!
//! Where the graph has a node that such a kernel may compute, or is not known, the outputs' dtypes and shapes are compared
//! and their values are not: those are held against float64 in tests/cpu_fast. All else is compared as in other modes.

use super::{
    case::Case,
    judge::{Answer, Verdict, judge},
};
use serde_json::{Value, json};

/// The nodes of native/fast.cpp.
const OURS: [&str; 6] = ["Matmul", "AddMM", "QuantizedMatmul", "GatherQMM", "Softmax", "Sum"];

/// Steps that compute, whose operands are leaves in the graphs of what follows.
const READING: [&str; 2] = ["method.item", "method.tolist"];

/// The verdict on a case that was computed in mode `fast`.
pub(super) fn judge_shapes(case: &Case, python: Option<Answer>, rust: Answer) -> Verdict {
    if !reads(&case.body) && is_stock(&rust) {
        return judge(case, python, rust);
    }
    judge(case, python.map(without_values), without_values(rust))
}

/// Whether a program computes on its way.
fn reads(body: &Value) -> bool {
    let mut steps = body["steps"].as_array().into_iter().flatten();
    steps.any(|step| READING.iter().any(|op| step["op"] == *op))
}

/// Whether all nodes of a graph in MLX's dot text are computed by MLX.
fn is_stock(answer: &Answer) -> bool {
    match answer {
        Answer::Outputs { dot: Some(dot), .. } => {
            !OURS.iter().any(|name| dot.contains(&format!("\"{name}\"")))
        }
        Answer::Outputs { dot: None, .. } => false,
        _ => true,
    }
}

/// The answer with as many zeros in place of its tensors' values.
fn without_values(mut answer: Answer) -> Answer {
    if let Answer::Outputs { outputs, .. } = &mut answer {
        outputs.iter_mut().for_each(blank);
    }
    answer
}

fn blank(output: &mut Value) {
    match output {
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), &mut *field) {
                    ("hex" | "f64", Value::String(hex)) => *hex = "0".repeat(hex.len()),
                    ("c128", _) => *field = json!(["0", "0"]),
                    _ => blank(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(label: &str) -> Answer {
        let outputs = json!([{"dtype": "float16", "shape": [1], "hex": "003c"}]);
        Answer::from_reply(json!({"outputs": outputs, "dot": format!("{{ 1 [label =\"{label}\"]; }}")}))
    }

    #[test]
    fn values_are_left_out_where_a_kernel_of_ours_may_compute() {
        assert!(is_stock(&answer("Sine")) && !is_stock(&answer("Softmax")));
        let Answer::Outputs { outputs, .. } = without_values(answer("Softmax")) else { panic!("outputs") };
        assert_eq!(outputs, [json!({"dtype": "float16", "shape": [1], "hex": "0000"})]);
    }

    #[test]
    fn what_was_computed_on_the_way_is_in_no_graph() {
        let program = |op: &str| json!({"steps": [{"op": "mx.exp"}, {"op": op}]});
        assert!(reads(&program("method.tolist")) && !reads(&program("mx.sum")));
    }
}
