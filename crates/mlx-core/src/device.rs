//! Devices and streams: what there is, and scopes that choose where a thread's work goes.
//!
//! Not here: how threads share a stream (`ffi::runtime`), waiting (`eval`).

use crate::{
    Error, ErrorKind, Result,
    ffi::{self, place},
};
use std::fmt;

/// The kinds of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The processor.
    Cpu,
    /// A GPU: CUDA or Metal, as the MLX library that was loaded supports.
    Gpu,
}

/// A device that computes. Without a scope that says otherwise, it is the first GPU, or the CPU where there is none.
///
/// ```
/// # use mlx_core::{Device, tensor, with_device};
/// let y = with_device(Device::cpu(), || tensor![1.0, 2.0] * 2.0)?;
/// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Device {
    kind: DeviceKind,
    index: i32,
}

impl Device {
    /// The processor.
    #[must_use]
    pub const fn cpu() -> Device {
        Device { kind: DeviceKind::Cpu, index: 0 }
    }

    /// The first GPU, whether there is one or not: [`is_available`](Device::is_available) says.
    #[must_use]
    pub const fn gpu() -> Device {
        Device::nth_gpu(0)
    }

    /// The GPU of a number, from 0.
    #[must_use]
    pub const fn nth_gpu(index: u8) -> Device {
        Device { kind: DeviceKind::Gpu, index: index as i32 }
    }

    /// Where this thread's work goes now.
    ///
    /// # Errors
    /// MLX could not be started.
    #[doc(alias = "mx.default_device")]
    pub fn current() -> Result<Device> {
        place::current().map(place::Place::device)
    }

    /// The kind of the device.
    #[must_use]
    pub fn kind(self) -> DeviceKind {
        self.kind
    }

    /// Its number among those of its kind.
    #[must_use]
    pub fn index(self) -> i32 {
        self.index
    }

    /// How many devices of a kind there are.
    ///
    /// # Errors
    /// MLX could not be started.
    #[doc(alias = "mx.device_count")]
    pub fn count(kind: DeviceKind) -> Result<usize> {
        place::device_count(kind).map(|count| count.max(0) as usize)
    }

    /// Whether there is such a device.
    ///
    /// # Errors
    /// MLX could not be started.
    #[doc(alias = "mx.is_available")]
    pub fn is_available(self) -> Result<bool> {
        Ok((self.index as usize) < Device::count(self.kind)?)
    }

    /// What MLX knows of the device.
    ///
    /// # Errors
    /// There is no such device.
    ///
    /// ```
    /// # use mlx_core::Device;
    /// println!("{}", Device::cpu().info()?.name);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    #[doc(alias = "mx.device_info")]
    pub fn info(self) -> Result<DeviceInfo> {
        let facts = place::device_info(self).map_err(|e| about(e, self))?;
        let text = |keys: &[&str]| {
            facts.iter().find(|(key, _)| keys.contains(&key.as_str())).map(|(_, value)| value.clone())
        };
        let bytes = |keys: &[&str]| text(keys).and_then(|value| value.parse().ok());
        Ok(DeviceInfo {
            name: text(&["device_name"]).unwrap_or_default(),
            architecture: text(&["architecture"]).unwrap_or_default(),
            memory: bytes(&["memory_size", "total_memory"]),
            free_memory: bytes(&["free_memory"]),
            recommended_working_set: bytes(&["max_recommended_working_set_size"]),
            max_buffer_length: bytes(&["max_buffer_length"]),
            facts,
        })
    }
}

/// As Python prints a device: `cpu` or `gpu`, and a number that is not 0.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Gpu => "gpu",
        };
        match self.index {
            0 => f.write_str(kind),
            index => write!(f, "{kind}:{index}"),
        }
    }
}

/// What MLX knows of a device; figures are bytes, and `None` where the back-end does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The maker's name of it.
    pub name: String,
    /// The instruction set, or the generation of GPU.
    pub architecture: String,
    /// All of its memory.
    pub memory: Option<usize>,
    /// What is free of that now.
    pub free_memory: Option<usize>,
    /// What one process should use at most.
    pub recommended_working_set: Option<usize>,
    /// The largest tensor.
    pub max_buffer_length: Option<usize>,
    /// Everything MLX tells, by its own names.
    pub facts: Vec<(String, String)>,
}

/// A queue of work on a device; work of one stream is done in order. It lives as long as the process.
///
/// ```
/// # use mlx_core::{Device, Stream, tensor, with_stream};
/// let stream = Stream::new(Device::cpu())?;
/// let y = with_stream(&stream, || tensor![1.0, 2.0] * 2.0)?; // its node belongs to `stream`
/// assert_eq!((y + 1.0).to_vec::<f32>()?, [3.0, 5.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Stream(&'static place::Place);

impl Stream {
    /// A new stream.
    ///
    /// # Errors
    /// There is no such device.
    #[doc(alias = "mx.new_stream")]
    pub fn new(device: Device) -> Result<Stream> {
        place::new_stream(device).map(Stream).map_err(|e| about(e, device))
    }

    /// The stream that this thread's work goes to now.
    ///
    /// # Errors
    /// MLX could not be started.
    #[doc(alias = "mx.default_stream")]
    pub fn current() -> Result<Stream> {
        place::current().map(Stream)
    }

    /// The device of the stream.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device()
    }

    /// Waits for what was started on the stream.
    ///
    /// # Errors
    /// What MLX reports; a failed computation is an error of its tensors, not of this.
    #[doc(alias = "mx.synchronize")]
    pub fn synchronize(&self) -> Result<()> {
        ffi::eval::synchronize(&[self.0], crate::eval::current_spins())
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({}, {:p})", self.device(), self.0)
    }
}

/// Runs `work` with `device` as this thread's: what it builds is computed there. Restored afterwards, also on unwind.
///
/// # Errors
/// There is no such device.
#[doc(alias = "mx.set_default_device")]
pub fn with_device<T>(device: Device, work: impl FnOnce() -> T) -> Result<T> {
    let place = place::standard(device).map_err(|e| about(e, device))?;
    with_stream(&Stream(place), work)
}

/// Runs `work` with `stream` as this thread's: what it builds is computed there. Restored afterwards, also on unwind.
///
/// # Errors
/// Called back from one of MLX's own threads.
#[doc(alias = "mx.stream")]
pub fn with_stream<T>(stream: &Stream, work: impl FnOnce() -> T) -> Result<T> {
    let _scope = place::Scope::new(stream.0)?;
    Ok(work())
}

fn about(error: Error, device: Device) -> Error {
    Error::new(ErrorKind::Setup, "device", format!("{device}: {}", error.message()))
}
