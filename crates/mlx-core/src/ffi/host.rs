//! Kernels of the host's: nodes whose values a Rust closure computes, on the threads of MLX's CPU streams.
//!
//! MLX keeps a kernel with the nodes that need it and drops it with the last, on any thread (native/host.cpp). Not here: what
//! a kernel is and what it may see (`crate::host`).

use super::{
    build::told_as_built,
    call::call,
    closure,
    custom::{self, Custom, Rules, list},
    runtime,
};
use crate::{Dtype, Element, OperandRef, Result, Shape, Tensor};
use mlx_link as sys;
use std::{
    any::Any,
    ffi::{CStr, CString, c_void},
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::Arc,
};

/// The values of an input or the place of an output while a kernel runs: in row-major order, aligned.
pub(crate) struct Part<'a>(pub(super) &'a sys::mlxr_host_part);

impl<'a> Part<'a> {
    pub(crate) fn shape(&self) -> &'a [i32] {
        list(self.0.shape, self.0.ndim)
    }

    pub(crate) fn dtype(&self) -> Dtype {
        Dtype::from_code(self.0.dtype)
    }

    /// The bytes of an input.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        list(self.0.data.cast(), self.0.size * self.dtype().size())
    }

    /// The elements of an input; the caller has looked whether bools are 0 or 1.
    pub(crate) fn elements<T: Element>(&self) -> &'a [T] {
        assert_eq!(self.dtype(), T::DTYPE, "the caller compares them");
        list(self.0.data.cast(), self.0.size)
    }

    /// The elements of an output: zeros at first for a host kernel, anything for a node of MLX's, whose kernels read none.
    pub(crate) fn elements_mut<T: Element>(&mut self) -> &mut [T] {
        assert_eq!(self.dtype(), T::DTYPE, "the caller compares them");
        if self.0.size == 0 {
            return &mut [];
        }
        // SAFETY: an output's memory is its own and nobody else's while the kernel runs, aligned, and all bits are values; `self` is
        // the one part of it and is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.0.data.cast(), self.0.size) }
    }
}

/// The lazy outputs of `kernel`. Kernels of one `identity` are the same: it is an address of what `kernel` owns.
pub(crate) fn build(
    name: &CStr,
    kernel: &Arc<dyn Custom>,
    identity: *const c_void,
    rules: Rules,
    outputs: &[(Shape, Dtype)],
    inputs: &[Tensor],
) -> Result<Vec<Tensor>> {
    const OP: &str = "host_kernel";
    let guard = runtime::enter()?;
    let part = |(shape, dtype): &(Shape, Dtype)| sys::mlxr_host_part {
        data: ptr::null_mut(),
        size: 0,
        shape: shape.as_ptr(),
        ndim: shape.len(),
        dtype: dtype.code(),
    };
    let parts: Vec<_> = outputs.iter().map(part).collect();
    let mut raw = sys::mlxr_host_kernel {
        name: name.as_ptr(),
        identity,
        run: Some(run),
        vjp: rules.vjp.then_some(custom::vjp),
        jvp: rules.jvp.then_some(custom::jvp),
        vmap: rules.vmap.then_some(custom::vmap),
    };
    let stream = guard.cpu_stream();
    let made = closure::vector(OP, &guard, |out| {
        call!(
            sys::mlxr_host_new,
            value out, out raw, value custom::payload(kernel), value Some(custom::drop_boxed::<Arc<dyn Custom>>),
            list parts, tensors inputs, value stream
        )
    });
    told_as_built(OP, made, || inputs.iter().map(OperandRef::from))
}

/// Called by MLX on the thread of a stream, without the lock.
unsafe extern "C" fn run(
    inputs: *const sys::mlxr_host_part,
    input_count: usize,
    outputs: *const sys::mlxr_host_part,
    output_count: usize,
    payload: *mut c_void,
) -> sys::mlx_string {
    let inputs = list(inputs, input_count).iter().map(Part);
    let outputs = list(outputs, output_count).iter().map(Part);
    answer("host_kernel", || custom::of(payload).run(inputs.collect(), outputs.collect()))
}

/// Runs a kernel on a thread of MLX's: the text of its error, or an empty string for none.
pub(super) fn answer(op: &str, work: impl FnOnce() -> Result<(), String>) -> sys::mlx_string {
    let work =
        || panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(op, payload)));
    let Err(text) = runtime::foreign(work) else { return sys::mlx_string { ctx: ptr::null_mut() } };
    let text = CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
    call!(sys::mlx_string_new_data, text text)
}

/// What a panic says.
fn panicked(op: &str, payload: Box<dyn Any + Send>) -> String {
    let said = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let said = said.or_else(|| payload.downcast_ref::<String>().cloned());
    runtime::discard(payload);
    format!("[{op}] a kernel panicked: {}", said.as_deref().unwrap_or("without a text"))
}
