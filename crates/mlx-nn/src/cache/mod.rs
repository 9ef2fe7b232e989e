//! What attention keeps of the tokens before: keys and values, and the masks that go with them.
//!
//! A cache belongs to one layer of one sequence, or batch of sequences of one length. Keys and values are
//! `[batch, heads, time, features]`. [`KvCache`] grows, [`RotatingKvCache`] keeps the last tokens, [`QuantizedKvCache`]
//! keeps all in few bits. Here: what they share. Not here: attention itself (mlx-fast).

mod growing;
mod mask;
mod quantized;
mod rotating;

pub use growing::KvCache;
pub use mask::{attention_mask, causal_mask};
pub use quantized::{QuantizedKvCache, quantized_attention};
pub use rotating::RotatingKvCache;

use crate::python::tuple;
use mlx_core::{Error, ErrorKind, Result, Tensor};
use mlx_fast::Mask;
use mlx_ops::{Ellipsis, concatenate, index, set_index, zeros};

/// By how many positions a cache grows.
const STEP: i32 = 256;

/// What all caches tell.
pub trait Cache {
    /// How many tokens were given to it, less those taken back: the position of the next one, which
    /// [`RoPE`](crate::RoPE) is given.
    fn offset(&self) -> i32;

    /// Forgets the last `count` tokens, or all where there are fewer, and says how many those were.
    fn trim(&mut self, count: i32) -> i32;

    /// The mask of `count` tokens that come now, before they are in the cache: as [`attention_mask`] without one.
    ///
    /// # Errors
    /// As [`causal_mask`].
    fn mask(&self, count: i32, window: Option<i32>) -> Result<Mask> {
        mask::causal(count, self.offset(), window)
    }
}

fn refused<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Shape, "update_and_fetch", message))
}

/// Takes `count` tokens off an offset, or all there are, and says how many those were.
fn taken_back(offset: &mut i32, count: i32) -> i32 {
    let count = count.clamp(0, *offset);
    *offset -= count;
    count
}

/// How many tokens are new, and the position behind them.
fn arrived(keys: &Tensor, values: &Tensor, offset: i32) -> Result<(i32, i32)> {
    let (&[batch, heads, time, _], [of_values @ .., _]) = (keys.shape(), values.shape()) else {
        let shape = tuple(keys.shape());
        return refused(format!("keys are [batch, heads, time, features], and these have the shape {shape}"));
    };
    if of_values != [batch, heads, time] {
        let (keys, values) = (tuple(keys.shape()), tuple(values.shape()));
        return refused(format!("there is a value for each key, not the shapes {keys} and {values}"));
    }
    match offset.checked_add(time) {
        Some(end) => Ok((time, end)),
        None => refused(format!("there is no position {time} after {offset}")),
    }
}

/// That what is new has the shape and dtype of what is kept, but for its length.
fn alike(kept: &Tensor, new: &Tensor) -> Result<()> {
    let but_time = |tensor: &Tensor| {
        let mut shape = tensor.shape().to_vec();
        shape[2] = 0;
        (shape, tensor.dtype())
    };
    if but_time(kept) == but_time(new) {
        return Ok(());
    }
    let describe = |tensor: &Tensor| format!("{} {}", tensor.dtype(), tuple(tensor.shape()));
    refused(format!("the cache holds {}, which {} does not continue", describe(kept), describe(new)))
}

/// The positions of a buffer from one up to another.
fn part(buffer: &Tensor, from: i32, to: i32) -> Result<Tensor> {
    index(buffer, (Ellipsis, from..to, ..))
}

/// The first `used` positions of a buffer with room for at least `needed` behind them, in steps.
fn grown(buffer: Option<&Tensor>, like: &Tensor, used: i32, needed: i32) -> Result<Tensor> {
    let in_steps = needed.checked_add(STEP - 1).map(|all| all / STEP * STEP);
    let mut shape = like.shape().to_vec();
    shape[2] = in_steps.filter(|&room| used.checked_add(room).is_some()).unwrap_or(needed);
    let room = zeros(shape, like.dtype())?;
    match buffer {
        None => Ok(room),
        Some(buffer) if buffer.dim(2) == used => concatenate([buffer, &room], 2),
        Some(buffer) => concatenate([&part(buffer, 0, used)?, &room], 2),
    }
}

/// The buffer with `new` at the positions from `from`.
fn written(buffer: &Tensor, from: i32, to: i32, new: &Tensor) -> Result<Tensor> {
    set_index(buffer, (Ellipsis, from..to, ..), new)
}

/// The buffer with `new` at the positions from `from`, grown where they are beyond its end.
fn appended(buffer: Option<&Tensor>, new: &Tensor, from: i32, to: i32) -> Result<Tensor> {
    match buffer {
        Some(buffer) if to <= buffer.dim(2) => written(buffer, from, to, new),
        _ => written(&grown(buffer, new, from, to - from)?, from, to, new),
    }
}
