//! Masks for tokens behind those of a cache.

use super::refused;
use mlx_core::{Result, Tensor};
use mlx_fast::Mask;
use mlx_ops::{NewAxis, arange, greater_equal, index, less, logical_and, subtract};

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
    let end = match offset.checked_add(count) {
        Some(end) if count >= 0 && offset >= 0 => end,
        _ => return refused(format!("there are no {count} positions after {offset}")),
    };
    let keys = index(&arange(0, end, 1)?, NewAxis)?;
    let queries = index(&arange(offset, end, 1)?, (.., NewAxis))?;
    let seen = greater_equal(&queries, &keys)?;
    match window {
        None => Ok(seen),
        Some(window) if window >= end => Ok(seen),
        Some(window) if window > 0 => logical_and(seen, less(subtract(queries, keys)?, window)?),
        Some(window) => refused(format!("a window of {window} positions shows nothing")),
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
    if let Some(window) = window
        && (window <= 0 || offset.saturating_add(count) > window)
    {
        return causal_mask(count, offset, Some(window)).map(Mask::Tensor);
    }
    Ok(if count == 1 { Mask::None } else { Mask::Causal })
}
