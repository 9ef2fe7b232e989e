//! Where work goes: a stream of ours and its device; all that were made, and the scopes that choose one.

use super::{
    call::call,
    runtime::{self, Guard},
    status,
};
use crate::{Device, DeviceKind, ErrorKind, Result};
use mlx_link as sys;
use parking_lot::Mutex;
use std::{
    marker::PhantomData,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

/// A stream, which lives as long as the process: MLX never gives one back.
pub(crate) struct Place {
    stream: sys::mlx_stream,
    device: Device,
    /// The device as `MLX_DEFAULT` has it, which every node asks for.
    code: u32,
}

// SAFETY: a stream handle is an immutable index and device; MLX made these streams for use from any thread, and every use
// of them happens under the lock.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

/// Every place, in the order they were made; the first of a device is the library's own for it.
static PLACES: Mutex<Vec<&'static Place>> = Mutex::new(Vec::new());

/// The device that MLX takes for its default one, which is the process's and not a thread's; changes under the lock.
static MLX_DEFAULT: AtomicU32 = AtomicU32::new(0);

/// Whether there is a GPU: most processes need not look further.
static HAS_GPU: AtomicBool = AtomicBool::new(false);

fn code(device: Device) -> u32 {
    (device.index() as u32) << 1 | u32::from(device.kind() == DeviceKind::Gpu)
}

impl Place {
    /// A new stream on `device`; the lock is held.
    fn new(device: Device) -> Result<&'static Place> {
        let mut stream = sys::mlx_stream { ctx: std::ptr::null_mut() };
        let (gpu, index) = (device.kind() == DeviceKind::Gpu, device.index());
        let status = call!(sys::mlxr_stream_new, out stream, value gpu, value index);
        status::check("device", ErrorKind::Setup, status)?;
        let place: &'static Place = Box::leak(Box::new(Place { stream, device, code: code(device) }));
        PLACES.lock().push(place);
        Ok(place)
    }

    pub(super) fn stream(&self) -> sys::mlx_stream {
        self.stream
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Makes the device MLX's default one, for what asks MLX and not us: gradients, random keys.
    #[inline]
    pub(super) fn make_default(&self) {
        if MLX_DEFAULT.load(Ordering::Relaxed) != self.code {
            self.replace_default();
        }
    }

    #[cold]
    fn replace_default(&self) {
        call!(sys::mlxr_device_use, value(self.code & 1 == 1), value(self.device.index()));
        MLX_DEFAULT.store(self.code, Ordering::Relaxed);
    }

    /// Makes the stream a new thread's default one of its device. To ask for the one before would make one.
    pub(super) fn adopt(&self) -> Result<()> {
        status::check("stream", ErrorKind::Setup, call!(sys::mlx_set_default_stream, value self.stream))
    }

    /// Makes the stream this thread's default one of its device; the number of the one before.
    fn enter(&self) -> Result<i32> {
        let mut previous = 0;
        let status = call!(sys::mlxr_stream_enter, out previous, value self.stream);
        status::check("stream", ErrorKind::Setup, status).map(|()| previous)
    }
}

/// The library's streams for the default device and for the CPU, which may be one. They are the process's first.
pub(super) fn first() -> Result<(&'static Place, &'static Place), String> {
    let make = |device| Place::new(device).map_err(|e| e.message().to_owned());
    let gpus = count(DeviceKind::Gpu).map_err(|e| e.message().to_owned())?;
    MLX_DEFAULT.store(code(if gpus > 0 { Device::gpu() } else { Device::cpu() }), Ordering::Relaxed);
    if gpus > 0 {
        HAS_GPU.store(true, Ordering::Relaxed);
        return Ok((make(Device::gpu())?, make(Device::cpu())?));
    }
    let cpu = make(Device::cpu())?;
    Ok((cpu, cpu))
}

fn count(kind: DeviceKind) -> Result<i32> {
    let mut count = 0;
    let status = call!(sys::mlxr_device_count, out count, value (kind == DeviceKind::Gpu));
    status::check("device", ErrorKind::Setup, status).map(|()| count)
}

/// How many devices of a kind there are.
pub(crate) fn device_count(kind: DeviceKind) -> Result<i32> {
    let _guard = runtime::enter()?;
    count(kind)
}

/// What MLX tells of a device: keys and values.
pub(crate) fn device_info(device: Device) -> Result<Vec<(String, String)>> {
    let _guard = runtime::enter()?;
    let (gpu, index) = (device.kind() == DeviceKind::Gpu, device.index());
    let text =
        status::string("device_info", |out| call!(sys::mlxr_device_info, value out, value gpu, value index))?;
    Ok(text.lines().filter_map(|line| line.split_once('\t')).map(|(k, v)| (k.into(), v.into())).collect())
}

/// A stream of its own.
pub(crate) fn new_stream(device: Device) -> Result<&'static Place> {
    let _guard = runtime::enter()?;
    Place::new(device)
}

/// The library's stream for `device`.
pub(crate) fn standard(device: Device) -> Result<&'static Place> {
    let _guard = runtime::enter()?;
    let found = PLACES.lock().iter().copied().find(|place| place.device == device);
    found.map_or_else(|| Place::new(device), Ok)
}

/// Where this thread's work goes.
pub(crate) fn current() -> Result<&'static Place> {
    runtime::enter().map(|guard| guard.place())
}

/// Whether there is a GPU at all.
#[inline]
pub(super) fn has_gpu() -> bool {
    HAS_GPU.load(Ordering::Relaxed)
}

/// Whether this thread's work goes to a GPU.
pub(super) fn on_gpu() -> Result<bool> {
    Ok(has_gpu() && current()?.device.kind() == DeviceKind::Gpu)
}

/// Sends this thread's work to the CPU while the scope lives.
pub(super) fn on_cpu() -> Result<Scope> {
    Scope::new(standard(Device::cpu())?)
}

/// Every stream.
pub(super) fn all() -> Vec<&'static Place> {
    PLACES.lock().clone()
}

/// Sends this thread's work to a place until it is dropped, on this thread.
pub(crate) struct Scope {
    entered: &'static Place,
    previous_stream: i32,
    previous: &'static Place,
    _thread: PhantomData<*const ()>,
}

impl Scope {
    pub(crate) fn new(place: &'static Place) -> Result<Scope> {
        let guard: Guard = runtime::enter()?;
        let previous_stream = place.enter()?;
        let previous = runtime::redirect(&guard, place);
        place.make_default();
        Ok(Scope { entered: place, previous_stream, previous, _thread: PhantomData })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if let Ok(guard) = runtime::enter() {
            // It was set before, so it can be set again.
            call!(sys::mlxr_stream_leave, value self.entered.stream, value self.previous_stream);
            runtime::redirect(&guard, self.previous);
            self.previous.make_default();
        }
    }
}
