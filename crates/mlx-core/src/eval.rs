//! Evaluation: computing what lazy tensors stand for.

use crate::{Result, Tensor, ffi};
use std::sync::atomic::{AtomicI32, Ordering};

/// Short results come within this many pauses; sleeping and waking costs more than they do.
static SPINS: AtomicI32 = AtomicI32::new(2000);

/// Sets how often a wait looks for its result before the thread sleeps (2000 at first), and returns the old number.
///
/// More makes the wait for short computations shorter and takes processor time from others.
pub fn spins(count: u16) -> u16 {
    SPINS.swap(count.into(), Ordering::Relaxed) as u16
}

pub(crate) fn current_spins() -> i32 {
    SPINS.load(Ordering::Relaxed)
}

/// Computes `tensors` together and waits for them.
///
/// # Errors
/// A computation that failed. Such a tensor stays failed: every later read of it is the same error.
///
/// ```
/// # use mlx_core::{Tensor, eval, tensor};
/// let x = tensor![1.0, 2.0];
/// let (a, b) = (&x + 1.0, &x * 2.0);
/// eval([&a, &b])?;
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn eval<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Result<()> {
    ffi::eval::begin(&cloned(tensors), current_spins())?.wait(current_spins())
}

/// Starts computing `tensors` and returns at once; reading one waits for it.
///
/// Where they rest on work under way on another stream, it waits for that first.
///
/// # Errors
/// A computation that could not be started.
pub fn async_eval<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Result<()> {
    ffi::eval::begin(&cloned(tensors), current_spins()).map(drop)
}

/// Waits until everything that was started is done, on all streams.
///
/// # Errors
/// What MLX reports.
pub fn synchronize() -> Result<()> {
    ffi::eval::synchronize_all(current_spins())
}

fn cloned<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Vec<Tensor> {
    tensors.into_iter().cloned().collect()
}

impl Tensor {
    /// Computes the tensor and waits for it.
    ///
    /// # Errors
    /// As [`eval`].
    pub fn eval(&self) -> Result<()> {
        ffi::eval::begin(std::slice::from_ref(self), current_spins())?.wait(current_spins())
    }
}
