//! Vectors by number.

use super::scale;
use crate::{Module, State, Weights, python::size};
use mlx_core::{Result, Tensor};
use mlx_ops::{index, matmul, random::Normal, transpose};

/// A row of `weight` for each integer.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::Embedding;
/// let embedding = Embedding::from_parameters(tensor![[0.0, 1.0], [2.0, 3.0]]);
/// assert_eq!(embedding.forward(&tensor![1, 1, 0])?.to_vec::<f32>()?, [2.0, 3.0, 2.0, 3.0, 0.0, 1.0]);
/// assert_eq!(embedding.as_linear(&tensor![1.0, 0.0])?.to_vec::<f32>()?, [0.0, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Embedding")]
pub struct Embedding {
    /// `[num_embeddings, dims]`
    pub weight: Tensor,
    state: State,
}

impl Embedding {
    /// A layer of `num_embeddings` rows of `dims` features, drawn as Python draws them: normal, with a deviation of
    /// `sqrt(1 / dims)`.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    pub fn new(num_embeddings: i32, dims: i32) -> Result<Embedding> {
        let scale = scale("Embedding", dims.into())?;
        Ok(Embedding::from_parameters(Normal::new().scale(scale).sample([num_embeddings, dims])?))
    }

    /// A layer with this parameter.
    #[must_use]
    pub fn from_parameters(weight: Tensor) -> Embedding {
        Embedding { weight, state: State::new() }
    }

    /// A layer from `weight`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>) -> Result<Embedding> {
        Ok(Embedding::from_parameters(weights.get("weight")?))
    }

    /// The rows for the integers of `x`, `[…]`, as `[…, dims]`.
    ///
    /// # Errors
    /// A dtype of `x` that is no integer; a position outside the rows, where it is computed already.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        index(&self.weight, x)
    }

    /// `x @ weight.T`: the projection back, with the same weight.
    ///
    /// # Errors
    /// Shapes that do not fit.
    #[track_caller]
    pub fn as_linear(&self, x: &Tensor) -> Result<Tensor> {
        matmul(x, &transpose(&self.weight, ..)?)
    }

    fn describe(&self) -> String {
        format!("{}, {}", size(&self.weight, 0), size(&self.weight, 1))
    }
}
