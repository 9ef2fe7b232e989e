//! The transformer's decoder, and both together. Not here: the encoder and what both are made of (`transformer`).

use super::{
    Activation, Dropout, LayerNorm, Linear, MultiHeadAttention, TransformerConfig, TransformerEncoder,
    transformer::again,
};
use crate::{Module, State};
use mlx_core::{Result, Tensor};
use mlx_fast::Mask;
use mlx_ops::add;

/// Attention to the sequence itself, attention to another one, then two linear maps.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::Mask;
/// # use mlx_nn::{TransformerConfig, TransformerDecoderLayer};
/// let layer = TransformerDecoderLayer::new(&TransformerConfig::new(8, 2))?;
/// let (x, memory) = (mlx_ops::ones([1, 3, 8], Dtype::Float32)?, mlx_ops::ones([1, 5, 8], Dtype::Float32)?);
/// assert_eq!(layer.forward(&x, &memory, Mask::Causal, Mask::None)?.shape(), [1, 3, 8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.TransformerDecoderLayer")]
pub struct TransformerDecoderLayer {
    /// To the sequence itself.
    pub self_attention: MultiHeadAttention,
    /// To the other sequence.
    pub cross_attention: MultiHeadAttention,
    /// Of the attention to the sequence itself.
    pub ln1: LayerNorm,
    /// Of the attention to the other sequence.
    pub ln2: LayerNorm,
    /// Of the linear maps.
    pub ln3: LayerNorm,
    /// The first linear map.
    pub linear1: Linear,
    /// The second one.
    pub linear2: Linear,
    /// Behind the attention to the sequence itself.
    pub dropout1: Dropout,
    /// Behind the attention to the other sequence.
    pub dropout2: Dropout,
    /// Between the linear maps.
    pub dropout3: Dropout,
    #[module(skip)]
    activation: Activation,
    norm_first: bool,
    state: State,
}

impl TransformerDecoderLayer {
    /// A layer drawn as Python draws it: both attentions, then the linear maps.
    ///
    /// # Errors
    /// Sizes that are no sizes, heads that do not divide the features, a dropout outside [0, 1).
    pub fn new(how: &TransformerConfig) -> Result<TransformerDecoderLayer> {
        let (self_attention, cross_attention) = (how.attention()?, how.attention()?);
        let [linear1, linear2] = how.mlp()?;
        Ok(TransformerDecoderLayer {
            self_attention,
            cross_attention,
            ln1: how.norm()?,
            ln2: how.norm()?,
            ln3: how.norm()?,
            linear1,
            linear2,
            dropout1: how.dropped()?,
            dropout2: how.dropped()?,
            dropout3: how.dropped()?,
            activation: how.activation.clone(),
            norm_first: how.norm_first,
            state: State::new(),
        })
    }

    /// `x`, `[batch, time, dims]`, of the same shape afterwards; `memory`, `[batch, length, dims]`, is what the encoder
    /// gave. The masks are as in [`MultiHeadAttention::forward`].
    ///
    /// # Errors
    /// What does not fit.
    #[track_caller]
    pub fn forward(
        &self,
        x: &Tensor,
        memory: &Tensor,
        x_mask: impl Into<Mask>,
        memory_mask: impl Into<Mask>,
    ) -> Result<Tensor> {
        let attend = |y: &Tensor| self.dropout1.forward(&self.self_attention.forward(y, y, y, x_mask)?);
        let look = |y: &Tensor| {
            self.dropout2.forward(&self.cross_attention.forward(y, memory, memory, memory_mask)?)
        };
        if self.norm_first {
            let x = add(x, attend(&self.ln1.forward(x)?)?)?;
            let x = add(&x, look(&self.ln2.forward(&x)?)?)?;
            add(&x, self.mlp(&self.ln3.forward(&x)?)?)
        } else {
            let x = self.ln1.forward(&add(x, attend(x)?)?)?;
            let x = self.ln2.forward(&add(&x, look(&x)?)?)?;
            self.ln3.forward(&add(&x, self.mlp(&x)?)?)
        }
    }

    #[track_caller]
    fn mlp(&self, x: &Tensor) -> Result<Tensor> {
        let within = self.activation.apply(&self.linear1.forward(x)?)?;
        self.linear2.forward(&self.dropout3.forward(&within)?)
    }
}

/// Decoder layers one after the other, and a normalization.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::Mask;
/// # use mlx_nn::{TransformerConfig, TransformerDecoder};
/// let decoder = TransformerDecoder::new(2, &TransformerConfig::new(8, 2))?;
/// let x = mlx_ops::ones([1, 3, 8], Dtype::Float32)?;
/// assert_eq!(decoder.forward(&x, &x, Mask::Causal, Mask::None)?.shape(), [1, 3, 8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.TransformerDecoder")]
pub struct TransformerDecoder {
    /// The layers, in order.
    pub layers: Vec<TransformerDecoderLayer>,
    /// Of what the last one gives.
    pub ln: LayerNorm,
    checkpoint: bool,
    state: State,
}

impl TransformerDecoder {
    /// A stack of `num_layers` layers.
    ///
    /// # Errors
    /// As [`TransformerDecoderLayer::new`].
    pub fn new(num_layers: usize, how: &TransformerConfig) -> Result<TransformerDecoder> {
        let layers = (0..num_layers).map(|_| TransformerDecoderLayer::new(how)).collect::<Result<_>>()?;
        let (ln, checkpoint) = (how.norm()?, how.checkpoint);
        Ok(TransformerDecoder { layers, ln, checkpoint, state: State::new() })
    }

    /// `x`, `[batch, time, dims]`, of the same shape afterwards; as [`TransformerDecoderLayer::forward`].
    ///
    /// # Errors
    /// What does not fit.
    #[track_caller]
    pub fn forward(
        &self,
        x: &Tensor,
        memory: &Tensor,
        x_mask: impl Into<Mask>,
        memory_mask: impl Into<Mask>,
    ) -> Result<Tensor> {
        let (mut x, x_mask, memory_mask) = (x.clone(), x_mask.into(), memory_mask.into());
        for layer in &self.layers {
            let masks = [x_mask.clone(), memory_mask.clone()];
            x = if self.checkpoint {
                again(layer, vec![x, memory.clone()], masks, |layer, xs, [x_mask, memory_mask]| {
                    layer.forward(&xs[0], &xs[1], x_mask, memory_mask)
                })?
            } else {
                let [x_mask, memory_mask] = masks;
                layer.forward(&x, memory, x_mask, memory_mask)?
            };
        }
        self.ln.forward(&x)
    }
}

/// What turns a sequence into a memory of it, for a [`Transformer`].
pub trait Encoder: Module {
    /// The memory of `src`, `[batch, length, dims]`.
    ///
    /// # Errors
    /// Those of the encoder.
    #[track_caller]
    fn encode(&self, src: &Tensor, mask: Mask) -> Result<Tensor>;
}

impl Encoder for TransformerEncoder {
    #[track_caller]
    fn encode(&self, src: &Tensor, mask: Mask) -> Result<Tensor> {
        self.forward(src, mask)
    }
}

/// What goes through a sequence with a memory of another one, for a [`Transformer`].
pub trait Decoder: Module {
    /// `tgt`, `[batch, time, dims]`, of the same shape afterwards.
    ///
    /// # Errors
    /// Those of the decoder.
    #[track_caller]
    fn decode(&self, tgt: &Tensor, memory: &Tensor, tgt_mask: Mask, memory_mask: Mask) -> Result<Tensor>;
}

impl Decoder for TransformerDecoder {
    #[track_caller]
    fn decode(&self, tgt: &Tensor, memory: &Tensor, tgt_mask: Mask, memory_mask: Mask) -> Result<Tensor> {
        self.forward(tgt, memory, tgt_mask, memory_mask)
    }
}

/// An encoder and a decoder: those of Python, or others.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::Mask;
/// # use mlx_nn::{Transformer, TransformerConfig};
/// let model = Transformer::new(1, 2, &TransformerConfig::new(8, 2))?;
/// let (src, tgt) = (mlx_ops::ones([1, 5, 8], Dtype::Float32)?, mlx_ops::ones([1, 3, 8], Dtype::Float32)?);
/// assert_eq!(model.forward(&src, &tgt, Mask::None, Mask::Causal, Mask::None)?.shape(), [1, 3, 8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.Transformer")]
pub struct Transformer<E = TransformerEncoder, D = TransformerDecoder> {
    /// Of the source.
    pub encoder: E,
    /// Of the target.
    pub decoder: D,
    state: State,
}

impl Transformer {
    /// Python's encoder and decoder; its defaults are 6 layers each, 512 features and 8 heads.
    ///
    /// # Errors
    /// As [`TransformerEncoder::new`].
    pub fn new(
        num_encoder_layers: usize,
        num_decoder_layers: usize,
        how: &TransformerConfig,
    ) -> Result<Transformer> {
        let encoder = TransformerEncoder::new(num_encoder_layers, how)?;
        Ok(Transformer::from_parts(encoder, TransformerDecoder::new(num_decoder_layers, how)?))
    }
}

impl<E: Encoder, D: Decoder> Transformer<E, D> {
    /// Of an encoder and a decoder of yours: Python's `custom_encoder` and `custom_decoder`.
    pub fn from_parts(encoder: E, decoder: D) -> Transformer<E, D> {
        Transformer { encoder, decoder, state: State::new() }
    }

    /// `tgt`, `[batch, time, dims]`, of the same shape afterwards, with `src`, `[batch, length, dims]`, in memory. The
    /// masks are as in [`MultiHeadAttention::forward`].
    ///
    /// # Errors
    /// What does not fit.
    #[track_caller]
    pub fn forward(
        &self,
        src: &Tensor,
        tgt: &Tensor,
        src_mask: impl Into<Mask>,
        tgt_mask: impl Into<Mask>,
        memory_mask: impl Into<Mask>,
    ) -> Result<Tensor> {
        let memory = self.encoder.encode(src, src_mask.into())?;
        self.decoder.decode(tgt, &memory, tgt_mask.into(), memory_mask.into())
    }
}
