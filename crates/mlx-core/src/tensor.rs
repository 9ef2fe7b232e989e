//! The tensor: a lazy node of MLX's graph behind one pointer, and what is known of it without evaluating.
//!
//! Not here: making one (`construct`), its values (`read`), operators (`std_ops`), ops (mlx-ops).

use crate::{Dtype, ffi::Handle};

/// A lazy n-dimensional array: a node of a computation graph, or data.
///
/// Nothing is computed until a value is needed ([`eval`](Tensor::eval), [`to_vec`](Tensor::to_vec), printing).
/// Cloning is cheap and shares the node. Tensors can be sent to and used from any thread.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_slice(&[1.0_f32, 2.0])?;
/// let b = &a * 0.5 + 1.0;
/// assert_eq!(b.to_vec::<f32>()?, [1.5, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone)]
#[repr(transparent)]
pub struct Tensor(pub(crate) Handle);

const _: () = {
    const fn sendable<T: Send + Sync>() {}
    sendable::<Tensor>();
    assert!(size_of::<Tensor>() == 8 && size_of::<Option<Tensor>>() == 8);
};

impl Tensor {
    /// The sizes of the dimensions; empty for a 0-d tensor.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &[i32] {
        self.0.shape()
    }

    /// The number of dimensions.
    #[inline]
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.0.ndim()
    }

    /// The number of elements.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// The number of bytes of the elements.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.size() * self.dtype().size()
    }

    /// The size of dimension `axis`; negative axes count from the end.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    #[track_caller]
    pub fn dim(&self, axis: i32) -> i32 {
        let ndim = self.ndim() as i32;
        assert!(
            (-ndim..ndim).contains(&axis),
            "dim: axis {axis} is out of bounds for shape {:?}",
            self.shape()
        );
        self.shape()[(if axis < 0 { axis + ndim } else { axis }) as usize]
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        Dtype::from_code(self.0.dtype_code())
    }
}
