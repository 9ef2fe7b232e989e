//! What is decoded: a Llama of any shape with weights drawn by a seed, the same here and in `twin.py`.

use clap::{Parser, ValueEnum};
use mlx::{nn::ModuleExt, prelude::*, random};
use mlx_examples::{
    language::{Architecture, Checkpoint, Config, Form, Model},
    options::{Floats, Kind, Place},
};
use serde_json::{Value, json};
use std::{collections::HashMap, error::Error, path::Path};

/// What a token of a random Llama costs: building its graph, scheduling it, waiting for it; ours beside mlx-lm's.
///
/// The defaults are Llama 3.2 1B's shape.
#[derive(Parser, Clone, Debug)]
pub(crate) struct Flags {
    #[arg(long, default_value_t = 16)]
    pub(crate) layers: i32,
    #[arg(long, default_value_t = 2048)]
    pub(crate) hidden: i32,
    /// Of the MLP
    #[arg(long, default_value_t = 8192)]
    pub(crate) mlp: i32,
    #[arg(long, default_value_t = 32)]
    pub(crate) heads: i32,
    #[arg(long, default_value_t = 8)]
    pub(crate) kv_heads: i32,
    #[arg(long, default_value_t = 64)]
    pub(crate) head_dim: i32,
    #[arg(long, default_value_t = 128_256)]
    pub(crate) vocab: i32,
    #[arg(long, value_enum, default_value = "bf16")]
    pub(crate) dtype: Floats,
    /// Quantize matrices to so many bits, in groups of 64
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(4..=4))]
    pub(crate) quantize: Option<u8>,
    /// How many tokens a round has
    #[arg(long, default_value_t = 128, value_parser = at_least_one)]
    pub(crate) tokens: usize,
    /// How many rounds are counted, behind one that is not
    #[arg(long, default_value_t = 5, value_parser = at_least_one)]
    pub(crate) rounds: usize,
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u32,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Which to run; ratios are to the last of them
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["decode", "apart", "plain", "mlx-lm"])]
    pub(crate) engines: Vec<Which>,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("one at least".to_owned()),
        parsed => parsed.map_err(|e: std::num::ParseIntError| e.to_string()),
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The form for decoding
    Decode,
    /// It without products put together
    Apart,
    /// The model as it is
    Plain,
    /// Python
    MlxLm,
}

impl Flags {
    pub(crate) fn config(&self) -> Config {
        Config {
            architecture: Architecture::Llama,
            hidden_size: self.hidden,
            num_hidden_layers: self.layers,
            intermediate_size: self.mlp,
            num_attention_heads: self.heads,
            num_key_value_heads: self.kv_heads,
            head_dim: self.head_dim,
            vocab_size: self.vocab,
            rms_norm_eps: 1e-5,
            max_position_embeddings: 131_072,
            rope_theta: 500_000.0,
            rope_traditional: false,
            rope_scaling: None,
            rope_local_base_freq: None,
            tie_word_embeddings: true,
            attention_bias: false,
            output_bias: false,
            mlp_bias: false,
            query_pre_attn_scalar: f64::from(self.head_dim),
            sliding_window: 0,
            sliding: vec![false; self.layers.max(0) as usize],
            eos_token_id: Vec::new(),
        }
    }

    /// The shape as mlx-lm has it, with what else the twin needs.
    pub(crate) fn told(&self) -> Value {
        let config = self.config();
        json!({
            "model": {
                "model_type": "llama",
                "hidden_size": config.hidden_size,
                "num_hidden_layers": config.num_hidden_layers,
                "intermediate_size": config.intermediate_size,
                "num_attention_heads": config.num_attention_heads,
                "num_key_value_heads": config.num_key_value_heads,
                "head_dim": config.head_dim,
                "vocab_size": config.vocab_size,
                "rms_norm_eps": 1e-5,
                "max_position_embeddings": config.max_position_embeddings,
                "rope_theta": config.rope_theta,
                "tie_word_embeddings": true,
            },
            "names": names(&config).iter().map(|(name, shape)| json!([name, shape])).collect::<Vec<_>>(),
            "dtype": Dtype::from(self.dtype).to_string(),
            "quantize": self.quantize,
            "seed": self.seed,
            "device": self.place.device.map(|kind| match kind { Kind::Cpu => "cpu", Kind::Gpu => "gpu" }),
        })
    }

    /// The model, on the device that is the default now.
    pub(crate) fn model(&self) -> Result<Model, Box<dyn Error + Send + Sync>> {
        let config = self.config();
        let mut weights = HashMap::new();
        for (i, (name, shape)) in names(&config).into_iter().enumerate() {
            let key = random::key(u64::from(self.seed) + i as u64)?;
            let drawn = random::Normal::new().key(&key).sample(&shape[..])?;
            // So that layers say more than the embedding, and no token just comes again.
            let weight = match shape[..] {
                [_, inputs] => drawn * (1.0 / f64::from(inputs).sqrt()),
                _ => drawn * 0.1 + 1.0,
            };
            let weight = weight.astype(self.dtype.into());
            weight.eval()?;
            weights.insert(name, weight);
        }
        let form = if self.quantize.is_some() { Form::Quantized } else { Form::Stored };
        let model = Model::new(&config, &Checkpoint::of(Path::new("random"), weights, form, None))?;
        mlx::eval(model.parameters().values())?;
        Ok(model)
    }
}

/// The weights and their shapes, in the order in which they are drawn.
fn names(config: &Config) -> Vec<(String, Vec<i32>)> {
    let (width, inner) = (config.hidden_size, config.intermediate_size);
    let queries = config.num_attention_heads * config.head_dim;
    let keys = config.num_key_value_heads * config.head_dim;
    let mut names = vec![
        ("model.embed_tokens.weight".to_owned(), vec![config.vocab_size, width]),
        ("model.norm.weight".to_owned(), vec![width]),
    ];
    for layer in 0..config.num_hidden_layers {
        let parts = [
            ("input_layernorm", vec![width]),
            ("post_attention_layernorm", vec![width]),
            ("self_attn.q_proj", vec![queries, width]),
            ("self_attn.k_proj", vec![keys, width]),
            ("self_attn.v_proj", vec![keys, width]),
            ("self_attn.o_proj", vec![width, queries]),
            ("mlp.gate_proj", vec![inner, width]),
            ("mlp.up_proj", vec![inner, width]),
            ("mlp.down_proj", vec![width, inner]),
        ];
        names.extend(parts.map(|(part, shape)| (format!("model.layers.{layer}.{part}.weight"), shape)));
    }
    names
}
