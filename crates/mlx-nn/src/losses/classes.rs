//! Losses of scores for classes.

use super::{Reduction, shapes, weighted};
use crate::python::{float, tuple};
use mlx_core::{
    Device, DeviceKind, DtypeCategory, Error, ErrorKind, Result, Tensor, axes, issubdtype, metal_is_available,
};
use mlx_ops::{
    add, astype, expand_dims, logsumexp, max, mean, multiply, negative, squeeze, stop_gradient, subtract,
    sum, take_along_axis,
};

/// What [`cross_entropy`] takes beside logits and targets.
///
/// ```
/// # use mlx_nn::losses::{CrossEntropy, Reduction};
/// let how = CrossEntropy::new().label_smoothing(0.1);
/// assert_eq!((how.axis, how.reduction), (-1, Reduction::None));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CrossEntropy<'a> {
    /// A factor for each target.
    pub weights: Option<&'a Tensor>,
    /// The axis of the classes.
    pub axis: i32,
    /// How much of each target is spread over all classes, from 0 to below 1.
    pub label_smoothing: f64,
    /// What becomes of the losses of all targets.
    pub reduction: Reduction,
}

impl Default for CrossEntropy<'_> {
    fn default() -> Self {
        CrossEntropy::new()
    }
}

impl<'a> CrossEntropy<'a> {
    /// Classes along the last axis, neither weights nor smoothing, no reduction.
    #[must_use]
    pub fn new() -> CrossEntropy<'a> {
        CrossEntropy { weights: None, axis: -1, label_smoothing: 0.0, reduction: Reduction::None }
    }

    /// With a factor for each target.
    #[must_use]
    pub fn weights(mut self, weights: &'a Tensor) -> CrossEntropy<'a> {
        self.weights = Some(weights);
        self
    }

    /// With the classes along another axis.
    #[must_use]
    pub fn axis(mut self, axis: i32) -> CrossEntropy<'a> {
        self.axis = axis;
        self
    }

    /// With a part of each target spread over all classes.
    #[must_use]
    pub fn label_smoothing(mut self, label_smoothing: f64) -> CrossEntropy<'a> {
        self.label_smoothing = label_smoothing;
        self
    }

    /// With the losses reduced.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> CrossEntropy<'a> {
        self.reduction = reduction;
        self
    }
}

const OP: &str = "cross_entropy";

/// `logsumexp(logits) - logits[target]` along the axis of the classes, whose number is any.
///
/// `targets` are positions of classes, in the shape of `logits` without that axis, or a probability for each class, in the
/// shape of `logits`. The result has the shape of `logits` without the axis, or none when it is reduced, and the dtype of
/// `logits` (with probabilities or weights: what they promote to), which the sums are computed in, too.
///
/// # Errors
/// Shapes that do not fit; a smoothing outside [0, 1); an axis out of range; targets that are no classes, where the host
/// can read them (others are limited to the classes there are); an empty axis; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{CrossEntropy, cross_entropy};
/// let logits = tensor![[0.0, 0.0], [0.0, 100.0]];
/// let loss = cross_entropy(&logits, &tensor![0, 1], CrossEntropy::new())?.to_vec::<f32>()?;
/// assert!((loss[0] - 2_f32.ln()).abs() < 1e-6 && loss[1] == 0.0);
/// let halves = tensor![[0.5, 0.5], [0.5, 0.5]];
/// let loss = cross_entropy(&logits, &halves, CrossEntropy::new())?.to_vec::<f32>()?;
/// assert_eq!(loss[1], 50.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.cross_entropy")]
#[track_caller]
pub fn cross_entropy(logits: &Tensor, targets: &Tensor, how: CrossEntropy<'_>) -> Result<Tensor> {
    let smoothing = how.label_smoothing;
    // NaN passes, as in Python.
    if !smoothing.is_nan() && !(0.0..1.0).contains(&smoothing) {
        let message = format!("Label smoothing must be in [0, 1), got {}.", float(smoothing));
        return Err(Error::new(ErrorKind::Value, OP, message));
    }
    let as_probabilities = targets.ndim() == logits.ndim();
    check_targets(logits, targets, as_probabilities, how.axis)?;
    let loss = if !as_probabilities && smoothing == 0.0 && is_fused(logits, targets, how.axis)? {
        astype(&mlx_fast::cross_entropy(logits, targets)?, logits.dtype())?
    } else {
        composed(logits, targets, as_probabilities, how)?
    };
    how.reduction.of(weighted(OP, loss, how.weights)?)
}

fn check_targets(logits: &Tensor, targets: &Tensor, as_probabilities: bool, axis: i32) -> Result<()> {
    let mut wanted = logits.shape().to_vec();
    if !as_probabilities {
        let position = if axis < 0 { i64::from(axis) + wanted.len() as i64 } else { axis.into() };
        let position = usize::try_from(position).ok().filter(|&position| position < wanted.len());
        let Some(position) = position else {
            let why = if wanted.is_empty() { "pop from empty list" } else { "pop index out of range" };
            return Err(Error::new(ErrorKind::Index, OP, why));
        };
        wanted.remove(position);
    }
    if targets.shape() == wanted {
        return Ok(());
    }
    let (given, of_logits) = (tuple(targets.shape()), tuple(logits.shape()));
    let message = format!("Targets shape {given} does not match logits shape {of_logits}.");
    Err(shapes(OP, message, &[targets, logits]))
}

/// Whether Python takes the fused kernel: with CUDA, for positions along the last axis.
fn is_fused(logits: &Tensor, targets: &Tensor, axis: i32) -> Result<bool> {
    Ok(Device::current()?.kind() == DeviceKind::Gpu
        && !metal_is_available()?
        && (axis == -1 || i64::from(axis) == logits.ndim() as i64 - 1)
        && issubdtype(logits.dtype(), DtypeCategory::Floating)
        && issubdtype(targets.dtype(), DtypeCategory::Integer))
}

#[track_caller]
fn composed(
    logits: &Tensor,
    targets: &Tensor,
    as_probabilities: bool,
    how: CrossEntropy<'_>,
) -> Result<Tensor> {
    let (axis, smoothing) = (how.axis, how.label_smoothing);
    let logits = subtract(logits, stop_gradient(&max(logits, axes(axis).keep())?)?)?;
    let score = if as_probabilities {
        sum(&multiply(&logits, targets)?, axis)?
    } else {
        at_targets(&logits, targets, axis)?
    };
    let total = logsumexp(&logits, axis)?;
    if smoothing > 0.0 {
        let score = multiply(score, 1.0 - smoothing)?;
        let spread = multiply(negative(&mean(&logits, axis)?)?, smoothing)?;
        add(subtract(total, score)?, spread)
    } else {
        subtract(total, score)
    }
}

/// What stands at each target along the axis.
#[track_caller]
fn at_targets(x: &Tensor, targets: &Tensor, axis: i32) -> Result<Tensor> {
    squeeze(&take_along_axis(x, &expand_dims(targets, axis)?, axis)?, axis)
}

/// The negative log likelihood, `-inputs[target]` along `axis`, which holds the logarithms of a distribution; `targets`
/// are positions in it, in the shape of `inputs` without it. Python's defaults are axis -1 and [`Reduction::None`].
///
/// The result has the shape of `targets`, or none when it is reduced, and the dtype of `inputs`.
///
/// # Errors
/// Shapes that do not fit; an axis out of range; targets that are no positions, where the host can read them (others are
/// limited to the axis).
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, nll_loss};
/// let inputs = tensor![[-1.0, -2.0], [-3.0, -4.0]];
/// let loss = nll_loss(&inputs, &tensor![0, 1], -1, Reduction::None)?;
/// assert_eq!(loss.to_vec::<f32>()?, [1.0, 4.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.nll_loss")]
#[track_caller]
pub fn nll_loss(inputs: &Tensor, targets: &Tensor, axis: i32, reduction: Reduction) -> Result<Tensor> {
    reduction.of(negative(&at_targets(inputs, targets, axis)?)?)
}
