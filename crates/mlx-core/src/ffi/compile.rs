//! The library's own compiled functions: what Python decorates with `mx.compile(shapeless=True)`.
//!
//! Their contract, which the crates above keep: a plain function of tensors and constants, whose nodes depend on nothing
//! else and go elementwise, so that one trace serves every shape. Not here: transforms of users' closures.

use super::{
    call::{build_several, call, told},
    vector::Vector,
};
use crate::{Error, ErrorKind, Result, Tensor};
use mlx_link as sys;
use parking_lot::Mutex;
use std::{
    any::Any,
    cell::Cell,
    collections::HashMap,
    ffi::{c_int, c_void},
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicUsize, Ordering},
};

/// What is compiled: tensors and constants in, one tensor out.
pub type Pointwise = fn(&[Tensor], &[f64]) -> Result<Tensor>;

/// MLX identifies compiled functions by number, its own being addresses; ours are beyond them.
static NEXT_ID: AtomicUsize = AtomicUsize::new(1 << (usize::BITS - 1));

/// One a function and its constants, for as long as the process: traces are kept by MLX, each thread its own.
static COMPILED: Mutex<Option<HashMap<Key, Compiled>>> = Mutex::new(None);

type Key = (usize, Vec<u64>);

#[derive(Clone, Copy)]
struct Compiled(sys::mlx_closure);

// SAFETY: a closure that is never changed or freed, and applied under the library lock.
unsafe impl Send for Compiled {}

struct Recipe {
    function: Pointwise,
    constants: Vec<f64>,
}

/// Why a trace ended early; mlx-c's own error says only that it did.
enum Broken {
    Failed(Error),
    Panicked(Box<dyn Any + Send>),
}

thread_local! {
    static BROKEN: Cell<Option<Broken>> = const { Cell::new(None) };
}

/// `function(inputs, constants)`, traced once a dtype and fused as Python MLX fuses the function it decorates.
///
/// # Errors
/// What `function` returns, and what MLX refuses.
#[track_caller]
pub fn pointwise(
    op: &'static str,
    function: Pointwise,
    inputs: &[Tensor],
    constants: &[f64],
) -> Result<Tensor> {
    let build = || {
        let node = build_several(op, |out, _| match compiled(function, constants) {
            Some(closure) => call!(sys::mlx_closure_apply, value out, value closure.0, vector inputs),
            None => 1,
        });
        match BROKEN.take() {
            None => node.and_then(|mut found| {
                found.pop().ok_or_else(|| Error::new(ErrorKind::Mlx, op, "a compiled function gave nothing"))
            }),
            Some(Broken::Failed(error)) => Err(error),
            Some(Broken::Panicked(payload)) => panic::resume_unwind(payload),
        }
    };
    told(op, build, || inputs.iter().map(Into::into))
}

/// The closure of a function; `None` when mlx-c reported an error.
fn compiled(function: Pointwise, constants: &[f64]) -> Option<Compiled> {
    let key = (function as usize, constants.iter().map(|c| c.to_bits()).collect());
    let mut known = COMPILED.lock();
    let known = known.get_or_insert_default();
    if let Some(&compiled) = known.get(&key) {
        return Some(compiled);
    }
    let recipe = Box::leak(Box::new(Recipe { function, constants: constants.to_vec() }));
    let payload = std::ptr::from_mut(recipe).cast::<c_void>();
    let mut closure = sys::mlx_closure { ctx: std::ptr::null_mut() };
    let plain = call!(sys::mlx_closure_new_func_payload, value Some(trace), value payload, value Some(keep));
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    let status =
        call!(sys::mlx_detail_compile, out closure, value plain, value id, value true, list (&[0_u64; 0]));
    call!(sys::mlx_closure_free, value plain);
    (status == 0).then(|| *known.entry(key).or_insert(Compiled(closure)))
}

/// Called by MLX on the thread that applies the closure, which holds the library lock.
unsafe extern "C" fn trace(
    out: *mut sys::mlx_vector_array,
    inputs: sys::mlx_vector_array,
    recipe: *mut c_void,
) -> c_int {
    // SAFETY: the payload that `compiled` leaked; only shared references to it are made.
    let recipe = unsafe { &*recipe.cast::<Recipe>() };
    let work = || (recipe.function)(&Vector::read(inputs), &recipe.constants);
    let broken = match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(tensor)) => {
            return call!(sys::mlx_vector_array_set_data, value out, tensors (std::slice::from_ref(&tensor)));
        }
        Ok(Err(error)) => Broken::Failed(error),
        Err(payload) => Broken::Panicked(payload),
    };
    BROKEN.set(Some(broken));
    1
}

/// Nothing of a compiled function is ever freed.
unsafe extern "C" fn keep(_recipe: *mut c_void) {}
