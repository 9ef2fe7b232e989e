//! Affine maps of the last axis, and bilinear ones of two tensors' last axes.

use super::{refused, scale};
use crate::{
    Module, State, Weights,
    python::{boolean, size},
};
use mlx_core::{BinaryOperator, Result, Tensor};
use mlx_ops::{addmm, matmul, random::Uniform, reshape, squeeze, swapaxes, transpose};

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
        let (inputs, outputs) = (size(&self.weight, 1), size(&self.weight, 0));
        format!("input_dims={inputs}, output_dims={outputs}, bias={}", boolean(self.bias.is_some()))
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

/// For each output `x2 @ weight[i] @ x1 + bias[i]`, of the last axes of two tensors.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::Bilinear;
/// let bilinear = Bilinear::from_parameters(tensor![[[1.0, 10.0]]], Some(tensor![0.5]));
/// assert_eq!(bilinear.forward(&tensor![3.0, 4.0], &tensor![2.0])?.to_vec::<f32>()?, [86.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Bilinear")]
pub struct Bilinear {
    /// `[output_dims, input2_dims, input1_dims]`
    pub weight: Tensor,
    /// `[output_dims]`
    pub bias: Option<Tensor>,
    state: State,
}

impl Bilinear {
    /// A layer from `input1_dims` and `input2_dims` features to `output_dims`, with parameters drawn as Python draws them:
    /// uniform within `sqrt(1 / input1_dims)` of 0, the weight first.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    pub fn new(input1_dims: i32, input2_dims: i32, output_dims: i32, bias: bool) -> Result<Bilinear> {
        let scale = scale("Bilinear", input1_dims.into())?;
        let drawn = Uniform::new(-scale, scale);
        let weight = drawn.sample([output_dims, input2_dims, input1_dims])?;
        let bias = bias.then(|| drawn.sample([output_dims])).transpose()?;
        Ok(Bilinear::from_parameters(weight, bias))
    }

    /// A layer with these parameters.
    #[must_use]
    pub fn from_parameters(weight: Tensor, bias: Option<Tensor>) -> Bilinear {
        Bilinear { weight, bias, state: State::new() }
    }

    /// A layer from `weight` and, where there is one, `bias`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>) -> Result<Bilinear> {
        Ok(Bilinear::from_parameters(weights.get("weight")?, weights.find("bias")))
    }

    /// `x1`, `[…, input1_dims]`, and `x2`, `[…, input2_dims]`, as `[…, output_dims]`.
    ///
    /// # Errors
    /// Shapes that do not fit; dtypes that are no floats; a `weight` that has not three axes.
    #[track_caller]
    pub fn forward(&self, x1: &Tensor, x2: &Tensor) -> Result<Tensor> {
        let &[outputs, in2, in1] = self.weight.shape() else {
            return refused(
                "Bilinear",
                format!("a weight of shape {:?} has not three axes", self.weight.shape()),
            );
        };
        let Some(rows) = outputs.checked_mul(in2) else {
            return refused("Bilinear", format!("{outputs} times {in2} rows are too many"));
        };
        let weight = reshape(&self.weight, [rows, in1])?;
        let y = matmul(&reshape(x1, [-1, in1])?, &transpose(&weight, ..)?)?;
        let y = swapaxes(&reshape(&y, [-1, outputs, in2])?, -2, -1)?;
        let y = squeeze(&matmul(&reshape(x2, [-1, 1, in2])?, &y)?, 1)?;
        // A 0-d tensor is refused above.
        let mut shape = x1.shape().to_vec();
        shape.pop();
        shape.push(outputs);
        let y = reshape(&y, shape)?;
        match &self.bias {
            Some(bias) => BinaryOperator::Add.apply((&y).into(), bias.into()),
            None => Ok(y),
        }
    }

    fn describe(&self) -> String {
        let [outputs, in2, in1] = [0, 1, 2].map(|axis| self.weight.shape().get(axis).copied().unwrap_or(0));
        let bias = boolean(self.bias.is_some());
        format!("input1_dims={in1}, input2_dims={in2}, output_dims={outputs}, bias={bias}")
    }
}
