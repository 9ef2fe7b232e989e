//! Attention with grouped heads, rotary positions and a cache.

use super::{
    Result,
    checkpoint::Source,
    config::{Architecture, Config},
    norm::Norm,
    rotary::Rotary,
};
use crate::lora::Projection;
use mlx::{
    fast::{self, Mask, scaled_dot_product_attention},
    nn::{
        Module,
        cache::{self, KvCache, RotatingKvCache},
    },
    prelude::*,
};

/// Each token looks at itself and those before it.
#[derive(Clone, Debug, Module)]
pub(super) struct Attention {
    pub(super) q_proj: Projection,
    pub(super) k_proj: Projection,
    pub(super) v_proj: Projection,
    pub(super) o_proj: Projection,
    q_norm: Option<Norm>,
    k_norm: Option<Norm>,
    #[module(skip)]
    pub(super) rotary: Rotary,
    pub(super) heads: i32,
    pub(super) kv_heads: i32,
    pub(super) scale: f32,
}

impl Attention {
    /// The attention of a layer, from its weights.
    ///
    /// # Errors
    /// A tensor that is missing or has another shape.
    pub(super) fn new(config: &Config, slides: bool, weights: &Source<'_>) -> Result<Attention> {
        let (width, size) = (config.hidden_size, config.head_dim);
        let (heads, kv_heads) = (config.num_attention_heads, config.num_key_value_heads);
        let bias = config.attention_bias;
        let norm = |name| match config.architecture {
            Architecture::Qwen3 | Architecture::Gemma3 => {
                Norm::new(config, size, &weights.scope(name)).map(Some)
            }
            _ => Ok(None),
        };
        Ok(Attention {
            q_proj: weights.linear("q_proj", [heads * size, width], bias)?,
            k_proj: weights.linear("k_proj", [kv_heads * size, width], bias)?,
            v_proj: weights.linear("v_proj", [kv_heads * size, width], bias)?,
            o_proj: weights.linear("o_proj", [width, heads * size], config.output_bias)?,
            q_norm: norm("q_norm")?,
            k_norm: norm("k_norm")?,
            rotary: Rotary::new(config, slides)?,
            heads,
            kv_heads,
            scale: config.query_pre_attn_scalar.powf(-0.5) as f32,
        })
    }

    /// `[batch, time, width]` to the same; `mask` and `cache`, if there is one, are those before these tokens.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub(super) fn forward(&self, x: &Tensor, mask: &Mask, cache: Option<&mut Cache>) -> mlx::Result<Tensor> {
        let [batch, time] = [x.dim(0), x.dim(1)];
        // A norm goes over each head's features, so it does not matter to its bits on which side of the transpose it is.
        let heads = |x: Tensor, count: i32, norm: &Option<Norm>| {
            let x = x.reshape([batch, time, count, -1]);
            let x = norm.as_ref().map_or(Ok(x.clone()), |norm| norm.forward(&x))?;
            Ok::<_, Error>(x.transpose([0, 2, 1, 3]))
        };
        let queries = heads(self.q_proj.forward(x)?, self.heads, &self.q_norm)?;
        let keys = heads(self.k_proj.forward(x)?, self.kv_heads, &self.k_norm)?;
        let values = heads(self.v_proj.forward(x)?, self.kv_heads, &None)?;

        let offset = cache.as_ref().map_or(0, |cache| cache.offset());
        let queries = self.rotary.forward(&queries, offset)?;
        let keys = self.rotary.forward(&keys, offset)?;
        let (keys, values) = match cache {
            Some(cache) => cache.update_and_fetch(&keys, &values)?,
            None => (keys, values),
        };

        let how = fast::Attention::new(self.scale).mask(mask);
        let y = scaled_dot_product_attention(&queries, &keys, &values, &how)?;
        self.o_proj.forward(&y.transpose([0, 2, 1, 3]).reshape([batch, time, -1]))
    }
}

impl Attention {
    /// Its projections with their keys, in the order in which mlx-lm walks them.
    pub(super) fn projections(&mut self) -> [(&'static str, &mut Projection); 4] {
        [
            ("self_attn.o_proj", &mut self.o_proj),
            ("self_attn.v_proj", &mut self.v_proj),
            ("self_attn.k_proj", &mut self.k_proj),
            ("self_attn.q_proj", &mut self.q_proj),
        ]
    }
}

/// What a layer keeps of the tokens before: all of them, or a window.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "named by what is in them")]
pub enum Cache {
    All(KvCache),
    Window(RotatingKvCache),
}

impl Config {
    /// Empty caches, one for each layer.
    pub(super) fn new_caches(&self) -> mlx::Result<Vec<Cache>> {
        let cache = |&slides: &bool| {
            if slides {
                return RotatingKvCache::new(self.sliding_window, 0).map(Cache::Window);
            }
            Ok(Cache::All(KvCache::new()))
        };
        self.sliding.iter().map(cache).collect()
    }
}

impl Cache {
    /// How many tokens were before.
    #[must_use]
    pub fn offset(&self) -> i32 {
        self.as_cache().offset()
    }

    fn as_cache(&self) -> &dyn cache::Cache {
        match self {
            Cache::All(cache) => cache,
            Cache::Window(cache) => cache,
        }
    }

    pub(super) fn mask(&self, count: i32, window: Option<i32>) -> mlx::Result<Mask> {
        self.as_cache().mask(count, window)
    }

    pub(super) fn update_and_fetch(
        &mut self,
        keys: &Tensor,
        values: &Tensor,
    ) -> mlx::Result<(Tensor, Tensor)> {
        match self {
            Cache::All(cache) => cache.update_and_fetch(keys, values),
            Cache::Window(cache) => cache.update_and_fetch(keys, values),
        }
    }

    /// What is kept, to be evaluated.
    #[must_use]
    pub fn buffers(&self) -> Vec<&Tensor> {
        match self {
            Cache::All(cache) => cache.buffers().collect(),
            Cache::Window(cache) => cache.buffers().collect(),
        }
    }
}
