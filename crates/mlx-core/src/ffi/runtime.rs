//! The library lock, and the threads: starting, attaching, the janitor, orderly exit.
//!
//! Not here: which devices and streams there are (`place`).

use super::{
    call::call,
    cpu,
    handle::Handle,
    lock::{Held, Lock},
    place::{self, Place},
    status,
};
use crate::{Device, Error, ErrorKind, MLX_VERSION, Result};
use mlx_link as sys;
use parking_lot::Mutex;
use std::{
    cell::Cell,
    ffi::c_int,
    mem::{self, ManuallyDrop},
    panic::{self, AssertUnwindSafe},
    sync::{OnceLock, mpsc},
    thread::{self, LocalKey},
};

/// Reentrant, since an op built inside another (a constant, a guard) takes it again.
static LOCK: Lock = Lock::new();
static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();

thread_local! {
    /// Where this thread's work goes, once it is attached.
    static ATTACHED: Cell<Option<&'static Place>> = const { Cell::new(None) };
    /// Whether this thread runs a callback of ours, where tensors can be dropped and not used.
    static FOREIGN: Cell<bool> = const { Cell::new(false) };
    /// Whether it is a thread of MLX's, which waits for it.
    static AWAITED: Cell<bool> = const { Cell::new(false) };
    /// Whether MLX's thread-locals of this thread are gone.
    static ENDED: Cell<bool> = const { Cell::new(false) };
    static ENDING: Ending = const { Ending };
}

/// Thread-locals are destroyed in reverse order of construction. This one is built right behind MLX's (its streams, its
/// traces of compiled functions), so it goes right before them; thread-locals of the user's that are older outlive both.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        ATTACHED.set(None);
        ENDED.set(true);
        // Traces of compiled functions hold tensors that other threads may have, too.
        let _lock = LOCK.lock();
        call!(sys::mlxr_compile_forget_all);
    }
}

/// What a thread could not do itself.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// What one process has one of.
struct Runtime {
    /// On the default device: where ops are computed unless a scope says otherwise.
    default: &'static Place,
    /// On the CPU, the same one where that is the default device: where files are read.
    cpu: &'static Place,
    janitor: Mutex<mpsc::Sender<Job>>,
}

/// Proof that this thread holds the library lock and is attached to the library's streams.
pub(crate) struct Guard {
    place: &'static Place,
    _lock: Held,
}

impl Guard {
    pub(super) fn stream(&self) -> sys::mlx_stream {
        self.place.stream()
    }

    pub(super) fn cpu_stream(&self) -> sys::mlx_stream {
        match (self.place.device() == Device::cpu(), RUNTIME.get()) {
            (false, Some(Ok(runtime))) => runtime.cpu.stream(),
            _ => self.place.stream(),
        }
    }

    /// Where this thread's work goes.
    pub(super) fn place(&self) -> &'static Place {
        self.place
    }
}

/// Takes the lock. The first call of the process starts MLX, the first of a thread attaches it.
#[inline]
pub(crate) fn enter() -> Result<Guard> {
    let place = match ATTACHED.get() {
        Some(place) => place,
        None => attach()?,
    };
    let lock = LOCK.lock();
    place.make_default();
    Ok(Guard { place, _lock: lock })
}

/// Runs a closure of the user's that MLX called, without the lock that this thread holds: other threads may go on.
pub(super) fn unlocked<T>(work: impl FnOnce() -> T) -> T {
    struct TakeBack(u32);
    impl Drop for TakeBack {
        fn drop(&mut self) {
            LOCK.take_back(self.0);
            if let Some(place) = ATTACHED.get() {
                place.make_default();
            }
        }
    }
    let _take_back = TakeBack(LOCK.give_up());
    work()
}

/// Sends this thread's work to `place`, and gives back where it went.
pub(super) fn redirect(guard: &Guard, place: &'static Place) -> &'static Place {
    ATTACHED.set(Some(place));
    guard.place
}

fn start() -> Result<Runtime, String> {
    status::install_handler();
    // SAFETY: called once, before anything else of MLX, and ended on the same thread; the handler is a plain function.
    unsafe {
        let started = begun(sys::mlxr_start_begin()).and_then(|()| start_mlx());
        sys::mlxr_start_end(Some(lock_for_good), Some(is_callback));
        started
    }
}

fn start_mlx() -> Result<Runtime, String> {
    let janitor = start_janitor()?;
    let _lock = LOCK.lock();
    begun(call!(sys::mlxr_start_statics))?;
    check_version()?;
    let (default, cpu) = place::first()?;
    cpu::begin(cpu.stream())?;
    Ok(Runtime { default, cpu, janitor: Mutex::new(janitor) })
}

fn begun(status: c_int) -> Result<(), String> {
    status::check("mlx", ErrorKind::Setup, status).map_err(|e| e.message().to_owned())
}

fn check_version() -> Result<(), String> {
    let found = status::string("mlx", |out| call!(sys::mlx_version, value out))
        .map_err(|e| e.message().to_owned())?;
    if found == MLX_VERSION {
        return Ok(());
    }
    Err(format!(
        "the MLX library that was loaded is version {found}, and this program was built for {MLX_VERSION}"
    ))
}

/// The name of the CPU mode in force; OpenBLAS is loaded for the answer.
pub(crate) fn cpu_mode() -> Result<String> {
    drop(enter()?);
    status::string("cpu_mode", |out| call!(sys::mlxr_cpu_mode, value out))
}

/// The file of the BLAS in force.
pub(crate) fn blas_library() -> Result<String> {
    drop(enter()?);
    status::string("cpu_mode", |out| call!(sys::mlxr_blas_library, value out))
}

/// Makes our streams the default ones of this thread: gradients, random keys and imports use those.
#[cold]
fn attach() -> Result<&'static Place> {
    let runtime = match RUNTIME.get_or_init(start) {
        Ok(runtime) => runtime,
        Err(text) => return Err(Error::new(ErrorKind::Setup, "mlx", text.clone())),
    };
    if FOREIGN.get() {
        return Err(Error::new(
            ErrorKind::Setup,
            "mlx",
            "tensors cannot be used inside a callback from MLX's threads",
        ));
    }
    if ENDED.get() {
        let message = "this thread is ending: tensors can be dropped and no longer be used";
        return Err(Error::new(ErrorKind::Setup, "mlx", message));
    }
    let _lock = LOCK.lock();
    runtime.cpu.adopt()?;
    runtime.default.adopt()?;
    // Once a thread, after its default streams are set.
    call!(sys::mlxr_thread_guard);
    ENDING.with(|_| ());
    ATTACHED.set(Some(runtime.default));
    Ok(runtime.default)
}

/// A thread that lives for ever. It is the first to touch MLX's scheduler: MLX calls that thread its main one and
/// loses count of tasks there when one fails, so it must never evaluate. It drops what other threads could not.
fn start_janitor() -> Result<mpsc::Sender<Job>, String> {
    let (sender, queue) = mpsc::channel::<Job>();
    let (ready, started) = mpsc::channel();
    let work = move || {
        let touched = begun(call!(sys::mlxr_start_scheduler));
        let _ = ready.send(touched);
        for job in queue {
            job();
        }
    };
    let spawned = thread::Builder::new().name("mlx-janitor".into()).stack_size(256 << 10).spawn(work);
    spawned.map_err(|e| format!("the library's janitor thread did not start: {e}"))?;
    started.recv().map_err(|e| format!("the library's janitor thread ended: {e}"))??;
    Ok(sender)
}

/// Called at process exit: from here on no thread builds, schedules or drops anything.
extern "C" fn lock_for_good() {
    mem::forget(LOCK.lock());
}

/// Asked at process exit, too: whether this is a thread of MLX's inside a callback of ours.
extern "C" fn is_callback() -> bool {
    AWAITED.get()
}

/// Frees a handle with the lock held, now or soon.
pub(super) fn release(raw: sys::mlx_array) {
    if let Some(_lock) = LOCK.try_lock() {
        call!(sys::mlx_array_free, value raw);
    } else if let Some(handle) = Handle::from_raw(raw) {
        // On its way the handle cannot drop by itself: that would come here again.
        let handle = ManuallyDrop::new(handle);
        eventually(move || call!(sys::mlx_array_free, value handle.raw()));
    }
}

/// Runs `work` with the lock held. On a thread of MLX's own, where waiting for the lock can deadlock with a thread that
/// waits for MLX under it, the janitor does so.
pub(super) fn eventually<T>(work: impl FnOnce() -> T + Send + 'static) {
    if !FOREIGN.try_with(Cell::get).unwrap_or(false) {
        let _lock = LOCK.lock();
        work();
    } else if let Some(_lock) = LOCK.try_lock() {
        work();
    } else {
        to_janitor(Box::new(move || {
            let _lock = LOCK.lock();
            work();
        }));
    }
}

fn to_janitor(job: Job) {
    if let Some(Ok(runtime)) = RUNTIME.get() {
        // The janitor outlives every sender; were it gone, leaking is the safe end.
        let _ = runtime.janitor.lock().send(job).map_err(|lost| mem::forget(lost.0));
    }
}

/// Drops what the caller gave, on a thread that MLX called or that holds the lock: soon, and without the lock, since a
/// destructor may wait for a thread that computes. On a thread of MLX's that would wait for this one, so the janitor does it.
pub(super) fn discard_soon<T: Send + 'static>(value: T) {
    let job: Job = Box::new(move || discard(value));
    if LOCK.is_mine() {
        LOCK.leave(job);
    } else {
        to_janitor(job);
    }
}

/// Runs what was left until the lock was given back.
#[cold]
pub(super) fn run_left(take: impl Fn() -> Vec<Job>) {
    thread_local! {
        /// Jobs leave jobs: those go in turn and not one inside the other.
        static RUNNING: Cell<bool> = const { Cell::new(false) };
    }
    if RUNNING.get() {
        return;
    }
    RUNNING.set(true);
    loop {
        let jobs = take();
        if jobs.is_empty() {
            break;
        }
        for job in jobs {
            if AWAITED.get() { to_janitor(job) } else { job() }
        }
    }
    RUNNING.set(false);
}

/// Drops what the caller gave. It may panic as it drops, and so may its panic's payload: nobody is there to tell.
pub(super) fn discard<T>(value: T) {
    with(&FOREIGN, || {
        if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| drop(value)))
            && let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload)))
        {
            mem::forget(again);
        }
    });
}

/// Runs a callback of ours on a thread of MLX's: it may drop tensors and may not use them.
pub(super) fn foreign<T>(callback: impl FnOnce() -> T) -> T {
    with(&AWAITED, || with(&FOREIGN, callback))
}

/// Runs `work` with a flag of this thread's set.
fn with<T>(flag: &'static LocalKey<Cell<bool>>, work: impl FnOnce() -> T) -> T {
    struct Restore(&'static LocalKey<Cell<bool>>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(flag, flag.replace(true));
    work()
}
