//! Compiled functions: a trace a thread and signature, kept by MLX under an id of ours until the function is dropped.
//!
//! MLX's own ids are addresses of functions, and a freed one's traces stay in other threads' caches: they would answer for
//! the next function at that address. So ids count up, and dropping a function erases its traces in every thread that
//! made one. Not here: trees of tensors, state (`crate::transforms`).

use super::{
    build::told,
    call::call,
    closure::{self, Stop},
    runtime, status,
    vector::Vector,
    view,
};
use crate::{Error, ErrorKind, OperandRef, Result, Scalar, Tensor, guard, transforms::CompileMode};
use mlx_link as sys;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{c_int, c_void},
    mem::ManuallyDrop,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, ThreadId},
};

/// MLX's own ids are addresses; ours are beyond them.
static NEXT_ID: AtomicUsize = AtomicUsize::new(1 << (usize::BITS - 1));

thread_local! {
    /// The functions that this thread is tracing.
    /// Without a destructor, since thread-locals of the user's use tensors behind the end of younger ones.
    static TRACING: RefCell<ManuallyDrop<Vec<Tracing>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// A function that is being traced. MLX's cache does not bear one that calls itself meanwhile.
struct Tracing {
    id: usize,
    shapeless: bool,
}

/// Lives as long as the function runs.
struct Traces;

impl Tracing {
    fn begin(self) -> Traces {
        TRACING.with_borrow_mut(|all| all.push(self));
        Traces
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        TRACING.with_borrow_mut(|all| {
            all.pop();
            if all.is_empty() {
                **all = Vec::new();
            }
        });
    }
}

/// Runs a function that is traced for a file, for every shape at once or one.
pub(super) fn tracing<T>(shapeless: bool, work: impl FnOnce() -> T) -> T {
    // No compiled function has the id 0.
    let _tracing = Tracing { id: 0, shapeless }.begin();
    work()
}

/// A function that can be traced.
pub(crate) trait Traceable {
    /// Its outputs, and a number that comes back whenever the trace is used. No trace is made where MLX calls it in the
    /// caller's stead (`direct`): inside another transform, or with its compiler disabled.
    fn trace(&self, inputs: Vec<Tensor>, direct: bool) -> Result<(Vec<Tensor>, usize), Stop>;
}

/// How a function is compiled.
#[derive(Clone, Copy, Default)]
pub(crate) struct How {
    /// One trace for every shape, which the function must bear.
    pub(crate) shapeless: bool,
    /// Constants stay out of fused kernels.
    pub(crate) lift_constants: bool,
}

/// What traces are kept under, and where there are some.
pub(crate) struct Id {
    number: usize,
    caches: Mutex<Vec<(ThreadId, Cache)>>,
}

/// A thread's cache, which may be gone with its thread.
struct Cache(sys::mlx_compile_cache);

// SAFETY: a weak pointer behind a handle; what it points to is only touched under the library lock.
unsafe impl Send for Cache {}

impl Id {
    pub(crate) fn new() -> Id {
        Id { number: NEXT_ID.fetch_add(1, Ordering::Relaxed), caches: Mutex::new(Vec::new()) }
    }

    /// Notes that this thread's cache gets a trace; the lock is held.
    fn note_thread(&self) {
        let me = thread::current().id();
        let mut caches = self.caches.lock();
        if caches.iter().all(|(thread, _)| *thread != me) {
            let mut cache = sys::mlx_compile_cache { ctx: std::ptr::null_mut() };
            if call!(sys::mlx_detail_compile_cache, out cache) == 0 {
                caches.push((me, Cache(cache)));
            }
        }
    }
}

impl Drop for Id {
    fn drop(&mut self) {
        let (number, caches) = (self.number, std::mem::take(self.caches.get_mut()));
        if caches.is_empty() {
            return;
        }
        runtime::eventually(move || {
            for (_, Cache(cache)) in caches {
                call!(sys::mlx_detail_compile_erase, value cache, value number);
                call!(sys::mlx_compile_cache_free, value cache);
            }
        });
    }
}

/// A function as MLX compiles it.
pub(crate) struct Traced<T> {
    raw: Raw,
    /// In place for as long as `raw` lives, which points to it.
    traced: Box<Payload<T>>,
}

struct Payload<T> {
    id: Arc<Id>,
    shapeless: bool,
    /// Whether traces take their inputs for tensors in order.
    orderly: AtomicBool,
    function: T,
}

struct Raw(sys::mlxr_compiled);

// SAFETY: a function object that is never changed, called under the library lock.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Drop for Raw {
    fn drop(&mut self) {
        call!(sys::mlxr_compiled_free, value self.0);
    }
}

impl<T: Traceable> Traced<T> {
    pub(crate) fn function(&self) -> &T {
        &self.traced.function
    }

    /// `constants` tell this function's traces from those of others with the same id.
    pub(crate) fn new(id: &Arc<Id>, how: How, constants: &[u64], function: T) -> Result<Traced<T>> {
        drop(runtime::enter()?);
        let traced = Box::new(Payload {
            id: Arc::clone(id),
            shapeless: how.shapeless,
            orderly: AtomicBool::new(false),
            function,
        });
        let payload = (&raw const *traced).cast_mut().cast::<c_void>();
        let mut raw = sys::mlxr_compiled { ctx: std::ptr::null_mut() };
        let status = call!(
            sys::mlxr_compiled_new,
            out raw, value Some(trace::<T>), value payload, value id.number, value how.shapeless,
            value how.lift_constants, list constants
        );
        status::check("compile", ErrorKind::Mlx, status)?;
        Ok(Traced { raw: Raw(raw), traced })
    }

    /// What the function gives for `inputs`, and the number of the trace that gave it.
    pub(crate) fn apply<E: From<Error> + 'static>(
        &self,
        op: &'static str,
        inputs: &[&Tensor],
    ) -> Result<(Vec<Tensor>, usize), E> {
        let id = self.traced.id.number;
        if TRACING.with_borrow(|tracing| tracing.iter().any(|one| one.id == id)) {
            let message = "a compiled function called itself while it was traced";
            return Err(Error::new(ErrorKind::Value, op, message).into());
        }
        let was_orderly = self.traced.orderly.load(Ordering::Relaxed);
        let result = if was_orderly { self.with_orderly(op, inputs) } else { self.with(op, inputs) };
        // The trace that was just made takes its inputs for what they may not be.
        if !was_orderly && self.traced.orderly.load(Ordering::Relaxed) && result.is_ok() {
            return self.with_orderly(op, inputs);
        }
        result
    }

    fn with_orderly<E: From<Error> + 'static>(
        &self,
        op: &'static str,
        inputs: &[&Tensor],
    ) -> Result<(Vec<Tensor>, usize), E> {
        let inputs: Vec<Tensor> =
            inputs.iter().map(|x| Ok(guard::orderly(x)?.into_owned())).collect::<Result<_>>()?;
        self.with(op, &inputs.iter().collect::<Vec<_>>())
    }

    fn with<E: From<Error> + 'static>(
        &self,
        op: &'static str,
        inputs: &[&Tensor],
    ) -> Result<(Vec<Tensor>, usize), E> {
        let inputs: SmallVec<[sys::mlx_array; 16]> = inputs.iter().map(|x| x.0.raw()).collect();
        closure::calling_where_it_is(op, |guard| {
            let (mut out, mut number) = (Vector::empty(guard), 0);
            let place = out.place();
            let status =
                call!(sys::mlxr_compiled_apply, value place, out number, value self.raw.0, list inputs);
            status::check(op, ErrorKind::Mlx, status)?;
            Ok((out.tensors(), number))
        })
    }
}

/// Called by MLX on the thread that applies the function, which holds the library lock.
unsafe extern "C" fn trace<T: Traceable>(
    out: *mut sys::mlx_vector_array,
    number: *mut usize,
    inputs: sys::mlx_vector_array,
    direct: bool,
    traced: *mut c_void,
) -> c_int {
    // SAFETY: the payload of `Traced::new`, which lives as long as the compiled function and is only read; the place of
    // the number is the caller's own.
    let (traced, number) = unsafe { (&*traced.cast::<Payload<T>>(), &mut *number) };
    let _tracing = (!direct).then(|| {
        traced.id.note_thread();
        Tracing { id: traced.id.number, shapeless: traced.shapeless }.begin()
    });
    let (status, met_placeholder) = view::meets_placeholder(|| {
        closure::run(out, inputs, &mut |inputs| {
            let (outputs, given) = traced.function.trace(inputs, direct)?;
            *number = given;
            Ok(outputs)
        })
    });
    match (met_placeholder, direct) {
        (false, _) => {}
        (true, true) => view::note_placeholder(),
        (true, false) => traced.orderly.store(true, Ordering::Relaxed),
    }
    status
}

/// Whether this thread is tracing a function for every shape at once.
pub(crate) fn is_tracing_shapeless() -> bool {
    TRACING.with_borrow(|tracing| tracing.iter().any(|one| one.shapeless))
}

/// Sets how MLX compiles, in the whole process.
pub(crate) fn set_mode(mode: CompileMode) -> Result<()> {
    let _guard = runtime::enter()?;
    let mode = match mode {
        CompileMode::Disabled => sys::mlx_compile_mode__MLX_COMPILE_MODE_DISABLED,
        CompileMode::NoSimplify => sys::mlx_compile_mode__MLX_COMPILE_MODE_NO_SIMPLIFY,
        CompileMode::NoFuse => sys::mlx_compile_mode__MLX_COMPILE_MODE_NO_FUSE,
        CompileMode::Enabled => sys::mlx_compile_mode__MLX_COMPILE_MODE_ENABLED,
    };
    status::check("set_compile_mode", ErrorKind::Mlx, call!(sys::mlx_set_compile_mode, value mode))
}

/// What the library itself compiles: a tensor and parameters in, one tensor out.
pub type Pointwise = fn(&Tensor, &[OperandRef<'_>]) -> Result<Tensor>;

struct Recipe {
    function: Pointwise,
    /// The scalars among the parameters; a tensor's place is empty.
    scalars: Vec<Option<Scalar>>,
}

impl Traceable for Recipe {
    fn trace(&self, inputs: Vec<Tensor>, _direct: bool) -> Result<(Vec<Tensor>, usize), Stop> {
        let lost =
            || Stop::failed(Error::new(ErrorKind::Mlx, "compile", "a compiled function lost an input"));
        let (x, mut tensors) = inputs.split_first().map(|(x, rest)| (x, rest.iter())).ok_or_else(lost)?;
        let parameter = |scalar: &Option<Scalar>| match scalar {
            Some(scalar) => Ok(OperandRef::Scalar(*scalar)),
            None => tensors.next().map(OperandRef::Tensor).ok_or_else(lost),
        };
        let parameters = self.scalars.iter().map(parameter).collect::<Result<SmallVec<[_; 4]>, Stop>>()?;
        let output = (self.function)(x, &parameters).map_err(Stop::failed)?;
        Ok((vec![output], 0))
    }
}

/// One a function and the scalars it got, for as long as the process.
static COMPILED: Mutex<Option<HashMap<Key, &'static Traced<Recipe>>>> = Mutex::new(None);

/// The function's address; for each parameter its kind, and the scalar's bits.
type Key = (usize, SmallVec<[(u8, u64); 2]>);

/// `function(x, parameters)`, traced once a dtype and fused as Python MLX fuses the function it decorates with
/// `mx.compile(shapeless=True)`: tensors are inputs, scalars are constants of the trace.
///
/// For the crates of this workspace, which keep its contract: a plain function of its arguments, whose nodes depend on
/// nothing else and bear every shape, so that one trace serves them all.
///
/// # Errors
/// What `function` returns, and what MLX refuses; a complex scalar, which is no constant to Python's `mx.compile`.
#[track_caller]
pub fn pointwise(
    op: &'static str,
    function: Pointwise,
    x: &Tensor,
    parameters: &[OperandRef<'_>],
) -> Result<Tensor> {
    let build = || {
        let mut tensors: SmallVec<[&Tensor; 4]> = SmallVec::new();
        tensors.push(x);
        tensors.extend(parameters.iter().filter_map(|parameter| match parameter {
            OperandRef::Tensor(tensor) => Some(*tensor),
            OperandRef::Scalar(_) => None,
        }));
        // A trace that another call made reads past a tensor's end; the ops themselves refuse it.
        if !broadcast(&tensors) {
            return function(x, parameters);
        }
        let (mut outputs, _) = compiled(op, function, parameters)?.apply::<Error>(op, &tensors)?;
        outputs.pop().ok_or_else(|| Error::new(ErrorKind::Mlx, op, "a compiled function gave nothing"))
    };
    told(op, build, || std::iter::once(x.into()).chain(parameters.iter().copied()))
}

/// Whether all shapes broadcast to one.
fn broadcast(tensors: &[&Tensor]) -> bool {
    let most = tensors.iter().map(|tensor| tensor.ndim()).max().unwrap_or(0);
    (1..=most).all(|from_end| {
        let sizes = tensors.iter().filter_map(|tensor| tensor.shape().iter().rev().nth(from_end - 1));
        let mut wide = sizes.filter(|&&size| size != 1);
        let first = wide.next();
        wide.all(|size| Some(size) == first)
    })
}

fn compiled(
    op: &'static str,
    function: Pointwise,
    parameters: &[OperandRef<'_>],
) -> Result<&'static Traced<Recipe>> {
    let part = |parameter: &OperandRef<'_>| match *parameter {
        OperandRef::Tensor(_) => Ok((0, 0)),
        OperandRef::Scalar(Scalar::Bool(value)) => Ok((1, value.into())),
        OperandRef::Scalar(Scalar::Int(value)) => Ok((2, value.cast_unsigned())),
        OperandRef::Scalar(Scalar::Float(value)) => Ok((3, value.to_bits())),
        OperandRef::Scalar(Scalar::Complex(_)) => {
            let message = "[compile] Function arguments must be trees of arrays or constants (floats, ints, strings, \
                           or None), but received type complex.";
            Err(Error::new(ErrorKind::Value, op, message))
        }
        OperandRef::Scalar(Scalar::IntOutOfRange) => Err(Error::new(ErrorKind::Value, op, "std::bad_cast")),
    };
    let key = (function as usize, parameters.iter().map(part).collect::<Result<_>>()?);
    let mut known = COMPILED.lock();
    let known = known.get_or_insert_default();
    if let Some(traced) = known.get(&key) {
        return Ok(traced);
    }
    let how = How { shapeless: true, ..How::default() };
    let scalar = |parameter: &OperandRef<'_>| match *parameter {
        OperandRef::Tensor(_) => None,
        OperandRef::Scalar(scalar) => Some(scalar),
    };
    let recipe = Recipe { function, scalars: parameters.iter().map(scalar).collect() };
    let traced = Box::leak(Box::new(Traced::new(&Arc::new(Id::new()), how, &[], recipe)?));
    Ok(known.entry(key).or_insert(traced))
}
