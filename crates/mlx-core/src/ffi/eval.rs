//! Evaluation by tickets: schedule under the lock, wait without it, settle under it (native/eval.cpp).

use super::{call::call, runtime, status};
use crate::{ErrorKind, Result, Tensor};
use mlx_link as sys;

/// An evaluation under way. Dropping it without waiting is fine: whoever reads a tensor waits for it then.
pub(crate) struct Ticket<'a> {
    raw: sys::mlxr_ticket,
    tensors: &'a [Tensor],
}

/// Schedules what `tensors` need.
pub(crate) fn begin(tensors: &[Tensor]) -> Result<Ticket<'_>> {
    let _guard = runtime::enter()?;
    let mut raw = sys::mlxr_ticket { ctx: std::ptr::null_mut() };
    let status = call!(sys::mlxr_eval_begin, out raw, tensors tensors);
    status::check("eval", ErrorKind::Eval, status)?;
    Ok(Ticket { raw, tensors })
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

/// Waits for everything that was started. Not by mlx-c's own call, which takes the errors of other batches.
pub(crate) fn synchronize(spins: i32) -> Result<()> {
    let [stream, cpu_stream] = runtime::enter()?.streams();
    let one = stream.ctx == cpu_stream.ctx;
    for stream in [stream, cpu_stream].into_iter().skip(usize::from(one)) {
        let mut raw = sys::mlxr_ticket { ctx: std::ptr::null_mut() };
        let guard = runtime::enter()?;
        let status = call!(sys::mlxr_sync_begin, out raw, value stream);
        drop(guard);
        status::check("synchronize", ErrorKind::Eval, status)?;
        let ticket = Ticket { raw, tensors: &[] };
        ticket.wait(spins)?;
    }
    Ok(())
}
