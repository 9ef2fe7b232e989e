//! Vectors by number from a quantized table.

use super::{described, linear::frozen, sizes, unpacked};
use crate::{Embedding, Module, State, Unary, Weights, layers::scale};
use mlx_core::{Result, Tensor};
use mlx_fast::{Quantization, QuantizedTensor, dequantize, quantize, quantized_matmul};
use mlx_ops::{index, random::Normal};

/// A row of a quantized table for each integer. Nothing of it is trained.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_fast::{QuantMode, Quantization};
/// # use mlx_nn::{Embedding, QuantizedEmbedding};
/// let rows = [[0.5_f32; 32], [2.0; 32]].concat();
/// let embedding = Embedding::from_parameters(Tensor::from_shape_slice([2, 32], &rows)?);
/// let how = Quantization::new(QuantMode::Affine).group_size(32).bits(8);
/// let quantized = QuantizedEmbedding::from_embedding(&embedding, how)?;
/// assert_eq!(quantized.forward(&tensor![1])?.to_vec::<f32>()?, [2.0; 32]);
/// let x = Tensor::from_shape_slice([1, 32], &[1.0_f32; 32])?;
/// assert_eq!(quantized.as_linear(&x)?.to_vec::<f32>()?, [16.0, 64.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.QuantizedEmbedding")]
pub struct QuantizedEmbedding {
    /// `[num_embeddings, dims * bits / 32]`, uint32
    pub weight: Tensor,
    /// `[num_embeddings, dims / group_size]`
    pub scales: Tensor,
    /// As `scales`; in affine mode alone.
    pub biases: Option<Tensor>,
    quantization: Quantization,
    state: State,
}

impl QuantizedEmbedding {
    /// A layer of `num_embeddings` rows of `dims` features, drawn as [`Embedding::new`]'s and quantized. All of it is
    /// frozen.
    ///
    /// # Errors
    /// Sizes that are no sizes, or that the group size does not divide; sizes that the mode does not have.
    pub fn new(num_embeddings: i32, dims: i32, how: impl Into<Quantization>) -> Result<QuantizedEmbedding> {
        let scale = scale("QuantizedEmbedding", dims.into())?;
        let weight = Normal::new().scale(scale).sample([num_embeddings, dims])?;
        frozen(QuantizedEmbedding::from_parameters(quantize(&weight, how)?))
    }

    /// A layer with this table, which may be trained where its dtypes let it.
    #[must_use]
    pub fn from_parameters(weight: QuantizedTensor) -> QuantizedEmbedding {
        let QuantizedTensor { packed, scales, biases, how, .. } = weight;
        QuantizedEmbedding { weight: packed, scales, biases, quantization: how, state: State::new() }
    }

    /// The layer with its table quantized and frozen. As in Python a table is drawn and forgotten.
    ///
    /// # Errors
    /// As [`new`](QuantizedEmbedding::new); a table that is no matrix of floats.
    pub fn from_embedding(embedding: &Embedding, how: impl Into<Quantization>) -> Result<QuantizedEmbedding> {
        let ([rows, dims], how) = (sizes("QuantizedEmbedding", &embedding.weight)?, how.into());
        let drawn = QuantizedEmbedding::new(rows, dims, how)?;
        let QuantizedTensor { packed: weight, scales, biases, .. } = quantize(&embedding.weight, how)?;
        Ok(QuantizedEmbedding { weight, scales, biases, ..drawn })
    }

    /// A layer from `weight`, `scales` and, where there are, `biases`, all frozen.
    ///
    /// # Errors
    /// No `weight`, no `scales`.
    pub fn from_weights(weights: &Weights<'_>, how: impl Into<Quantization>) -> Result<QuantizedEmbedding> {
        let parts = (weights.get("weight")?, weights.get("scales")?, weights.find("biases"));
        frozen(QuantizedEmbedding::from_parameters(QuantizedTensor::new(parts.0, parts.1, parts.2, how)))
    }

    /// How the table is quantized.
    #[must_use]
    pub fn quantization(&self) -> Quantization {
        self.quantization
    }

    /// The rows for the integers of `x`, `[…]`, as `[…, dims]`, of the scales' dtype in affine mode, else bfloat16.
    ///
    /// # Errors
    /// A dtype of `x` that is no integer; a position outside the rows, where it is computed already.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (rows, scales) = (index(&self.weight, x)?, index(&self.scales, x)?);
        let biases = self.biases.as_ref().map(|biases| index(biases, x)).transpose()?;
        dequantize(&QuantizedTensor::new(rows, scales, biases, self.quantization))
    }

    /// `x @ weight.T`: the projection back, with the same table.
    ///
    /// # Errors
    /// Shapes and dtypes that do not fit.
    #[track_caller]
    pub fn as_linear(&self, x: &Tensor) -> Result<Tensor> {
        let (weight, scales, biases) = (self.weight.clone(), self.scales.clone(), self.biases.clone());
        quantized_matmul(x, &QuantizedTensor::new(weight, scales, biases, self.quantization), true)
    }

    fn describe(&self) -> String {
        let rows = self.weight.shape().first().copied().unwrap_or_default();
        format!("{rows}, {}, {}", unpacked(&self.weight, self.quantization), described(self.quantization))
    }
}

impl Unary for QuantizedEmbedding {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        QuantizedEmbedding::forward(self, x)
    }
}
