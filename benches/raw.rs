//! The baseline: the same nodes, built by calls of mlx-c with no lock, no checks and no errors.
//!
//! The only `unsafe` of the benches. `families`: one call a family of ops. Not here: what is measured (`graph_build`).

pub(crate) mod families;

use mlx_link as sys;
use std::ptr;

/// An owned array of mlx-c. Its pointer keeps it on the thread it was made on, where no lock is needed as long as
/// no other thread uses MLX.
pub(crate) struct Array(sys::mlx_array);

/// A stream of mlx-c.
#[derive(Clone, Copy)]
pub(crate) struct Stream(sys::mlx_stream);

/// A dtype of the benches, with the bytes of 0.5 in it.
#[derive(Clone, Copy)]
pub(crate) struct Dtype(sys::mlx_dtype, [u8; 4]);

/// 32-bit floats.
pub(crate) const FLOAT32: Dtype = Dtype(sys::mlx_dtype__MLX_FLOAT32, 0.5_f32.to_ne_bytes());
/// bfloat16, on a little-endian machine.
pub(crate) const BFLOAT16: Dtype = Dtype(sys::mlx_dtype__MLX_BFLOAT16, [0x00, 0x3f, 0, 0]);

impl Stream {
    /// The default stream of this thread: the library's own, once a tensor was made here.
    pub(crate) fn current() -> Stream {
        let mut stream = sys::mlx_stream { ctx: ptr::null_mut() };
        // SAFETY: the device is made and freed here, and the stream is written before it is used.
        unsafe {
            let device = sys::mlx_device_new_type(sys::mlx_device_type__MLX_CPU, 0);
            sys::mlx_get_default_stream(&raw mut stream, device);
            sys::mlx_device_free(device);
        }
        Stream(stream)
    }
}

impl Array {
    /// The array that `call` writes.
    #[inline]
    fn made(call: impl FnOnce(*mut sys::mlx_array)) -> Array {
        let mut out = sys::mlx_array { ctx: ptr::null_mut() };
        call(&raw mut out);
        Array(out)
    }

    /// A matrix of 0.5, evaluated.
    pub(crate) fn half(rows: usize, columns: usize, dtype: Dtype, stream: Stream) -> Array {
        let shape = [rows as i32, columns as i32];
        let constant = Array::constant(dtype);
        // SAFETY: the constant and the shape outlive the call.
        let full = Array::made(|out| unsafe {
            sys::mlx_full(out, shape.as_ptr(), shape.len(), constant.0, dtype.0, stream.0);
        });
        full.eval();
        full
    }

    /// The 0-d constant 0.5.
    #[inline]
    fn constant(dtype: Dtype) -> Array {
        // SAFETY: the bytes of one element are copied before the call returns; a 0-d shape is read nowhere.
        Array(unsafe { sys::mlx_array_new_data(dtype.1.as_ptr().cast(), ptr::null(), 0, dtype.0) })
    }

    /// `self + other`
    #[inline]
    pub(crate) fn add(&self, other: &Array, stream: Stream) -> Array {
        // SAFETY: both arrays are live, and on this thread.
        Array::made(|out| unsafe {
            sys::mlx_add(out, self.0, other.0, stream.0);
        })
    }

    /// `self * 0.5`, with the constant made and freed as Python does.
    #[inline]
    pub(crate) fn halve(&self, dtype: Dtype, stream: Stream) -> Array {
        let constant = Array::constant(dtype);
        // SAFETY: array and constant are live, and on this thread.
        Array::made(|out| unsafe {
            sys::mlx_multiply(out, self.0, constant.0, stream.0);
        })
    }

    /// `self[:, 1:3]` of a matrix.
    #[inline]
    pub(crate) fn columns(&self, rows: usize, stream: Stream) -> Array {
        let (start, stop, step) = ([0, 1], [rows as i32, 3], [1, 1]);
        // SAFETY: the array is live, and on this thread; the lists outlive the call.
        Array::made(|out| unsafe {
            sys::mlx_slice(out, self.0, start.as_ptr(), 2, stop.as_ptr(), 2, step.as_ptr(), 2, stream.0);
        })
    }

    /// The evaluated int32s of `values`.
    pub(crate) fn ints(values: &[i32]) -> Array {
        let size = values.len() as i32;
        // SAFETY: the values are copied before the call returns.
        Array(unsafe {
            sys::mlx_array_new_data(values.as_ptr().cast(), &raw const size, 1, sys::mlx_dtype__MLX_INT32)
        })
    }

    /// The rows of a matrix at `indices`, all of which are there.
    #[inline]
    pub(crate) fn rows(&self, indices: &Array, stream: Stream) -> Array {
        // SAFETY: both arrays are live, and on this thread.
        Array::made(|out| unsafe {
            sys::mlx_take_axis(out, self.0, indices.0, 0, stream.0);
        })
    }

    /// Computes the array and waits for it.
    #[inline]
    pub(crate) fn eval(&self) {
        // SAFETY: the array is live, and on this thread.
        unsafe { sys::mlx_array_eval(self.0) };
    }
}

impl Clone for Array {
    #[inline]
    fn clone(&self) -> Array {
        // SAFETY: `self` is live; `out` is empty, as the call expects.
        Array::made(|out| unsafe {
            sys::mlx_array_set(out, self.0);
        })
    }
}

impl Drop for Array {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the array is owned here and freed once.
        unsafe { sys::mlx_array_free(self.0) };
    }
}
