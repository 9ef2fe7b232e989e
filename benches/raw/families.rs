//! One call of mlx-c a family of ops, or as many as it takes to make the nodes that Python makes.

use super::{Array, Stream};
use mlx_link as sys;
use std::ffi::CStr;

/// What `$symbol` makes, given where to write it, these arguments, and the stream.
macro_rules! made {
    ($symbol:ident, $stream:expr $(, $argument:expr)* $(,)?) => {
        // SAFETY: arrays are live, and on this thread; a list lives through the call and is as long as is said of it.
        Array::made(|out| unsafe {
            sys::$symbol(out, $($argument,)* $stream.0);
        })
    };
}

/// Arrays as mlx-c's vector.
struct Vector(sys::mlx_vector_array);

impl Vector {
    fn of(arrays: &[&Array]) -> Vector {
        let raw: Vec<sys::mlx_array> = arrays.iter().map(|array| array.0).collect();
        // SAFETY: the arrays are live, and counted once more.
        Vector(unsafe { sys::mlx_vector_array_new_data(raw.as_ptr(), raw.len()) })
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        // SAFETY: the vector is owned here and freed once.
        unsafe { sys::mlx_vector_array_free(self.0) };
    }
}

/// No array, where mlx-c takes one that may be absent.
const NONE: sys::mlx_array = sys::mlx_array { ctx: std::ptr::null_mut() };
/// A number that MLX chooses.
const DEFAULT: sys::mlx_optional_int = sys::mlx_optional_int { value: 0, has_value: false };
/// The dtype that MLX chooses.
const ANY: sys::mlx_optional_dtype = sys::mlx_optional_dtype { value: 0, has_value: false };

impl Array {
    /// The int32 `value`, 0-d, as Python makes an index of it: cast to uint32 where it is made.
    fn position(value: u32) -> Array {
        // SAFETY: the bytes of one element are copied before the call returns; a 0-d shape is read nowhere.
        Array(unsafe {
            let data = std::ptr::from_ref(&value).cast();
            sys::mlx_array_new_data(data, std::ptr::null(), 0, sys::mlx_dtype__MLX_UINT32)
        })
    }

    /// The key of a seed.
    pub(crate) fn key(seed: u64) -> Array {
        // SAFETY: the call borrows nothing.
        Array::made(|out| unsafe {
            sys::mlx_random_key(out, seed);
        })
    }

    pub(crate) fn exp(&self, s: Stream) -> Array {
        made!(mlx_exp, s, self.0)
    }

    pub(crate) fn sum(&self, axis: i32, s: Stream) -> Array {
        made!(mlx_sum_axes, s, self.0, &raw const axis, 1, false)
    }

    pub(crate) fn cumsum(&self, axis: i32, s: Stream) -> Array {
        made!(mlx_cumsum_axis, s, self.0, axis, false, true, ANY)
    }

    pub(crate) fn sort(&self, axis: i32, s: Stream) -> Array {
        made!(mlx_sort_axis, s, self.0, axis)
    }

    pub(crate) fn reshape(&self, shape: &[i32], s: Stream) -> Array {
        made!(mlx_reshape, s, self.0, shape.as_ptr(), shape.len())
    }

    pub(crate) fn transpose(&self, axes: &[i32], s: Stream) -> Array {
        made!(mlx_transpose_axes, s, self.0, axes.as_ptr(), axes.len())
    }

    pub(crate) fn concatenate(arrays: &[&Array], axis: i32, s: Stream) -> Array {
        made!(mlx_concatenate_axis, s, Vector::of(arrays).0, axis)
    }

    /// Padded by zeros, `low` before and `high` behind each of two axes.
    pub(crate) fn pad(&self, low: [i32; 2], high: [i32; 2], s: Stream) -> Array {
        let (axes, zero) = ([0, 1], Array::constant(super::Dtype(super::FLOAT32.0, [0; 4])));
        let [at, before, behind] = [&axes, &low, &high].map(|list| list.as_ptr());
        made!(mlx_pad, s, self.0, at, 2, before, 2, behind, 2, zero.0, c"constant".as_ptr())
    }

    /// `self[row]`
    pub(crate) fn row(&self, row: u32, s: Stream) -> Array {
        self.rows(&Array::position(row), s)
    }

    /// `self[row, :]` of a matrix.
    pub(crate) fn row_view(&self, row: i32, columns: i32, s: Stream) -> Array {
        let (start, stop, step, gone) = ([row, 0], [row + 1, columns], [1, 1], 0);
        let [from, to, by] = [&start, &stop, &step].map(|list| list.as_ptr());
        let slice = made!(mlx_slice, s, self.0, from, 2, to, 2, by, 2);
        made!(mlx_squeeze_axes, s, slice.0, &raw const gone, 1)
    }

    /// `self[:, columns]` of a matrix.
    pub(crate) fn gather_columns(&self, rows: i32, columns: &Array, s: Stream) -> Array {
        let range = made!(mlx_arange, s, 0.0, f64::from(rows), 1.0, sys::mlx_dtype__MLX_UINT32);
        let range = range.reshape(&[rows, 1], s);
        let (axes, sizes, gone) = ([0, 1], [1, 1], [2, 3]);
        let indices = Vector::of(&[&range, columns]);
        let found = made!(mlx_gather, s, self.0, indices.0, axes.as_ptr(), 2, sizes.as_ptr(), 2);
        made!(mlx_squeeze_axes, s, found.0, gone.as_ptr(), 2)
    }

    /// `self[:, 1:3] = value` of a matrix with so many rows.
    pub(crate) fn set_columns(&self, rows: i32, value: &Array, s: Stream) -> Array {
        let (start, stop, step) = ([0, 1], [rows, 3], [1, 1]);
        let [from, to, by] = [&start, &stop, &step].map(|list| list.as_ptr());
        made!(mlx_slice_update, s, self.0, value.0, from, 2, to, 2, by, 2)
    }

    /// `self.at[ids].add(values)` of a matrix: `values` has its rows.
    pub(crate) fn add_rows(&self, ids: &Array, values: &Array, shape: [i32; 2], s: Stream) -> Array {
        let updates = made!(mlx_broadcast_to, s, values.0, shape.as_ptr(), 2);
        let updates = updates.reshape(&[shape[0], 1, shape[1]], s);
        made!(mlx_scatter_add, s, self.0, Vector::of(&[ids]).0, updates.0, &raw const ZERO, 1)
    }

    pub(crate) fn select(condition: &Array, x: &Array, y: &Array, s: Stream) -> Array {
        made!(mlx_where, s, condition.0, x.0, y.0)
    }

    pub(crate) fn softmax(&self, axis: i32, s: Stream) -> Array {
        made!(mlx_softmax_axes, s, self.0, &raw const axis, 1, false)
    }

    pub(crate) fn matmul(&self, other: &Array, s: Stream) -> Array {
        made!(mlx_matmul, s, self.0, other.0)
    }

    pub(crate) fn einsum(subscripts: &CStr, operands: &[&Array], s: Stream) -> Array {
        made!(mlx_einsum, s, subscripts.as_ptr(), Vector::of(operands).0)
    }

    /// `tensordot` over the last axis of `self` and the first of `other`.
    pub(crate) fn tensordot(&self, other: &Array, last: i32, s: Stream) -> Array {
        made!(mlx_tensordot, s, self.0, other.0, &raw const last, 1, &raw const ZERO, 1)
    }

    pub(crate) fn normal(shape: &[i32], key: &Array, s: Stream) -> Array {
        let float = sys::mlx_dtype__MLX_FLOAT32;
        made!(mlx_random_normal, s, shape.as_ptr(), shape.len(), float, 0.0, 1.0, key.0)
    }

    pub(crate) fn norm(&self, axis: i32, s: Stream) -> Array {
        made!(mlx_linalg_norm_l2, s, self.0, &raw const axis, 1, false)
    }

    pub(crate) fn rfft(&self, n: i32, s: Stream) -> Array {
        made!(mlx_fft_rfft, s, self.0, n, -1, sys::mlx_fft_norm__MLX_FFT_NORM_BACKWARD)
    }

    pub(crate) fn conv2d(&self, weight: &Array, s: Stream) -> Array {
        made!(mlx_conv2d, s, self.0, weight.0, 1, 1, 0, 0, 1, 1, 1)
    }

    pub(crate) fn rms_norm(&self, weight: &Array, s: Stream) -> Array {
        made!(mlx_fast_rms_norm, s, self.0, weight.0, 1e-5)
    }

    pub(crate) fn layer_norm(&self, weight: &Array, bias: &Array, s: Stream) -> Array {
        made!(mlx_fast_layer_norm, s, self.0, weight.0, bias.0, 1e-5)
    }

    /// The packed elements, the scales and the biases of an affine quantization by MLX's default sizes.
    pub(crate) fn quantize(&self, s: Stream) -> [Array; 3] {
        let mut parts = Vector(sys::mlx_vector_array { ctx: std::ptr::null_mut() });
        let mode = c"affine".as_ptr();
        // SAFETY: the array is live, and on this thread; the call makes the vector that it writes.
        unsafe { sys::mlx_quantize(&raw mut parts.0, self.0, DEFAULT, DEFAULT, mode, NONE, s.0) };
        [0, 1, 2].map(|i| {
            // SAFETY: an affine quantization has three parts, each of which is counted once more.
            Array::made(|out| unsafe {
                sys::mlx_vector_array_get(out, parts.0, i);
            })
        })
    }

    pub(crate) fn dequantize([packed, scales, biases]: &[Array; 3], s: Stream) -> Array {
        let mode = c"affine".as_ptr();
        made!(mlx_dequantize, s, packed.0, scales.0, biases.0, DEFAULT, DEFAULT, mode, NONE, ANY)
    }

    pub(crate) fn quantized_matmul(&self, [packed, scales, biases]: &[Array; 3], s: Stream) -> Array {
        let mode = c"affine".as_ptr();
        made!(mlx_quantized_matmul, s, self.0, packed.0, scales.0, biases.0, true, DEFAULT, DEFAULT, mode)
    }

    pub(crate) fn gather_qmm(&self, [packed, scales, biases]: &[Array; 3], ids: &Array, s: Stream) -> Array {
        let (none, mode) = (NONE, c"affine".as_ptr());
        made!(
            mlx_gather_qmm,
            s,
            self.0,
            packed.0,
            scales.0,
            biases.0,
            none,
            ids.0,
            true,
            DEFAULT,
            DEFAULT,
            mode,
            false
        )
    }

    pub(crate) fn rope(&self, dims: i32, offset: i32, s: Stream) -> Array {
        let base = sys::mlx_optional_float { value: 10_000.0, has_value: true };
        made!(mlx_fast_rope, s, self.0, dims, false, base, 1.0, offset, NONE)
    }

    pub(crate) fn attention(&self, keys: &Array, values: &Array, scale: f32, s: Stream) -> Array {
        let mode = c"".as_ptr();
        made!(
            mlx_fast_scaled_dot_product_attention,
            s,
            self.0,
            keys.0,
            values.0,
            scale,
            mode,
            NONE,
            NONE,
            false
        )
    }
}

static ZERO: i32 = 0;
