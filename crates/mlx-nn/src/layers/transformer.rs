//! The transformer: encoders and decoders, each a stack of layers and a normalization.

use super::{Activation, Dropout, LayerNorm, Linear, MultiHeadAttention};
use crate::{Module, State, checkpoint, relu};
use mlx_core::{Result, Tensor};
use mlx_fast::Mask;
use mlx_ops::add;

/// What the layers of a transformer are made of.
///
/// ```
/// # use mlx_nn::{TransformerConfig, TransformerEncoder, gelu};
/// let how = TransformerConfig::new(8, 2).mlp_dims(16).activation(gelu).norm_first(false);
/// let encoder = TransformerEncoder::new(3, &how)?;
/// assert_eq!(encoder.layers[2].linear1.weight.shape(), [16, 8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransformerConfig {
    /// The features of an element.
    pub dims: i32,
    /// How many heads attention has.
    pub num_heads: i32,
    /// The features between the two linear maps; four times `dims` where absent.
    pub mlp_dims: Option<i32>,
    /// The probability that an element is left out in training.
    pub dropout: f64,
    /// What stands between the two linear maps.
    pub activation: Activation,
    /// Whether a part normalizes what it is given, or what it gives.
    pub norm_first: bool,
    /// Whether a gradient computes the layers again instead of keeping what they computed; of stacks alone.
    pub checkpoint: bool,
}

impl TransformerConfig {
    /// `dims` features in `num_heads` heads, with Python's defaults: four times the features within, no dropout, relu,
    /// normalized first, without checkpoints.
    #[must_use]
    pub fn new(dims: i32, num_heads: i32) -> TransformerConfig {
        TransformerConfig {
            dims,
            num_heads,
            mlp_dims: None,
            dropout: 0.0,
            activation: relu.into(),
            norm_first: true,
            checkpoint: false,
        }
    }

    /// With as many features between the linear maps.
    #[must_use]
    pub fn mlp_dims(mut self, mlp_dims: i32) -> TransformerConfig {
        self.mlp_dims = Some(mlp_dims);
        self
    }

    /// With elements left out in training.
    #[must_use]
    pub fn dropout(mut self, dropout: f64) -> TransformerConfig {
        self.dropout = dropout;
        self
    }

    /// With another function than relu: one of this crate's, or a closure.
    #[must_use]
    pub fn activation(mut self, activation: impl Into<Activation>) -> TransformerConfig {
        self.activation = activation.into();
        self
    }

    /// Whether a part normalizes what it is given.
    #[must_use]
    pub fn norm_first(mut self, norm_first: bool) -> TransformerConfig {
        self.norm_first = norm_first;
        self
    }

    /// Whether a gradient computes the layers of a stack again.
    #[must_use]
    pub fn checkpoint(mut self, checkpoint: bool) -> TransformerConfig {
        self.checkpoint = checkpoint;
        self
    }

    pub(super) fn attention(&self) -> Result<MultiHeadAttention> {
        MultiHeadAttention::new(self.dims, self.num_heads)
    }

    pub(super) fn norm(&self) -> Result<LayerNorm> {
        LayerNorm::new(self.dims, 1e-5)
    }

    pub(super) fn dropped(&self) -> Result<Dropout> {
        Dropout::new(self.dropout)
    }

    /// The two linear maps.
    pub(super) fn mlp(&self) -> Result<[Linear; 2]> {
        // Beyond i32 there is no size; a negative one is refused.
        let own = self.mlp_dims.filter(|&dims| dims != 0);
        let wide = own.unwrap_or_else(|| self.dims.checked_mul(4).unwrap_or(-1));
        Ok([Linear::new(self.dims, wide, true)?, Linear::new(wide, self.dims, true)?])
    }
}

/// Attention to the sequence itself, then two linear maps.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::Mask;
/// # use mlx_nn::{TransformerConfig, TransformerEncoderLayer};
/// let layer = TransformerEncoderLayer::new(&TransformerConfig::new(8, 2))?;
/// let x = mlx_ops::ones([1, 3, 8], Dtype::Float32)?;
/// assert_eq!(layer.forward(&x, Mask::None)?.shape(), [1, 3, 8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.TransformerEncoderLayer")]
pub struct TransformerEncoderLayer {
    /// To the sequence itself.
    pub attention: MultiHeadAttention,
    /// Of the attention.
    pub ln1: LayerNorm,
    /// Of the linear maps.
    pub ln2: LayerNorm,
    /// The first linear map.
    pub linear1: Linear,
    /// The second one.
    pub linear2: Linear,
    /// Behind the attention.
    pub dropout1: Dropout,
    /// Between the linear maps.
    pub dropout2: Dropout,
    #[module(skip)]
    activation: Activation,
    norm_first: bool,
    state: State,
}

impl TransformerEncoderLayer {
    /// A layer drawn as Python draws it: the attention, then the linear maps.
    ///
    /// # Errors
    /// Sizes that are no sizes, heads that do not divide the features, a dropout outside [0, 1).
    pub fn new(how: &TransformerConfig) -> Result<TransformerEncoderLayer> {
        let attention = how.attention()?;
        let [linear1, linear2] = how.mlp()?;
        Ok(TransformerEncoderLayer {
            attention,
            ln1: how.norm()?,
            ln2: how.norm()?,
            linear1,
            linear2,
            dropout1: how.dropped()?,
            dropout2: how.dropped()?,
            activation: how.activation.clone(),
            norm_first: how.norm_first,
            state: State::new(),
        })
    }

    /// `x`, `[batch, time, dims]`, of the same shape afterwards. The mask is as in [`MultiHeadAttention::forward`].
    ///
    /// # Errors
    /// What does not fit.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, mask: impl Into<Mask>) -> Result<Tensor> {
        let attend = |y: &Tensor| self.dropout1.forward(&self.attention.forward(y, y, y, mask)?);
        if self.norm_first {
            let x = add(x, attend(&self.ln1.forward(x)?)?)?;
            add(&x, self.mlp(&self.ln2.forward(&x)?)?)
        } else {
            let x = self.ln1.forward(&add(x, attend(x)?)?)?;
            self.ln2.forward(&add(&x, self.mlp(&x)?)?)
        }
    }

    #[track_caller]
    fn mlp(&self, x: &Tensor) -> Result<Tensor> {
        let within = self.activation.apply(&self.linear1.forward(x)?)?;
        self.linear2.forward(&self.dropout2.forward(&within)?)
    }
}

/// Encoder layers one after the other, and a normalization.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::Mask;
/// # use mlx_nn::{ModuleExt, TransformerConfig, TransformerEncoder};
/// let encoder = TransformerEncoder::new(2, &TransformerConfig::new(8, 2))?;
/// let x = mlx_ops::ones([1, 3, 8], Dtype::Float32)?;
/// assert_eq!(encoder.forward(&x, Mask::Causal)?.shape(), [1, 3, 8]);
/// assert!(encoder.parameters().contains_key("layers.1.attention.out_proj.weight"));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.TransformerEncoder")]
pub struct TransformerEncoder {
    /// The layers, in order.
    pub layers: Vec<TransformerEncoderLayer>,
    /// Of what the last one gives.
    pub ln: LayerNorm,
    checkpoint: bool,
    state: State,
}

impl TransformerEncoder {
    /// A stack of `num_layers` layers.
    ///
    /// # Errors
    /// As [`TransformerEncoderLayer::new`].
    pub fn new(num_layers: usize, how: &TransformerConfig) -> Result<TransformerEncoder> {
        let layers = (0..num_layers).map(|_| TransformerEncoderLayer::new(how)).collect::<Result<_>>()?;
        let (ln, checkpoint) = (how.norm()?, how.checkpoint);
        Ok(TransformerEncoder { layers, ln, checkpoint, state: State::new() })
    }

    /// `x`, `[batch, time, dims]`, of the same shape afterwards. The mask is as in [`MultiHeadAttention::forward`].
    ///
    /// # Errors
    /// What does not fit.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, mask: impl Into<Mask>) -> Result<Tensor> {
        let (mut x, mask) = (x.clone(), mask.into());
        for layer in &self.layers {
            x = if self.checkpoint {
                again(layer, vec![x], [mask.clone()], |layer, xs, [mask]| layer.forward(&xs[0], mask))?
            } else {
                layer.forward(&x, mask.clone())?
            };
        }
        self.ln.forward(&x)
    }
}

/// A layer's result by [`checkpoint`]: masks that are tensors are arguments, too.
#[track_caller]
pub(super) fn again<L: Module + Clone, const N: usize>(
    layer: &L,
    x: Vec<Tensor>,
    masks: [Mask; N],
    forward: fn(&L, &[Tensor], [Mask; N]) -> Result<Tensor>,
) -> Result<Tensor> {
    let given = masks.each_ref().map(|mask| match mask {
        Mask::Tensor(mask) => Some(mask.clone()),
        _ => None,
    });
    let function = move |layer: &L, (x, given): &(Vec<Tensor>, [Option<Tensor>; N])| {
        let mut given = given.iter();
        let masks = masks.each_ref().map(|mask| match given.next() {
            Some(Some(tensor)) => Mask::Tensor(tensor.clone()),
            _ => mask.clone(),
        });
        forward(layer, x, masks)
    };
    checkpoint(layer, function, &(x, given))
}
