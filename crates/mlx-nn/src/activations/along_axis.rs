//! Activations that look along an axis.

use mlx_core::{
    Axes, Dtype, IntoAxes, OperandRef, Pointwise, Result, Scalar, Tensor, axes, compile_pointwise,
};
use mlx_ops::{logsumexp, max, multiply, negative, split, stop_gradient, subtract};

/// `function`, compiled, of `x` and the axes; not compiled where `x` has no elements, or where no trace for every shape
/// `bears` it.
#[track_caller]
fn compiled(
    op: &'static str,
    function: Pointwise,
    x: &Tensor,
    along: impl IntoAxes,
    bears: fn(&Tensor, Option<&[i32]>) -> bool,
) -> Result<Tensor> {
    let along = along.into_axes();
    let list = along.plain(op)?;
    let written = list.into_iter().flatten().map(|&axis| Scalar::Int(axis.into()));
    let parameters: Vec<OperandRef<'_>> =
        std::iter::once(Scalar::Bool(list.is_some())).chain(written).map(OperandRef::Scalar).collect();
    // One trace serves every shape, and what MLX traces without elements is another function than with them: in Python
    // whichever shape comes first decides, wrongly for the other.
    if x.size() == 0 || !bears(x, list) {
        return function(x, &parameters);
    }
    compile_pointwise(op, function, x, &parameters)
}

/// Whether MLX reduces along the axes in a trace for every shape. Along some axes of one element each it builds no
/// reduction otherwise; in a trace it does, and reads and writes past the end of a plan without axes. All axes are
/// another plan.
fn reducible(x: &Tensor, along: Option<&[i32]>) -> bool {
    let Some(along) = along else { return true };
    let from_start = |axis: i32| i64::from(axis) + if axis < 0 { x.ndim() as i64 } else { 0 };
    let size =
        |axis: i32| usize::try_from(from_start(axis)).ok().and_then(|axis| x.shape().get(axis).copied());
    let all = (0..x.ndim() as i64).all(|each| along.iter().any(|&axis| from_start(axis) == each));
    all || along.is_empty() || along.iter().any(|&axis| size(axis) != Some(1))
}

/// As [`reducible`], for `mx.softmax`: of real numbers along the last axis alone it is one node, which is no reduction.
fn softens(x: &Tensor, along: Option<&[i32]>) -> bool {
    let last = |axis: i32| axis == -1 || i64::from(axis) + 1 == x.ndim() as i64;
    let is_one_node = x.dtype() != Dtype::Complex64 && matches!(along, Some(&[axis]) if last(axis));
    is_one_node || reducible(x, along)
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
    compiled("softmax", |x, parameters| mlx_ops::softmax(x, axes_of(parameters)), x, axes, softens)
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
    compiled(
        "softmin",
        |x, parameters| mlx_ops::softmax(&negative(x)?, axes_of(parameters)),
        x,
        axes,
        softens,
    )
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
    compiled("log_softmax", body, x, axes, reducible)
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
