//! A cache of the last tokens.

use super::{
    Cache, STEP, alike, arrived, causal_mask,
    mask::{self, causal},
    part, refused, taken_back, written,
};
use mlx_core::{Result, Tensor};
use mlx_fast::Mask;
use mlx_ops::{arange, concatenate, less, logical_or, zeros};

/// Keys and values of the last `max_size` tokens, and of the first `keep` ones, which stay: for attention with a window.
///
/// Single tokens are written over the oldest in place, so they are not in order of time, which attention does not ask
/// for. Each of several at once sees `max_size` tokens, for which more are kept until the next single one.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_nn::cache::{Cache, RotatingKvCache};
/// let mut cache = RotatingKvCache::new(3, 1)?;
/// for token in 0..6 {
///     let token = Tensor::from_shape_slice([1, 1, 1, 1], &[token])?;
///     cache.update_and_fetch(&token, &token)?;
/// }
/// let (keys, _) = cache.state()?.expect("tokens");
/// assert_eq!((keys.to_vec::<i32>()?, cache.offset()), (vec![0, 4, 5], 6));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RotatingKvCache {
    buffers: Option<[Tensor; 2]>,
    /// How many tokens there were.
    offset: i32,
    max_size: i32,
    keep: i32,
    at: At,
}

/// Where the tokens are in a buffer: in order up to `used`, which is `next`, or around `next`, the oldest's place.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    used: i32,
    next: i32,
}

impl RotatingKvCache {
    /// A cache of `max_size` tokens, of which the first `keep` stay.
    ///
    /// # Errors
    /// No token; as many that stay, or more.
    pub fn new(max_size: i32, keep: i32) -> Result<RotatingKvCache> {
        if keep < 0 || keep >= max_size {
            return refused(format!("{keep} tokens cannot stay in a cache of {max_size}"));
        }
        Ok(RotatingKvCache { buffers: None, offset: 0, max_size, keep, at: At::default() })
    }

    /// The keys and values that are kept, with these new ones among them.
    ///
    /// # Errors
    /// Shapes that do not belong together, or not to those before; another dtype; more positions than `i32` counts. The
    /// cache is as before then.
    #[track_caller]
    pub fn update_and_fetch(&mut self, keys: &Tensor, values: &Tensor) -> Result<(Tensor, Tensor)> {
        let (count, end) = arrived(keys, values, self.offset)?;
        let [old_keys, old_values] = match &self.buffers {
            Some([old_keys, old_values]) => {
                alike(old_keys, keys)?;
                alike(old_values, values)?;
                [Some(old_keys), Some(old_values)]
            }
            None => [None, None],
        };
        let update = if count == 1 { RotatingKvCache::rotated } else { RotatingKvCache::joined };
        let ((keys, at), (values, _)) = (update(self, old_keys, keys)?, update(self, old_values, values)?);
        let given = (shown(&keys, at)?, shown(&values, at)?);
        (self.buffers, self.offset, self.at) = (Some([keys, values]), end, at);
        Ok(given)
    }

    /// Several tokens: behind all that is kept, in order of time.
    fn joined(&self, buffer: Option<&Tensor>, new: &Tensor) -> Result<(Tensor, At)> {
        let count = new.dim(2);
        let buffer = match buffer {
            Some(buffer) if count == 0 => return Ok((buffer.clone(), self.at)),
            Some(buffer) => {
                // The first of the new ones sees itself and `max_size - 1` before it.
                let kept = self.in_order(buffer)?;
                concatenate([&self.shortened(&kept, self.max_size - 1)?, new], 2)?
            }
            None => new.clone(),
        };
        let used = buffer.dim(2);
        Ok((buffer, At { used, next: used }))
    }

    /// One token: behind the others while there is room, then in the place of the oldest.
    fn rotated(&self, buffer: Option<&Tensor>, new: &Tensor) -> Result<(Tensor, At)> {
        let At { mut used, mut next } = self.at;
        let mut buffer = match buffer {
            Some(buffer) if used > self.max_size => {
                (used, next) = (self.max_size, self.max_size);
                self.shortened(&self.in_order(buffer)?, self.max_size)?
            }
            Some(buffer) => buffer.clone(),
            None => part(new, 0, 0)?,
        };
        if used < self.max_size {
            if next == buffer.dim(2) {
                let mut shape = new.shape().to_vec();
                shape[2] = STEP.min(self.max_size - used);
                let room = zeros(shape, new.dtype())?;
                buffer = if used == 0 { room } else { concatenate([&buffer, &room], 2)? };
            }
            used += 1;
        } else if next == self.max_size {
            next = self.keep;
        }
        Ok((written(&buffer, next, next + 1, new)?, At { used, next: next + 1 }))
    }

    /// The last `size` tokens in order of time, those that stay among them.
    fn shortened(&self, kept: &Tensor, size: i32) -> Result<Tensor> {
        let length = kept.dim(2);
        if length <= size {
            return Ok(kept.clone());
        }
        let keep = self.keep.min(size);
        let rest = part(kept, length - size + keep, length)?;
        if keep == 0 { Ok(rest) } else { concatenate([&part(kept, 0, keep)?, &rest], 2) }
    }

    /// The tokens in order of time, without room.
    fn in_order(&self, buffer: &Tensor) -> Result<Tensor> {
        let At { used, next } = self.at;
        if next >= used {
            return shown(buffer, self.at);
        }
        let (stay, new) = (part(buffer, 0, self.keep)?, part(buffer, self.keep, next)?);
        concatenate([&stay, &part(buffer, next, used)?, &new], 2)
    }

    /// The keys and values that are kept, in order of time; nothing before the first token.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn state(&self) -> Result<Option<(Tensor, Tensor)>> {
        let Some([keys, values]) = &self.buffers else { return Ok(None) };
        Ok(Some((self.in_order(keys)?, self.in_order(values)?)))
    }

    /// The buffers, to be evaluated together with a step's result.
    pub fn buffers(&self) -> impl Iterator<Item = &Tensor> {
        self.buffers.iter().flatten()
    }

    /// Which places the next single token sees, with a narrower window than the cache.
    fn places(&self, window: i32) -> Result<Mask> {
        let used = self.at.used.min(self.max_size);
        let is_full = used == self.max_size;
        let next = match self.at.next {
            next if is_full && next >= self.max_size => self.keep,
            next => next,
        };
        let around = self.max_size - self.keep;
        let age = |place: i32| if place <= next { next - place } else { next - place + around };
        let size = if is_full { used } else { used + 1 };
        let seen: Vec<bool> = (0..size).map(|place| place < self.keep || age(place) < window).collect();
        Ok(Mask::Tensor(Tensor::from_slice(&seen)?))
    }
}

/// What of a buffer is used.
fn shown(buffer: &Tensor, at: At) -> Result<Tensor> {
    if at.used < buffer.dim(2) { part(buffer, 0, at.used) } else { Ok(buffer.clone()) }
}

impl Cache for RotatingKvCache {
    fn offset(&self) -> i32 {
        self.offset
    }

    /// Nothing once tokens were dropped, of which those before would be seen.
    fn trim(&mut self, count: i32) -> i32 {
        if self.offset != self.at.used {
            return 0;
        }
        let count = taken_back(&mut self.offset, count);
        self.at = At { used: self.offset, next: self.offset };
        count
    }

    fn mask(&self, count: i32, window: Option<i32>) -> Result<Mask> {
        let window = mask::shown(window)?.unwrap_or(self.max_size).min(self.max_size);
        mask::end(count, self.offset)?;
        if count == 1 {
            return if window < self.max_size && self.offset >= window {
                self.places(window)
            } else {
                Ok(Mask::None)
            };
        }
        let before = self.at.used.min(self.max_size - 1);
        if before.saturating_add(count) <= window {
            return causal(count, before, None);
        }
        let mask = causal_mask(count, before, Some(window))?;
        if self.keep == 0 {
            return Ok(Mask::Tensor(mask));
        }
        // Those that stay are seen from everywhere behind them.
        let first = less(arange(0, before + count, 1)?, self.keep)?;
        let whole = causal_mask(count, before, None)?;
        Ok(Mask::Tensor(logical_or(mask, mlx_ops::logical_and(first, whole)?)?))
    }
}
