//! SmolLM2's logits against a computation in float64 that shares nothing with MLX (`float64.py`).

use crate::{golden::smollm, own_blas, python};
use mlx::prelude::*;
use mlx_examples::language::{Form, smollm2};
use std::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/float64.py");

#[test]
fn logits_are_close_to_float64s() {
    check();
}

#[test]
fn with_the_other_blas() {
    own_blas::run("float64::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    check();
}

#[track_caller]
fn check() {
    let Some(site) = python::site() else { return };
    let language = smollm(Form::Stored);
    for prompt in ["1, 2, 3, 4, 5, 6, 7, 8,", "The capital of France is"] {
        let tokens = language.prompt(prompt, true).expect("a text");
        let exact = float64(&site, &tokens);
        compare(&language, &tokens, &exact);
        compare(&smollm(Form::Dense), &tokens, &exact);
    }
}

fn float64(site: &std::path::Path, tokens: &[u32]) -> Vec<f64> {
    let mut script = Command::new("python3");
    script.arg(SCRIPT).arg(smollm2().expect("in the cache")).args(tokens.iter().map(u32::to_string));
    let output = script.env("PYTHONPATH", site).output().expect("python3 is there where its packages are");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let numbers = output.stdout.chunks_exact(8);
    numbers.map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes"))).collect()
}

/// Every logit of the last token.
#[track_caller]
fn compare(language: &mlx_examples::language::Language, tokens: &[u32], exact: &[f64]) {
    let input = Tensor::from_slice(tokens).expect("tokens").reshape([1, -1]);
    let mut caches = language.model.new_caches().expect("a checked config");
    let logits = language.model.forward(&input, &mut caches).expect("tokens of the model");
    let logits = logits.index((0, -1)).to_vec::<f32>().expect("computed");
    assert_eq!(logits.len(), exact.len());
    let differences = logits.iter().zip(exact).map(|(&ours, &exact)| (f64::from(ours) - exact).abs());
    let worst = differences.fold(0.0, f64::max);
    assert!(worst <= 1e-4, "{worst:e}");
}
