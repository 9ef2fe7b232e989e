//! Keys, and each thread's own key, from which a draw without one takes the next.
//!
//! Not here: what is drawn (`draw`).

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi::random as raw};
use std::{
    cell::RefCell,
    sync::OnceLock,
    time::{SystemTime, UNIX_EPOCH},
};

thread_local! {
    /// MLX has such a key too, which moves on only when bits are drawn; Python's also moves on for a call that is refused.
    static STATE: RefCell<Option<Tensor>> = const { RefCell::new(None) };
}

/// The key of a seed: two `uint32`.
///
/// # Errors
/// None but of a start of MLX that failed.
///
/// ```
/// assert_eq!(mlx_ops::random::key(7)?.to_vec::<u32>()?, [0, 7]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.key")]
pub fn key(seed: u64) -> Result<Tensor> {
    raw::key(seed)
}

/// `num` new keys from one, as the rows of a tensor of shape `[num, 2]`.
///
/// # Errors
/// A key that is not two `uint32`; a negative number.
///
/// ```
/// # use mlx_ops::random;
/// assert_eq!(random::split(&random::key(0)?, 3)?.shape(), [3, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.split")]
#[track_caller]
pub fn split(key: &Tensor, num: i32) -> Result<Tensor> {
    raw::split(key, num)
}

/// Sets this thread's key, from which draws without a key take theirs. Other threads have their own.
///
/// A thread that was never seeded begins with the time at which the process drew first, the same for all of its
/// threads, as in Python: threads whose draws must differ are seeded, or given keys.
///
/// # Errors
/// None but of a start of MLX that failed.
///
/// ```
/// # use mlx_ops::random;
/// random::seed(3)?;
/// let first = random::normal([2])?.to_vec::<f32>()?;
/// random::seed(3)?;
/// assert_eq!(random::normal([2])?.to_vec::<f32>()?, first);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.seed")]
pub fn seed(seed: u64) -> Result<()> {
    set_state(&key(seed)?);
    Ok(())
}

/// This thread's key, as it is now: with [`set_state`] draws are repeated.
///
/// # Errors
/// None but of a start of MLX that failed.
///
/// ```
/// # use mlx_ops::random;
/// let state = random::state()?;
/// let first = random::uniform(0, 1, [2])?.to_vec::<f32>()?;
/// random::set_state(&state);
/// assert_eq!(random::uniform(0, 1, [2])?.to_vec::<f32>()?, first);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.random.state")]
pub fn state() -> Result<Tensor> {
    static UNSEEDED: OnceLock<u64> = OnceLock::new();
    let known = STATE.try_with(|state| state.borrow().clone()).map_err(|gone| {
        let message = "this thread is ending: its key is gone";
        Error::new(ErrorKind::Setup, "random", message).with_source(gone)
    })?;
    if let Some(state) = known {
        return Ok(state);
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
    let state = key(*UNSEEDED.get_or_init(now))?;
    set_state(&state);
    Ok(state)
}

/// Puts another key in this thread's place. It is looked at when something is drawn. A thread that is ending has none.
///
/// ```
/// # use mlx_ops::random;
/// random::set_state(&random::key(5)?);
/// assert_eq!(random::state()?.to_vec::<u32>()?, [0, 5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn set_state(key: &Tensor) {
    // The one before is dropped outside: dropping takes the library's lock.
    let _ = STATE.try_with(|state| state.replace(Some(key.clone())));
}

/// The given key, or the next of this thread's.
#[track_caller]
pub(super) fn next(given: Option<&Tensor>) -> Result<Tensor> {
    if let Some(key) = given {
        return Ok(key.clone());
    }
    let [state, next] = raw::split_pair(&state()?)?;
    set_state(&state);
    Ok(next)
}
