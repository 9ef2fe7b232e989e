//! Losses of probabilities and distributions, other than over classes by number.

use super::{Reduction, check_shapes, weighted};
use mlx_core::{IntoAxes, IntoScalar, Result, Scalar, Tensor};
use mlx_ops::{add, clip, divide, exp, log, logaddexp, maximum, multiply, negative, square, subtract, sum};

/// What [`binary_cross_entropy`] takes beside inputs and targets.
///
/// ```
/// # use mlx_nn::losses::{BinaryCrossEntropy, Reduction};
/// let how = BinaryCrossEntropy::new().with_logits(false);
/// assert_eq!(how.reduction, Reduction::Mean);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BinaryCrossEntropy<'a> {
    /// A factor for each target.
    pub weights: Option<&'a Tensor>,
    /// Whether the inputs are logits; else they are probabilities.
    pub with_logits: bool,
    /// What becomes of the losses of all elements.
    pub reduction: Reduction,
}

impl Default for BinaryCrossEntropy<'_> {
    fn default() -> Self {
        BinaryCrossEntropy::new()
    }
}

impl<'a> BinaryCrossEntropy<'a> {
    /// Of logits, without weights, the mean.
    #[must_use]
    pub fn new() -> BinaryCrossEntropy<'a> {
        BinaryCrossEntropy { weights: None, with_logits: true, reduction: Reduction::Mean }
    }

    /// With a factor for each target.
    #[must_use]
    pub fn weights(mut self, weights: &'a Tensor) -> BinaryCrossEntropy<'a> {
        self.weights = Some(weights);
        self
    }

    /// Whether the inputs are logits.
    #[must_use]
    pub fn with_logits(mut self, with_logits: bool) -> BinaryCrossEntropy<'a> {
        self.with_logits = with_logits;
        self
    }

    /// With another reduction.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> BinaryCrossEntropy<'a> {
        self.reduction = reduction;
        self
    }
}

/// The cross entropy of yes or no: of logits `log(1 + exp(x)) - x * t`; of probabilities
/// `-(t * log(x) + (1 - t) * log(1 - x))`, where no logarithm is below -100.
///
/// `inputs` and `targets`, from 0 to 1, have one shape; so has the result, or none when it is reduced. Its dtype is a
/// float that they promote to.
///
/// # Errors
/// Shapes that differ, those of weights too.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{BinaryCrossEntropy, binary_cross_entropy};
/// let targets = tensor![1.0, 0.0];
/// let loss = binary_cross_entropy(&tensor![200.0, 0.0], &targets, BinaryCrossEntropy::new())?;
/// assert!((loss.item::<f32>()? - 0.5 * 2_f32.ln()).abs() < 1e-6);
/// let how = BinaryCrossEntropy::new().with_logits(false);
/// assert_eq!(binary_cross_entropy(&tensor![0.0, 0.0], &targets, how)?.item::<f32>()?, 50.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.binary_cross_entropy")]
#[track_caller]
pub fn binary_cross_entropy(
    inputs: &Tensor,
    targets: &Tensor,
    how: BinaryCrossEntropy<'_>,
) -> Result<Tensor> {
    let op = "binary_cross_entropy";
    check_shapes(op, [inputs, targets], ["Inputs", "targets"])?;
    let loss = if how.with_logits {
        subtract(logaddexp(0.0, inputs)?, multiply(inputs, targets)?)?
    } else {
        let yes = clip(&log(inputs)?, -100, ..)?;
        let no = clip(&log(&subtract(1, inputs)?)?, -100, ..)?;
        let both = add(multiply(targets, yes)?, multiply(subtract(1, targets)?, no)?)?;
        negative(&both)?
    };
    how.reduction.of(weighted(op, loss, how.weights)?)
}

/// What [`gaussian_nll_loss`] takes beside means, targets and variances.
///
/// ```
/// # use mlx_nn::losses::{GaussianNll, Reduction};
/// assert_eq!(GaussianNll::new().full(true).reduction, Reduction::Mean);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GaussianNll {
    /// Whether the constant, half of the logarithm of 2π, is added.
    pub full: bool,
    /// The least variance.
    pub eps: Scalar,
    /// What becomes of the losses of all elements.
    pub reduction: Reduction,
}

impl Default for GaussianNll {
    fn default() -> GaussianNll {
        GaussianNll::new()
    }
}

impl GaussianNll {
    /// Without the constant, variances of 1e-6 at least, the mean.
    #[must_use]
    pub fn new() -> GaussianNll {
        GaussianNll { full: false, eps: Scalar::Float(1e-6), reduction: Reduction::Mean }
    }

    /// Whether the constant is added.
    #[must_use]
    pub fn full(mut self, full: bool) -> GaussianNll {
        self.full = full;
        self
    }

    /// With another least variance.
    #[must_use]
    pub fn eps(mut self, eps: impl IntoScalar) -> GaussianNll {
        self.eps = eps.into_scalar();
        self
    }

    /// With another reduction.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> GaussianNll {
        self.reduction = reduction;
        self
    }
}

/// Half of the logarithm of 2π.
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;

/// The negative log likelihood of `targets` under normal distributions with means `inputs` and variances `vars`:
/// `0.5 * (log(v) + (targets - inputs)² / v)` with `v = max(vars, eps)`.
///
/// All have one shape; so has the result, or none when it is reduced. Its dtype is a float that they promote to.
///
/// # Errors
/// Shapes that differ; an `eps` that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{GaussianNll, gaussian_nll_loss};
/// let (means, targets, vars) = (tensor![1.0, 2.0], tensor![3.0, 2.0], tensor![1.0, 1.0]);
/// let loss = gaussian_nll_loss(&means, &targets, &vars, GaussianNll::new())?;
/// assert_eq!(loss.item::<f32>()?, 1.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.gaussian_nll_loss")]
#[track_caller]
pub fn gaussian_nll_loss(
    inputs: &Tensor,
    targets: &Tensor,
    vars: &Tensor,
    how: GaussianNll,
) -> Result<Tensor> {
    let op = "gaussian_nll_loss";
    check_shapes(op, [inputs, targets], ["Inputs", "targets"])?;
    check_shapes(op, [inputs, vars], ["Inputs", "vars"])?;
    let vars = maximum(vars, how.eps)?;
    let squares = square(&subtract(targets, inputs)?)?;
    let loss = multiply(add(log(&vars)?, divide(squares, &vars)?)?, 0.5)?;
    how.reduction.of(if how.full { add(loss, HALF_LN_TAU)? } else { loss })
}

/// The Kullback-Leibler divergence, `sum(exp(targets) * (targets - inputs))` along an axis, several, or `..` for all; both
/// are logarithms of distributions. Python's defaults are axis -1 and [`Reduction::None`].
///
/// The result has the shape that both broadcast to, less the axes, or none when it is reduced, and a float dtype.
///
/// # Errors
/// Shapes that do not broadcast; an axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, kl_div_loss};
/// let (inputs, targets) = (tensor![[-2.0, 0.0]], tensor![[0.0, -200.0]]);
/// assert_eq!(kl_div_loss(&inputs, &targets, -1, Reduction::None)?.to_vec::<f32>()?, [2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.kl_div_loss")]
#[track_caller]
pub fn kl_div_loss(
    inputs: &Tensor,
    targets: &Tensor,
    axes: impl IntoAxes,
    reduction: Reduction,
) -> Result<Tensor> {
    let axes = axes.into_axes();
    axes.plain("kl_div_loss")?;
    reduction.of(sum(&multiply(exp(targets)?, subtract(targets, inputs)?)?, axes)?)
}
