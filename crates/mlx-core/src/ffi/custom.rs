//! Functions that MLX keeps in the graph: with rules of their own for transforms, or computed again for their gradient.
//!
//! MLX drops them with the last node that needs them, on any thread. What rules return is indexed by MLX without a look, so
//! it is checked before (`crate::transforms::custom`). Not here: closures that are called and forgotten (`closure`).

use super::{
    call::call,
    closure::{self, Stop},
    host::Part,
    runtime, status,
    vector::Vector,
};
use crate::{Error, ErrorKind, Result, Tensor};
use mlx_link as sys;
use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::Arc,
};

/// A function of tensors, and its rules, of which MLX calls those that it is told of.
pub(crate) trait Custom: Send + Sync {
    fn forward(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, Stop>;
    /// A gradient for each input.
    fn vjp(
        &self,
        inputs: Vec<Tensor>,
        cotangents: Vec<Tensor>,
        outputs: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, Stop>;
    /// A product for each output, of the tangents that inputs have.
    fn jvp(&self, inputs: Vec<Tensor>, tangents: &[Option<Tensor>]) -> Result<Vec<Tensor>, Stop>;
    /// Outputs and their axes, -1 for none, for inputs with items along axes.
    fn vmap(&self, inputs: Vec<Tensor>, axes: &[Option<i32>]) -> Result<(Vec<Tensor>, Vec<i32>), Stop>;
    /// The values of a kernel of the host's, or the text of its error; other functions are made of nodes.
    fn run(&self, _inputs: Vec<Part<'_>>, _outputs: Vec<Part<'_>>) -> Result<(), String> {
        Err("this function is no kernel".into())
    }
}

/// Which rules a function has.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rules {
    pub(crate) vjp: bool,
    pub(crate) jvp: bool,
    pub(crate) vmap: bool,
}

type Payload = Arc<dyn Custom>;

/// `function(inputs)`, whose gradient computes it again instead of keeping what it computed.
pub(crate) fn checkpoint<E: From<Error> + 'static>(
    function: &Payload,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, E> {
    apply("checkpoint", function, inputs, |made, plain| call!(sys::mlx_checkpoint, value made, value plain))
}

/// `function(inputs)`, transformed by its own rules where it has some.
pub(crate) fn custom_function<E: From<Error> + 'static>(
    function: &Payload,
    rules: Rules,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, E> {
    apply("custom_function", function, inputs, |made, plain| {
        let none = ptr::null_mut();
        let mut by_vjp = sys::mlx_closure_custom { ctx: none };
        let mut by_jvp = sys::mlx_closure_custom_jvp { ctx: none };
        let mut by_vmap = sys::mlx_closure_custom_vmap { ctx: none };
        if rules.vjp {
            by_vjp = call!(
                sys::mlx_closure_custom_new_func_payload,
                value Some(vjp), value payload(function), value Some(drop_boxed::<Payload>)
            );
        }
        if rules.jvp {
            by_jvp = call!(
                sys::mlx_closure_custom_jvp_new_func_payload,
                value Some(jvp), value payload(function), value Some(drop_boxed::<Payload>)
            );
        }
        if rules.vmap {
            by_vmap = call!(
                sys::mlx_closure_custom_vmap_new_func_payload,
                value Some(vmap), value payload(function), value Some(drop_boxed::<Payload>)
            );
        }
        let status = call!(
            sys::mlx_custom_function,
            value made, value plain, value by_vjp, value by_jvp, value by_vmap
        );
        call!(sys::mlx_closure_custom_free, value by_vjp);
        call!(sys::mlx_closure_custom_jvp_free, value by_jvp);
        call!(sys::mlx_closure_custom_vmap_free, value by_vmap);
        status
    })
}

/// Calls what `make` makes of the function. The nodes of the result hold all that they need.
fn apply<E: From<Error> + 'static>(
    op: &'static str,
    function: &Payload,
    inputs: &[Tensor],
    make: impl FnOnce(*mut sys::mlx_closure, sys::mlx_closure) -> c_int,
) -> Result<Vec<Tensor>, E> {
    closure::calling(op, |guard| {
        let plain = call!(
            sys::mlx_closure_new_func_payload,
            value Some(forward), value payload(function), value Some(drop_boxed::<Payload>)
        );
        let mut made = sys::mlx_closure { ctx: ptr::null_mut() };
        let made_it = status::check(op, ErrorKind::Mlx, make(&raw mut made, plain));
        let outputs = made_it.and_then(|()| {
            closure::vector(
                op,
                guard,
                |out| call!(sys::mlx_closure_apply, value out, value made, vector inputs),
            )
        });
        call!(sys::mlx_closure_free, value made);
        call!(sys::mlx_closure_free, value plain);
        outputs
    })
}

/// What a closure of MLX's owns.
pub(super) fn payload(function: &Payload) -> *mut c_void {
    Box::into_raw(Box::new(Arc::clone(function))).cast()
}

pub(super) fn of<'a>(payload: *mut c_void) -> &'a dyn Custom {
    // SAFETY: made by `payload`, and owned by the closure that MLX is calling.
    unsafe { &**payload.cast::<Payload>() }
}

/// Called by MLX with the last node, closure or array that needs what a box of ours holds, on any thread, its own among them.
pub(super) unsafe extern "C" fn drop_boxed<T: Send + 'static>(boxed: *mut c_void) {
    // SAFETY: MLX was given this function with a box of a `T` and calls it once.
    let boxed = unsafe { Box::from_raw(boxed.cast::<T>()) };
    runtime::discard_soon(boxed);
}

unsafe extern "C" fn forward(
    out: *mut sys::mlx_vector_array,
    inputs: sys::mlx_vector_array,
    payload: *mut c_void,
) -> c_int {
    closure::run(out, inputs, &mut |inputs| of(payload).forward(inputs))
}

pub(super) unsafe extern "C" fn vjp(
    out: *mut sys::mlx_vector_array,
    inputs: sys::mlx_vector_array,
    cotangents: sys::mlx_vector_array,
    outputs: sys::mlx_vector_array,
    payload: *mut c_void,
) -> c_int {
    let rest = (Vector::read(cotangents), Vector::read(outputs));
    let mut rest = Some(rest);
    closure::run(out, inputs, &mut |inputs| {
        let (cotangents, outputs) = rest.take().unwrap_or_default();
        of(payload).vjp(inputs, cotangents, outputs)
    })
}

pub(super) unsafe extern "C" fn jvp(
    out: *mut sys::mlx_vector_array,
    inputs: sys::mlx_vector_array,
    tangents: sys::mlx_vector_array,
    argnums: *const c_int,
    count: usize,
    payload: *mut c_void,
) -> c_int {
    let (tangents, argnums) = (Vector::read(tangents), list(argnums, count));
    closure::run(out, inputs, &mut |inputs| {
        let mut each = vec![None; inputs.len()];
        for (&argnum, tangent) in argnums.iter().zip(&tangents) {
            each[argnum as usize] = Some(tangent.clone());
        }
        of(payload).jvp(inputs, &each)
    })
}

pub(super) unsafe extern "C" fn vmap(
    out: *mut sys::mlx_vector_array,
    out_axes: *mut sys::mlx_vector_int,
    inputs: sys::mlx_vector_array,
    axes: *const c_int,
    count: usize,
    payload: *mut c_void,
) -> c_int {
    let axes: Vec<Option<i32>> = list(axes, count).iter().map(|&axis| (axis >= 0).then_some(axis)).collect();
    let mut given = Vec::new();
    let status = closure::run(out, inputs, &mut |inputs| {
        let (outputs, axes) = of(payload).vmap(inputs, &axes)?;
        given = axes;
        Ok(outputs)
    });
    match status {
        0 => call!(sys::mlx_vector_int_set_data, value out_axes, value given.as_mut_ptr(), value given.len()),
        failed => failed,
    }
}

/// A list that MLX or mlx-c passes to a callback of ours.
pub(super) fn list<'a, T>(list: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the list has that length and lives, unchanged, as long as the call of ours.
    unsafe { std::slice::from_raw_parts(list, count) }
}
