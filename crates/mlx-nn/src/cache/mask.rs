//! Masks for tokens behind those of a cache.

use super::refused;
use mlx_core::{Dtype, Result, Tensor};
use mlx_fast::Mask;
use mlx_ops::{NewAxis, arange, greater_equal, index, less, logical_and, subtract, zeros};

/// Which keys `count` new queries see, `[count, offset + count]`, bools: those up to their own position, and with a
/// window the last `window` of these alone.
///
/// # Errors
/// Lengths that are no lengths; a window of nothing.
///
/// ```
/// # use mlx_nn::cache::causal_mask;
/// let mask = causal_mask(2, 1, Some(2))?;
/// assert_eq!(mask.to_vec::<bool>()?, [true, true, false, false, true, true]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn causal_mask(count: i32, offset: i32, window: Option<i32>) -> Result<Tensor> {
    let (end, window) = (end(count, offset)?, shown(window)?);
    if count == 0 {
        // Keys that no query sees would be counted all the same.
        return zeros([0, end], Dtype::Bool);
    }
    let keys = index(&arange(0, end, 1)?, NewAxis)?;
    let queries = index(&arange(offset, end, 1)?, (.., NewAxis))?;
    let seen = greater_equal(&queries, &keys)?;
    match window {
        None => Ok(seen),
        Some(window) if window >= end => Ok(seen),
        Some(window) => logical_and(seen, less(subtract(queries, keys)?, window)?),
    }
}

/// The position behind `count` ones from `offset`.
pub(super) fn end(count: i32, offset: i32) -> Result<i32> {
    match offset.checked_add(count) {
        Some(end) if count >= 0 && offset >= 0 => Ok(end),
        _ => refused(format!("there are no {count} positions after {offset}")),
    }
}

/// A window that shows something.
pub(super) fn shown(window: Option<i32>) -> Result<Option<i32>> {
    match window {
        Some(window) if window <= 0 => refused(format!("a window of {window} positions shows nothing")),
        _ => Ok(window),
    }
}

/// The mask of `count` tokens without a cache: none for one, [`Mask::Causal`], or a tensor where a window narrows it.
///
/// # Errors
/// As [`causal_mask`].
///
/// ```
/// # use mlx_fast::Mask;
/// # use mlx_nn::cache::attention_mask;
/// assert!(matches!(attention_mask(1, None)?, Mask::None));
/// assert!(matches!(attention_mask(7, None)?, Mask::Causal));
/// assert!(matches!(attention_mask(7, Some(4))?, Mask::Tensor(_)));
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn attention_mask(count: i32, window: Option<i32>) -> Result<Mask> {
    causal(count, 0, window)
}

/// [`attention_mask`] behind `offset` tokens.
pub(super) fn causal(count: i32, offset: i32, window: Option<i32>) -> Result<Mask> {
    let end = end(count, offset)?;
    if let Some(window) = shown(window)?
        && end > window
    {
        return causal_mask(count, offset, Some(window)).map(Mask::Tensor);
    }
    Ok(if count == 1 { Mask::None } else { Mask::Causal })
}
