//! The command line.

use clap::Parser;
use mlx::Dtype;
use mlx_examples::{
    Result,
    language::{Form, Sampling},
    options::{Floats, Place},
};
use std::path::PathBuf;

/// Text from a language model, alone on standard output; figures go to standard error.
///
/// Ctrl-C ends it behind the token under way, with exit code 130.
#[derive(Parser)]
#[allow(clippy::struct_excessive_bools, reason = "flags")]
pub(crate) struct Args {
    /// What to say to the model; with --raw, the text to go on with
    pub(crate) prompt: String,
    /// A GGUF file, or a folder with config.json, safetensors and tokenizer.json; else SmolLM2-135M-Instruct, fetched once
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) model: Option<PathBuf>,
    /// Take the prompt as it is instead of as a turn of a conversation
    #[arg(long)]
    pub(crate) raw: bool,
    /// The most tokens to generate
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub(crate) max_tokens: usize,
    /// Always take the likeliest token, as --temperature 0 does
    #[arg(long, conflicts_with_all = ["temperature", "top_p", "min_p", "seed"])]
    greedy: bool,
    /// Above 1 for wilder texts, below for tamer ones
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f64,
    /// Only the likeliest tokens that have this probability together
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    top_p: f64,
    /// Only tokens at least this fraction as probable as the likeliest
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    min_p: f64,
    /// Makes the last 20 tokens less likely where it is above 1
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    repetition_penalty: f64,
    /// Draws the same again from the same number
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Only a JSON object or array, whole if there are tokens enough
    #[arg(long)]
    pub(crate) json: bool,
    /// Make quantized matrices dense: faster on a CPU but for MLX_CPU=fast, and the default there
    #[arg(long, conflicts_with = "quantized")]
    dense: bool,
    /// Keep quantized matrices, and quantize dense ones to 4 bits
    #[arg(long)]
    quantized: bool,
    /// Compute as mlx-lm does, node for node, and not by the form for decoding that Llama and Qwen2 have
    #[arg(long)]
    pub(crate) plain: bool,
    /// What to compute in; else float32 for GGUF, and what the files hold for a folder
    #[arg(long, value_enum)]
    dtype: Option<Floats>,
    #[command(flatten)]
    pub(crate) place: Place,
}

impl Args {
    pub(crate) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            top_p: self.top_p,
            min_p: self.min_p,
            repetition_penalty: self.repetition_penalty,
            seed: self.seed,
        }
    }

    pub(crate) fn form(&self) -> Result<Form> {
        match (self.dense, self.quantized) {
            (_, true) => Ok(Form::Quantized),
            (true, _) => Ok(Form::Dense),
            _ => Form::fastest(),
        }
    }

    pub(crate) fn dtype(&self) -> Option<Dtype> {
        self.dtype.map(Dtype::from)
    }
}
