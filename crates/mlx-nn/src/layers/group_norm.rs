//! Normalizations over parts of a sample: its groups of features, or each feature by itself.

use super::{
    normalization::{checked, scaled},
    refused,
};
use crate::{
    Module, State, Weights,
    python::{boolean, float},
};
use mlx_core::{Dtype, Result, Tensor, axes};
use mlx_fast::{LayerNorm, layer_norm};
use mlx_ops::{add, mean, multiply, ones, reshape, rsqrt, subtract, transpose, var, zeros};

/// Each group of features of each sample less its mean, over its deviation, times `weight`, plus `bias`.
///
/// `x` is `[batch, …, dims]`. A group is every `num_groups`th feature, or, with
/// [`pytorch_compatible`](GroupNorm::pytorch_compatible), features side by side as in PyTorch.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::GroupNorm;
/// let x = tensor![[1.0, 10.0, 3.0, 30.0]];
/// let norm = GroupNorm::new(2, 4, 1e-12)?;
/// assert_eq!(norm.forward(&x)?.to_vec::<f32>()?, [-1.0, -1.0, 1.0, 1.0]);
/// assert_eq!(norm.pytorch_compatible().forward(&x)?.to_vec::<f32>()?, [-1.0, 1.0, -1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.GroupNorm")]
pub struct GroupNorm {
    /// `[dims]`
    pub bias: Option<Tensor>,
    /// `[dims]`
    pub weight: Option<Tensor>,
    /// What is added to the variance; Python's default is 1e-5.
    pub eps: f64,
    num_groups: i32,
    dims: i32,
    pytorch_compatible: bool,
    state: State,
}

impl GroupNorm {
    /// A layer over `dims` features in `num_groups` groups as Python initialises it: a weight of ones, a bias of zeros.
    ///
    /// # Errors
    /// An `eps` that is not positive; numbers that are not; groups that do not divide the features.
    pub fn new(num_groups: i32, dims: i32, eps: f64) -> Result<GroupNorm> {
        let grouped = GroupNorm::of_groups(num_groups, dims, eps)?;
        let (bias, weight) = (zeros([dims], Dtype::Float32)?, ones([dims], Dtype::Float32)?);
        Ok(GroupNorm { bias: Some(bias), weight: Some(weight), ..grouped })
    }

    /// A layer with these parameters in `num_groups` groups.
    ///
    /// # Errors
    /// As [`new`](GroupNorm::new); a 0-d `weight`.
    pub fn from_parameters(num_groups: i32, weight: Tensor, bias: Tensor, eps: f64) -> Result<GroupNorm> {
        let Some(&dims) = weight.shape().first() else {
            return refused("GroupNorm", "a weight has a size for each feature, and this one is 0-d".into());
        };
        Ok(GroupNorm {
            bias: Some(bias),
            weight: Some(weight),
            ..GroupNorm::of_groups(num_groups, dims, eps)?
        })
    }

    /// A layer from `weight` and `bias`.
    ///
    /// # Errors
    /// As [`from_parameters`](GroupNorm::from_parameters); a missing one.
    pub fn from_weights(weights: &Weights<'_>, num_groups: i32, eps: f64) -> Result<GroupNorm> {
        GroupNorm::from_parameters(num_groups, weights.get("weight")?, weights.get("bias")?, eps)
    }

    fn of_groups(num_groups: i32, dims: i32, eps: f64) -> Result<GroupNorm> {
        checked("GroupNorm", eps)?;
        let refused = |message: String| refused("GroupNorm", message);
        if num_groups <= 0 {
            return refused(format!("The number of groups ({num_groups}) must be a positive integer."));
        }
        if dims <= 0 {
            return refused(format!("The number of features ({dims}) must be a positive integer."));
        }
        if dims % num_groups != 0 {
            let groups = format!("evenly divisible by the number of groups ({num_groups}).");
            return refused(format!("The number of features ({dims}) must be {groups}"));
        }
        let (bias, weight, state) = (None, None, State::new());
        Ok(GroupNorm { bias, weight, eps, num_groups, dims, pytorch_compatible: false, state })
    }

    /// With neither weight nor bias: Python's `affine=False`.
    #[must_use]
    pub fn without_affine(mut self) -> GroupNorm {
        (self.bias, self.weight) = (None, None);
        self
    }

    /// With PyTorch's groups, features side by side: Python's `pytorch_compatible=True`.
    #[must_use]
    pub fn pytorch_compatible(mut self) -> GroupNorm {
        self.pytorch_compatible = true;
        self
    }

    /// `x`, `[batch, …, dims]`, normalized.
    ///
    /// # Errors
    /// No batch axis; an empty `x`; features that the groups do not divide; shapes that do not fit.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (&[batch, .., dims], groups) = (x.shape(), self.num_groups) else {
            let got = x.ndim();
            return refused(
                "GroupNorm",
                format!("not enough values to unpack (expected at least 2, got {got})"),
            );
        };
        let y = if self.pytorch_compatible {
            let size = dims / groups;
            let rows = transpose(&reshape(x, [batch, -1, groups, size])?, [0, 2, 1, 3])?;
            let rows = layer_norm(&reshape(&rows, [batch, groups, -1])?, LayerNorm::new(self.eps as f32))?;
            transpose(&reshape(&rows, [batch, groups, -1, size])?, [0, 2, 1, 3])?
        } else {
            let x = reshape(x, [batch, -1, groups])?;
            let (means, var) = (mean(&x, axes(1).keep())?, var(&x, axes(1).keep(), 0)?);
            multiply(subtract(x, means)?, rsqrt(&add(var, self.eps)?)?)?
        };
        scaled(reshape(&y, x.shape())?, [self.weight.as_ref(), self.bias.as_ref()])
    }

    fn describe(&self) -> String {
        let (groups, dims, eps) = (self.num_groups, self.dims, float(self.eps));
        let [affine, pytorch] = [self.weight.is_some(), self.pytorch_compatible].map(boolean);
        format!("{groups}, {dims}, eps={eps}, affine={affine}, pytorch_compatible={pytorch}")
    }
}

/// Each feature of each sample less its mean, over its deviation, times `weight`, plus `bias` where there are some.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::InstanceNorm;
/// let y = InstanceNorm::new(2, 1e-12)?.forward(&tensor![[[1.0, 10.0], [3.0, 30.0]]])?;
/// assert_eq!(y.to_vec::<f32>()?, [-1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.InstanceNorm")]
pub struct InstanceNorm {
    /// `[dims]`
    pub weight: Option<Tensor>,
    /// `[dims]`
    pub bias: Option<Tensor>,
    /// What is added to the variance; Python's default is 1e-5.
    pub eps: f32,
    dims: i32,
    state: State,
}

impl InstanceNorm {
    /// A layer over `dims` features without weight and bias, as Python's.
    ///
    /// # Errors
    /// An `eps` that is not positive.
    pub fn new(dims: i32, eps: f32) -> Result<InstanceNorm> {
        checked("InstanceNorm", eps)?;
        Ok(InstanceNorm { weight: None, bias: None, eps, dims, state: State::new() })
    }

    /// With a weight of ones and a bias of zeros: Python's `affine=True`.
    ///
    /// # Errors
    /// Negative `dims`.
    pub fn affine(mut self) -> Result<InstanceNorm> {
        self.weight = Some(ones([self.dims], Dtype::Float32)?);
        self.bias = Some(zeros([self.dims], Dtype::Float32)?);
        Ok(self)
    }

    /// A layer with these parameters.
    ///
    /// # Errors
    /// A 0-d `weight`; an `eps` that is not positive.
    pub fn from_parameters(weight: Tensor, bias: Tensor, eps: f32) -> Result<InstanceNorm> {
        let Some(&dims) = weight.shape().first() else {
            return refused(
                "InstanceNorm",
                "a weight has a size for each feature, and this one is 0-d".into(),
            );
        };
        Ok(InstanceNorm { weight: Some(weight), bias: Some(bias), ..InstanceNorm::new(dims, eps)? })
    }

    /// A layer from `weight` and `bias`.
    ///
    /// # Errors
    /// As [`from_parameters`](InstanceNorm::from_parameters); a missing one.
    pub fn from_weights(weights: &Weights<'_>, eps: f32) -> Result<InstanceNorm> {
        InstanceNorm::from_parameters(weights.get("weight")?, weights.get("bias")?, eps)
    }

    /// `x`, `[batch, …, dims]`, normalized.
    ///
    /// # Errors
    /// Fewer than three axes; an empty `x`; shapes that do not fit.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let &[batch, ref spatial @ .., features] = x.shape() else { return few_axes(x) };
        if spatial.is_empty() {
            return few_axes(x);
        }
        let last = x.ndim() as i32 - 1;
        let to_front: Vec<i32> = [0, last].into_iter().chain(1..last).collect();
        let to_end: Vec<i32> = std::iter::once(0).chain(2..=last).chain([1]).collect();
        let rows = reshape(&transpose(x, to_front)?, [batch, features, -1])?;
        let rows = layer_norm(&rows, LayerNorm::new(self.eps))?;
        let shape: Vec<i32> = [batch, features].into_iter().chain(spatial.iter().copied()).collect();
        let y = transpose(&reshape(&rows, shape)?, to_end)?;
        scaled(y, [self.weight.as_ref(), self.bias.as_ref()])
    }

    fn describe(&self) -> String {
        let affine = boolean(self.weight.is_some());
        format!("{}, eps={}, affine={affine}", self.dims, float(self.eps))
    }
}

fn few_axes(x: &Tensor) -> Result<Tensor> {
    let got = format!("(N, ..., C) but the input has {} dimensions.", x.ndim());
    refused("InstanceNorm", format!("InstanceNorm expects inputs with at least 3 dimensions {got}"))
}
