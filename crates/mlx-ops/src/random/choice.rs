//! Choices among what there is: categories, and orders.

use super::{key::next, setters};
use mlx_core::{Dtype, IntoShape, Result, Tensor, ffi, ffi::random as raw};

/// Categories by their unnormalised log probabilities, drawn as `uint32` indices.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::random::Categorical;
/// let logits = tensor![0.0, f32::NEG_INFINITY, f32::NEG_INFINITY];
/// assert_eq!(Categorical::new(&logits).sample_num(3)?.to_vec::<u32>()?, [0, 0, 0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Categorical {
    logits: Tensor,
    axis: i32,
    key: Option<Tensor>,
}

impl Categorical {
    /// The categories lie along the last axis.
    #[must_use]
    pub fn new(logits: &Tensor) -> Categorical {
        Categorical { logits: logits.clone(), axis: -1, key: None }
    }

    /// The axis along which the categories lie.
    #[must_use]
    pub fn axis(mut self, axis: i32) -> Categorical {
        self.axis = axis;
        self
    }

    setters!(key);

    /// Draws as many as fill `shape`, to which the shape of `logits` without the axis broadcasts.
    ///
    /// # Errors
    /// An axis out of range or empty; a shape to which the distributions do not broadcast.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let shape = shape.into_shape()?;
        self.draw(raw::Draws::Shape(&shape))
    }

    /// Draws one from each distribution.
    ///
    /// # Errors
    /// An axis out of range or empty.
    #[track_caller]
    pub fn sample_each(&self) -> Result<Tensor> {
        self.draw(raw::Draws::Each)
    }

    /// Draws `num` from each distribution, along a new last axis.
    ///
    /// # Errors
    /// An axis out of range or empty; a negative number.
    #[track_caller]
    pub fn sample_num(&self, num: i32) -> Result<Tensor> {
        self.draw(raw::Draws::Number(num))
    }

    #[track_caller]
    fn draw(&self, draws: raw::Draws<'_>) -> Result<Tensor> {
        raw::categorical(&self.logits, self.axis, draws, &next(self.key.as_ref())?)
    }
}

/// One category from each distribution along `axis` of `logits`, as `uint32`; [`Categorical`] for more.
///
/// # Errors
/// An axis out of range or empty.
///
/// ```
/// # use mlx_core::tensor;
/// let drawn = mlx_ops::random::categorical(&tensor![f32::NEG_INFINITY, 0.0], -1)?;
/// assert_eq!(drawn.item::<u32>()?, 1);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.categorical")]
#[track_caller]
pub fn categorical(logits: &Tensor, axis: i32) -> Result<Tensor> {
    Categorical::new(logits).axis(axis).sample_each()
}

/// What a [`Permutation`] puts in another order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Permuted {
    /// The integers from 0 to below this one.
    Below(i32),
    /// What lies along the axis of a tensor.
    Tensor(Tensor),
}

impl From<i32> for Permuted {
    fn from(n: i32) -> Permuted {
        Permuted::Below(n)
    }
}

impl From<&Tensor> for Permuted {
    fn from(x: &Tensor) -> Permuted {
        Permuted::Tensor(x.clone())
    }
}

/// A random order, of integers or along the first axis of a tensor unless told otherwise.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::random::{Permutation, key};
/// let x = Tensor::from_shape_slice([1, 3], &[1, 2, 3])?;
/// let mut drawn = Permutation::new(&x).axis(1).key(&key(0)?).sample()?.to_vec::<i32>()?;
/// drawn.sort();
/// assert_eq!(drawn, [1, 2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Permutation {
    of: Permuted,
    axis: i32,
    key: Option<Tensor>,
}

impl Permutation {
    /// An order of the integers below an `i32`, or of what lies along the first axis of a tensor.
    #[must_use]
    pub fn new(of: impl Into<Permuted>) -> Permutation {
        Permutation { of: of.into(), axis: 0, key: None }
    }

    /// The axis of the tensor.
    #[must_use]
    pub fn axis(mut self, axis: i32) -> Permutation {
        self.axis = axis;
        self
    }

    setters!(key);

    /// Draws an order: of integers as `uint32`, of a tensor in its dtype.
    ///
    /// # Errors
    /// A negative number; an axis out of range, which for a 0-d tensor is every one.
    #[track_caller]
    pub fn sample(&self) -> Result<Tensor> {
        let key = next(self.key.as_ref())?;
        // MLX divides by the length of what it sorts.
        match &self.of {
            Permuted::Below(0) => ffi::full(&[0], &Tensor::scalar(0, Dtype::Uint32)?, Dtype::Uint32),
            Permuted::Below(n) => raw::permutation_arange(*n, &key),
            Permuted::Tensor(x) if self.length_along(x) == Some(0) => Ok(x.clone()),
            Permuted::Tensor(x) => raw::permutation(x, self.axis, &key),
        }
    }

    fn length_along(&self, x: &Tensor) -> Option<i32> {
        let at = if self.axis < 0 { i64::from(self.axis) + x.ndim() as i64 } else { self.axis.into() };
        usize::try_from(at).ok().and_then(|at| x.shape().get(at)).copied()
    }
}

/// The integers below an `i32` in random order, as `uint32`, or the slices along the first axis of a tensor;
/// [`Permutation`] for more.
///
/// # Errors
/// A negative number; a 0-d tensor.
///
/// ```
/// let mut drawn = mlx_ops::random::permutation(4)?.to_vec::<u32>()?;
/// drawn.sort();
/// assert_eq!(drawn, [0, 1, 2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.permutation")]
#[track_caller]
pub fn permutation(of: impl Into<Permuted>) -> Result<Tensor> {
    Permutation::new(of).sample()
}
