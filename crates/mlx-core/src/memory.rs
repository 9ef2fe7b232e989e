//! Memory: what MLX uses and keeps, and limits on both.
//!
//! All figures are bytes, of the whole process. What MLX frees it keeps in a cache for the next allocation.

use crate::{
    Result,
    ffi::{memory as ffi, runtime},
};
use parking_lot::Mutex;

/// The bytes that tensors hold now, without the cache.
///
/// # Errors
/// MLX could not be started.
///
/// ```
/// # use mlx_core::{Tensor, memory};
/// let before = memory::active()?;
/// let x = Tensor::from_slice(&vec![0.5_f32; 1_000_000])?;
/// assert!(memory::active()? >= before + x.nbytes());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.get_active_memory")]
pub fn active() -> Result<usize> {
    ffi::ACTIVE.get()
}

/// The most bytes that tensors held at once since the start, or since [`reset_peak`].
///
/// # Errors
/// MLX could not be started.
#[doc(alias = "mx.get_peak_memory")]
pub fn peak() -> Result<usize> {
    let now = ffi::PEAK.get()?;
    Ok(now.max(PEAKS.lock().before))
}

/// Begins a new [`peak`] from what is held now.
///
/// # Errors
/// MLX could not be started.
#[doc(alias = "mx.reset_peak_memory")]
pub fn reset_peak() -> Result<()> {
    // First: what drops a scope may hold the lock already.
    let _guard = runtime::enter()?;
    let mut peaks = PEAKS.lock();
    peaks.begin_again()?;
    // MLX's figure begins at 0, whatever is held.
    peaks.before = ffi::ACTIVE.get()?;
    Ok(())
}

/// What MLX's one peak was before it began again, for all who measure.
struct Peaks {
    /// Since the start or [`reset_peak`].
    before: usize,
    /// Since each scope that lives began.
    scopes: Vec<(u64, usize)>,
    next: u64,
}

static PEAKS: Mutex<Peaks> = Mutex::new(Peaks { before: 0, scopes: Vec::new(), next: 0 });

impl Peaks {
    fn begin_again(&mut self) -> Result<()> {
        let now = ffi::PEAK.get()?;
        self.before = self.before.max(now);
        for (_, peak) in &mut self.scopes {
            *peak = now.max(*peak);
        }
        ffi::RESET_PEAK.run()
    }
}

/// Measures a peak of its own from here on, of the whole process; [`peak`] and other scopes go on as they were.
///
/// # Errors
/// MLX could not be started.
///
/// ```
/// # use mlx_core::{Tensor, memory};
/// let scope = memory::measure_peak()?;
/// let x = Tensor::from_slice(&vec![0.5_f32; 1_000_000])?;
/// drop((&x + 1.0).to_vec::<f32>()?);
/// assert!(scope.bytes()? >= 2 * x.nbytes());
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn measure_peak() -> Result<PeakScope> {
    // First: what drops a scope may hold the lock already.
    let _guard = runtime::enter()?;
    let mut peaks = PEAKS.lock();
    peaks.begin_again()?;
    let number = peaks.next;
    peaks.next += 1;
    // MLX's figure begins at 0, whatever is held.
    peaks.scopes.push((number, ffi::ACTIVE.get()?));
    Ok(PeakScope(number))
}

/// The most memory that tensors hold at once while it lives; see [`measure_peak`].
#[must_use = "it measures until it is dropped"]
#[derive(Debug)]
pub struct PeakScope(u64);

impl PeakScope {
    /// The most bytes that tensors held at once since the scope began.
    ///
    /// # Errors
    /// What MLX reports.
    pub fn bytes(&self) -> Result<usize> {
        let _guard = runtime::enter()?;
        let peaks = PEAKS.lock();
        let before = peaks.scopes.iter().find(|(number, _)| *number == self.0).map_or(0, |(_, peak)| *peak);
        Ok(before.max(ffi::PEAK.get()?))
    }
}

impl Drop for PeakScope {
    fn drop(&mut self) {
        PEAKS.lock().scopes.retain(|(number, _)| *number != self.0);
    }
}

/// The bytes that MLX keeps for reuse and no tensor holds.
///
/// # Errors
/// MLX could not be started.
#[doc(alias = "mx.get_cache_memory")]
pub fn cache() -> Result<usize> {
    ffi::CACHE.get()
}

/// Gives what is kept for reuse back to the system.
///
/// # Errors
/// MLX could not be started.
///
/// ```
/// # use mlx_core::memory;
/// memory::clear_cache()?;
/// assert_eq!(memory::cache()?, 0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.clear_cache")]
pub fn clear_cache() -> Result<()> {
    ffi::CLEAR_CACHE.run()
}

/// The limit set by [`set_memory_limit`], or MLX's own.
///
/// # Errors
/// MLX could not be started.
pub fn memory_limit() -> Result<usize> {
    ffi::MEMORY_LIMIT_NOW.get()
}

/// Limits what evaluation uses: a guideline by which MLX waits for memory to come free, and empties its cache.
///
/// # Errors
/// MLX could not be started.
#[doc(alias = "mx.set_memory_limit")]
pub fn set_memory_limit(bytes: usize) -> Result<Limit> {
    Limit::new(&ffi::MEMORY_LIMIT, bytes)
}

/// Limits what is kept for reuse; 0 keeps nothing.
///
/// # Errors
/// MLX could not be started.
///
/// ```
/// # use mlx_core::{Tensor, memory};
/// let limit = memory::set_cache_limit(0)?;
/// drop(Tensor::from_slice(&vec![0.5_f32; 1_000_000])? + 1.0);
/// drop(limit); // the old limit holds again
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.set_cache_limit")]
pub fn set_cache_limit(bytes: usize) -> Result<Limit> {
    Limit::new(&ffi::CACHE_LIMIT, bytes)
}

/// Keeps so many bytes resident on a GPU that can (macOS 15 and newer); elsewhere it changes nothing.
///
/// # Errors
/// More than the system allows.
#[doc(alias = "mx.set_wired_limit")]
pub fn set_wired_limit(bytes: usize) -> Result<Limit> {
    Limit::new(&ffi::WIRED_LIMIT, bytes)
}

/// A limit in force; the one before comes back when it is dropped, also on unwind.
#[must_use = "the old limit comes back when this is dropped; `keep` makes the new one stay"]
#[derive(Debug)]
pub struct Limit {
    limit: &'static ffi::Limit,
    before: usize,
}

impl Limit {
    fn new(limit: &'static ffi::Limit, bytes: usize) -> Result<Limit> {
        limit.set(bytes).map(|before| Limit { limit, before })
    }

    /// The limit before this one, in bytes.
    #[must_use]
    pub fn before(&self) -> usize {
        self.before
    }

    /// Makes the limit stay.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        // It was in force before, so MLX takes it.
        let _ = self.limit.set(self.before);
    }
}
