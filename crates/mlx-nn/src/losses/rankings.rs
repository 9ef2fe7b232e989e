//! Losses of how inputs lie to each other.

use super::{Reduction, shapes};
use crate::python::tuple;
use mlx_core::{Error, ErrorKind, IntoScalar, Result, Scalar, Tensor};
use mlx_ops::{
    abs, add, divide,
    linalg::{Norm, norm},
    maximum, multiply, negative, pow, subtract, sum,
};

/// `max(0, 1 - inputs * targets)`, where targets are -1 or 1; Python's default is [`Reduction::None`].
///
/// The result has the shape that both broadcast to, or none when it is reduced, and the dtype that they promote to.
///
/// # Errors
/// Shapes that do not broadcast.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, hinge_loss};
/// let loss = hinge_loss(&tensor![0.5, 3.0], &tensor![-1, 1], Reduction::None)?;
/// assert_eq!(loss.to_vec::<f32>()?, [1.5, 0.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.hinge_loss")]
#[track_caller]
pub fn hinge_loss(inputs: &Tensor, targets: &Tensor, reduction: Reduction) -> Result<Tensor> {
    reduction.of(maximum(subtract(1, multiply(inputs, targets)?)?, 0)?)
}

/// `max(0, -targets * (inputs1 - inputs2) + margin)`, where a target of 1 asks for the greater first input and -1 for the
/// greater second one. All have one shape; Python's defaults are 0.0 and [`Reduction::None`].
///
/// The result has that shape, or none when it is reduced, and the dtype that all promote to.
///
/// # Errors
/// Shapes that differ; a margin that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, margin_ranking_loss};
/// let (a, b, targets) = (tensor![1.0, 2.0], tensor![3.0, 1.0], tensor![1, 1]);
/// let loss = margin_ranking_loss(&a, &b, &targets, 0.5, Reduction::None)?;
/// assert_eq!(loss.to_vec::<f32>()?, [2.5, 0.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.margin_ranking_loss")]
#[track_caller]
pub fn margin_ranking_loss(
    inputs1: &Tensor,
    inputs2: &Tensor,
    targets: &Tensor,
    margin: impl IntoScalar,
    reduction: Reduction,
) -> Result<Tensor> {
    if inputs1.shape() != inputs2.shape() || inputs2.shape() != targets.shape() {
        let [a, b, c] = [inputs1, inputs2, targets].map(|tensor| tuple(tensor.shape()));
        let message = format!(
            "The shapes of the arguments do not match. The provided shapes are inputs1.shape={a}, \
             inputs2.shape={b}, and targets.shape={c}."
        );
        return Err(shapes("margin_ranking_loss", message, &[inputs1, inputs2, targets]));
    }
    let wrong = multiply(negative(targets)?, subtract(inputs1, inputs2)?)?;
    reduction.of(maximum(0, add(wrong, margin.into_scalar())?)?)
}

/// What [`triplet_loss`] takes beside its tensors.
///
/// ```
/// # use mlx_nn::losses::{Reduction, Triplet};
/// let how = Triplet::new().margin(0.5);
/// assert_eq!((how.axis, how.reduction), (-1, Reduction::None));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Triplet {
    /// The axis of the vectors.
    pub axis: i32,
    /// The order of the norm.
    pub p: Scalar,
    /// How much farther negatives should be than positives.
    pub margin: Scalar,
    /// What is added to the sum of the powers.
    pub eps: Scalar,
    /// What becomes of the losses of all vectors.
    pub reduction: Reduction,
}

impl Default for Triplet {
    fn default() -> Triplet {
        Triplet::new()
    }
}

impl Triplet {
    /// The 2-norm along the last axis, a margin of 1.0, 1e-6 added, no reduction.
    #[must_use]
    pub fn new() -> Triplet {
        let (p, margin, eps) = (Scalar::Int(2), Scalar::Float(1.0), Scalar::Float(1e-6));
        Triplet { axis: -1, p, margin, eps, reduction: Reduction::None }
    }

    /// With the vectors along another axis.
    #[must_use]
    pub fn axis(mut self, axis: i32) -> Triplet {
        self.axis = axis;
        self
    }

    /// With a norm of another order, which is a real number other than 0.
    #[must_use]
    pub fn p(mut self, p: impl IntoScalar) -> Triplet {
        self.p = p.into_scalar();
        self
    }

    /// With another margin.
    #[must_use]
    pub fn margin(mut self, margin: impl IntoScalar) -> Triplet {
        self.margin = margin.into_scalar();
        self
    }

    /// With another addend to the sum of the powers.
    #[must_use]
    pub fn eps(mut self, eps: impl IntoScalar) -> Triplet {
        self.eps = eps.into_scalar();
        self
    }

    /// With the losses reduced.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> Triplet {
        self.reduction = reduction;
        self
    }

    #[track_caller]
    fn distance(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        let powers = pow(abs(&subtract(a, b)?)?, self.p)?;
        let total = add(sum(&powers, self.axis)?, self.eps)?;
        let refused = |why: &str| Error::new(ErrorKind::Value, "triplet_loss", why);
        let inverse = match self.p {
            Scalar::Bool(true) => 1.0,
            Scalar::Int(p) if p != 0 => 1.0 / p as f64,
            Scalar::Float(p) if p != 0.0 => 1.0 / p,
            Scalar::Bool(false) | Scalar::Int(_) | Scalar::Float(_) => {
                return Err(refused("float division by zero"));
            }
            _ => return Err(refused("the order of the norm is no real number")),
        };
        pow(total, inverse)
    }
}

/// `max(0, d(anchors, positives) - d(anchors, negatives) + margin)`, where the distance `d` is the `p`-norm of the
/// difference along an axis: `(sum(|a - b|^p) + eps)^(1 / p)`.
///
/// The result has the shape that all broadcast to without the axis, or none when it is reduced, and a float dtype.
///
/// # Errors
/// Shapes that do not broadcast; an axis out of range; a `p` of 0; a number that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Triplet, triplet_loss};
/// let (anchors, positives, negatives) = (tensor![[0.0, 0.0]], tensor![[3.0, 4.0]], tensor![[0.0, 2.0]]);
/// let loss = triplet_loss(&anchors, &positives, &negatives, Triplet::new().eps(0.0))?;
/// assert_eq!(loss.to_vec::<f32>()?, [4.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.triplet_loss")]
#[track_caller]
pub fn triplet_loss(
    anchors: &Tensor,
    positives: &Tensor,
    negatives: &Tensor,
    how: Triplet,
) -> Result<Tensor> {
    let (near, far) = (how.distance(anchors, positives)?, how.distance(anchors, negatives)?);
    how.reduction.of(maximum(add(subtract(near, far)?, how.margin)?, 0)?)
}

/// What [`cosine_similarity_loss`] takes beside its tensors.
///
/// ```
/// # use mlx_nn::losses::{CosineSimilarity, Reduction};
/// let how = CosineSimilarity::new();
/// assert_eq!((how.axis, how.reduction), (1, Reduction::None));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CosineSimilarity {
    /// The axis of the vectors.
    pub axis: i32,
    /// The least product of the norms.
    pub eps: Scalar,
    /// What becomes of the losses of all vectors.
    pub reduction: Reduction,
}

impl Default for CosineSimilarity {
    fn default() -> CosineSimilarity {
        CosineSimilarity::new()
    }
}

impl CosineSimilarity {
    /// Vectors along axis 1, norms of 1e-8 at least, no reduction.
    #[must_use]
    pub fn new() -> CosineSimilarity {
        CosineSimilarity { axis: 1, eps: Scalar::Float(1e-8), reduction: Reduction::None }
    }

    /// With the vectors along another axis.
    #[must_use]
    pub fn axis(mut self, axis: i32) -> CosineSimilarity {
        self.axis = axis;
        self
    }

    /// With another least product of the norms.
    #[must_use]
    pub fn eps(mut self, eps: impl IntoScalar) -> CosineSimilarity {
        self.eps = eps.into_scalar();
        self
    }

    /// With the similarities reduced.
    #[must_use]
    pub fn reduction(mut self, reduction: Reduction) -> CosineSimilarity {
        self.reduction = reduction;
        self
    }
}

/// The cosine of the angle between vectors along an axis, `sum(x1 * x2) / max(|x1| * |x2|, eps)`: as in Python the
/// similarity itself, which grows as they come closer.
///
/// The result has the shape that both broadcast to without the axis, or none when it is reduced, and a float dtype.
///
/// # Errors
/// Shapes that do not broadcast; an axis out of range; an `eps` that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{CosineSimilarity, cosine_similarity_loss};
/// let (x1, x2) = (tensor![[3.0, 4.0], [1.0, 0.0]], tensor![[6.0, 8.0], [0.0, 2.0]]);
/// let loss = cosine_similarity_loss(&x1, &x2, CosineSimilarity::new())?;
/// assert_eq!(loss.to_vec::<f32>()?, [1.0, 0.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.losses.cosine_similarity_loss")]
#[track_caller]
pub fn cosine_similarity_loss(x1: &Tensor, x2: &Tensor, how: CosineSimilarity) -> Result<Tensor> {
    let norm1 = norm(x1, Norm::Euclidean, how.axis)?;
    let norm2 = norm(x2, Norm::Euclidean, how.axis)?;
    let product = sum(&multiply(x1, x2)?, how.axis)?;
    how.reduction.of(divide(product, maximum(multiply(norm1, norm2)?, how.eps)?)?)
}
