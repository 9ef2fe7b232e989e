//! MLX's memory figures and limits, by the shape of their symbols.

use super::{call::call, runtime, status};
use crate::{ErrorKind, Result};
use mlx_link as sys;
use std::ffi::c_int;

/// A number of bytes that can be asked for.
pub(crate) struct Figure(&'static str, unsafe extern "C" fn(*mut usize) -> c_int);

/// A number of bytes that can be set.
#[derive(Debug)]
pub(crate) struct Limit(&'static str, unsafe extern "C" fn(*mut usize, usize) -> c_int);

/// Something that can be done.
pub(crate) struct Action(&'static str, unsafe extern "C" fn() -> c_int);

pub(crate) const ACTIVE: Figure = Figure("get_active_memory", sys::mlx_get_active_memory);
pub(crate) const CACHE: Figure = Figure("get_cache_memory", sys::mlx_get_cache_memory);
pub(crate) const PEAK: Figure = Figure("get_peak_memory", sys::mlx_get_peak_memory);
pub(crate) const MEMORY_LIMIT_NOW: Figure = Figure("get_memory_limit", sys::mlx_get_memory_limit);
pub(crate) const MEMORY_LIMIT: Limit = Limit("set_memory_limit", sys::mlx_set_memory_limit);
pub(crate) const CACHE_LIMIT: Limit = Limit("set_cache_limit", sys::mlx_set_cache_limit);
pub(crate) const WIRED_LIMIT: Limit = Limit("set_wired_limit", sys::mlx_set_wired_limit);
pub(crate) const CLEAR_CACHE: Action = Action("clear_cache", sys::mlx_clear_cache);
pub(crate) const RESET_PEAK: Action = Action("reset_peak_memory", sys::mlx_reset_peak_memory);

impl Figure {
    pub(crate) fn get(&self) -> Result<usize> {
        let _guard = runtime::enter()?;
        let mut bytes = 0;
        status::check(self.0, ErrorKind::Mlx, call!((self.1), out bytes)).map(|()| bytes)
    }
}

impl Limit {
    /// Sets the limit and gives back the one before.
    pub(crate) fn set(&self, bytes: usize) -> Result<usize> {
        let _guard = runtime::enter()?;
        let mut before = 0;
        status::check(self.0, ErrorKind::Mlx, call!((self.1), out before, value bytes)).map(|()| before)
    }
}

impl Action {
    pub(crate) fn run(&self) -> Result<()> {
        let _guard = runtime::enter()?;
        status::check(self.0, ErrorKind::Mlx, call!((self.1)))
    }
}
