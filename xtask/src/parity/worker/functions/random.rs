//! The worker's functions: `mx.random`.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::{Operand, Tensor};
use mlx_ops::random::{
    self, Bernoulli, Categorical, Gumbel, Laplace, MultivariateNormal, Normal, Permutation, Randint,
    TruncatedNormal, Uniform,
};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("bernoulli", |call| one(bernoulli(call))),
    ("categorical", |call| one(categorical(call))),
    ("gumbel", |call| one(gumbel(call))),
    ("key", |call| one(seeded(call, random::key))),
    ("laplace", |call| one(laplace(call))),
    ("multivariate_normal", |call| one(multivariate_normal(call))),
    ("normal", |call| one(normal(call))),
    ("permutation", |call| one(permutation(call))),
    ("randint", |call| one(randint(call))),
    ("seed", |call| seeded(call, random::seed).map(|()| Value::None)),
    ("split", |call| one(split(call))),
    ("truncated_normal", |call| one(truncated_normal(call))),
    ("uniform", |call| one(uniform(call))),
];

fn seeded<T>(call: &Call, function: fn(u64) -> mlx_core::Result<T>) -> Result<T> {
    Ok(function(call.bind("seed")?.seed(0)?)?)
}

fn split(call: &Call) -> Result<Tensor> {
    let bound = call.bind("key, num=")?;
    Ok(random::split(bound.tensor(0)?, bound.int(1, 2)?)?)
}

/// The shape, `[]` by default.
fn shape(bound: &Bound, i: usize) -> Result<Vec<i32>> {
    if bound.is_given(i) { bound.shape(i, false) } else { Ok(Vec::new()) }
}

/// A distribution with the dtype and the key that the call has.
macro_rules! with {
    ($how:expr, $bound:expr, $(dtype $dtype:literal,)? key $key:literal) => {{
        let mut how = $how;
        $(if let Some(dtype) = $bound.dtype($dtype)? {
            how = how.dtype(dtype);
        })?
        if let Some(key) = $bound.optional_tensor($key)? {
            how = how.key(key);
        }
        how
    }};
}

fn normal(call: &Call) -> Result<Tensor> {
    let bound = call.bind("shape=, dtype=, loc=, scale=, key=")?;
    let mut how = with!(Normal::new(), bound, dtype 1, key 4);
    if bound.has(2) {
        how = how.loc(bound.operand(2)?);
    }
    if bound.has(3) {
        how = how.scale(bound.operand(3)?);
    }
    Ok(how.sample(shape(&bound, 0)?)?)
}

fn uniform(call: &Call) -> Result<Tensor> {
    let bound = call.bind("low=, high=, shape=, dtype=, key=")?;
    let low = if bound.is_given(0) { bound.operand(0)? } else { 0.operand() };
    let high = if bound.is_given(1) { bound.operand(1)? } else { 1.operand() };
    Ok(with!(Uniform::new(low, high), bound, dtype 3, key 4).sample(shape(&bound, 2)?)?)
}

fn randint(call: &Call) -> Result<Tensor> {
    let bound = call.bind("low, high, shape=, dtype=, key=")?;
    let how = Randint::new(bound.operand(0)?, bound.operand(1)?);
    Ok(with!(how, bound, dtype 3, key 4).sample(shape(&bound, 2)?)?)
}

fn bernoulli(call: &Call) -> Result<Tensor> {
    let bound = call.bind("p=, shape=, key=")?;
    let p = if bound.is_given(0) { bound.operand(0)? } else { 0.5.operand() };
    let how = with!(Bernoulli::new(p), bound, key 2);
    Ok(if bound.has(1) { how.sample(bound.shape(1, false)?)? } else { how.sample_each()? })
}

fn truncated_normal(call: &Call) -> Result<Tensor> {
    let bound = call.bind("lower, upper, shape=, dtype=, key=")?;
    let how = with!(TruncatedNormal::new(bound.operand(0)?, bound.operand(1)?), bound, dtype 3, key 4);
    Ok(if bound.has(2) { how.sample(bound.shape(2, false)?)? } else { how.sample_each()? })
}

fn gumbel(call: &Call) -> Result<Tensor> {
    let bound = call.bind("shape=, dtype=, key=")?;
    Ok(with!(Gumbel::new(), bound, dtype 1, key 2).sample(shape(&bound, 0)?)?)
}

fn laplace(call: &Call) -> Result<Tensor> {
    let bound = call.bind("shape=, dtype=, loc=, scale=, key=")?;
    let how = Laplace::new().loc(bound.float(2, 0.0)?).scale(bound.float(3, 1.0)?);
    Ok(with!(how, bound, dtype 1, key 4).sample(shape(&bound, 0)?)?)
}

fn multivariate_normal(call: &Call) -> Result<Tensor> {
    let bound = call.bind("mean, cov, shape=, dtype=, key=")?;
    let how = MultivariateNormal::new(bound.tensor(0)?, bound.tensor(1)?);
    Ok(with!(how, bound, dtype 3, key 4).sample(shape(&bound, 2)?)?)
}

fn categorical(call: &Call) -> Result<Tensor> {
    let bound = call.bind("logits, axis=, shape=, num_samples=, key=")?;
    let how = with!(Categorical::new(bound.tensor(0)?).axis(bound.int(1, -1)?), bound, key 4);
    match (bound.has(2), bound.has(3)) {
        (true, true) => {
            // Python's key has moved on by then.
            if !bound.has(4) {
                random::uniform(0, 1, ())?;
            }
            let why = "[categorical] At most one of shape or num_samples can be specified.";
            Err(Failure::raised("ValueError", why))
        }
        (true, false) => Ok(how.sample(bound.shape(2, false)?)?),
        (false, true) => Ok(how.sample_num(bound.int(3, 0)?)?),
        (false, false) => Ok(how.sample_each()?),
    }
}

fn permutation(call: &Call) -> Result<Tensor> {
    let bound = call.bind("x, axis=, key=")?;
    let of = match bound.tensor(0) {
        Ok(x) => Permutation::new(x),
        Err(_) => Permutation::new(bound.int(0, 0)?),
    };
    Ok(with!(of.axis(bound.int(1, 0)?), bound, key 2).sample()?)
}
