//! A transformer block of one's own: attention and a gated MLP, each behind a norm.
//!
//! Its fields have the names that the weights have in the file. Not here: running it (`main`), and the same block in
//! Python (`make_block.py`).

use mlx::{
    fast::{Attention as How, Mask, Rope, rope, scaled_dot_product_attention},
    nn::{Linear, RMSNorm, Weights, gelu},
    prelude::*,
};

const HEADS: i32 = 4;
const KV_HEADS: i32 = 2;

pub(crate) struct Block {
    attention_norm: RMSNorm,
    attention: Attention,
    mlp_norm: RMSNorm,
    mlp: GatedMlp,
}

impl Block {
    pub(crate) fn from_weights(weights: &Weights) -> Result<Block> {
        Ok(Block {
            attention_norm: RMSNorm::from_weights(&weights.scope("attention_norm"), 1e-5)?,
            attention: Attention::from_weights(&weights.scope("attention"))?,
            mlp_norm: RMSNorm::from_weights(&weights.scope("mlp_norm"), 1e-5)?,
            mlp: GatedMlp::from_weights(&weights.scope("mlp"))?,
        })
    }

    /// `[batch, time, width]` to the same.
    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x + self.attention.forward(&self.attention_norm.forward(x)?)?;
        Ok(&x + self.mlp.forward(&self.mlp_norm.forward(&x)?)?)
    }
}

#[allow(clippy::struct_field_names, reason = "the names of the weights")]
struct Attention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
}

impl Attention {
    fn from_weights(weights: &Weights) -> Result<Attention> {
        let linear = |name: &str| Linear::from_weights(&weights.scope(name));
        Ok(Attention {
            q_proj: linear("q_proj")?,
            k_proj: linear("k_proj")?,
            v_proj: linear("v_proj")?,
            o_proj: linear("o_proj")?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let &[batch, time, width] = x.shape() else { panic!("a batch of sequences") };
        let size = width / HEADS;
        let heads = |x: Tensor, count| x.reshape([batch, time, count, size]).transpose([0, 2, 1, 3]);
        let q = rope(&heads(self.q_proj.forward(x)?, HEADS), &Rope::new(size))?;
        let k = rope(&heads(self.k_proj.forward(x)?, KV_HEADS), &Rope::new(size))?;
        let v = heads(self.v_proj.forward(x)?, KV_HEADS);
        let how = How::new((size as f32).powf(-0.5)).mask(Mask::Causal);
        let y = scaled_dot_product_attention(&q, &k, &v, &how)?;
        self.o_proj.forward(&y.transpose([0, 2, 1, 3]).reshape([batch, time, width]))
    }
}

#[allow(clippy::struct_field_names, reason = "the names of the weights")]
struct GatedMlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
}

impl GatedMlp {
    fn from_weights(weights: &Weights) -> Result<GatedMlp> {
        let linear = |name: &str| Linear::from_weights(&weights.scope(name));
        Ok(GatedMlp {
            gate_proj: linear("gate_proj")?,
            up_proj: linear("up_proj")?,
            down_proj: linear("down_proj")?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.down_proj.forward(&(gelu(&self.gate_proj.forward(x)?)? * self.up_proj.forward(x)?))
    }
}
