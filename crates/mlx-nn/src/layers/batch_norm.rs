//! Batch normalization, which remembers the statistics of its training.

use super::{
    normalization::{checked, scaled},
    refused,
};
use crate::{
    Buffer, Module, State, Weights,
    python::{boolean, float},
};
use mlx_core::{Dtype, Result, Tensor};
use mlx_ops::{add, mean, multiply, ones, rsqrt, subtract, var, zeros};

/// Each feature less its mean, over its deviation, times `weight`, plus `bias`: in training the mean and deviation of the
/// batch, outside it those that training has seen.
///
/// `x` is `[batch, features]`, `[batch, length, features]` or `[batch, height, width, features]`. What is remembered is a
/// [`Buffer`]: [`value_and_grad`](crate::value_and_grad) takes it out of the transform, and to a compiled step the model is
/// state ([`compile_state`](mlx_core::transforms::compile_state)).
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{BatchNorm, ModuleExt};
/// let mut norm = BatchNorm::new(1, 1e-9, 0.5)?;
/// assert_eq!(norm.forward(&tensor![[1.0], [3.0]])?.to_vec::<f32>()?, [-1.0, 1.0]);
/// assert_eq!(norm.running_mean.as_ref().expect("tracked").get().item::<f32>()?, 1.0);
/// norm.eval();
/// assert!(norm.forward(&tensor![[1.0]])?.item::<f32>()? == 0.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.BatchNorm")]
pub struct BatchNorm {
    /// `[num_features]`
    pub weight: Option<Tensor>,
    /// `[num_features]`
    pub bias: Option<Tensor>,
    /// `[num_features]`
    pub running_mean: Option<Buffer>,
    /// `[num_features]`; of a batch of n elements a feature its sum of squares is divided by n - 1.
    pub running_var: Option<Buffer>,
    /// What is added to the variance; Python's default is 1e-5.
    pub eps: f64,
    /// The share of a batch in what is remembered; Python's default is 0.1.
    pub momentum: f64,
    num_features: i32,
    state: State,
}

impl BatchNorm {
    /// A layer over `num_features` features as Python initialises it: a weight and a variance of ones, a bias and a mean of
    /// zeros.
    ///
    /// # Errors
    /// Negative `num_features`; an `eps` that is not positive.
    pub fn new(num_features: i32, eps: f64, momentum: f64) -> Result<BatchNorm> {
        checked("BatchNorm", eps)?;
        let all = |fill: fn([i32; 1], Dtype) -> Result<Tensor>| fill([num_features], Dtype::Float32);
        Ok(BatchNorm {
            weight: Some(all(ones)?),
            bias: Some(all(zeros)?),
            running_mean: Some(all(zeros)?.into()),
            running_var: Some(all(ones)?.into()),
            eps,
            momentum,
            num_features,
            state: State::new(),
        })
    }

    /// A layer from those of `weight`, `bias`, `running_mean` and `running_var` that there are.
    ///
    /// # Errors
    /// Neither `weight` nor `running_mean`, or a 0-d one; an `eps` that is not positive.
    pub fn from_weights(weights: &Weights<'_>, eps: f64, momentum: f64) -> Result<BatchNorm> {
        checked("BatchNorm", eps)?;
        let [weight, bias, mean, var] =
            ["weight", "bias", "running_mean", "running_var"].map(|name| weights.find(name));
        let one = match weight.as_ref().or(mean.as_ref()) {
            Some(one) => one.clone(),
            None => weights.get("weight")?,
        };
        let Some(&num_features) = one.shape().first() else {
            return refused("BatchNorm", "a weight has a size for each feature, and this one is 0-d".into());
        };
        let (running_mean, running_var) = (mean.map(Buffer::new), var.map(Buffer::new));
        let state = State::new();
        Ok(BatchNorm { weight, bias, running_mean, running_var, eps, momentum, num_features, state })
    }

    /// With neither weight nor bias: Python's `affine=False`.
    #[must_use]
    pub fn without_affine(mut self) -> BatchNorm {
        (self.weight, self.bias) = (None, None);
        self
    }

    /// Without memory, so that outside training, too, the statistics are those of the batch: Python's
    /// `track_running_stats=False`.
    #[must_use]
    pub fn without_running_stats(mut self) -> BatchNorm {
        (self.running_mean, self.running_var) = (None, None);
        self
    }

    /// `x` normalized.
    ///
    /// # Errors
    /// Other than 2, 3 or 4 axes; in training one element a feature; shapes that do not fit.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (ndim, is_training) = (x.ndim(), self.state.is_training());
        if !(2..=4).contains(&ndim) {
            let message = format!("Expected input tensor to have 2, 3 or 4 dimensions, but got {ndim}");
            return refused("BatchNorm", message);
        }
        let axes: Vec<i32> = (0..ndim as i32 - 1).collect();
        if is_training && x.shape()[..ndim - 1].iter().all(|&size| size == 1) {
            let message = "BatchNorm training requires more than one value per channel.";
            return refused("BatchNorm", message.into());
        }
        let (mean, var) = match (&self.running_mean, &self.running_var) {
            (Some(running_mean), Some(running_var)) if !is_training => {
                (running_mean.get(), running_var.get())
            }
            (running_mean, running_var) => {
                let batch = mean(x, &axes[..])?;
                if let (true, Some(running_mean), Some(running_var)) =
                    (is_training, running_mean, running_var)
                {
                    let next =
                        [self.moved(running_mean, &batch)?, self.moved(running_var, &var(x, &axes[..], 1)?)?];
                    let [next_mean, next_var] = next;
                    running_mean.set(next_mean);
                    running_var.set(next_var);
                }
                (batch, var(x, &axes[..], 0)?)
            }
        };
        let x = multiply(subtract(x, mean)?, rsqrt(&add(var, self.eps)?)?)?;
        scaled(x, [self.weight.as_ref(), self.bias.as_ref()])
    }

    /// What is remembered after a batch.
    fn moved(&self, running: &Buffer, batch: &Tensor) -> Result<Tensor> {
        add(multiply(running.get(), 1.0 - self.momentum)?, multiply(batch, self.momentum)?)
    }

    fn describe(&self) -> String {
        let [affine, tracked] = [self.weight.is_some(), self.running_mean.is_some()].map(boolean);
        format!(
            "{}, eps={}, momentum={}, affine={affine}, track_running_stats={tracked}",
            self.num_features,
            float(self.eps),
            float(self.momentum)
        )
    }
}
