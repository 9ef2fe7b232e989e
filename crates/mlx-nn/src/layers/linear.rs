//! Affine maps of the last axis.

use crate::Weights;
use mlx_core::{Result, Tensor};
use mlx_ops::{addmm, matmul, transpose};

/// `x @ weight.T + bias`
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_nn::Linear;
/// let weight = Tensor::from_shape_slice([1, 2], &[1.0_f32, 10.0])?;
/// let x = Tensor::from_shape_slice([1, 2], &[3.0_f32, 4.0])?;
/// assert_eq!(Linear::new(weight, Some(tensor![0.5])).forward(&x)?.to_vec::<f32>()?, [43.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "nn.Linear")]
pub struct Linear {
    /// `[output_dims, input_dims]`
    pub weight: Tensor,
    /// `[output_dims]`
    pub bias: Option<Tensor>,
}

impl Linear {
    /// A layer with these parameters.
    #[must_use]
    pub fn new(weight: Tensor, bias: Option<Tensor>) -> Linear {
        Linear { weight, bias }
    }

    /// A layer from `weight` and, where there is one, `bias`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>) -> Result<Linear> {
        Ok(Linear::new(weights.get("weight")?, weights.find("bias")))
    }

    /// `x`, `[…, input_dims]`, as `[…, output_dims]`; with a bias in one node, without one a matrix product.
    ///
    /// # Errors
    /// Shapes that do not fit; dtypes that are no floats.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let weight = transpose(&self.weight, ..)?;
        match &self.bias {
            Some(bias) => addmm(bias, x, &weight, 1.0, 1.0),
            None => matmul(x, &weight),
        }
    }
}
