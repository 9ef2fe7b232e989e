//! The model: tokens in, a score for each possible next token out.
//!
//! Op for op mlx-lm's `llama.py`, `qwen2.py`, `qwen3.py`, `gemma.py` and `gemma3_text.py`, so the bits are theirs, and so are
//! the names of the weights. Not here: attention, norms, rotation, which have files of their own.

use super::{
    Result,
    attention::{Attention, Cache},
    checkpoint::{Checkpoint, Source},
    config::{Architecture, Config},
    norm::Norm,
};
use crate::lora::Projection;
use mlx::{
    fast::Mask,
    nn::{self, Embedding, MaybeQuantized, Module, cache::KvCache},
    prelude::*,
    transforms::{Compiled, compile},
};
use std::sync::LazyLock;

/// A language model.
#[allow(clippy::struct_field_names, reason = "the names of the weights")]
#[derive(Clone, Debug, Module)]
pub struct Model {
    pub(super) model: Decoder,
    pub(super) lm_head: Option<Projection>,
    #[module(skip)]
    pub(super) config: Config,
}

impl Model {
    /// The model of `config`, from its weights.
    ///
    /// # Errors
    /// A tensor that is missing, has another shape, or is left over.
    pub fn new(config: &Config, checkpoint: &Checkpoint) -> Result<Model> {
        let weights = checkpoint.root();
        let model = Decoder::new(config, &weights.scope("model"))?;
        let lm_head = if config.tie_word_embeddings {
            None
        } else {
            Some(weights.linear("lm_head", [config.vocab_size, config.hidden_size], false)?)
        };
        checkpoint.all_used(config)?;
        Ok(Model { model, lm_head, config: config.clone() })
    }

    /// What it is made like.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Empty caches, one for each layer.
    ///
    /// # Errors
    /// None: the config was checked.
    pub fn new_caches(&self) -> mlx::Result<Vec<Cache>> {
        self.config.new_caches()
    }

    /// The projections of the last `count` layers, or of all where it is 0, with their keys, in the order in which mlx-lm walks
    /// them.
    pub fn projections(
        &mut self,
        count: usize,
    ) -> impl Iterator<Item = impl Iterator<Item = (&'static str, &mut Projection)>> {
        let layers = &mut self.model.layers;
        let first = if count == 0 { 0 } else { layers.len().saturating_sub(count) };
        layers[first..].iter_mut().map(|layer| {
            let Block { self_attn, mlp, .. } = layer;
            mlp.projections().into_iter().chain(self_attn.projections())
        })
    }

    /// `tokens`, `[batch, time]`, behind those in `caches`: the scores of what comes next, `[batch, time, vocab_size]`.
    /// Without caches, as in training, nothing is before them.
    ///
    /// # Errors
    /// Tokens of another shape; caches of another model.
    pub fn forward(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<Tensor> {
        let x = self.hidden(tokens, caches)?;
        match &self.lm_head {
            Some(head) => head.forward(&x),
            None => self.model.embed_tokens.as_linear(&x),
        }
    }

    /// [`forward`](Model::forward) up to the scores: `[batch, time, hidden_size]`.
    ///
    /// # Errors
    /// As there.
    pub fn hidden(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<Tensor> {
        fitting(tokens, 2, caches, self.model.layers.len())?;
        self.model.forward(tokens, caches, &self.config)
    }
}

/// That tokens have so many dimensions, and each layer a cache, or none has.
pub(super) fn fitting(tokens: &Tensor, ndim: usize, caches: &[Cache], layers: usize) -> mlx::Result<()> {
    if tokens.ndim() == ndim && (caches.is_empty() || caches.len() == layers) {
        return Ok(());
    }
    let shape = tokens.shape();
    let why = format!("tokens of shape {shape:?} with {} caches, for {layers} layers", caches.len());
    Err(Error::new(mlx::ErrorKind::Shape, "forward", why))
}

/// All but the scores.
#[derive(Clone, Debug, Module)]
pub(super) struct Decoder {
    pub(super) embed_tokens: MaybeQuantized<Embedding>,
    pub(super) layers: Vec<Block>,
    pub(super) norm: Norm,
}

impl Decoder {
    fn new(config: &Config, weights: &Source<'_>) -> Result<Decoder> {
        let layer = |(i, &slides): (usize, &bool)| {
            Block::new(config, slides, &weights.scope(format_args!("layers.{i}")))
        };
        Ok(Decoder {
            embed_tokens: weights.embedding("embed_tokens", [config.vocab_size, config.hidden_size])?,
            layers: config.sliding.iter().enumerate().map(layer).collect::<Result<_>>()?,
            norm: Norm::new(config, config.hidden_size, &weights.scope("norm"))?,
        })
    }

    fn forward(&self, tokens: &Tensor, caches: &mut [Cache], config: &Config) -> mlx::Result<Tensor> {
        let mut x = scaled(self.embed_tokens.forward(tokens)?, config)?;
        let [all, window] = masks(tokens.dim(1), caches, config)?;
        let mut caches = caches.iter_mut();
        for (layer, &slides) in self.layers.iter().zip(&config.sliding) {
            x = layer.forward(&x, if slides { &window } else { &all }, caches.next())?;
        }
        self.norm.forward(&x)
    }
}

/// The masks of layers that see everything, and of those that see a window: one each, for all layers.
pub(super) fn masks(count: i32, caches: &[Cache], config: &Config) -> mlx::Result<[Mask; 2]> {
    let mask = |slides: bool, window| match config.sliding.iter().position(|&layer| layer == slides) {
        Some(layer) => caches.get(layer).unwrap_or(&Cache::All(KvCache::new())).mask(count, window),
        None => Ok(Mask::None),
    };
    Ok([mask(false, None)?, mask(true, Some(config.sliding_window))?])
}

/// Embeddings as the first layer takes them: Gemma's are scaled.
fn scaled(x: Tensor, config: &Config) -> mlx::Result<Tensor> {
    let root = f64::from(config.hidden_size).sqrt();
    Ok(match config.architecture {
        Architecture::Gemma => x * root,
        // Rounded to bfloat16 first, as the model was trained.
        Architecture::Gemma3 => {
            let root = Tensor::scalar(root, Dtype::Bfloat16)?.astype(x.dtype());
            x * root
        }
        _ => x,
    })
}

/// Attention, then a gated MLP, each behind a norm and beside a shortcut.
#[derive(Clone, Debug, Module)]
pub(super) struct Block {
    pub(super) self_attn: Attention,
    pub(super) mlp: Mlp,
    pub(super) input_layernorm: Norm,
    pub(super) post_attention_layernorm: Norm,
    pre_feedforward_layernorm: Option<Norm>,
    post_feedforward_layernorm: Option<Norm>,
}

impl Block {
    fn new(config: &Config, slides: bool, weights: &Source<'_>) -> Result<Block> {
        let norm = |name| Norm::new(config, config.hidden_size, &weights.scope(name));
        let gemma3 = |name| match config.architecture {
            Architecture::Gemma3 => norm(name).map(Some),
            _ => Ok(None),
        };
        Ok(Block {
            self_attn: Attention::new(config, slides, &weights.scope("self_attn"))?,
            mlp: Mlp::new(config, &weights.scope("mlp"))?,
            input_layernorm: norm("input_layernorm")?,
            post_attention_layernorm: norm("post_attention_layernorm")?,
            pre_feedforward_layernorm: gemma3("pre_feedforward_layernorm")?,
            post_feedforward_layernorm: gemma3("post_feedforward_layernorm")?,
        })
    }

    fn forward(&self, x: &Tensor, mask: &Mask, cache: Option<&mut Cache>) -> mlx::Result<Tensor> {
        let y = self.self_attn.forward(&self.input_layernorm.forward(x)?, mask, cache)?;
        let (Some(before), Some(after)) = (&self.pre_feedforward_layernorm, &self.post_feedforward_layernorm)
        else {
            let x = x + y;
            return Ok(&x + self.mlp.forward(&self.post_attention_layernorm.forward(&x)?)?);
        };
        let x = joined(x, &self.post_attention_layernorm.forward(&y)?);
        let y = self.mlp.forward(&before.forward(&x)?)?;
        Ok(joined(&x, &after.forward(&y)?))
    }
}

/// `x + y`, within float16's range where they are that.
fn joined(x: &Tensor, y: &Tensor) -> Tensor {
    if x.dtype() != Dtype::Float16 {
        return x + y;
    }
    let bound = 65_504.0;
    let wide = x.astype(Dtype::Float32) + y.astype(Dtype::Float32);
    wide.clip(-bound, bound).astype(Dtype::Float16)
}

/// Two projections, one of them a gate for the other, and one back.
#[derive(Clone, Debug, Module)]
pub(super) struct Mlp {
    pub(super) gate_proj: Projection,
    pub(super) up_proj: Projection,
    pub(super) down_proj: Projection,
    #[module(skip)]
    architecture: Architecture,
}

impl Mlp {
    fn new(config: &Config, weights: &Source<'_>) -> Result<Mlp> {
        let (width, inner, bias) = (config.hidden_size, config.intermediate_size, config.mlp_bias);
        Ok(Mlp {
            gate_proj: weights.linear("gate_proj", [inner, width], bias)?,
            up_proj: weights.linear("up_proj", [inner, width], bias)?,
            down_proj: weights.linear("down_proj", [width, inner], bias)?,
            architecture: config.architecture,
        })
    }

    fn forward(&self, x: &Tensor) -> mlx::Result<Tensor> {
        let (gate, up) = (self.gate_proj.forward(x)?, self.up_proj.forward(x)?);
        self.down_proj.forward(&match self.architecture {
            Architecture::Gemma => nn::gelu(&gate)? * up,
            Architecture::Gemma3 => nn::gelu_approx(&gate)? * up,
            _ => SWIGLU.call(&(gate, up))?,
        })
    }
}

impl Mlp {
    fn projections(&mut self) -> [(&'static str, &mut Projection); 3] {
        [
            ("mlp.up_proj", &mut self.up_proj),
            ("mlp.down_proj", &mut self.down_proj),
            ("mlp.gate_proj", &mut self.gate_proj),
        ]
    }
}

type Fused = fn(&(Tensor, Tensor)) -> mlx::Result<Tensor>;

/// One kernel of it, as in mlx-lm.
pub(super) static SWIGLU: LazyLock<Compiled<(Tensor, Tensor), mlx::Result<Tensor>, Fused>> =
    LazyLock::new(|| compile(|(gate, up)| Ok(nn::silu(gate)? * up)));
