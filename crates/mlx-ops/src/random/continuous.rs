//! Distributions over the reals.
//!
//! Not here: whole numbers and truth values (`discrete`), choices among what there is (`choice`).

use super::{Parameter, key::next, setters};
use mlx_core::{Dtype, Error, IntoShape, Operand, Result, Shape, Tensor, ffi::random as raw};

/// The normal distribution: mean 0, standard deviation 1, float32, unless told otherwise.
///
/// Of complex64 both parts are drawn, with a variance of 1/2 each.
///
/// ```
/// # use mlx_ops::random::{Normal, key};
/// let drawn = Normal::new().loc(100).scale(0.5).key(&key(1)?).sample([4])?;
/// assert!(drawn.to_vec::<f32>()?.iter().all(|x| (90.0..110.0).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Normal {
    loc: Option<Parameter>,
    scale: Option<Parameter>,
    dtype: Dtype,
    key: Option<Tensor>,
}

impl Default for Normal {
    fn default() -> Normal {
        Normal::new()
    }
}

impl Normal {
    /// The standard normal distribution.
    #[must_use]
    pub fn new() -> Normal {
        Normal { loc: None, scale: None, dtype: Dtype::Float32, key: None }
    }

    /// The mean: a scalar, or a tensor that broadcasts with the shape drawn.
    #[must_use]
    pub fn loc(mut self, loc: impl Operand) -> Normal {
        self.loc = Some(Parameter::new(&loc));
        self
    }

    /// The standard deviation, likewise.
    #[must_use]
    pub fn scale(mut self, scale: impl Operand) -> Normal {
        self.scale = Some(Parameter::new(&scale));
        self
    }

    setters!(dtype);
    setters!(key);

    /// Draws values of `shape`.
    ///
    /// # Errors
    /// A dtype that is neither real floating nor complex64; a mean or deviation that does not broadcast.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        let tensor = |it: &Parameter| it.to_tensor("normal", Some(self.dtype));
        let loc = self.loc.as_ref().map(tensor).transpose()?;
        let scale = self.scale.as_ref().map(tensor).transpose()?;
        raw::normal(&shape, self.dtype, [loc.as_ref(), scale.as_ref()], &key)
    }
}

/// float32 values of the standard normal distribution; [`Normal`] for others.
///
/// # Errors
/// A negative size.
///
/// ```
/// # use mlx_ops::random;
/// assert_eq!(random::normal([2, 3])?.shape(), [2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.normal")]
#[track_caller]
pub fn normal(shape: impl IntoShape) -> Result<Tensor> {
    Normal::new().sample(shape)
}

/// Equally likely values from a lower bound to below an upper one.
///
/// ```
/// # use mlx_ops::random::{Uniform, key};
/// let drawn = Uniform::new(2, 3).key(&key(1)?).sample([4])?;
/// assert!(drawn.to_vec::<f32>()?.iter().all(|x| (2.0..3.0).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Uniform {
    low: Parameter,
    high: Parameter,
    dtype: Dtype,
    key: Option<Tensor>,
}

impl Default for Uniform {
    fn default() -> Uniform {
        Uniform::new(0, 1)
    }
}

impl Uniform {
    /// float32 values between two scalars, or tensors that broadcast to the shape drawn.
    #[must_use]
    pub fn new(low: impl Operand, high: impl Operand) -> Uniform {
        let (low, high) = (Parameter::new(&low), Parameter::new(&high));
        Uniform { low, high, dtype: Dtype::Float32, key: None }
    }

    setters!(dtype);
    setters!(key);

    /// Draws values of `shape`.
    ///
    /// # Errors
    /// Another dtype than float16, bfloat16 and float32; bounds that do not broadcast to `shape`.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        let (low, high) = (self.low.to_tensor("uniform", None)?, self.high.to_tensor("uniform", None)?);
        raw::uniform(&low, &high, &shape, self.dtype, &key)
    }
}

/// float32 values from `low` to below `high`; [`Uniform`] for more.
///
/// # Errors
/// Bounds that do not broadcast to `shape`.
///
/// ```
/// # use mlx_ops::random;
/// let drawn = random::uniform(-1.0, 1.0, [3])?.to_vec::<f32>()?;
/// assert!(drawn.iter().all(|x| (-1.0..1.0).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.uniform")]
#[track_caller]
pub fn uniform(low: impl Operand, high: impl Operand, shape: impl IntoShape) -> Result<Tensor> {
    Uniform::new(low, high).sample(shape)
}

/// The standard normal distribution between two bounds.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::random::{TruncatedNormal, key};
/// let drawn = TruncatedNormal::new(tensor![0.0, 2.0], 3).key(&key(1)?).sample_each()?;
/// assert!((2.0..=3.0).contains(&drawn.to_vec::<f32>()?[1]));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TruncatedNormal {
    lower: Parameter,
    upper: Parameter,
    dtype: Dtype,
    key: Option<Tensor>,
}

impl TruncatedNormal {
    /// float32 values between two scalars, or tensors that broadcast to the shape drawn.
    #[must_use]
    pub fn new(lower: impl Operand, upper: impl Operand) -> TruncatedNormal {
        let (lower, upper) = (Parameter::new(&lower), Parameter::new(&upper));
        TruncatedNormal { lower, upper, dtype: Dtype::Float32, key: None }
    }

    setters!(dtype);
    setters!(key);

    /// Draws values of `shape`.
    ///
    /// # Errors
    /// Another dtype than float16, bfloat16 and float32; bounds that do not broadcast to `shape`.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let shape = shape.into_shape()?;
        self.draw(|_, _| Ok(shape))
    }

    /// Draws one value for each pair of bounds.
    ///
    /// # Errors
    /// As [`sample`](TruncatedNormal::sample); bounds that do not broadcast.
    #[track_caller]
    pub fn sample_each(&self) -> Result<Tensor> {
        self.draw(broadcast)
    }

    #[track_caller]
    fn draw(&self, shape: impl FnOnce(&Tensor, &Tensor) -> Result<Shape>) -> Result<Tensor> {
        let (op, key) = ("truncated_normal", next(self.key.as_ref())?);
        let (lower, upper) = (self.lower.to_tensor(op, None)?, self.upper.to_tensor(op, None)?);
        raw::truncated_normal(&lower, &upper, &shape(&lower, &upper)?, self.dtype, &key)
    }
}

/// float32 values of the standard normal distribution between two bounds; [`TruncatedNormal`] for more.
///
/// # Errors
/// Bounds that do not broadcast to `shape`.
///
/// ```
/// # use mlx_ops::random;
/// let drawn = random::truncated_normal(-2, 2, [3])?.to_vec::<f32>()?;
/// assert!(drawn.iter().all(|x| (-2.0..=2.0).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.truncated_normal")]
#[track_caller]
pub fn truncated_normal(lower: impl Operand, upper: impl Operand, shape: impl IntoShape) -> Result<Tensor> {
    TruncatedNormal::new(lower, upper).sample(shape)
}

/// The shape of both together.
fn broadcast(a: &Tensor, b: &Tensor) -> Result<Shape> {
    crate::broadcast_shapes([a.shape(), b.shape()]).map_err(|error| {
        Error::new(error.kind(), "truncated_normal", error.message()).with_operands(&[a.into(), b.into()])
    })
}

/// The standard Gumbel distribution, of float32 unless told otherwise.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::random::Gumbel;
/// assert_eq!(Gumbel::new().dtype(Dtype::Float16).sample([2])?.dtype(), Dtype::Float16);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gumbel {
    dtype: Dtype,
    key: Option<Tensor>,
}

impl Default for Gumbel {
    fn default() -> Gumbel {
        Gumbel::new()
    }
}

impl Gumbel {
    /// The distribution.
    #[must_use]
    pub fn new() -> Gumbel {
        Gumbel { dtype: Dtype::Float32, key: None }
    }

    setters!(dtype);
    setters!(key);

    /// Draws values of `shape`.
    ///
    /// # Errors
    /// Another dtype than float16, bfloat16 and float32.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        raw::gumbel(&shape, self.dtype, &key)
    }
}

/// float32 values of the standard Gumbel distribution; [`Gumbel`] for others.
///
/// # Errors
/// A negative size.
///
/// ```
/// assert_eq!(mlx_ops::random::gumbel([2])?.shape(), [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.gumbel")]
#[track_caller]
pub fn gumbel(shape: impl IntoShape) -> Result<Tensor> {
    Gumbel::new().sample(shape)
}

/// The Laplace distribution: mean 0, scale 1, float32, unless told otherwise.
///
/// ```
/// # use mlx_ops::random::{Laplace, key};
/// let drawn = Laplace::new().loc(50.0).scale(0.0).key(&key(1)?).sample([2])?;
/// assert_eq!(drawn.to_vec::<f32>()?, [50.0, 50.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Laplace {
    loc: f32,
    scale: f32,
    dtype: Dtype,
    key: Option<Tensor>,
}

impl Default for Laplace {
    fn default() -> Laplace {
        Laplace::new()
    }
}

impl Laplace {
    /// The standard Laplace distribution.
    #[must_use]
    pub fn new() -> Laplace {
        Laplace { loc: 0.0, scale: 1.0, dtype: Dtype::Float32, key: None }
    }

    /// The mean.
    #[must_use]
    pub fn loc(mut self, loc: f32) -> Laplace {
        self.loc = loc;
        self
    }

    /// The scale.
    #[must_use]
    pub fn scale(mut self, scale: f32) -> Laplace {
        self.scale = scale;
        self
    }

    setters!(dtype);
    setters!(key);

    /// Draws values of `shape`.
    ///
    /// # Errors
    /// A dtype that is not real floating.
    #[track_caller]
    pub fn sample(&self, shape: impl IntoShape) -> Result<Tensor> {
        let (shape, key) = (shape.into_shape()?, next(self.key.as_ref())?);
        raw::laplace(&shape, self.dtype, self.loc, self.scale, &key)
    }
}

/// float32 values of the standard Laplace distribution; [`Laplace`] for others.
///
/// # Errors
/// A negative size.
///
/// ```
/// assert_eq!(mlx_ops::random::laplace([2])?.shape(), [2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.laplace")]
#[track_caller]
pub fn laplace(shape: impl IntoShape) -> Result<Tensor> {
    Laplace::new().sample(shape)
}
