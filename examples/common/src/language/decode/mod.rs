//! A model in the form that makes a token with few nodes: where a GPU is fast, building and scheduling them is what a token
//! costs.
//!
//! Activations are `[time, features]`, so that a product needs no reshapes; weights are transposed once; queries, keys and
//! values, which have one input, come of one product, as do the halves of the MLP; queries and keys are rotated together, by
//! a position that all layers share. Bits are those of [`Model`] where MLX computes each row of a product alike wherever
//! it stands, as its GPU kernels and its own CPU kernels do; [`Fusion`] turns that off. Not here: the model itself
//! (`model`), matrices (`matrix`).

mod matrix;

use super::{
    attention::{Attention, Cache},
    config::{Architecture, Config},
    model::{Block, Decoder, Mlp, Model, SWIGLU, fitting, masks},
    norm::Norm,
    rotary::Rotary,
};
use matrix::{Matrix, Together, refused};
use mlx::{
    fast::{self, Mask, scaled_dot_product_attention},
    nn::{Embedding, MaybeQuantized},
    ops,
    prelude::*,
};

/// Which products of one input are made one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusion {
    /// Those of queries, keys and values; queries and keys are rotated together then.
    pub attention: bool,
    /// Those of the MLP's gate and of what it is a gate for.
    pub mlp: bool,
}

impl Default for Fusion {
    fn default() -> Fusion {
        Fusion { attention: true, mlp: true }
    }
}

/// A model for decoding, one sequence at a time.
#[derive(Clone, Debug)]
pub struct Decode {
    embed_tokens: MaybeQuantized<Embedding>,
    layers: Vec<Layer>,
    norm: Norm,
    head: Matrix,
    config: Config,
}

impl Decode {
    /// Whether models like that have this form.
    #[must_use]
    pub fn has(config: &Config) -> bool {
        matches!(config.architecture, Architecture::Llama | Architecture::Qwen2)
    }

    /// `model` in this form. Its weights move: none is kept twice.
    ///
    /// # Errors
    /// A model that is neither a Llama nor a Qwen2; low-rank terms; layers that quantize their input.
    pub fn new(model: Model, fusion: Fusion) -> Result<Decode> {
        let Model { model, lm_head, config } = model;
        if !Decode::has(&config) {
            return refused(&format!("{:?}", config.architecture));
        }
        let Decoder { embed_tokens, layers, norm } = model;
        let head = match lm_head {
            Some(head) => Matrix::new(head)?,
            None => Matrix::of_embedding(&embed_tokens)?,
        };
        let layers = layers.into_iter().map(|layer| Layer::new(layer, fusion));
        Ok(Decode { layers: layers.collect::<Result<_>>()?, embed_tokens, norm, head, config })
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
    pub fn new_caches(&self) -> Result<Vec<Cache>> {
        self.config.new_caches()
    }

    /// `tokens`, `[time]`, behind those in `caches`: the scores of what comes next, `[time, vocab_size]`.
    ///
    /// # Errors
    /// Tokens of another shape; caches of another model.
    pub fn forward(&self, tokens: &Tensor, caches: &mut [Cache]) -> Result<Tensor> {
        self.head.forward(&self.hidden(tokens, caches)?)
    }

    /// [`forward`](Decode::forward) up to the scores: `[time, hidden_size]`.
    ///
    /// # Errors
    /// As there.
    pub fn hidden(&self, tokens: &Tensor, caches: &mut [Cache]) -> Result<Tensor> {
        fitting(tokens, 1, caches, self.layers.len())?;
        let [all, window] = masks(tokens.dim(0), caches, &self.config)?;
        let offset = caches.first().map_or(0, Cache::offset);
        let position = Tensor::scalar(offset, Dtype::Int32)?;
        let mut x = self.embed_tokens.forward(tokens)?;
        let mut caches = caches.iter_mut();
        for (layer, &slides) in self.layers.iter().zip(&self.config.sliding) {
            let mask = if slides { &window } else { &all };
            x = layer.forward(x, &Place { offset, position: &position, mask }, caches.next())?;
        }
        self.norm.forward(&x)
    }
}

/// Where the tokens of a step stand, and what they see.
struct Place<'a> {
    offset: i32,
    /// The offset, for all layers.
    position: &'a Tensor,
    mask: &'a Mask,
}

#[derive(Clone, Debug)]
struct Layer {
    input_layernorm: Norm,
    post_attention_layernorm: Norm,
    qkv: Together<3>,
    o_proj: Matrix,
    gate_up: Together<2>,
    down_proj: Matrix,
    rotary: Rotary,
    heads: i32,
    kv_heads: i32,
    scale: f32,
}

impl Layer {
    fn new(layer: Block, fusion: Fusion) -> Result<Layer> {
        let Block { self_attn, mlp, input_layernorm, post_attention_layernorm, .. } = layer;
        let Attention { q_proj, k_proj, v_proj, o_proj, rotary, heads, kv_heads, scale, .. } = self_attn;
        let Mlp { gate_proj, up_proj, down_proj, .. } = mlp;
        Ok(Layer {
            qkv: if fusion.attention {
                Matrix::together([q_proj, k_proj, v_proj])?
            } else {
                Together::Apart([Matrix::new(q_proj)?, Matrix::new(k_proj)?, Matrix::new(v_proj)?])
            },
            o_proj: Matrix::new(o_proj)?,
            gate_up: if fusion.mlp {
                Matrix::together([gate_proj, up_proj])?
            } else {
                Together::Apart([Matrix::new(gate_proj)?, Matrix::new(up_proj)?])
            },
            down_proj: Matrix::new(down_proj)?,
            input_layernorm,
            post_attention_layernorm,
            rotary,
            heads,
            kv_heads,
            scale,
        })
    }

    fn forward(&self, x: Tensor, place: &Place<'_>, cache: Option<&mut Cache>) -> Result<Tensor> {
        let y = self.attend(&self.input_layernorm.forward(&x)?, place, cache)?;
        let x = x + self.o_proj.forward(&y)?;
        let y = self.gated(&self.post_attention_layernorm.forward(&x)?)?;
        Ok(x + self.down_proj.forward(&y)?)
    }

    fn attend(&self, x: &Tensor, place: &Place<'_>, cache: Option<&mut Cache>) -> Result<Tensor> {
        let time = x.dim(0);
        let rotated = |x: &Tensor| self.rotary.forward_at(x, place.offset, place.position);
        let (queries, keys, values) = match &self.qkv {
            Together::One(qkv) => {
                let all = split_heads(&qkv.forward(x)?, self.heads + 2 * self.kv_heads)?;
                let [both, values] = halves(&all, self.heads + self.kv_heads, 1)?;
                let [queries, keys] = halves(&rotated(&both)?, self.heads, 1)?;
                (queries, keys, values)
            }
            Together::Apart([q, k, v]) => (
                rotated(&split_heads(&q.forward(x)?, self.heads)?)?,
                rotated(&split_heads(&k.forward(x)?, self.kv_heads)?)?,
                split_heads(&v.forward(x)?, self.kv_heads)?,
            ),
        };
        let (keys, values) = match cache {
            Some(cache) => cache.update_and_fetch(&keys, &values)?,
            None => (keys, values),
        };
        let how = fast::Attention::new(self.scale).mask(place.mask);
        let y = scaled_dot_product_attention(&queries, &keys, &values, &how)?;
        // One token's heads lie as its features do.
        let y = if time == 1 { y } else { ops::transpose(&y, [0, 2, 1, 3])? };
        ops::reshape(&y, [time, -1])
    }

    fn gated(&self, x: &Tensor) -> Result<Tensor> {
        let [gate, up] = match &self.gate_up {
            Together::One(both) => {
                let both = both.forward(x)?;
                halves(&both, both.dim(1) / 2, 1)?
            }
            Together::Apart([gate, up]) => [gate.forward(x)?, up.forward(x)?],
        };
        SWIGLU.call(&(gate, up))
    }
}

/// `[time, heads * size]` as `[1, heads, time, size]`.
fn split_heads(x: &Tensor, heads: i32) -> Result<Tensor> {
    match x.dim(0) {
        1 => ops::reshape(x, [1, heads, 1, -1]),
        time => ops::transpose(&ops::reshape(x, [1, time, heads, -1])?, [0, 2, 1, 3]),
    }
}

/// What lies before and from `place` on, along an axis.
fn halves(x: &Tensor, place: i32, axis: i32) -> Result<[Tensor; 2]> {
    let parts = ops::split(x, [place], axis)?;
    Ok(parts.try_into().expect("one place divides into two"))
}
