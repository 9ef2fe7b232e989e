//! The library lock, the process-wide stream, and the threads: attaching, the janitor, orderly exit.

use super::{
    handle::Handle,
    lock::{Held, Lock},
    status,
};
use crate::{Error, ErrorKind, MLX_VERSION, Result};
use mlx_link as sys;
use parking_lot::Mutex;
use std::{
    cell::Cell,
    sync::{OnceLock, mpsc},
    thread,
};

/// Reentrant, since an op built inside another (a constant, a guard) takes it again.
static LOCK: Lock = Lock::new();
static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();

thread_local! {
    /// The runtime, on a thread that is attached to it.
    static ATTACHED: Cell<Option<&'static Runtime>> = const { Cell::new(None) };
    static FOREIGN: Cell<bool> = const { Cell::new(false) };
}

/// What one process has one of.
struct Runtime {
    /// Of the default device: where ops are computed.
    stream: sys::mlx_stream,
    /// Of the CPU, the same one where that is the default device: where files are read.
    cpu_stream: sys::mlx_stream,
    janitor: Mutex<mpsc::Sender<Handle>>,
}

// SAFETY: a stream handle is an immutable index and device; MLX made these streams for use from any thread, and
// every use of them happens under the lock.
unsafe impl Send for Runtime {}
// SAFETY: as above.
unsafe impl Sync for Runtime {}

/// Proof that this thread holds the library lock and is attached to the process-wide stream.
pub(crate) struct Guard {
    runtime: &'static Runtime,
    _lock: Held,
}

impl Guard {
    pub(super) fn stream(&self) -> sys::mlx_stream {
        self.runtime.stream
    }

    /// Both, the CPU's last; often one and the same.
    pub(super) fn streams(&self) -> [sys::mlx_stream; 2] {
        [self.runtime.stream, self.runtime.cpu_stream]
    }

    pub(super) fn cpu_stream(&self) -> sys::mlx_stream {
        self.runtime.cpu_stream
    }
}

/// Takes the lock. The first call of the process starts MLX, the first of a thread attaches it.
#[inline]
pub(crate) fn enter() -> Result<Guard> {
    let runtime = match ATTACHED.get() {
        Some(runtime) => runtime,
        None => attach()?,
    };
    Ok(Guard { runtime, _lock: LOCK.lock() })
}

fn start() -> Result<Runtime, String> {
    status::install_handler();
    // SAFETY: called once, before anything else of MLX, and ended on the same thread; the handler is a plain function.
    unsafe {
        let begun = status::check("mlx", ErrorKind::Setup, sys::mlxr_start_begin());
        let started = begun.map_err(|e| e.message().to_owned()).and_then(|()| start_mlx());
        sys::mlxr_start_end(Some(lock_for_good));
        started
    }
}

fn start_mlx() -> Result<Runtime, String> {
    let (stream, cpu_stream) = {
        let _lock = LOCK.lock();
        check_version()?;
        new_streams()
    };
    if stream.ctx.is_null() || cpu_stream.ctx.is_null() {
        return Err(status::failure("mlx", ErrorKind::Setup).message().to_owned());
    }
    let janitor = start_janitor(stream)?;
    Ok(Runtime { stream, cpu_stream, janitor: Mutex::new(janitor) })
}

/// The first stream of the process for the default device, and one for the CPU.
fn new_streams() -> (sys::mlx_stream, sys::mlx_stream) {
    // SAFETY: plain calls with handles made here; the devices are freed exactly once.
    unsafe {
        let (mut device, cpu) =
            (sys::mlx_device_new(), sys::mlx_device_new_type(sys::mlx_device_type__MLX_CPU, 0));
        sys::mlx_get_default_device(&raw mut device);
        let stream = sys::mlx_stream_new_thread_unsafe(device);
        let on_cpu = sys::mlx_device_equal(device, cpu);
        let cpu_stream = if on_cpu { stream } else { sys::mlx_stream_new_thread_unsafe(cpu) };
        sys::mlx_device_free(device);
        sys::mlx_device_free(cpu);
        (stream, cpu_stream)
    }
}

fn check_version() -> Result<(), String> {
    let found = status::told("mlx", sys::mlx_version).map_err(|e| e.message().to_owned())?;
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
    status::told("cpu_mode", sys::mlxr_cpu_mode)
}

/// The file of the BLAS in force.
pub(crate) fn blas_library() -> Result<String> {
    drop(enter()?);
    status::told("cpu_mode", sys::mlxr_blas_library)
}

/// Makes our streams the default ones of this thread: gradients, random keys and imports use those.
#[cold]
fn attach() -> Result<&'static Runtime> {
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
    let _lock = LOCK.lock();
    // SAFETY: the stream is never freed; the thread guard is called once a thread, after its default stream is set,
    // as its contract asks.
    let status = unsafe {
        // The default stream of each device; the order does not matter.
        let status =
            sys::mlx_set_default_stream(runtime.cpu_stream) | sys::mlx_set_default_stream(runtime.stream);
        sys::mlxr_thread_guard();
        status
    };
    status::check("mlx", ErrorKind::Setup, status)?;
    ATTACHED.set(Some(runtime));
    Ok(runtime)
}

struct SendStream(sys::mlx_stream);
// SAFETY: see `Runtime`.
unsafe impl Send for SendStream {}

/// A thread that lives for ever. It is the first to touch MLX's scheduler: MLX calls that thread its main one and
/// loses count of tasks there when one fails, so it must never evaluate. It drops what other threads could not.
fn start_janitor(stream: sys::mlx_stream) -> Result<mpsc::Sender<Handle>, String> {
    let (sender, queue) = mpsc::channel::<Handle>();
    let (ready, started) = mpsc::channel();
    let stream = SendStream(stream);
    let work = move || {
        let stream = stream;
        // SAFETY: a stream handle that is never freed.
        unsafe { sys::mlx_synchronize(stream.0) };
        let _ = ready.send(());
        queue.into_iter().for_each(drop);
    };
    let spawned = thread::Builder::new().name("mlx-janitor".into()).stack_size(256 << 10).spawn(work);
    spawned.map_err(|e| format!("the library's janitor thread did not start: {e}"))?;
    started.recv().map_err(|e| format!("the library's janitor thread ended: {e}"))?;
    Ok(sender)
}

/// Called at process exit: from here on no thread builds, schedules or drops anything.
extern "C" fn lock_for_good() {
    std::mem::forget(LOCK.lock());
}

/// Runs `work` with the lock held, for a handle that is being dropped. On a thread of MLX's own, where waiting for
/// the lock can deadlock with a thread that waits for MLX under it, the handle goes to the janitor instead.
pub(super) fn release(raw: sys::mlx_array) {
    let free = |raw| {
        // SAFETY: the caller gives up the only use of this handle, and the lock is held.
        unsafe { sys::mlx_array_free(raw) };
    };
    if let Some(_lock) = LOCK.try_lock() {
        free(raw);
    } else if FOREIGN.try_with(Cell::get).unwrap_or(false) {
        if let (Some(Ok(runtime)), Some(handle)) = (RUNTIME.get(), Handle::from_raw(raw)) {
            // The janitor outlives every sender; were it gone, leaking is the safe end.
            let _ = runtime.janitor.lock().send(handle).map_err(|lost| std::mem::forget(lost.0));
        }
    } else {
        let _lock = LOCK.lock();
        free(raw);
    }
}

/// Runs a callback of ours on a thread of MLX's: it may drop tensors and may not use them.
pub(super) fn foreign<T>(callback: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            FOREIGN.set(self.0);
        }
    }
    let _restore = Restore(FOREIGN.replace(true));
    callback()
}
