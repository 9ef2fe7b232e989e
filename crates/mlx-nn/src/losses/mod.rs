//! Loss functions: `mlx.nn.losses`, with Python's names, defaults and order of ops.
//!
//! A function takes its tensors, its numbers and a [`Reduction`]; one with more to choose takes a struct of options with
//! Python's defaults. Numbers are weak scalars. Here: the reduction and the checks that Python makes itself. The losses
//! stand in files by kind: `classes`, `probabilities`, `distances`, `rankings`.

mod classes;
mod distances;
mod probabilities;
mod rankings;

pub use classes::{CrossEntropy, cross_entropy, nll_loss};
pub use distances::{huber_loss, l1_loss, log_cosh_loss, mse_loss, smooth_l1_loss};
pub use probabilities::{
    BinaryCrossEntropy, GaussianNll, binary_cross_entropy, gaussian_nll_loss, kl_div_loss,
};
pub use rankings::{
    CosineSimilarity, Triplet, cosine_similarity_loss, hinge_loss, margin_ranking_loss, triplet_loss,
};

use crate::python::tuple;
use mlx_core::{Error, ErrorKind, Result, Scalar, Tensor};
use mlx_ops::{mean, multiply, sum};

/// What becomes of the losses of all elements. Python's default is the mean for some functions and none for others.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::losses::{Reduction, l1_loss};
/// let (x, y) = (tensor![1.0, 5.0], tensor![0.0, 2.0]);
/// assert_eq!(l1_loss(&x, &y, Reduction::None)?.to_vec::<f32>()?, [1.0, 3.0]);
/// assert_eq!(l1_loss(&x, &y, Reduction::Mean)?.item::<f32>()?, 2.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// They stay as they are.
    None,
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
}

impl Reduction {
    #[track_caller]
    fn of(self, loss: Tensor) -> Result<Tensor> {
        match self {
            Reduction::None => Ok(loss),
            Reduction::Mean => mean(&loss, ..),
            Reduction::Sum => sum(&loss, ..),
        }
    }
}

fn shapes(op: &'static str, message: String, operands: &[&Tensor]) -> Error {
    let operands: Vec<_> = operands.iter().map(|&tensor| tensor.into()).collect();
    Error::new(ErrorKind::Shape, op, message).with_operands(&operands)
}

/// `Err` where two tensors, which the text names, have different shapes.
fn check_shapes(op: &'static str, [a, b]: [&Tensor; 2], [name_a, name_b]: [&str; 2]) -> Result<()> {
    if a.shape() == b.shape() {
        return Ok(());
    }
    let (in_a, in_b) = (tuple(a.shape()), tuple(b.shape()));
    Err(shapes(op, format!("{name_a} shape {in_a} does not match {name_b} shape {in_b}."), &[a, b]))
}

/// The loss times its weights, where there are any.
#[track_caller]
fn weighted(op: &'static str, loss: Tensor, weights: Option<&Tensor>) -> Result<Tensor> {
    match weights {
        None => Ok(loss),
        Some(weights) if weights.shape() == loss.shape() => multiply(loss, weights),
        Some(weights) => {
            let (given, wanted) = (tuple(weights.shape()), tuple(loss.shape()));
            let message =
                format!("Weights with shape {given} is not the same as output loss with shape {wanted}.");
            Err(shapes(op, message, &[weights, &loss]))
        }
    }
}

/// Half of a number, as Python's `0.5 * number`.
fn half(number: Scalar) -> Scalar {
    match number {
        Scalar::Bool(value) => Scalar::Float(0.5 * f64::from(u8::from(value))),
        Scalar::Int(value) => Scalar::Float(0.5 * value as f64),
        Scalar::Float(value) => Scalar::Float(0.5 * value),
        Scalar::Complex(value) => Scalar::Complex(value * 0.5),
        other => other,
    }
}
