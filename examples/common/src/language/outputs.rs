//! What SmolLM2 gives, for `cargo xtask parity models`: the same as `xtask/parity/models/language.py`, by the same names.

use super::{Form, Language, Result, smollm2};
use mlx::{Dtype, ops, prelude::*};
use std::collections::BTreeMap;

/// "1, 2, 3, 4, 5, 6, 7, 8,"
const PROMPT: [u32; 23] =
    [33, 28, 216, 34, 28, 216, 35, 28, 216, 36, 28, 216, 37, 28, 216, 38, 28, 216, 39, 28, 216, 40, 28];
/// How many tokens are generated.
const TOKENS: usize = 8;

/// Logits of a prompt and of each token behind it, and the tokens, in three forms of the weights.
///
/// # Errors
/// The model cannot be fetched or read.
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let mut outputs = BTreeMap::new();
    let forms = [
        ("quantized", Form::Stored, Dtype::Float32),
        ("dense", Form::Dense, Dtype::Float32),
        ("bfloat16", Form::Dense, Dtype::Bfloat16),
    ];
    for (name, form, dtype) in forms {
        let model = Language::load(&smollm2()?, form, Some(dtype))?.model;
        let mut caches = model.new_caches()?;
        let mut input = ops::expand_dims(&Tensor::from_slice(&PROMPT)?, 0)?;
        let mut tokens = Vec::new();
        for i in 0..TOKENS {
            let logits = model.forward(&input, &mut caches)?;
            let token = ops::argmax(&logits.index((.., -1, ..)), -1)?;
            mlx::eval([&logits, &token])?;
            tokens.push(token.clone());
            input = ops::expand_dims(&token, 0)?;
            outputs.insert(format!("{name}.logits.{i}"), logits);
        }
        outputs.insert(format!("{name}.tokens"), ops::concatenate(&tokens, 0)?);
    }
    Ok(outputs)
}
