//! Keys, and each thread's own key, from which a draw without one takes the next.
//!
//! Not here: what is drawn (`draw`).

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi::random as raw};
use smallvec::{SmallVec, smallvec};
use std::{
    cell::RefCell,
    mem,
    sync::OnceLock,
    time::{SystemTime, UNIX_EPOCH},
};

thread_local! {
    /// MLX has such a key too, which moves on only when bits are drawn; Python's also moves on for a call that is refused.
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// How many draws lie between the keys that are kept.
const STEP: u64 = 1024;

/// A thread's key, and what it is made from again when an evaluation that it was part of fails.
#[derive(Clone)]
struct State {
    key: Tensor,
    /// Draws since the key that the thread was given.
    draws: u64,
    /// That key, and behind it the last two of those after each [`STEP`] draws, with the draws until then.
    kept: SmallVec<[(Tensor, u64); 3]>,
}

impl State {
    fn new(key: &Tensor) -> State {
        State { key: key.clone(), draws: 0, kept: smallvec![(key.clone(), 0)] }
    }

    /// Goes on to the key behind a draw. Returns what is kept no longer.
    fn advance(&mut self, key: Tensor) -> [Option<Tensor>; 2] {
        let before = mem::replace(&mut self.key, key);
        self.draws += 1;
        let mut forgotten = None;
        if self.draws.is_multiple_of(STEP) {
            if self.kept.len() == 3 {
                forgotten = Some(self.kept.remove(1).0);
            }
            self.kept.push((self.key.clone(), self.draws));
        }
        [Some(before), forgotten]
    }

    /// The same key, made again from the last one that has not failed; itself where the first has.
    fn mended(mut self) -> Result<State> {
        while raw::has_failed(&self.kept[self.kept.len() - 1].0)? {
            if self.kept.len() == 1 {
                return Ok(self);
            }
            self.kept.pop();
        }
        let (mut key, from) = self.kept[self.kept.len() - 1].clone();
        for draw in from..self.draws {
            [key, _] = raw::split_pair(&key)?;
            if draw % STEP == 0 {
                key.eval()?;
            }
        }
        Ok(State { key, ..self })
    }
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
    let known = with_state(|state| state.as_ref().map(|state| state.key.clone()))?;
    if let Some(key) = known {
        return if raw::has_failed(&key)? { mended() } else { Ok(key) };
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
    let key = key(*UNSEEDED.get_or_init(now))?;
    set_state(&key);
    Ok(key)
}

/// The key in the place of one that failed.
fn mended() -> Result<Tensor> {
    let Some(state) = with_state(|state| state.clone())? else { return state() };
    let state = state.mended()?;
    let key = state.key.clone();
    drop(with_state(|known| known.replace(state))?);
    Ok(key)
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
    let state = State::new(key);
    drop(with_state(|known| known.replace(state)));
}

/// What `work` drops of a state is dropped by the caller, outside: dropping takes the library's lock.
fn with_state<T>(work: impl FnOnce(&mut Option<State>) -> T) -> Result<T> {
    STATE.try_with(|state| work(&mut state.borrow_mut())).map_err(|gone| {
        let message = "this thread is ending: its key is gone";
        Error::new(ErrorKind::Setup, "random", message).with_source(gone)
    })
}

/// The given key, or the next of this thread's.
#[track_caller]
pub(super) fn next(given: Option<&Tensor>) -> Result<Tensor> {
    if let Some(key) = given {
        return Ok(key.clone());
    }
    let [key, next] = raw::split_pair(&state()?)?;
    drop(with_state(|state| state.as_mut().map(|state| state.advance(key)))?);
    Ok(next)
}
