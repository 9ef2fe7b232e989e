//! Normalizations of the last axis, and what all normalizations share.

use super::refused;
use crate::{
    Module, State, Weights,
    python::{boolean, float, size},
};
use mlx_core::{BinaryOperator, Dtype, Result, Tensor};
use mlx_fast::{LayerNorm as How, layer_norm, rms_norm};
use mlx_ops::{ones, zeros};
use std::fmt::LowerExp;

/// An `eps` that is added to what a root is taken of.
pub(super) fn checked(layer: &'static str, eps: impl Into<f64> + LowerExp + Copy) -> Result<()> {
    let value: f64 = eps.into();
    if value.is_nan() || value <= 0.0 {
        return refused(layer, format!("[{layer}] 'eps' must be positive but got {}.", float(eps)));
    }
    Ok(())
}

/// `weight * x + bias`, or `x` alone where there is no weight.
pub(super) fn scaled(x: Tensor, [weight, bias]: [Option<&Tensor>; 2]) -> Result<Tensor> {
    let Some(weight) = weight else { return Ok(x) };
    let x = BinaryOperator::Multiply.apply(weight.into(), (&x).into())?;
    match bias {
        Some(bias) => BinaryOperator::Add.apply((&x).into(), bias.into()),
        None => Ok(x),
    }
}

/// `x` over the root of the mean of its squares along the last axis, times `weight`.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::RMSNorm;
/// let norm = RMSNorm::from_parameters(tensor![1.0, 2.0], 1e-5);
/// assert_eq!(norm.forward(&tensor![1.0, 1.0])?.shape(), [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.RMSNorm")]
pub struct RMSNorm {
    /// `[dims]`
    pub weight: Tensor,
    /// What is added to the mean; Python's default is 1e-5.
    pub eps: f32,
    state: State,
}

impl RMSNorm {
    /// A layer over `dims` features as Python initialises it: a weight of ones.
    ///
    /// # Errors
    /// Negative `dims`; an `eps` that is not positive.
    pub fn new(dims: i32, eps: f32) -> Result<RMSNorm> {
        checked("RMSNorm", eps)?;
        Ok(RMSNorm::from_parameters(ones([dims], Dtype::Float32)?, eps))
    }

    /// A layer with this parameter.
    #[must_use]
    pub fn from_parameters(weight: Tensor, eps: f32) -> RMSNorm {
        RMSNorm { weight, eps, state: State::new() }
    }

    /// A layer from `weight`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>, eps: f32) -> Result<RMSNorm> {
        Ok(RMSNorm::from_parameters(weights.get("weight")?, eps))
    }

    /// `x`, `[…, dims]`, normalized.
    ///
    /// # Errors
    /// Shapes that do not fit; dtypes that are no real floats.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        rms_norm(x, Some(&self.weight), self.eps)
    }

    fn describe(&self) -> String {
        format!("{}, eps={}", size(&self.weight, 0), float(self.eps))
    }
}

/// `x` less its mean, over its deviation along the last axis, times `weight`, plus `bias`.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::LayerNorm;
/// let norm = LayerNorm::new(2, 1e-9)?;
/// assert_eq!(norm.forward(&tensor![1.0, 3.0])?.to_vec::<f32>()?, [-1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.LayerNorm")]
pub struct LayerNorm {
    /// `[dims]`
    pub weight: Option<Tensor>,
    /// `[dims]`
    pub bias: Option<Tensor>,
    /// What is added to the variance; Python's default is 1e-5.
    pub eps: f32,
    dims: i32,
    state: State,
}

impl LayerNorm {
    /// A layer over `dims` features as Python initialises it: a weight of ones, a bias of zeros.
    ///
    /// # Errors
    /// Negative `dims`; an `eps` that is not positive.
    pub fn new(dims: i32, eps: f32) -> Result<LayerNorm> {
        checked("LayerNorm", eps)?;
        let (weight, bias) = (ones([dims], Dtype::Float32)?, zeros([dims], Dtype::Float32)?);
        Ok(LayerNorm { weight: Some(weight), bias: Some(bias), eps, dims, state: State::new() })
    }

    /// A layer with these parameters.
    ///
    /// # Panics
    /// A 0-d `weight`.
    #[must_use]
    pub fn from_parameters(weight: Tensor, bias: Option<Tensor>, eps: f32) -> LayerNorm {
        let dims = weight.dim(0);
        LayerNorm { weight: Some(weight), bias, eps, dims, state: State::new() }
    }

    /// A layer from `weight` and, where there is one, `bias`.
    ///
    /// # Errors
    /// No `weight`, or a 0-d one.
    pub fn from_weights(weights: &Weights<'_>, eps: f32) -> Result<LayerNorm> {
        let weight = weights.get("weight")?;
        if weight.ndim() == 0 {
            return refused("LayerNorm", "a weight has a size for each feature, and this one is 0-d".into());
        }
        Ok(LayerNorm::from_parameters(weight, weights.find("bias"), eps))
    }

    /// Without a bias: Python's `bias=False`.
    #[must_use]
    pub fn without_bias(mut self) -> LayerNorm {
        self.bias = None;
        self
    }

    /// With neither weight nor bias: Python's `affine=False`.
    #[must_use]
    pub fn without_affine(mut self) -> LayerNorm {
        (self.weight, self.bias) = (None, None);
        self
    }

    /// `x`, `[…, dims]`, normalized.
    ///
    /// # Errors
    /// Shapes that do not fit; dtypes that are no real floats.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut how = How::new(self.eps);
        (how.weight, how.bias) = (self.weight.as_ref(), self.bias.as_ref());
        layer_norm(x, how)
    }

    fn describe(&self) -> String {
        let affine = boolean(self.weight.is_some());
        format!("{}, eps={}, affine={affine}", self.dims, float(self.eps))
    }
}
