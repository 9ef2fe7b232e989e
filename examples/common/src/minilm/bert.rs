//! BERT, the encoder: its members have the names that the weights have in the file.
//!
//! Not here: words, and one vector for a whole sentence (`minilm`).

use mlx::{
    fast::{Attention as How, scaled_dot_product_attention},
    nn::{Embedding, LayerNorm, Linear, Module, gelu},
    ops,
    prelude::*,
};
use serde::Deserialize;

/// The sizes, as `config.json` has them.
#[derive(Deserialize, Clone, Copy, Debug)]
pub struct Config {
    /// Features of a token.
    pub hidden_size: i32,
    /// Features between the two maps of a layer.
    pub intermediate_size: i32,
    /// Layers.
    pub num_hidden_layers: u8,
    /// Heads of attention.
    pub num_attention_heads: i32,
    /// Tokens there are.
    pub vocab_size: i32,
    /// Tokens of the longest text.
    pub max_position_embeddings: i32,
    /// Kinds of texts.
    pub type_vocab_size: i32,
    /// What the norms add to a variance.
    pub layer_norm_eps: f32,
}

/// The network, with the names of its weights.
#[derive(Clone, Debug, Module)]
pub struct Bert {
    embeddings: Embeddings,
    encoder: Encoder,
}

impl Bert {
    /// One with random weights.
    ///
    /// # Errors
    /// Sizes that are none; heads that do not divide the features.
    pub fn new(config: &Config) -> Result<Bert> {
        let layer = (0..config.num_hidden_layers).map(|_| Layer::new(config)).collect::<Result<_>>()?;
        Ok(Bert { embeddings: Embeddings::new(config)?, encoder: Encoder { layer } })
    }

    /// `ids`, `[batch, time]`, as features, `[batch, time, hidden_size]`; where `mask`, `[batch, time]`, is false there
    /// is no token, only padding.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub fn forward(&self, ids: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let mask = mask.expand_dims([1, 2]);
        self.encoder.layer.iter().try_fold(self.embeddings.forward(ids)?, |x, layer| layer.forward(&x, &mask))
    }
}

#[derive(Clone, Debug, Module)]
#[allow(clippy::struct_field_names, reason = "the names of the weights")]
struct Embeddings {
    word_embeddings: Embedding,
    position_embeddings: Embedding,
    token_type_embeddings: Embedding,
    #[module(rename = "LayerNorm")]
    norm: LayerNorm,
}

impl Embeddings {
    fn new(config: &Config) -> Result<Embeddings> {
        let table = |rows| Embedding::new(rows, config.hidden_size);
        Ok(Embeddings {
            word_embeddings: table(config.vocab_size)?,
            position_embeddings: table(config.max_position_embeddings)?,
            token_type_embeddings: table(config.type_vocab_size)?,
            norm: LayerNorm::new(config.hidden_size, config.layer_norm_eps)?,
        })
    }

    fn forward(&self, ids: &Tensor) -> Result<Tensor> {
        let (time, most) = (ids.dim(-1), self.position_embeddings.weight.dim(0));
        if time > most {
            return Err(Error::new(
                ErrorKind::Shape,
                "Bert",
                format!("{time} tokens, and it knows {most} positions"),
            ));
        }
        let words = self.word_embeddings.forward(ids)?;
        let positions = self.position_embeddings.weight.index(..time);
        let first_text = self.token_type_embeddings.weight.index(0);
        self.norm.forward(&(words + positions + first_text))
    }
}

#[derive(Clone, Debug, Module)]
struct Encoder {
    layer: Vec<Layer>,
}

#[derive(Clone, Debug, Module)]
struct Layer {
    attention: Attention,
    intermediate: Dense,
    output: Output,
}

impl Layer {
    fn new(config: &Config) -> Result<Layer> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        Ok(Layer {
            attention: Attention { heads: Heads::new(config)?, output: Output::new(hidden, config)? },
            intermediate: Dense { dense: Linear::new(hidden, inner, true)? },
            output: Output::new(inner, config)?,
        })
    }

    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let x = self.attention.output.forward(&self.attention.heads.forward(x, mask)?, x)?;
        self.output.forward(&gelu(&self.intermediate.dense.forward(&x)?)?, &x)
    }
}

#[derive(Clone, Debug, Module)]
struct Attention {
    #[module(rename = "self")]
    heads: Heads,
    output: Output,
}

#[derive(Clone, Debug, Module)]
struct Heads {
    query: Linear,
    key: Linear,
    value: Linear,
    count: i32,
}

impl Heads {
    fn new(config: &Config) -> Result<Heads> {
        let (size, count) = (config.hidden_size, config.num_attention_heads);
        if size < 1 || count < 1 || size % count != 0 {
            let what = format!("{count} heads for {size} features");
            return Err(Error::new(ErrorKind::Value, "Bert", what));
        }
        let linear = || Linear::new(size, size, true);
        Ok(Heads { query: linear()?, key: linear()?, value: linear()?, count })
    }

    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let split = |x: Tensor| x.unflatten(-1, [self.count, -1]).transpose([0, 2, 1, 3]);
        let [q, k, v] =
            [split(self.query.forward(x)?), split(self.key.forward(x)?), split(self.value.forward(x)?)];
        let how = How::new((q.dim(-1) as f32).powf(-0.5)).mask(mask);
        let y = scaled_dot_product_attention(&q, &k, &v, &how)?;
        ops::flatten(&y.transpose([0, 2, 1, 3]), -2..)
    }
}

#[derive(Clone, Debug, Module)]
struct Dense {
    dense: Linear,
}

/// What a block gives, mapped, is added to what it was given; then a norm.
#[derive(Clone, Debug, Module)]
struct Output {
    dense: Linear,
    #[module(rename = "LayerNorm")]
    norm: LayerNorm,
}

impl Output {
    fn new(inputs: i32, config: &Config) -> Result<Output> {
        let dense = Linear::new(inputs, config.hidden_size, true)?;
        Ok(Output { dense, norm: LayerNorm::new(config.hidden_size, config.layer_norm_eps)? })
    }

    fn forward(&self, y: &Tensor, x: &Tensor) -> Result<Tensor> {
        self.norm.forward(&(self.dense.forward(y)? + x))
    }
}
