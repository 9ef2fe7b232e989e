//! The baseline of transforms: mlx-c's own, of functions built by calls of mlx-c, with no lock, no checks and no errors.

use mlx_link as sys;
use std::{
    ffi::{c_int, c_void},
    ptr,
};

const EMPTY: sys::mlx_array = sys::mlx_array { ctx: ptr::null_mut() };
const NO_ARRAYS: sys::mlx_vector_array = sys::mlx_vector_array { ctx: ptr::null_mut() };

type Function = unsafe extern "C" fn(*mut sys::mlx_vector_array, sys::mlx_vector_array) -> c_int;

/// Arrays that are freed together.
struct Arrays(Vec<sys::mlx_array>);

impl Arrays {
    fn halves(shapes: &[&[i32]]) -> Arrays {
        let array = |shape: &&[i32]| {
            let values = vec![0.5_f32; shape.iter().product::<i32>() as usize];
            let (data, ndim) = (values.as_ptr().cast::<c_void>(), shape.len() as i32);
            // SAFETY: as many values as the shape has elements, which are copied.
            unsafe { sys::mlx_array_new_data(data, shape.as_ptr(), ndim, sys::mlx_dtype__MLX_FLOAT32) }
        };
        Arrays(shapes.iter().map(array).collect())
    }

    fn vector(&self) -> sys::mlx_vector_array {
        // SAFETY: live handles, as many as said.
        unsafe { sys::mlx_vector_array_new_data(self.0.as_ptr(), self.0.len()) }
    }
}

impl Drop for Arrays {
    fn drop(&mut self) {
        for &array in &self.0 {
            // SAFETY: an owner drops once, and nothing of it is used afterwards.
            unsafe { sys::mlx_array_free(array) };
        }
    }
}

struct Closure(sys::mlx_closure);

impl Closure {
    fn new(function: Function) -> Closure {
        // SAFETY: the function matches its type and needs no payload.
        Closure(unsafe { sys::mlx_closure_new_func(Some(function)) })
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        // SAFETY: as for arrays.
        unsafe { sys::mlx_closure_free(self.0) };
    }
}

/// `tanh(x * y + x)` as mlx-c compiles it.
pub(crate) struct Compiled(Closure, Arrays);

impl Compiled {
    pub(crate) fn new() -> Compiled {
        let (plain, mut compiled) = (Closure::new(fused), sys::mlx_closure { ctx: ptr::null_mut() });
        // SAFETY: a live closure, and a place that is written.
        unsafe { sys::mlx_compile(&raw mut compiled, plain.0, false) };
        Compiled(Closure(compiled), Arrays::halves(&[&[2, 3], &[2, 3]]))
    }

    /// One call, whose result is dropped.
    pub(crate) fn call(&self) {
        let (mut out, mut result) = (NO_ARRAYS, EMPTY);
        // SAFETY: all handles are live, and what is made here is freed here.
        unsafe {
            let inputs = self.1.vector();
            sys::mlx_closure_apply(&raw mut out, self.0.0, inputs);
            sys::mlx_vector_array_get(&raw mut result, out, 0);
            sys::mlx_vector_array_free(inputs);
            sys::mlx_vector_array_free(out);
            sys::mlx_array_free(result);
        }
    }
}

/// The loss of three layers: weights and biases, inputs and targets.
pub(crate) struct Mlp(Closure, Arrays);

impl Mlp {
    pub(crate) fn new(batch: i32, width: i32) -> Mlp {
        let (matrix, vector, rows) = ([width, width], [width], [batch, width]);
        let inputs: [&[i32]; 8] = [&matrix, &vector, &matrix, &vector, &matrix, &vector, &rows, &rows];
        Mlp(Closure::new(loss), Arrays::halves(&inputs))
    }

    /// The loss and its gradients, which are dropped.
    pub(crate) fn value_and_grad(&self) {
        let argnums = [0, 1, 2, 3, 4, 5];
        let mut gradient = sys::mlx_closure_value_and_grad { ctx: ptr::null_mut() };
        let (mut values, mut gradients) = (NO_ARRAYS, NO_ARRAYS);
        // SAFETY: all handles are live, and what is made here is freed here.
        unsafe {
            let inputs = self.1.vector();
            sys::mlx_value_and_grad(&raw mut gradient, self.0.0, argnums.as_ptr(), argnums.len());
            sys::mlx_closure_value_and_grad_apply(&raw mut values, &raw mut gradients, gradient, inputs);
            sys::mlx_closure_value_and_grad_free(gradient);
            for vector in [inputs, values, gradients] {
                sys::mlx_vector_array_free(vector);
            }
        }
    }
}

/// Nodes built inside a function, freed at its end.
struct Nodes {
    made: Arrays,
    stream: sys::mlx_stream,
}

impl Nodes {
    /// On this thread's default stream.
    fn new() -> Nodes {
        let mut stream = sys::mlx_stream { ctx: ptr::null_mut() };
        // SAFETY: the device is made and freed here.
        unsafe {
            let device = sys::mlx_device_new_type(sys::mlx_device_type__MLX_CPU, 0);
            sys::mlx_get_default_stream(&raw mut stream, device);
            sys::mlx_device_free(device);
        }
        Nodes { made: Arrays(Vec::new()), stream }
    }

    fn node(&mut self, call: impl FnOnce(*mut sys::mlx_array, sys::mlx_stream) -> c_int) -> sys::mlx_array {
        let mut out = EMPTY;
        call(&raw mut out, self.stream);
        self.made.0.push(out);
        out
    }

    fn input(&mut self, inputs: sys::mlx_vector_array, at: usize) -> sys::mlx_array {
        // SAFETY: the vector has that many arrays.
        self.node(|out, _| unsafe { sys::mlx_vector_array_get(out, inputs, at) })
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        // SAFETY: as for arrays.
        unsafe { sys::mlx_stream_free(self.stream) };
    }
}

/// A node of handles that live.
macro_rules! node {
    ($nodes:ident, $symbol:ident, $($argument:expr),*) => {
        // SAFETY: live handles, and a place that is written.
        $nodes.node(|out, stream| unsafe { sys::$symbol(out, $($argument,)* stream) })
    };
}

extern "C" fn fused(out: *mut sys::mlx_vector_array, inputs: sys::mlx_vector_array) -> c_int {
    let mut nodes = Nodes::new();
    let (x, y) = (nodes.input(inputs, 0), nodes.input(inputs, 1));
    let product = node!(nodes, mlx_multiply, x, y);
    let sum = node!(nodes, mlx_add, product, x);
    let result = node!(nodes, mlx_tanh, sum);
    // SAFETY: mlx-c's own place.
    unsafe { sys::mlx_vector_array_set_value(out, result) }
}

extern "C" fn loss(out: *mut sys::mlx_vector_array, inputs: sys::mlx_vector_array) -> c_int {
    let mut nodes = Nodes::new();
    let mut h = nodes.input(inputs, 6);
    for layer in 0..3 {
        let (weight, bias) = (nodes.input(inputs, 2 * layer), nodes.input(inputs, 2 * layer + 1));
        let weight = node!(nodes, mlx_transpose, weight);
        let product = node!(nodes, mlx_matmul, h, weight);
        h = node!(nodes, mlx_add, product, bias);
        if layer < 2 {
            // SAFETY: a 0-d constant.
            let zero = nodes.node(|out, _| unsafe {
                *out = sys::mlx_array_new_float32(0.0);
                0
            });
            h = node!(nodes, mlx_maximum, h, zero);
        }
    }
    let target = nodes.input(inputs, 7);
    let difference = node!(nodes, mlx_subtract, h, target);
    let square = node!(nodes, mlx_square, difference);
    let mean = node!(nodes, mlx_mean, square, false);
    // SAFETY: mlx-c's own place.
    unsafe { sys::mlx_vector_array_set_value(out, mean) }
}
