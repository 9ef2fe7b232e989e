//! Caches of keys and values against plain concatenation, masks against their definition.

use mlx_core::{Dtype, Result, Tensor};
use mlx_fast::{Attention, Mask, QuantMode, Quantization, dequantize, scaled_dot_product_attention};
use mlx_nn::cache::{
    Cache, KvCache, QuantizedKvCache, RotatingKvCache, attention_mask, causal_mask, quantized_attention,
};
use mlx_ops::{Ellipsis, concatenate, index, random};

/// `count` tokens of two sequences with three heads, all numbers different.
fn tokens(count: i32, features: i32, seed: u64) -> Result<Tensor> {
    random::Normal::new().key(&random::key(seed)?).sample([2, 3, count, features])
}

/// All tokens of several calls.
fn joined(all: &[Tensor]) -> Result<Tensor> {
    concatenate(all, 2)
}

#[track_caller]
fn same(a: &Tensor, b: &Tensor) {
    assert_eq!((a.shape(), a.dtype()), (b.shape(), b.dtype()));
    assert_eq!(a.to_vec::<f32>().unwrap(), b.to_vec::<f32>().unwrap());
}

#[test]
fn a_growing_cache_is_a_concatenation() -> Result<()> {
    let mut cache = KvCache::new();
    assert!(cache.state()?.is_none() && cache.trim(3) == 0);
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    // Below, at and beyond the step by which it grows, and nothing at all.
    for (call, count) in [3, 1, 1, 250, 1, 0, 256, 1, 511, 600, 1].into_iter().enumerate() {
        keys.push(tokens(count, 4, call as u64)?);
        values.push(tokens(count, 5, 100 + call as u64)?);
        let (given_keys, given_values) = cache.update_and_fetch(&keys[call], &values[call])?;
        same(&given_keys, &joined(&keys)?);
        same(&given_values, &joined(&values)?);
        assert_eq!(cache.offset(), given_keys.dim(2));
        // It grows in steps and no more.
        let room = cache.buffers().next().expect("a buffer").dim(2) - cache.offset();
        assert!((0..512).contains(&room), "{room}");
    }
    let (state, _) = cache.state()?.expect("tokens");
    same(&state, &joined(&keys)?);
    Ok(())
}

#[test]
fn what_is_trimmed_is_written_over() -> Result<()> {
    let mut cache = KvCache::new();
    let (first, second) = (tokens(300, 4, 1)?, tokens(260, 4, 2)?);
    cache.update_and_fetch(&first, &first)?;
    assert_eq!((cache.trim(44), cache.offset()), (44, 256));
    assert_eq!((cache.trim(-5), cache.offset()), (0, 256));
    let (keys, values) = cache.update_and_fetch(&second, &second)?;
    let expected = concatenate([&index(&first, (Ellipsis, ..256, ..))?, &second], 2)?;
    same(&keys, &expected);
    same(&values, &expected);
    let mut other = KvCache::from_state(keys, values)?;
    let token = tokens(1, 4, 3)?;
    same(&other.update_and_fetch(&token, &token)?.0, &concatenate([&expected, &token], 2)?);
    assert_eq!((other.trim(i32::MAX), other.offset()), (517, 0));
    Ok(())
}

/// The tokens that a query at the end sees, by number, with the first `keep` and a window of `size` in all.
fn last(numbers: &[i32], keep: usize, size: usize) -> Vec<i32> {
    if numbers.len() <= size {
        return numbers.to_vec();
    }
    let (stay, rest) = numbers.split_at(keep);
    [stay, &rest[rest.len() - (size - keep)..]].concat()
}

fn numbered(from: i32, count: i32) -> Result<Tensor> {
    let numbers: Vec<i32> = (from..from + count).collect();
    Tensor::from_shape_slice([1, 1, count, 1], &numbers)
}

#[test]
fn a_rotating_cache_keeps_the_first_and_the_last() -> Result<()> {
    for (size, keep, calls) in [
        (4, 0, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1][..]),
        (4, 1, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
        (4, 3, &[2, 1, 1, 1, 1, 3, 1, 1]),
        (5, 2, &[9, 1, 1, 1, 1, 1, 1, 2, 1, 1]),
        (5, 0, &[3, 3, 3, 1, 4, 0, 1, 1, 7, 2, 1]),
        (1, 0, &[1, 1, 2, 1, 3]),
        (300, 4, &[1, 255, 1, 1, 43, 1, 1, 1, 290, 1, 1]),
        (600, 0, &[1, 255, 1, 300, 1, 1, 42, 1, 1]),
    ] {
        let mut cache = RotatingKvCache::new(size, keep)?;
        let mut numbers: Vec<i32> = Vec::new();
        for &count in calls {
            let from = numbers.len() as i32;
            let new = numbered(from, count)?;
            let before = last(&numbers, keep as usize, size as usize - 1);
            numbers.extend(from..from + count);
            let (keys, values) = cache.update_and_fetch(&new, &new)?;
            let mut seen = keys.to_vec::<i32>()?;
            assert_eq!(values.to_vec::<i32>()?, seen);
            let expected = match count {
                0 => continue,
                1 => last(&numbers, keep as usize, size as usize),
                _ => [before, (from..from + count).collect()].concat(),
            };
            seen.sort_unstable();
            assert_eq!(seen, expected, "{size} {keep} {calls:?}");
            let (in_order, _) = cache.state()?.expect("tokens");
            assert_eq!(in_order.to_vec::<i32>()?, expected, "{size} {keep} {calls:?}");
            assert_eq!(cache.offset(), numbers.len() as i32);
        }
    }
    assert!(RotatingKvCache::new(0, 0).is_err() && RotatingKvCache::new(3, 3).is_err());
    assert!(RotatingKvCache::new(3, -1).is_err());
    Ok(())
}

#[test]
fn a_rotating_cache_is_trimmed_while_it_has_all() -> Result<()> {
    let mut cache = RotatingKvCache::new(4, 1)?;
    cache.update_and_fetch(&numbered(0, 3)?, &numbered(0, 3)?)?;
    assert_eq!((cache.trim(2), cache.offset()), (2, 1));
    let (keys, _) = cache.update_and_fetch(&numbered(7, 1)?, &numbered(7, 1)?)?;
    assert_eq!(keys.to_vec::<i32>()?, [0, 7]);
    for token in 0..4 {
        cache.update_and_fetch(&numbered(token, 1)?, &numbered(token, 1)?)?;
    }
    assert_eq!((cache.trim(1), cache.offset()), (0, 6));
    Ok(())
}

#[test]
fn masks_show_the_window() -> Result<()> {
    for (count, offset, window) in
        [(1, 0, None), (3, 2, None), (3, 2, Some(2)), (4, 0, Some(1)), (2, 5, Some(i32::MAX))]
    {
        let mask = causal_mask(count, offset, window)?;
        assert_eq!(mask.shape(), [count, offset + count]);
        let wide = window.unwrap_or(i32::MAX);
        let seen = (offset..offset + count)
            .flat_map(|query| (0..offset + count).map(move |key| key <= query && query - key < wide));
        assert_eq!(mask.to_vec::<bool>()?, seen.collect::<Vec<_>>());
    }
    assert!(causal_mask(-1, 0, None).is_err() && causal_mask(1, i32::MAX, None).is_err());
    assert!(causal_mask(1, 0, Some(0)).is_err() && attention_mask(2, Some(-1)).is_err());
    assert_eq!(causal_mask(0, 3, None)?.shape(), [0, 3]);
    Ok(())
}

/// Attention over a rotating cache sees what attention over all tokens with a window does.
#[test]
fn a_rotating_cache_with_its_mask_is_a_window() -> Result<()> {
    for (size, keep, window, calls) in [
        (4, 0, None, &[3, 1, 1, 1, 1, 3, 1, 1][..]),
        (4, 0, Some(2), &[1, 1, 1, 1, 1, 1, 3, 1, 1]),
        (5, 2, None, &[4, 1, 1, 1, 1, 3, 1, 2]),
        (6, 1, Some(3), &[2, 1, 1, 1, 1, 1, 1, 1, 1]),
    ] {
        let mut cache = RotatingKvCache::new(size, keep)?;
        let mut all: Vec<Tensor> = Vec::new();
        for (call, &count) in calls.iter().enumerate() {
            let new = tokens(count, 4, call as u64)?;
            let mask = cache.mask(count, window)?;
            let before = cache.offset();
            let (keys, values) = cache.update_and_fetch(&new, &new)?;
            all.push(new);
            let y =
                scaled_dot_product_attention(&all[call], &keys, &values, &Attention::new(0.5).mask(mask))?;
            // The window is of the cache's tokens: those that stay take places in it.
            let wide = window.map_or(size - keep, |window: i32| window.min(size - keep));
            let mask: Vec<bool> = (before..before + count)
                .flat_map(|query| {
                    let seen = move |key| key <= query && (key < keep || query - key < wide);
                    (0..before + count).map(seen)
                })
                .collect();
            // Several tokens at once see all that is kept beside those that stay.
            if window.is_some() || keep == 0 || count == 1 {
                let mask = Tensor::from_shape_slice([count, before + count], &mask)?;
                let how = Attention::new(0.5).mask(&mask);
                let whole = joined(&all)?;
                let expected = scaled_dot_product_attention(&all[call], &whole, &whole, &how)?;
                for (a, b) in y.to_vec::<f32>()?.into_iter().zip(expected.to_vec::<f32>()?) {
                    assert!((a - b).abs() < 1e-5, "{size} {keep} {window:?} call {call}: {a} {b}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_quantized_cache_is_a_quantized_concatenation() -> Result<()> {
    for how in
        [Quantization::new(QuantMode::Affine).group_size(32).bits(8), Quantization::new(QuantMode::Mxfp4)]
    {
        let mut cache = QuantizedKvCache::new(how);
        assert!(cache.state()?.is_none());
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for (call, count) in [3, 1, 252, 1, 300].into_iter().enumerate() {
            keys.push(tokens(count, 32, call as u64)?);
            values.push(tokens(count, 64, 100 + call as u64)?);
            let (given_keys, given_values) = cache.update_and_fetch(&keys[call], &values[call])?;
            let plain = |all: &[Tensor]| dequantize(&mlx_fast::quantize(&joined(all)?, how)?);
            let single = |x: Tensor| mlx_ops::astype(&x, Dtype::Float32);
            same(&single(dequantize(&given_keys)?)?, &single(plain(&keys)?)?);
            same(&single(dequantize(&given_values)?)?, &single(plain(&values)?)?);
        }
        assert_eq!((cache.trim(300), cache.offset()), (300, 257));
        assert_eq!(cache.buffers().count(), if how.mode == QuantMode::Affine { 6 } else { 4 });
        let (state, _) = cache.state()?.expect("tokens");
        assert_eq!(state.packed.dim(2), 257);
    }
    Ok(())
}

/// Against attention over what the parts stand for.
#[test]
fn quantized_attention_is_attention() -> Result<()> {
    let how = Quantization::new(QuantMode::Affine).group_size(32).bits(8);
    for heads in [3, 6] {
        let mut cache = QuantizedKvCache::new(how);
        let (keys, values) = cache.update_and_fetch(&tokens(7, 32, 1)?, &tokens(7, 64, 2)?)?;
        let q = random::Normal::new().key(&random::key(3)?).sample([2, heads, 4, 32])?;
        let seen = causal_mask(4, 3, Some(3))?;
        let by_head = random::Normal::new().key(&random::key(4)?).sample([2, heads, 4, 7])?;
        let one = random::Normal::new().key(&random::key(4)?).sample([2, 1, 4, 7])?;
        for mask in [Mask::None, Mask::Causal, Mask::from(&seen), Mask::from(&by_head), Mask::from(&one)] {
            let y = quantized_attention(&q, &keys, &values, 0.2, &mask)?;
            let how = Attention::new(0.2).mask(&mask);
            let expected =
                scaled_dot_product_attention(&q, &dequantize(&keys)?, &dequantize(&values)?, &how)?;
            assert_eq!(y.shape(), expected.shape());
            for (a, b) in y.to_vec::<f32>()?.into_iter().zip(expected.to_vec::<f32>()?) {
                assert!((a - b).abs() < 1e-4, "{heads} {mask:?}: {a} {b}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_an_error_and_changes_nothing() -> Result<()> {
    let mut caches: [KvCache; 2] = [KvCache::new(), KvCache::new()];
    let first = tokens(3, 32, 1)?;
    caches[1].update_and_fetch(&first, &first)?;
    let flat = Tensor::from_slice(&[1.0_f32])?;
    for cache in &mut caches {
        let before = cache.offset();
        assert!(cache.update_and_fetch(&flat, &flat).is_err());
        assert!(cache.update_and_fetch(&first, &tokens(2, 32, 1)?).is_err());
        assert_eq!(cache.offset(), before);
    }
    let half = mlx_ops::astype(&first, Dtype::Float16)?;
    assert!(caches[1].update_and_fetch(&half, &half).is_err(), "another dtype");
    assert!(caches[1].update_and_fetch(&tokens(1, 31, 1)?, &tokens(1, 32, 1)?).is_err());
    let mut quantized = QuantizedKvCache::new(QuantMode::Affine);
    assert!(quantized.update_and_fetch(&tokens(1, 63, 1)?, &tokens(1, 64, 1)?).is_err());
    assert!(quantized.update_and_fetch(&numbered(0, 1)?, &numbered(0, 1)?).is_err());
    let mut rotating = RotatingKvCache::new(4, 0)?;
    assert!(rotating.update_and_fetch(&flat, &flat).is_err());
    rotating.update_and_fetch(&first, &first)?;
    assert!(rotating.update_and_fetch(&half, &half).is_err());
    assert_eq!((rotating.offset(), quantized.offset()), (3, 0));
    Ok(())
}

/// Tokens without features take no memory, so there may be as many as `i32` counts.
#[test]
fn positions_end_where_i32_does() -> Result<()> {
    let most = mlx_ops::zeros([1, 1, i32::MAX - 1, 0], Dtype::Float32)?;
    let one = mlx_ops::zeros([1, 1, 1, 0], Dtype::Float32)?;
    let mut cache = KvCache::from_state(most.clone(), most.clone())?;
    assert_eq!(cache.update_and_fetch(&one, &one)?.0.dim(2), i32::MAX);
    assert!(cache.update_and_fetch(&one, &one).is_err());
    assert_eq!(cache.offset(), i32::MAX);
    assert!(cache.mask(0, None).is_ok() && cache.mask(1, None).is_err() && cache.mask(2, Some(5)).is_err());
    let mut fresh = KvCache::new();
    assert_eq!(fresh.update_and_fetch(&most, &most)?.0.dim(2), i32::MAX - 1);
    let mut rotating = RotatingKvCache::new(i32::MAX, 0)?;
    rotating.update_and_fetch(&most, &most)?;
    assert_eq!(rotating.update_and_fetch(&one, &one)?.0.dim(2), i32::MAX);
    assert!(rotating.update_and_fetch(&one, &one).is_err());
    Ok(())
}

#[test]
fn masks_of_no_length_or_no_window_are_refused() -> Result<()> {
    let mut rotating = RotatingKvCache::new(4, 0)?;
    for _ in 0..2 {
        assert!(attention_mask(-5, None).is_err() && KvCache::new().mask(-5, None).is_err());
        for (count, window) in [(-5, None), (-1, Some(2)), (1, Some(0)), (1, Some(-3)), (3, Some(0))] {
            assert!(rotating.mask(count, window).is_err(), "{count} {window:?}");
        }
        // Around, so that there is a mask for a single one.
        for _ in 0..6 {
            let token = tokens(1, 4, 1)?;
            rotating.update_and_fetch(&token, &token)?;
        }
    }
    assert!(causal_mask(0, 0, Some(0)).is_err());
    let none = causal_mask(0, i32::MAX, None)?;
    assert_eq!((none.shape(), none.dtype()), (&[0, i32::MAX][..], Dtype::Bool));
    Ok(())
}
