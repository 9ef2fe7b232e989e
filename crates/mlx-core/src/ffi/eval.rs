//! Evaluation by tickets: schedule under the lock, wait without it, settle under it (native/eval.cpp).

use super::{
    call::call,
    place::{self, Place},
    runtime, status,
    vector::Vector,
};
use crate::{ErrorKind, Result, Tensor};
use mlx_link as sys;

/// An evaluation under way. Dropping it without waiting is fine: whoever reads a tensor waits for it then.
pub(crate) struct Ticket<'a> {
    raw: sys::mlxr_ticket,
    tensors: &'a [Tensor],
}

/// Schedules what `tensors` need; where they rest on work under way on another stream, or a GPU needs what a busy CPU stream
/// computes, when that is done.
pub(crate) fn begin(tensors: &[Tensor], spins: i32) -> Result<Ticket<'_>> {
    loop {
        let guard = runtime::enter()?;
        let mut raw = sys::mlxr_ticket { ctx: std::ptr::null_mut() };
        let mut first = Vector::empty(&guard);
        let (place, mut again) = (first.place(), false);
        let status = call!(sys::mlxr_eval_begin, out raw, value place, out again, tensors tensors);
        status::check("eval", ErrorKind::Eval, status)?;
        let needed = first.tensors();
        drop((first, guard));
        if again {
            Ticket { raw, tensors: &[] }.wait(spins)?;
        } else if needed.is_empty() {
            return Ok(Ticket { raw, tensors });
        } else {
            begin(&needed, spins)?.wait(spins)?;
        }
    }
}

impl Ticket<'_> {
    /// Waits without the lock, then makes the tensors readable or says what failed.
    pub(crate) fn wait(mut self, spins: i32) -> Result<()> {
        if self.raw.ctx.is_null() {
            return Ok(());
        }
        call!(sys::mlxr_eval_wait, value self.raw, value spins);
        let _guard = runtime::enter()?;
        let raw = std::mem::replace(&mut self.raw, sys::mlxr_ticket { ctx: std::ptr::null_mut() });
        let status = call!(sys::mlxr_eval_end, value raw, tensors self.tensors);
        status::check("eval", ErrorKind::Eval, status)
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if !self.raw.ctx.is_null() {
            call!(sys::mlxr_eval_forget, value self.raw);
        }
    }
}

/// Waits for what was started on `places`. Not by mlx-c's own call, which takes the errors of other batches.
pub(crate) fn synchronize(places: &[&'static Place], spins: i32) -> Result<()> {
    for place in places {
        let mut raw = sys::mlxr_ticket { ctx: std::ptr::null_mut() };
        let guard = runtime::enter()?;
        let status = call!(sys::mlxr_sync_begin, out raw, value place.stream());
        drop(guard);
        status::check("synchronize", ErrorKind::Eval, status)?;
        let ticket = Ticket { raw, tensors: &[] };
        ticket.wait(spins)?;
    }
    Ok(())
}

/// Waits for everything that was started.
pub(crate) fn synchronize_all(spins: i32) -> Result<()> {
    drop(runtime::enter()?);
    synchronize(&place::all(), spins)
}
