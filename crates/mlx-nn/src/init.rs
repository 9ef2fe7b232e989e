//! Initialisers of parameters: `mlx.nn.init`, with Python's names and its draws from the global key.
//!
//! A function makes an [`Initializer`], which makes as many tensors as are asked for. Not here: what they are made for
//! (layers), the distributions themselves (`mlx_ops::random`).

use crate::python::tuple;
use mlx_core::{
    Device, Dtype, Error, ErrorKind, IntoScalar, IntoShape, Result, Scalar, Shape, Tensor, with_device,
};
use mlx_ops::{
    arange, argsort, astype, diag, eye, full, index, linalg, multiply,
    random::{Normal, Uniform},
    reshape, set_index, sign,
};

/// How a parameter gets its first values.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let half = init::constant(0.5);
/// assert_eq!(half.init([2], Dtype::Float32)?.to_vec::<f32>()?, [0.5, 0.5]);
/// assert_eq!(half.init([1], Dtype::Float16)?.dtype(), Dtype::Float16);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initializer(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Constant(Scalar),
    Normal { mean: Scalar, std: Scalar },
    Uniform { low: Scalar, high: Scalar },
    Identity,
    Scaled { by: Scale, is_normal: bool, gain: f64 },
    Sparse { sparsity: f64, mean: Scalar, std: Scalar },
    Orthogonal { gain: f64 },
}

/// What the spread of the values comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    BothFans,
    Fan(Fan),
}

/// Which number of units the spread of [`he_normal`] and [`he_uniform`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fan {
    /// Python's `"fan_in"`: the size of the last axis, times those between it and the first.
    In,
    /// Python's `"fan_out"`: the size of the first axis, times those between it and the last.
    Out,
}

/// `value` everywhere, beside the dtype as in [`full`].
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// assert_eq!(init::constant(7).init([2], Dtype::Int8)?.to_vec::<i8>()?, [7, 7]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.constant")]
#[must_use]
pub fn constant(value: impl IntoScalar) -> Initializer {
    Initializer(Kind::Constant(value.into_scalar()))
}

/// Draws of the normal distribution; Python's defaults are 0.0 and 1.0.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let drawn = init::normal(5.0, 0.0).init([2], Dtype::Float32)?;
/// assert_eq!(drawn.to_vec::<f32>()?, [5.0, 5.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.normal")]
#[must_use]
pub fn normal(mean: impl IntoScalar, std: impl IntoScalar) -> Initializer {
    Initializer(Kind::Normal { mean: mean.into_scalar(), std: std.into_scalar() })
}

/// Draws from `low` to below `high`, equally likely; Python's defaults are 0.0 and 1.0.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let drawn = init::uniform(2.0, 3.0).init([4], Dtype::Float32)?.to_vec::<f32>()?;
/// assert!(drawn.iter().all(|x| (2.0..3.0).contains(x)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.uniform")]
#[must_use]
pub fn uniform(low: impl IntoScalar, high: impl IntoScalar) -> Initializer {
    Initializer(Kind::Uniform { low: low.into_scalar(), high: high.into_scalar() })
}

/// The identity matrix, of square shapes only.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let made = init::identity().init([2, 2], Dtype::Int32)?;
/// assert_eq!(made.to_vec::<i32>()?, [1, 0, 0, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.identity")]
#[must_use]
pub fn identity() -> Initializer {
    Initializer(Kind::Identity)
}

/// Glorot's: normal, with the standard deviation `gain * sqrt(2 / (fan_in + fan_out))`; Python's default for `gain` is
/// 1.0. [`Fan`] says what the fans are; the shape has two dimensions at least.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let drawn = init::glorot_normal(0.0).init([1, 2], Dtype::Float32)?;
/// assert_eq!(drawn.to_vec::<f32>()?, [0.0, 0.0]);
/// assert!(init::glorot_normal(1.0).init([2], Dtype::Float32).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.glorot_normal")]
#[must_use]
pub fn glorot_normal(gain: f64) -> Initializer {
    Initializer(Kind::Scaled { by: Scale::BothFans, is_normal: true, gain })
}

/// Glorot's: uniform within `gain * sqrt(6 / (fan_in + fan_out))` of 0; Python's default for `gain` is 1.0. [`Fan`] says
/// what the fans are; the shape has two dimensions at least.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let drawn = init::glorot_uniform(1.0).init([2, 4], Dtype::Float32)?.to_vec::<f32>()?;
/// assert!(drawn.iter().all(|x| x.abs() <= 1.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.glorot_uniform")]
#[must_use]
pub fn glorot_uniform(gain: f64) -> Initializer {
    Initializer(Kind::Scaled { by: Scale::BothFans, is_normal: false, gain })
}

/// He's: normal, with the standard deviation `gain / sqrt(fan)`; Python's defaults are [`Fan::In`] and 1.0. The shape has
/// two dimensions at least.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init::{self, Fan};
/// let drawn = init::he_normal(Fan::In, 0.0).init([1, 2], Dtype::Float32)?;
/// assert_eq!(drawn.to_vec::<f32>()?, [0.0, 0.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.he_normal")]
#[must_use]
pub fn he_normal(mode: Fan, gain: f64) -> Initializer {
    Initializer(Kind::Scaled { by: Scale::Fan(mode), is_normal: true, gain })
}

/// He's: uniform within `gain * sqrt(3 / fan)` of 0; Python's defaults are [`Fan::In`] and 1.0. The shape has two
/// dimensions at least.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init::{self, Fan};
/// let drawn = init::he_uniform(Fan::Out, 1.0).init([3, 9], Dtype::Float32)?.to_vec::<f32>()?;
/// assert!(drawn.iter().all(|x| x.abs() <= 1.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.he_uniform")]
#[must_use]
pub fn he_uniform(mode: Fan, gain: f64) -> Initializer {
    Initializer(Kind::Scaled { by: Scale::Fan(mode), is_normal: false, gain })
}

/// A matrix of draws of the normal distribution, of each row a part of `sparsity`, rounded up, replaced by zeros; Python's
/// defaults for mean and standard deviation are 0.0 and 1.0.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// let drawn = init::sparse(0.5, 9.0, 0.0).init([2, 3], Dtype::Float32)?.to_vec::<f32>()?;
/// assert_eq!(drawn.iter().filter(|&&x| x == 0.0).count(), 4);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.sparse")]
#[must_use]
pub fn sparse(sparsity: f64, mean: impl IntoScalar, std: impl IntoScalar) -> Initializer {
    Initializer(Kind::Sparse { sparsity, mean: mean.into_scalar(), std: std.into_scalar() })
}

/// A matrix whose rows (columns, where they are fewer) are orthogonal and of length `gain`; Python's default is 1.0.
/// Computed on the CPU in float32.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::init;
/// # use mlx_ops::{matmul, transpose};
/// let q = init::orthogonal(2.0).init([2, 3], Dtype::Float32)?;
/// let products = matmul(&q, &transpose(&q, ..)?)?.to_vec::<f32>()?;
/// assert!(products.iter().zip([4.0, 0.0, 0.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.init.orthogonal")]
#[must_use]
pub fn orthogonal(gain: f64) -> Initializer {
    Initializer(Kind::Orthogonal { gain })
}

const OP: &str = "init";

impl Initializer {
    /// A tensor of `shape` and `dtype` with the first values; draws move the global key of
    /// [`random`](mlx_ops::random) on.
    ///
    /// # Errors
    /// A shape that the initialiser does not take, a negative size; a dtype that is no float where values are drawn; fans
    /// of 0; a sparsity that is not finite.
    #[track_caller]
    pub fn init(&self, shape: impl IntoShape, dtype: Dtype) -> Result<Tensor> {
        let shape = shape.into_shape()?;
        if shape.iter().any(|&size| size < 0) {
            return refused(ErrorKind::Shape, format!("a size of the shape {} is negative", tuple(&shape)));
        }
        match self.0 {
            Kind::Constant(value) => full(shape, value, dtype),
            Kind::Normal { mean, std } => Normal::new().loc(mean).scale(std).dtype(dtype).sample(shape),
            Kind::Uniform { low, high } => Uniform::new(low, high).dtype(dtype).sample(shape),
            Kind::Identity => square(&shape, dtype),
            Kind::Scaled { by, is_normal, gain } => scaled(shape, dtype, by, is_normal, gain),
            Kind::Sparse { sparsity, mean, std } => sparse_matrix(&shape, dtype, sparsity, [mean, std]),
            Kind::Orthogonal { gain } => orthogonal_matrix(&shape, dtype, gain),
        }
    }
}

fn refused<T>(kind: ErrorKind, message: impl Into<String>) -> Result<T> {
    Err(Error::new(kind, OP, message))
}

#[track_caller]
fn square(shape: &Shape, dtype: Dtype) -> Result<Tensor> {
    match shape[..] {
        [rows, columns] if rows == columns => eye(rows, columns, 0, dtype),
        _ => {
            let shape = tuple(shape);
            let message = format!("The input array must be a square matrix but got shape {shape}.");
            refused(ErrorKind::Shape, message)
        }
    }
}

#[track_caller]
fn scaled(shape: Shape, dtype: Dtype, by: Scale, is_normal: bool, gain: f64) -> Result<Tensor> {
    let [fan_in, fan_out] = fans(&shape)?;
    let fan = match by {
        Scale::BothFans => fan_in + fan_out,
        Scale::Fan(Fan::In) => fan_in,
        Scale::Fan(Fan::Out) => fan_out,
    };
    if fan == 0.0 {
        return refused(ErrorKind::Value, "float division by zero");
    }
    // Python's order of operations in each of the four.
    let spread = match (by, is_normal) {
        (Scale::BothFans, true) => gain * (2.0 / fan).sqrt(),
        (Scale::BothFans, false) => gain * (6.0 / fan).sqrt(),
        (Scale::Fan(_), true) => gain / fan.sqrt(),
        (Scale::Fan(_), false) => gain * (3.0 / fan).sqrt(),
    };
    if is_normal {
        Normal::new().scale(spread).dtype(dtype).sample(shape)
    } else {
        Uniform::new(-spread, spread).dtype(dtype).sample(shape)
    }
}

/// `fan_in` and `fan_out`.
fn fans(shape: &[i32]) -> Result<[f64; 2]> {
    let [first, between @ .., last] = shape else {
        let dimensions = shape.len();
        let message = format!(
            "Glorot / He initialization requires at least 2 dimensional input but input with {dimensions} dimensions."
        );
        return refused(ErrorKind::Shape, message);
    };
    let field: f64 = between.iter().map(|&size| f64::from(size)).product();
    Ok([f64::from(*last) * field, f64::from(*first) * field])
}

#[track_caller]
fn sparse_matrix(shape: &Shape, dtype: Dtype, sparsity: f64, [mean, std]: [Scalar; 2]) -> Result<Tensor> {
    let [rows, columns] = shape[..] else {
        return refused(ErrorKind::Shape, "Only tensors with 2 dimensions are supported");
    };
    let zeros = (sparsity * f64::from(columns)).ceil();
    if !zeros.is_finite() {
        let what = if zeros.is_nan() { "NaN" } else { "infinity" };
        return refused(ErrorKind::Value, format!("cannot convert float {what} to integer"));
    }
    let order = argsort(&Uniform::new(0, 1).sample(shape.clone())?, 1)?;
    let drawn = Normal::new().loc(mean).scale(std).dtype(dtype).sample(shape.clone())?;
    let row = reshape(&arange(0, rows, 1)?, [rows, 1])?;
    if zeros < f64::from(i32::MIN) || zeros > f64::from(i32::MAX) {
        return refused(ErrorKind::Value, "Slice indices must be 32-bit integers.");
    }
    let columns = index(&order, (.., ..zeros as i32))?;
    set_index(&drawn, (row, columns), 0)
}

#[track_caller]
fn orthogonal_matrix(shape: &Shape, dtype: Dtype, gain: f64) -> Result<Tensor> {
    let [rows, columns] = shape[..] else {
        let dimensions = shape.len();
        let message = format!("Orthogonal initialization requires a 2D array but got a {dimensions}D array.");
        return refused(ErrorKind::Shape, message);
    };
    let side = rows.max(columns);
    let drawn = Normal::new().sample([side, side])?;
    let (q, r) = with_device(Device::cpu(), || linalg::qr(&drawn))??;
    let q = multiply(q, sign(&diag(&r, 0)?)?)?;
    let q = index(&q, (..rows, ..columns))?;
    astype(&multiply(q, gain)?, dtype)
}
