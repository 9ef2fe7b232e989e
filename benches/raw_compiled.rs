//! The baseline of a compiled call: `mlx_compile` and `mlx_closure_apply`, with no lock, no checks and no errors.

use mlx_link as sys;
use std::{
    ffi::{c_int, c_void},
    ptr,
};

/// `tanh(x * y + x)` as mlx-c compiles it, and its inputs.
pub(crate) struct Compiled {
    closure: sys::mlx_closure,
    inputs: [sys::mlx_array; 2],
}

const EMPTY: sys::mlx_array = sys::mlx_array { ctx: ptr::null_mut() };

impl Compiled {
    pub(crate) fn new() -> Compiled {
        let (shape, values) = ([2, 3], [0.5_f32; 6]);
        let mut closure = sys::mlx_closure { ctx: ptr::null_mut() };
        // SAFETY: the function matches its type and needs no payload; data and shape outlive the calls that copy them.
        unsafe {
            let plain = sys::mlx_closure_new_func(Some(function));
            sys::mlx_compile(&raw mut closure, plain, false);
            sys::mlx_closure_free(plain);
            let data = values.as_ptr().cast::<c_void>();
            let array = || sys::mlx_array_new_data(data, shape.as_ptr(), 2, sys::mlx_dtype__MLX_FLOAT32);
            Compiled { closure, inputs: [array(), array()] }
        }
    }

    /// One call, whose result is dropped.
    pub(crate) fn call(&self) {
        let mut out = sys::mlx_vector_array { ctx: ptr::null_mut() };
        let mut result = EMPTY;
        // SAFETY: all handles are live, and what is made here is freed here.
        unsafe {
            let inputs = sys::mlx_vector_array_new_data(self.inputs.as_ptr(), self.inputs.len());
            sys::mlx_closure_apply(&raw mut out, self.closure, inputs);
            sys::mlx_vector_array_get(&raw mut result, out, 0);
            sys::mlx_vector_array_free(inputs);
            sys::mlx_vector_array_free(out);
            sys::mlx_array_free(result);
        }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: freed once.
        unsafe {
            sys::mlx_closure_free(self.closure);
            self.inputs.iter().for_each(|&input| {
                sys::mlx_array_free(input);
            });
        }
    }
}

unsafe extern "C" fn function(out: *mut sys::mlx_vector_array, inputs: sys::mlx_vector_array) -> c_int {
    let (mut x, mut y, mut product, mut sum, mut result) = (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY);
    let mut stream = sys::mlx_stream { ctx: ptr::null_mut() };
    // SAFETY: mlx-c calls with two arrays and a place for the results; what is made here is freed here.
    unsafe {
        let device = sys::mlx_device_new_type(sys::mlx_device_type__MLX_CPU, 0);
        sys::mlx_get_default_stream(&raw mut stream, device);
        sys::mlx_vector_array_get(&raw mut x, inputs, 0);
        sys::mlx_vector_array_get(&raw mut y, inputs, 1);
        sys::mlx_multiply(&raw mut product, x, y, stream);
        sys::mlx_add(&raw mut sum, product, x, stream);
        sys::mlx_tanh(&raw mut result, sum, stream);
        sys::mlx_vector_array_set_value(out, result);
        for array in [x, y, product, sum, result] {
            sys::mlx_array_free(array);
        }
        sys::mlx_device_free(device);
        sys::mlx_stream_free(stream);
    }
    0
}
