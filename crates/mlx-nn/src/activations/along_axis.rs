//! Activations that look along an axis.

use mlx_core::{Axes, IntoAxes, OperandRef, Pointwise, Result, Scalar, Tensor, axes, compile_pointwise};
use mlx_ops::{logsumexp, max, multiply, negative, split, stop_gradient, subtract};

/// `function`, compiled, of `x` and the axes.
#[track_caller]
fn compiled(op: &'static str, function: Pointwise, x: &Tensor, along: impl IntoAxes) -> Result<Tensor> {
    let along = along.into_axes();
    let list = along.plain(op)?;
    let written = list.into_iter().flatten().map(|&axis| Scalar::Int(axis.into()));
    let parameters: Vec<OperandRef<'_>> =
        std::iter::once(Scalar::Bool(list.is_some())).chain(written).map(OperandRef::Scalar).collect();
    // One trace serves every shape, and what MLX traces without elements is another function than with them: in Python
    // whichever shape comes first decides, wrongly for the other.
    if x.size() == 0 {
        return function(x, &parameters);
    }
    compile_pointwise(op, function, x, &parameters)
}

/// The axes, from the parameters that [`compiled`] writes.
fn axes_of(parameters: &[OperandRef<'_>]) -> Axes {
    let list = parameters.iter().filter_map(|parameter| match parameter {
        OperandRef::Scalar(Scalar::Int(axis)) => Some(*axis as i32),
        _ => None,
    });
    match parameters {
        [OperandRef::Scalar(Scalar::Bool(true)), ..] => axes(list.collect::<Vec<i32>>()),
        _ => axes(..),
    }
}

/// `exp(x) / sum(exp(x))` along an axis, several, or `..` for all; Python's default is -1. The result has `x`'s shape and
/// dtype, float32 for integers.
///
/// Other than in Python, an empty `x` has no effect on what comes after it.
///
/// # Errors
/// An axis out of range; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_nn::softmax(&tensor![2.0, 2.0], -1)?.to_vec::<f32>()?, [0.5, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.softmax")]
#[track_caller]
pub fn softmax(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    compiled("softmax", |x, parameters| mlx_ops::softmax(x, axes_of(parameters)), x, axes)
}

/// [`softmax`] of `-x`.
///
/// # Errors
/// As [`softmax`].
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_nn::softmin(&tensor![-200.0, 2.0], -1)?.to_vec::<f32>()?, [1.0, 0.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.softmin")]
#[track_caller]
pub fn softmin(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    compiled("softmin", |x, parameters| mlx_ops::softmax(&negative(x)?, axes_of(parameters)), x, axes)
}

/// The logarithm of [`softmax`], without its overflow: `x` less its largest element, less the `logsumexp` of that.
///
/// # Errors
/// An axis out of range; an empty `x`; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// let y = mlx_nn::log_softmax(&tensor![1000.0, 0.0], -1)?;
/// assert_eq!(y.to_vec::<f32>()?, [0.0, -1000.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.log_softmax")]
#[track_caller]
pub fn log_softmax(x: &Tensor, axes: impl IntoAxes) -> Result<Tensor> {
    fn body(x: &Tensor, parameters: &[OperandRef<'_>]) -> Result<Tensor> {
        let kept = axes_of(parameters).keep();
        let x = subtract(x, stop_gradient(&max(x, &kept)?)?)?;
        subtract(&x, logsumexp(&x, &kept)?)
    }
    compiled("log_softmax", body, x, axes)
}

/// The gated linear unit: of the two halves of `x` along `axis`, the first times the sigmoid of the second; Python's
/// default for `axis` is -1. Not compiled.
///
/// # Errors
/// An axis out of range or of an odd size; a dtype that MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_nn::glu(&tensor![3.0, 5.0, 0.0, 100.0], -1)?.to_vec::<f32>()?, [1.5, 5.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.glu")]
#[track_caller]
pub fn glu(x: &Tensor, axis: i32) -> Result<Tensor> {
    let halves = split(x, 2, axis)?;
    multiply(&halves[0], mlx_ops::sigmoid(&halves[1])?)
}
