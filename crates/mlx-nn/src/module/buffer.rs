//! Tensors that a call changes.

use mlx_core::Tensor;
use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A tensor that `forward(&self)` may change, as running statistics: saved and loaded as a parameter, never trained.
///
/// [`value_and_grad`](crate::value_and_grad) takes what was set while it ran out of the transform, so that no
/// placeholder stays behind.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::Buffer;
/// let mean = Buffer::new(tensor![0.0]);
/// mean.set(0.9 * mean.get() + 0.1 * tensor![5.0]);
/// assert_eq!(mean.get().item::<f32>()?, 0.5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub struct Buffer(Mutex<Tensor>);

impl Buffer {
    /// A buffer with that value.
    #[must_use]
    pub fn new(value: Tensor) -> Buffer {
        Buffer(Mutex::new(value))
    }

    /// The value.
    #[must_use]
    pub fn get(&self) -> Tensor {
        self.value().clone()
    }

    /// Another value.
    pub fn set(&self, value: Tensor) {
        let before = std::mem::replace(&mut *self.value(), value);
        // Dropped when the buffer is free again.
        drop(before);
    }

    fn value(&self) -> MutexGuard<'_, Tensor> {
        // Nothing that panics runs while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Buffer {
    /// A buffer of its own, with the same value.
    fn clone(&self) -> Buffer {
        Buffer::new(self.get())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Buffer").field(&self.get()).finish()
    }
}

impl From<Tensor> for Buffer {
    fn from(value: Tensor) -> Buffer {
        Buffer::new(value)
    }
}
