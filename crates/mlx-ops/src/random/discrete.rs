//! Distributions of whole numbers and truth values.

use super::{Parameter, key::next, setters};
use mlx_core::{Dtype, IntoShape, Operand, Result, Tensor, ffi::random as raw};

/// Equally likely integers from a lower bound to below an upper one.
///
/// They are drawn as float32 and rounded down, as Python's: beyond 2^24 not every integer is reached. Where the upper
/// bound is not above the lower one, the lower one is drawn.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::random::{Randint, key};
/// let drawn = Randint::new(3, 5).dtype(Dtype::Uint8).key(&key(1)?).sample([4])?;
/// assert!(drawn.to_vec::<u8>()?.iter().all(|x| (3..5).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Randint {
    low: Parameter,
    high: Parameter,
    dtype: Dtype,
    key: Option<Tensor>,
}

impl Randint {
    /// int32 values between two scalars, or tensors that broadcast to the shape drawn.
    #[must_use]
    pub fn new(low: impl Operand, high: impl Operand) -> Randint {
        let (low, high) = (Parameter::new(&low), Parameter::new(&high));
        Randint { low, high, dtype: Dtype::Int32, key: None }
    }

    setters!(dtype);
    setters!(key);

    /// Draws integers of `shape`.
    ///
    /// # Errors
    /// A dtype that is neither integer nor bool; bounds that do not broadcast to `shape`.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        let (low, high) = (self.low.to_tensor("randint", None)?, self.high.to_tensor("randint", None)?);
        raw::randint(&low, &high, &shape, self.dtype, &key)
    }
}

/// int32 values from `low` to below `high`; [`Randint`] for more.
///
/// # Errors
/// Bounds that do not broadcast to `shape`.
///
/// ```
/// # use mlx_ops::random;
/// assert!(random::randint(0, 10, [3])?.to_vec::<i32>()?.iter().all(|x| (0..10).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.randint")]
#[track_caller]
pub fn randint(low: impl Operand, high: impl Operand, shape: impl IntoShape) -> Result<Tensor> {
    Randint::new(low, high).sample(shape)
}

/// Truth values, true with a probability.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::random::Bernoulli;
/// let drawn = Bernoulli::new(tensor![0.0, 1.0]).sample_each()?;
/// assert_eq!(drawn.to_vec::<bool>()?, [false, true]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bernoulli {
    p: Parameter,
    key: Option<Tensor>,
}

impl Default for Bernoulli {
    fn default() -> Bernoulli {
        Bernoulli::new(0.5)
    }
}

impl Bernoulli {
    /// The probability: a float, or a tensor of them that broadcasts to the shape drawn. Beyond 0 and 1 it counts as
    /// those, NaN as 0.
    #[must_use]
    pub fn new(p: impl Operand) -> Bernoulli {
        Bernoulli { p: Parameter::new(&p), key: None }
    }

    setters!(key);

    /// Draws bools of `shape`.
    ///
    /// # Errors
    /// A probability that is not real floating, or does not broadcast to `shape`.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        raw::bernoulli(&self.p.to_tensor("bernoulli", None)?, &shape, &key)
    }

    /// Draws one for each probability.
    ///
    /// # Errors
    /// A probability that is not real floating.
    #[track_caller]
    pub fn sample_each(&self) -> Result<Tensor> {
        let key = next(self.key.as_ref())?;
        let p = self.p.to_tensor("bernoulli", None)?;
        raw::bernoulli(&p, p.shape(), &key)
    }
}

/// Bools that are true with probability `p`; [`Bernoulli`] for more.
///
/// # Errors
/// A probability that is not real floating, or does not broadcast to `shape`.
///
/// ```
/// assert_eq!(mlx_ops::random::bernoulli(1.0, [2])?.to_vec::<bool>()?, [true, true]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.bernoulli")]
#[track_caller]
pub fn bernoulli(p: impl Operand, shape: impl IntoShape) -> Result<Tensor> {
    Bernoulli::new(p).sample(shape)
}
