//! A cache of all tokens in few bits, and attention over it.

use super::{Cache, alike, appended, arrived, part, refused, taken_back};
use mlx_core::{Dtype, Result, Tensor, finfo};
use mlx_fast::{Mask, Quantization, QuantizedTensor, quantize, quantized_matmul};
use mlx_ops::{add, expand_dims, multiply, reshape, softmax_precise, unflatten, where_};

/// As [`KvCache`](super::KvCache), keys and values quantized as they come: attention is [`quantized_attention`].
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::{Mask, QuantMode};
/// # use mlx_nn::cache::{Cache, QuantizedKvCache, quantized_attention};
/// let mut cache = QuantizedKvCache::new(QuantMode::Affine);
/// let prompt = mlx_ops::ones([1, 2, 5, 64], Dtype::Float32)?;
/// let (keys, values) = cache.update_and_fetch(&prompt, &prompt)?;
/// let y = quantized_attention(&prompt, &keys, &values, 0.125, Mask::Causal)?;
/// assert_eq!((y.shape(), cache.offset()), (&[1, 2, 5, 64][..], 5));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct QuantizedKvCache {
    buffers: Option<[QuantizedTensor; 2]>,
    offset: i32,
    how: Quantization,
}

impl QuantizedKvCache {
    /// Nothing yet.
    #[must_use]
    pub fn new(how: impl Into<Quantization>) -> QuantizedKvCache {
        QuantizedKvCache { buffers: None, offset: 0, how: how.into() }
    }

    /// The keys and values of all tokens, quantized, with these new ones behind them.
    ///
    /// # Errors
    /// Shapes that do not belong together, or not to those before; another dtype; features that groups do not divide; more
    /// positions than `i32` counts. The cache is as before then.
    #[track_caller]
    pub fn update_and_fetch(
        &mut self,
        keys: &Tensor,
        values: &Tensor,
    ) -> Result<(QuantizedTensor, QuantizedTensor)> {
        let (_, end) = arrived(keys, values, self.offset)?;
        let [old_keys, old_values] = match &self.buffers {
            Some([keys, values]) => [Some(keys), Some(values)],
            None => [None, None],
        };
        let append = |old: Option<&QuantizedTensor>, new: &Tensor| {
            let new = quantize(new, self.how)?;
            let append = |old: Option<&Tensor>, new: &Tensor| {
                old.map_or(Ok(()), |old| alike(old, new))?;
                appended(old, new, self.offset, end)
            };
            let packed = append(old.map(|old| &old.packed), &new.packed)?;
            let scales = append(old.map(|old| &old.scales), &new.scales)?;
            let biases = new.biases.as_ref();
            let old_biases = old.and_then(|old| old.biases.as_ref());
            let biases = biases.map(|biases| append(old_biases, biases)).transpose()?;
            Ok(QuantizedTensor::new(packed, scales, biases, self.how))
        };
        let buffers = [append(old_keys, keys)?, append(old_values, values)?];
        let given = (first(&buffers[0], end)?, first(&buffers[1], end)?);
        (self.buffers, self.offset) = (Some(buffers), end);
        Ok(given)
    }

    /// The quantized keys and values, without the room behind them; nothing before the first token.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn state(&self) -> Result<Option<(QuantizedTensor, QuantizedTensor)>> {
        let Some([keys, values]) = &self.buffers else { return Ok(None) };
        Ok(Some((first(keys, self.offset)?, first(values, self.offset)?)))
    }

    /// The buffers, to be evaluated together with a step's result.
    pub fn buffers(&self) -> impl Iterator<Item = &Tensor> {
        self.buffers.iter().flatten().flat_map(|QuantizedTensor { packed, scales, biases, .. }| {
            [Some(packed), Some(scales), biases.as_ref()].into_iter().flatten()
        })
    }
}

/// The first positions of each part.
fn first(buffer: &QuantizedTensor, end: i32) -> Result<QuantizedTensor> {
    let biases = buffer.biases.as_ref().map(|biases| part(biases, 0, end)).transpose()?;
    Ok(QuantizedTensor::new(part(&buffer.packed, 0, end)?, part(&buffer.scales, 0, end)?, biases, buffer.how))
}

impl Cache for QuantizedKvCache {
    fn offset(&self) -> i32 {
        self.offset
    }

    fn trim(&mut self, count: i32) -> i32 {
        taken_back(&mut self.offset, count)
    }
}

/// [`scaled_dot_product_attention`](mlx_fast::scaled_dot_product_attention) with quantized keys and values, as
/// [`QuantizedKvCache`] gives them: `q` is `[batch, heads, queries, features]`, where the heads of keys divide its own.
///
/// # Errors
/// Shapes that do not fit; empty operands.
#[track_caller]
pub fn quantized_attention(
    q: &Tensor,
    keys: &QuantizedTensor,
    values: &QuantizedTensor,
    scale: f32,
    mask: impl Into<Mask>,
) -> Result<Tensor> {
    let (&[batch, heads, queries, features], &[_, kv_heads, time, _]) = (q.shape(), keys.packed.shape())
    else {
        let shapes = [q, &keys.packed].map(|tensor| crate::python::tuple(tensor.shape()));
        return refused(format!(
            "queries and keys have four dimensions, not {} and {}",
            shapes[0], shapes[1]
        ));
    };
    if kv_heads == 0 || heads % kv_heads != 0 {
        return refused(format!("{kv_heads} heads of keys do not divide {heads} of queries"));
    }
    let repeats = heads / kv_heads;
    let mut q = multiply(q, scale)?;
    let (mut keys, mut values) = (keys.clone(), values.clone());
    if repeats > 1 {
        q = reshape(&q, [batch, kv_heads, repeats, queries, features])?;
        (keys, values) = (shared(&keys)?, shared(&values)?);
    }
    let mut scores = quantized_matmul(&q, &keys, true)?;
    let mask = match mask.into() {
        Mask::None => None,
        Mask::Tensor(mask) if repeats > 1 && mask.ndim() > 2 => Some(by_group(&mask, heads, kv_heads)?),
        Mask::Tensor(mask) => Some(mask),
        _ if time < queries => {
            return refused(format!("{queries} queries cannot be the last of {time} keys"));
        }
        _ => Some(super::causal_mask(queries, time - queries, None)?),
    };
    match mask {
        None => {}
        Some(mask) if mask.dtype() == Dtype::Bool => {
            scores = where_(&mask, &scores, finfo(scores.dtype())?.min)?;
        }
        Some(mask) => scores = add(scores, mask)?,
    }
    let y = quantized_matmul(&softmax_precise(&scores, -1)?, &values, false)?;
    if repeats == 1 {
        return Ok(y);
    }
    let features = y.dim(-1);
    reshape(&y, [batch, heads, queries, features])
}

/// One for several heads of queries: with an axis for these.
fn shared(tensor: &QuantizedTensor) -> Result<QuantizedTensor> {
    let biases = tensor.biases.as_ref().map(|biases| expand_dims(biases, -3)).transpose()?;
    let (packed, scales) = (expand_dims(&tensor.packed, -3)?, expand_dims(&tensor.scales, -3)?);
    Ok(QuantizedTensor::new(packed, scales, biases, tensor.how))
}

/// A mask `[…, heads, queries, keys]` as `[…, kv_heads, repeats, queries, keys]`.
fn by_group(mask: &Tensor, heads: i32, kv_heads: i32) -> Result<Tensor> {
    if mask.dim(-3) == heads {
        unflatten(mask, -3, [kv_heads, heads / kv_heads])
    } else {
        expand_dims(mask, -3)
    }
}
