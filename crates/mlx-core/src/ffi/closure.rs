//! Closures that MLX calls back on the thread that called it: the lock is given up meanwhile, nothing unwinds through C.
//!
//! What ends a closure early (its error, a panic) is kept beside mlx-c's bare status and handed to whoever called MLX.
//! Not here: the transforms that take closures (`transforms`).

use super::{
    call::call,
    runtime::{self, Guard},
    stack::{self, NODES},
    status,
    vector::Vector,
};
use crate::{Error, ErrorKind, Result, Tensor};
use mlx_link as sys;
use std::{
    any::{self, Any},
    cell::Cell,
    ffi::{c_int, c_void},
    mem::ManuallyDrop,
    panic::{self, AssertUnwindSafe},
};

thread_local! {
    /// Why the last closure ended early; mlx-c's own error says only that it did.
    /// Without a destructor: thread-locals of the user's that are older than this one use tensors behind its end.
    static STOPPED: Cell<Option<ManuallyDrop<Stop>>> = const { Cell::new(None) };
}

/// Takes why the last closure ended early.
fn take_stopped() -> Option<Stop> {
    STOPPED.take().map(ManuallyDrop::into_inner)
}

/// Keeps why a closure ended early. What nobody asked for goes.
fn stopped(stop: Stop) {
    runtime::discard(STOPPED.replace(Some(ManuallyDrop::new(stop))).map(ManuallyDrop::into_inner));
}

/// Why a closure ended early.
pub(crate) enum Stop {
    /// With an error of the user's type, and that type's name.
    Failed(Box<dyn Any>, &'static str),
    Panicked(Box<dyn Any + Send>),
    /// Before it began: it takes more stack.
    Shallow,
}

impl Stop {
    pub(crate) fn failed<E: 'static>(error: E) -> Stop {
        Stop::Failed(Box::new(error), any::type_name::<E>())
    }

    /// The error as the caller's type, or the panic that goes on.
    fn into_error<E: From<Error> + 'static>(self, op: &'static str) -> E {
        match self {
            Stop::Panicked(payload) => panic::resume_unwind(payload),
            Stop::Shallow => E::from(Error::new(ErrorKind::Memory, op, "no stack for MLX's recursion")),
            Stop::Failed(error, name) => match error.downcast::<E>() {
                Ok(error) => *error,
                Err(error) => E::from(match error.downcast::<Error>() {
                    Ok(error) => *error,
                    Err(_) => Error::new(
                        ErrorKind::Mlx,
                        op,
                        format!("a function inside the transform failed with an error of type {name}"),
                    ),
                }),
            },
        }
    }
}

/// What MLX calls once, with tensors, for tensors.
pub(super) type Body<'a> = dyn FnMut(Vec<Tensor>) -> Result<Vec<Tensor>, Stop> + 'a;

/// The closure as MLX takes it, whose error is kept apart from its type.
pub(super) fn once<E: 'static>(
    f: impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, E>,
) -> impl FnMut(Vec<Tensor>) -> Result<Vec<Tensor>, Stop> {
    let mut f = Some(f);
    move |inputs| match f.take() {
        Some(f) => f(inputs).map_err(Stop::failed),
        None => Err(Stop::failed(Error::new(ErrorKind::Mlx, "transform", "MLX called a function twice"))),
    }
}

/// Runs a transform with a closure that MLX calls before it returns and then forgets.
///
/// # Errors
/// What the closure returned, as itself where it is an `E`; what MLX refuses.
pub(super) fn transform<T, E: From<Error> + 'static>(
    op: &'static str,
    body: &mut Body<'_>,
    work: impl FnOnce(&Guard, sys::mlx_closure) -> Result<T>,
) -> Result<T, E> {
    let mut body = body;
    calling(op, |guard| {
        let payload = (&raw mut body).cast::<c_void>();
        let closure =
            call!(sys::mlx_closure_new_func_payload, value Some(borrowed), value payload, value Some(keep));
        let result = work(guard, closure);
        call!(sys::mlx_closure_free, value closure);
        result
    })
}

/// Runs what may call closures, under the lock and with room for MLX's recursion.
pub(super) fn calling<T, E: From<Error> + 'static>(
    op: &'static str,
    work: impl FnOnce(&Guard) -> Result<T>,
) -> Result<T, E> {
    stack::run(|| attempt(work))?.map_err(|broken| broken.into_error(op))
}

/// [`calling`] for what calls closures once and then no more: on the stack that is there, unless a closure is called.
pub(super) fn calling_where_it_is<T, E: From<Error> + 'static>(
    op: &'static str,
    work: impl Fn(&Guard) -> Result<T>,
) -> Result<T, E> {
    match attempt(&work) {
        Err(Broken { stop: Some(Stop::Shallow), .. }) => calling(op, work),
        result => result.map_err(|broken| broken.into_error(op)),
    }
}

/// What MLX said, and why the closure behind it ended early, if one did.
struct Broken {
    error: Error,
    stop: Option<Stop>,
}

impl Broken {
    fn into_error<E: From<Error> + 'static>(self, op: &'static str) -> E {
        match self.stop {
            Some(stop) => stop.into_error(op),
            None => self.error.into(),
        }
    }
}

fn attempt<T>(work: impl FnOnce(&Guard) -> Result<T>) -> Result<T, Broken> {
    drop(take_stopped());
    let result = runtime::enter().and_then(|guard| work(&guard));
    result.map_err(|error| Broken { error, stop: take_stopped() })
}

/// Called by MLX with the lock held, before the function that `transform` was given returns.
unsafe extern "C" fn borrowed(
    out: *mut sys::mlx_vector_array,
    inputs: sys::mlx_vector_array,
    body: *mut c_void,
) -> c_int {
    // SAFETY: `transform` lends its `body` for as long as the closure lives, to nobody else.
    let body = unsafe { &mut **body.cast::<&mut Body<'_>>() };
    run(out, inputs, body)
}

/// The closure's work: outputs in their place and 0, or the reason why not kept and 1.
pub(super) fn run(
    out: *mut sys::mlx_vector_array,
    inputs: sys::mlx_vector_array,
    body: &mut Body<'_>,
) -> c_int {
    if !stack::is_here() {
        stopped(Stop::Shallow);
        return 1;
    }
    let inputs = Vector::read(inputs);
    let given = inputs.clone();
    let result = runtime::unlocked(|| panic::catch_unwind(AssertUnwindSafe(|| body(inputs))));
    let stop = match result {
        Ok(Ok(outputs)) => match refuse_deep(&given, &outputs) {
            None => return call!(sys::mlx_vector_array_set_data, value out, tensors (&outputs)),
            Some(error) => Stop::failed(error),
        },
        Ok(Err(stop)) => stop,
        Err(payload) => Stop::Panicked(payload),
    };
    stopped(stop);
    1
}

/// More nodes than MLX's recursion, which ends at the inputs, has stack for.
fn refuse_deep(inputs: &[Tensor], outputs: &[Tensor]) -> Option<Error> {
    let nodes = call!(sys::mlxr_graph_nodes, tensors inputs, tensors outputs, value(NODES + 1));
    stack::note(nodes);
    (nodes > NODES).then(|| {
        let message = format!(
            "the function's graph has more than {NODES} nodes, which MLX cannot walk: evaluate what does not depend \
             on its arguments before, or transform it in parts"
        );
        Error::new(ErrorKind::Memory, "transform", message)
    })
}

/// What was borrowed is not freed.
unsafe extern "C" fn keep(_body: *mut c_void) {}

/// The tensors of a vector that `fill` writes.
pub(super) fn vector(
    op: &'static str,
    guard: &Guard,
    fill: impl FnOnce(*mut sys::mlx_vector_array) -> c_int,
) -> Result<Vec<Tensor>> {
    let mut out = Vector::empty(guard);
    status::check(op, ErrorKind::Mlx, fill(out.place()))?;
    Ok(out.tensors())
}

/// The tensors of two vectors that `fill` writes.
pub(super) fn vectors(
    op: &'static str,
    guard: &Guard,
    fill: impl FnOnce(*mut sys::mlx_vector_array, *mut sys::mlx_vector_array) -> c_int,
) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let (mut first, mut second) = (Vector::empty(guard), Vector::empty(guard));
    status::check(op, ErrorKind::Mlx, fill(first.place(), second.place()))?;
    Ok((first.tensors(), second.tensors()))
}
