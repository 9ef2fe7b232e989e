//! Affine maps of the last axis.

use super::scale;
use crate::{Module, State, Weights, module::python_bool};
use mlx_core::{Result, Tensor};
use mlx_ops::{addmm, matmul, random::Uniform, transpose};

/// `x @ weight.T + bias`
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::Linear;
/// let linear = Linear::from_parameters(tensor![[1.0, 10.0]], Some(tensor![0.5]));
/// assert_eq!(linear.forward(&tensor![[3.0, 4.0]])?.to_vec::<f32>()?, [43.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Linear")]
pub struct Linear {
    /// `[output_dims, input_dims]`
    pub weight: Tensor,
    /// `[output_dims]`
    pub bias: Option<Tensor>,
    state: State,
}

impl Linear {
    /// A layer from `input_dims` features to `output_dims`, with parameters drawn as Python draws them: uniform within
    /// `sqrt(1 / input_dims)` of 0, the weight first.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    ///
    /// ```
    /// # use mlx_nn::Linear;
    /// mlx_ops::random::seed(0)?;
    /// let linear = Linear::new(4, 3, true)?;
    /// assert_eq!(linear.weight.shape(), [3, 4]);
    /// assert!(linear.weight.to_vec::<f32>()?.iter().all(|weight| weight.abs() <= 0.5));
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn new(input_dims: i32, output_dims: i32, bias: bool) -> Result<Linear> {
        let scale = scale("Linear", input_dims.into())?;
        let drawn = Uniform::new(-scale, scale);
        let weight = drawn.sample([output_dims, input_dims])?;
        let bias = bias.then(|| drawn.sample([output_dims])).transpose()?;
        Ok(Linear::from_parameters(weight, bias))
    }

    /// A layer with these parameters.
    #[must_use]
    pub fn from_parameters(weight: Tensor, bias: Option<Tensor>) -> Linear {
        Linear { weight, bias, state: State::new() }
    }

    /// A layer from `weight` and, where there is one, `bias`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>) -> Result<Linear> {
        Ok(Linear::from_parameters(weights.get("weight")?, weights.find("bias")))
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

    fn describe(&self) -> String {
        let (inputs, outputs) = (self.weight.dim(1), self.weight.dim(0));
        format!("input_dims={inputs}, output_dims={outputs}, bias={}", python_bool(self.bias.is_some()))
    }
}

/// What it is given.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::Identity;
/// assert_eq!(Identity::new().forward(&tensor![2.0])?.item::<f32>()?, 2.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, Module)]
#[doc(alias = "nn.Identity")]
pub struct Identity {
    state: State,
}

impl Identity {
    /// The layer.
    #[must_use]
    pub fn new() -> Identity {
        Identity::default()
    }

    /// `x` itself.
    ///
    /// # Errors
    /// None.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.clone())
    }
}
