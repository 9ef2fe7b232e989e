//! A cache of all tokens.

use super::{Cache, alike, appended, arrived, part, taken_back};
use mlx_core::{Result, Tensor};

/// Keys and values of all tokens so far, in buffers that grow by 256 positions, so that most tokens are written in place.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::cache::{Cache, KvCache};
/// let mut cache = KvCache::new();
/// let prompt = mlx_ops::zeros([1, 2, 5, 4], Dtype::Float32)?;
/// let (keys, values) = cache.update_and_fetch(&prompt, &prompt)?;
/// assert_eq!((keys.shape(), values.shape()), (&[1, 2, 5, 4][..], &[1, 2, 5, 4][..]));
/// let token = mlx_ops::ones([1, 2, 1, 4], Dtype::Float32)?;
/// let (keys, _) = cache.update_and_fetch(&token, &token)?;
/// assert_eq!((keys.dim(2), cache.offset()), (6, 6));
/// assert_eq!((cache.trim(2), cache.offset()), (2, 4));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KvCache {
    buffers: Option<[Tensor; 2]>,
    offset: i32,
}

impl KvCache {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> KvCache {
        KvCache::default()
    }

    /// A cache of these keys and values, `[batch, heads, time, features]`, as [`state`](KvCache::state) gives them.
    ///
    /// # Errors
    /// Shapes that do not belong together.
    pub fn from_state(keys: Tensor, values: Tensor) -> Result<KvCache> {
        let (_, offset) = arrived(&keys, &values, 0)?;
        Ok(KvCache { buffers: Some([keys, values]), offset })
    }

    /// The keys and values of all tokens with these new ones behind them.
    ///
    /// # Errors
    /// Shapes that do not belong together, or not to those before; another dtype; more positions than `i32` counts. The
    /// cache is as before then.
    #[track_caller]
    pub fn update_and_fetch(&mut self, keys: &Tensor, values: &Tensor) -> Result<(Tensor, Tensor)> {
        let (_, end) = arrived(keys, values, self.offset)?;
        let before = match &self.buffers {
            Some([kept_keys, kept_values]) => {
                alike(kept_keys, keys)?;
                alike(kept_values, values)?;
                [Some(kept_keys), Some(kept_values)]
            }
            None => [None, None],
        };
        let new_keys = appended(before[0], keys, self.offset, end)?;
        let new_values = appended(before[1], values, self.offset, end)?;
        let given = (part(&new_keys, 0, end)?, part(&new_values, 0, end)?);
        self.buffers = Some([new_keys, new_values]);
        self.offset = end;
        Ok(given)
    }

    /// The keys and values that are kept, without the room behind them; nothing before the first token.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn state(&self) -> Result<Option<(Tensor, Tensor)>> {
        let Some([keys, values]) = &self.buffers else { return Ok(None) };
        Ok(Some((part(keys, 0, self.offset)?, part(values, 0, self.offset)?)))
    }

    /// The buffers, to be evaluated together with a step's result.
    pub fn buffers(&self) -> impl Iterator<Item = &Tensor> {
        self.buffers.iter().flatten()
    }
}

impl Cache for KvCache {
    fn offset(&self) -> i32 {
        self.offset
    }

    fn trim(&mut self, count: i32) -> i32 {
        taken_back(&mut self.offset, count)
    }
}
