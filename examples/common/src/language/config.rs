//! What a model is made like: read from Hugging Face's `config.json` or from a GGUF file's metadata.
//!
//! Names and defaults are those of mlx-lm's models. Not here: the weights (`checkpoint`).

use super::{Result, fields::Fields};
use mlx::ops::GgufValue;
use serde_json::{Map, Value};
use std::{collections::HashMap, path::Path};

/// Which family of models. Where they differ in more than sizes, this decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// Llama and what is built like it: SmolLM2, Mistral.
    Llama,
    /// Qwen2: queries, keys and values have a bias.
    Qwen2,
    /// Qwen3: queries and keys are normalized.
    Qwen3,
    /// Gemma: norms by `1 + weight`, a gate of gelu, scaled embeddings.
    Gemma,
    /// Gemma 3's text model: four norms a block, most layers see a window.
    Gemma3,
}

/// The sizes and settings of a model.
#[derive(Clone, Debug)]
#[allow(missing_docs, clippy::struct_excessive_bools, reason = "named as in config.json")]
pub struct Config {
    pub architecture: Architecture,
    pub hidden_size: i32,
    pub num_hidden_layers: i32,
    pub intermediate_size: i32,
    pub num_attention_heads: i32,
    pub num_key_value_heads: i32,
    pub head_dim: i32,
    pub vocab_size: i32,
    pub rms_norm_eps: f32,
    pub max_position_embeddings: i32,
    pub rope_theta: f64,
    /// Whether neighbouring features are rotated as pairs.
    pub rope_traditional: bool,
    pub rope_scaling: Option<Scaling>,
    /// The base of layers that see a window, where they have another.
    pub rope_local_base_freq: Option<f64>,
    pub tie_word_embeddings: bool,
    /// Of queries, keys and values.
    pub attention_bias: bool,
    /// Of the projection behind attention.
    pub output_bias: bool,
    pub mlp_bias: bool,
    /// The factor of attention's scores is one over the root of this.
    pub query_pre_attn_scalar: f64,
    /// How many tokens the layers of `sliding` see.
    pub sliding_window: i32,
    /// For each layer, whether it sees a window alone.
    pub sliding: Vec<bool>,
    /// The tokens that end a text.
    pub eos_token_id: Vec<u32>,
}

/// How positions are stretched beyond the lengths a model was first trained on; the settings are mlx-lm's.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "named as in config.json")]
pub enum Scaling {
    Linear { factor: f64 },
    Dynamic { factor: f64 },
    Llama3 { factor: f64, low_freq_factor: f64, high_freq_factor: f64, original: f64 },
    Yarn { factor: f64, original: f64, beta_fast: f64, beta_slow: f64, mscale: f64, mscale_all_dim: f64 },
}

impl Config {
    /// From Hugging Face's `config.json`.
    ///
    /// # Errors
    /// A file that cannot be read or is no JSON; a setting that is missing, of another kind or impossible; an architecture or
    /// a kind of scaling that is not here. All name the file.
    pub fn from_file(path: &Path) -> Result<Config> {
        let fields = Fields::from_file(path)?;
        Config::from_fields(&fields).map_err(|e| format!("{}: {e}", path.display()).into())
    }

    fn from_fields(fields: &Fields) -> Result<Config> {
        let kind: String = fields.required("model_type")?;
        let architecture = match kind.as_str() {
            "llama" | "mistral" => Architecture::Llama,
            "qwen2" => Architecture::Qwen2,
            "qwen3" => Architecture::Qwen3,
            "gemma" => Architecture::Gemma,
            "gemma3_text" => Architecture::Gemma3,
            _ => return Err(format!("model_type {kind:?} is not among the models here").into()),
        };
        let (hidden, layers) = (fields.size("hidden_size")?, fields.size("num_hidden_layers")?);
        let heads = fields.size("num_attention_heads")?;
        let head_dim = fields.optional("head_dim")?.unwrap_or(hidden / heads);
        let rope = fields.optional::<Map<String, Value>>("rope_parameters")?.map(Fields::new);
        let is_gemma3 = architecture == Architecture::Gemma3;
        let theta = match (fields.optional("rope_theta")?, &rope) {
            (Some(theta), _) => theta,
            (None, Some(rope)) => rope.required("rope_theta")?,
            (None, None) => architecture.rope_theta(),
        };
        let scaling = fields.optional::<Map<String, Value>>("rope_scaling")?.map(Fields::new);
        let tied = matches!(architecture, Architecture::Gemma | Architecture::Gemma3);
        let bias = |name| Ok::<_, crate::Failure>(fields.optional(name)?.unwrap_or(false));
        let config = Config {
            architecture,
            hidden_size: hidden,
            num_hidden_layers: layers,
            intermediate_size: fields.size("intermediate_size")?,
            num_attention_heads: heads,
            num_key_value_heads: fields.optional("num_key_value_heads")?.unwrap_or(heads),
            head_dim,
            vocab_size: fields.size("vocab_size")?,
            rms_norm_eps: fields.required("rms_norm_eps")?,
            max_position_embeddings: fields.optional("max_position_embeddings")?.unwrap_or(32_768),
            rope_theta: theta,
            rope_traditional: fields.optional("rope_traditional")?.unwrap_or(false),
            rope_scaling: scaling.or(rope).map_or(Ok(None), |fields| Scaling::from_fields(&fields))?,
            rope_local_base_freq: match fields.optional("rope_local_base_freq")? {
                None if is_gemma3 => Some(10_000.0),
                base => base,
            },
            tie_word_embeddings: fields.optional("tie_word_embeddings")?.unwrap_or(true) || tied,
            attention_bias: architecture == Architecture::Qwen2
                || architecture == Architecture::Llama && bias("attention_bias")?,
            output_bias: architecture == Architecture::Llama && bias("attention_bias")?,
            mlp_bias: architecture == Architecture::Llama && bias("mlp_bias")?,
            query_pre_attn_scalar: match fields.optional("query_pre_attn_scalar")? {
                Some(scalar) if is_gemma3 => scalar,
                _ => f64::from(head_dim),
            },
            sliding_window: fields.optional("sliding_window")?.unwrap_or(512),
            sliding: sliding(fields, architecture, layers)?,
            eos_token_id: fields.one_or_more("eos_token_id")?,
        };
        config.checked()
    }

    /// From the metadata of a GGUF file.
    ///
    /// # Errors
    /// A value that is missing, of another kind or impossible; an architecture that is not here.
    pub fn from_gguf(metadata: &HashMap<String, GgufValue>) -> Result<Config> {
        let fields = Fields::from_gguf(metadata);
        let kind: String = fields.required("general.architecture")?;
        let architecture = match kind.as_str() {
            "llama" => Architecture::Llama,
            "qwen2" => Architecture::Qwen2,
            "qwen3" => Architecture::Qwen3,
            _ => return Err(format!("general.architecture {kind:?} is not among the models here").into()),
        };
        let name = |key: &str| format!("{kind}.{key}");
        let (hidden, heads) =
            (fields.size(&name("embedding_length"))?, fields.size(&name("attention.head_count"))?);
        let layers = fields.size(&name("block_count"))?;
        let head_dim = fields.optional(&name("attention.key_length"))?.unwrap_or(hidden / heads);
        let tokens = metadata.get("tokenizer.ggml.tokens").and_then(GgufValue::as_texts);
        let named = tokens.and_then(|tokens| i32::try_from(tokens.len()).ok());
        let scaling: Option<String> = fields.optional(&name("rope.scaling.type"))?;
        if let Some(scaling) = scaling.filter(|kind| kind != "none") {
            return Err(format!("{} {scaling:?} is not supported", name("rope.scaling.type")).into());
        }
        let config = Config {
            architecture,
            hidden_size: hidden,
            num_hidden_layers: layers,
            intermediate_size: fields.size(&name("feed_forward_length"))?,
            num_attention_heads: heads,
            num_key_value_heads: fields.optional(&name("attention.head_count_kv"))?.unwrap_or(heads),
            head_dim,
            vocab_size: match (fields.optional(&name("vocab_size"))?, named) {
                (Some(size), _) | (None, Some(size)) => size,
                (None, None) => return Err(format!("there is no {}", name("vocab_size")).into()),
            },
            rms_norm_eps: fields.required(&name("attention.layer_norm_rms_epsilon"))?,
            max_position_embeddings: fields.size(&name("context_length"))?,
            rope_theta: fields.optional(&name("rope.freq_base"))?.unwrap_or(10_000.0),
            // llama.cpp's converter reorders the rows of queries and keys of this architecture alone.
            rope_traditional: architecture == Architecture::Llama,
            rope_scaling: None,
            rope_local_base_freq: None,
            // Known once the tensors are: `Checkpoint::gguf`.
            tie_word_embeddings: true,
            attention_bias: architecture == Architecture::Qwen2,
            output_bias: false,
            mlp_bias: false,
            query_pre_attn_scalar: f64::from(head_dim),
            sliding_window: 0,
            sliding: vec![false; layers as usize],
            eos_token_id: fields.one_or_more("tokenizer.ggml.eos_token_id")?,
        };
        config.checked()
    }

    fn checked(self) -> Result<Config> {
        let sizes = [
            ("num_key_value_heads", self.num_key_value_heads),
            ("head_dim", self.head_dim),
            ("max_position_embeddings", self.max_position_embeddings),
        ];
        if let Some((name, size)) = sizes.into_iter().find(|&(_, size)| size < 1) {
            return Err(format!("{name} is {size}").into());
        }
        let (heads, shared) = (self.num_attention_heads, self.num_key_value_heads);
        if heads % shared != 0 {
            return Err(
                format!("{heads} num_attention_heads do not share {shared} num_key_value_heads").into()
            );
        }
        if self.head_dim % 2 != 0 {
            return Err(format!("head_dim {} is odd, and rotation takes pairs", self.head_dim).into());
        }
        if self.sliding.contains(&true) && self.sliding_window < 1 {
            return Err(format!("sliding_window is {}", self.sliding_window).into());
        }
        Ok(self)
    }
}

impl Architecture {
    /// What mlx-lm takes where a config does not say.
    fn rope_theta(self) -> f64 {
        match self {
            Architecture::Llama | Architecture::Gemma => 10_000.0,
            Architecture::Qwen2 | Architecture::Qwen3 | Architecture::Gemma3 => 1_000_000.0,
        }
    }
}

/// Which layers see a window.
fn sliding(fields: &Fields, architecture: Architecture, layers: i32) -> Result<Vec<bool>> {
    match architecture {
        Architecture::Gemma3 => {
            let pattern = fields.optional("sliding_window_pattern")?.unwrap_or(6);
            if pattern < 1 || pattern > layers {
                return Err(format!("sliding_window_pattern is {pattern}, of {layers} layers").into());
            }
            Ok((1..=layers).map(|layer| layer % pattern != 0).collect())
        }
        Architecture::Llama => {
            let Some(types) = fields.optional::<Vec<String>>("layer_types")? else {
                return Ok(vec![false; layers as usize]);
            };
            if types.len() != layers as usize {
                return Err(format!("layer_types has {} entries for {layers} layers", types.len()).into());
            }
            Ok(types.iter().map(|kind| kind == "sliding_attention").collect())
        }
        _ => Ok(vec![false; layers as usize]),
    }
}

impl Scaling {
    /// `None` for what changes nothing.
    fn from_fields(fields: &Fields) -> Result<Option<Scaling>> {
        let kind: Option<String> = fields.optional("type")?;
        let kind = match kind {
            Some(kind) => kind,
            None => fields.optional("rope_type")?.unwrap_or_else(|| "default".to_owned()),
        };
        let or =
            |name: &str, default: f64| Ok::<_, crate::Failure>(fields.optional(name)?.unwrap_or(default));
        let factor = || fields.required("factor");
        let original = "original_max_position_embeddings";
        Ok(Some(match kind.as_str() {
            "default" => return Ok(None),
            "linear" => Scaling::Linear { factor: factor()? },
            "dynamic" => Scaling::Dynamic { factor: factor()? },
            "llama3" => Scaling::Llama3 {
                factor: factor()?,
                low_freq_factor: or("low_freq_factor", 1.0)?,
                high_freq_factor: or("high_freq_factor", 4.0)?,
                original: or(original, 8192.0)?,
            },
            "yarn" => Scaling::Yarn {
                factor: factor()?,
                original: or(original, 4096.0)?,
                beta_fast: or("beta_fast", 32.0)?,
                beta_slow: or("beta_slow", 1.0)?,
                mscale: or("mscale", 1.0)?,
                mscale_all_dim: or("mscale_all_dim", 0.0)?,
            },
            _ => return Err(format!("rope_scaling of type {kind:?} is not supported").into()),
        }))
    }
}
