//! Calls of mlx-c's random numbers, each with its key: mlx-c's own global key, which it takes for a missing one, is never used.
//!
//! Not here: the global key and the options as users write them (mlx-ops).

use super::{
    build::build,
    call::{call, node, pair},
    linalg, runtime,
};
use crate::{Dtype, Result, Tensor, shape};
use mlx_link as sys;

/// `Err` for more values than MLX can draw: it draws them in 32 bits each, or pairs of those, where the result may have fewer.
fn drawable(op: &'static str, sizes: &[i32]) -> Result<()> {
    // Negative sizes MLX refuses itself.
    if sizes.iter().any(|&size| size < 0) {
        return Ok(());
    }
    shape::check_size(op, sizes, Dtype::Complex64)
}

/// `mx.random.key(seed)`
///
/// # Errors
/// None but of a start of MLX that failed.
pub fn key(seed: u64) -> Result<Tensor> {
    build("key", |out, _| call!(sys::mlx_random_key, value out, value seed))
}

/// `mx.random.split(key, num)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn split(key: &Tensor, num: i32) -> Result<Tensor> {
    node!("split", sys::mlx_random_split_num, tensor key, value num)
}

/// Two keys from one, as MLX's global key moves on: the first takes its place, the second is used.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn split_pair(key: &Tensor) -> Result<[Tensor; 2]> {
    pair!("split", sys::mlx_random_split, tensor key)
}

/// Whether an evaluation failed that a key was part of, or what it comes from.
///
/// # Errors
/// None but of a start of MLX that failed.
pub fn has_failed(key: &Tensor) -> Result<bool> {
    let _guard = runtime::enter()?;
    Ok(call!(sys::mlxr_array_has_failed, tensor key))
}

/// `mx.random.normal`, with the mean and the standard deviation where there are some.
///
/// # Errors
/// What MLX refuses; more values than can be drawn.
#[track_caller]
pub fn normal(
    sizes: &[i32],
    dtype: Dtype,
    [loc, scale]: [Option<&Tensor>; 2],
    key: &Tensor,
) -> Result<Tensor> {
    drawable("normal", sizes)?;
    node!(
        "normal", sys::mlx_random_normal_broadcast, list sizes, value dtype.code(), option loc, option scale,
        tensor key
    )
}

/// Distributions between two bounds.
macro_rules! between {
    ($($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses; more values than can be drawn.
        #[track_caller]
        pub fn $name(low: &Tensor, high: &Tensor, sizes: &[i32], dtype: Dtype, key: &Tensor) -> Result<Tensor> {
            drawable($op, sizes)?;
            node!($op, sys::$symbol, tensor low, tensor high, list sizes, value dtype.code(), tensor key)
        })*
    };
}

between! {
    /// `mx.random.uniform`
    uniform = "uniform" mlx_random_uniform;
    /// `mx.random.randint`
    randint = "randint" mlx_random_randint;
    /// `mx.random.truncated_normal`
    truncated_normal = "truncated_normal" mlx_random_truncated_normal;
}

/// `mx.random.bernoulli`
///
/// # Errors
/// What MLX refuses; more values than can be drawn.
#[track_caller]
pub fn bernoulli(p: &Tensor, sizes: &[i32], key: &Tensor) -> Result<Tensor> {
    drawable("bernoulli", sizes)?;
    node!("bernoulli", sys::mlx_random_bernoulli, tensor p, list sizes, tensor key)
}

/// `mx.random.gumbel`
///
/// # Errors
/// What MLX refuses; more values than can be drawn.
#[track_caller]
pub fn gumbel(sizes: &[i32], dtype: Dtype, key: &Tensor) -> Result<Tensor> {
    drawable("gumbel", sizes)?;
    node!("gumbel", sys::mlx_random_gumbel, list sizes, value dtype.code(), tensor key)
}

/// `mx.random.laplace`
///
/// # Errors
/// What MLX refuses; more values than can be drawn.
#[track_caller]
pub fn laplace(sizes: &[i32], dtype: Dtype, loc: f32, scale: f32, key: &Tensor) -> Result<Tensor> {
    drawable("laplace", sizes)?;
    node!(
        "laplace", sys::mlx_random_laplace, list sizes, value dtype.code(), value loc, value scale, tensor key
    )
}

/// `mx.random.multivariate_normal`
///
/// # Errors
/// What MLX refuses; more values than can be drawn.
#[track_caller]
pub fn multivariate_normal(
    mean: &Tensor,
    cov: &Tensor,
    sizes: &[i32],
    dtype: Dtype,
    key: &Tensor,
) -> Result<Tensor> {
    drawable("multivariate_normal", sizes)?;
    drawable("multivariate_normal", cov.shape())?;
    linalg::countable("multivariate_normal", cov)?;
    node!(
        "multivariate_normal", sys::mlx_random_multivariate_normal, tensor mean, tensor cov, list sizes,
        value dtype.code(), tensor key
    )
}

/// How many [`categorical`] draws from each distribution.
#[derive(Clone, Copy)]
pub enum Draws<'a> {
    /// One from each.
    Each,
    /// As many as the axis at the end is long.
    Number(i32),
    /// As many as make this shape, to which the distributions' broadcasts.
    Shape(&'a [i32]),
}

/// `mx.random.categorical`
///
/// # Errors
/// What MLX refuses; more values than can be drawn.
#[track_caller]
pub fn categorical(logits: &Tensor, axis: i32, draws: Draws<'_>, key: &Tensor) -> Result<Tensor> {
    // One value is drawn for each category of each draw, and only the greatest is kept.
    let ndim = logits.shape().len() as i32;
    let at = if axis < 0 { axis + ndim } else { axis };
    let categories = usize::try_from(at).ok().and_then(|at| logits.shape().get(at)).copied().unwrap_or(1);
    match draws {
        Draws::Each => {
            drawable("categorical", logits.shape())?;
            node!("categorical", sys::mlx_random_categorical, tensor logits, value axis, tensor key)
        }
        Draws::Number(number) => {
            drawable("categorical", &[logits.shape(), &[number]].concat())?;
            node!(
                "categorical", sys::mlx_random_categorical_num_samples, tensor logits, value axis,
                value number, tensor key
            )
        }
        Draws::Shape(sizes) => {
            drawable("categorical", &[sizes, &[categories]].concat())?;
            node!(
                "categorical", sys::mlx_random_categorical_shape, tensor logits, value axis, list sizes,
                tensor key
            )
        }
    }
}

/// `mx.random.permutation` of a tensor; the caller has seen that there is something along the axis.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn permutation(x: &Tensor, axis: i32, key: &Tensor) -> Result<Tensor> {
    node!("permutation", sys::mlx_random_permutation, tensor x, value axis, tensor key)
}

/// `mx.random.permutation` of the integers below `n`; the caller has seen that there are some.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn permutation_arange(n: i32, key: &Tensor) -> Result<Tensor> {
    node!("permutation", sys::mlx_random_permutation_arange, value n, tensor key)
}
