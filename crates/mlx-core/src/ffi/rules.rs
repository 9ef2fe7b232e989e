//! Calls of mlx-c that make tensors from a rule.

use super::{arrange::functions, call::node};
use crate::{Dtype, Result, Tensor};
use mlx_link as sys;

functions! {
    /// `mx.full(shape, value, dtype)`
    full(sizes: &[i32], value: &Tensor, dtype: Dtype) =
        "full" mlx_full(list sizes, tensor value, value dtype.code());
    /// `mx.full_like(x, value, dtype)`
    full_like(x: &Tensor, value: &Tensor, dtype: Dtype) =
        "full_like" mlx_full_like(tensor x, tensor value, value dtype.code());
    /// `mx.zeros_like(x, dtype)`
    zeros_like(x: &Tensor, dtype: Dtype) = "zeros_like" mlx_zeros_like_dtype(tensor x, value dtype.code());
    /// `mx.ones_like(x, dtype)`
    ones_like(x: &Tensor, dtype: Dtype) = "ones_like" mlx_ones_like_dtype(tensor x, value dtype.code());
    /// `mx.arange(start, stop, step, dtype)`
    arange(start: f64, stop: f64, step: f64, dtype: Dtype) =
        "arange" mlx_arange(value start, value stop, value step, value dtype.code());
    /// `mx.linspace(start, stop, num, endpoint, dtype)`
    linspace(start: f64, stop: f64, num: i32, endpoint: bool, dtype: Dtype) = "linspace"
        mlx_linspace_endpoint(value start, value stop, value num, value endpoint, value dtype.code());
    /// `mx.identity(n, dtype)`
    identity(n: i32, dtype: Dtype) = "identity" mlx_identity(value n, value dtype.code());
    /// `mx.eye(n, m, k, dtype)`
    eye(n: i32, m: i32, k: i32, dtype: Dtype) = "eye" mlx_eye(value n, value m, value k, value dtype.code());
    /// `mx.tri(n, m, k, dtype)`
    tri(n: i32, m: i32, k: i32, dtype: Dtype) = "tri" mlx_tri(value n, value m, value k, value dtype.code());
    /// `mx.tril(x, k)`
    tril(x: &Tensor, k: i32) = "tril" mlx_tril(tensor x, value k);
    /// `mx.triu(x, k)`
    triu(x: &Tensor, k: i32) = "triu" mlx_triu(tensor x, value k);
    /// `mx.diag(x, k)`
    diag(x: &Tensor, k: i32) = "diag" mlx_diag(tensor x, value k);
}

type WindowFn =
    unsafe extern "C" fn(*mut sys::mlx_array, std::ffi::c_int, sys::mlx_stream) -> std::ffi::c_int;

/// A symbol of shape `f(length)`.
#[derive(Clone, Copy)]
pub struct Window {
    name: &'static str,
    symbol: WindowFn,
}

impl Window {
    /// The node `f(length)`.
    ///
    /// # Errors
    /// What MLX refuses.
    #[track_caller]
    pub fn call(&self, length: i32) -> Result<Tensor> {
        node!(self.name, (self.symbol), value length)
    }
}

/// `mlx_bartlett`
pub const BARTLETT: Window = Window { name: "bartlett", symbol: sys::mlx_bartlett };
/// `mlx_blackman`
pub const BLACKMAN: Window = Window { name: "blackman", symbol: sys::mlx_blackman };
/// `mlx_hamming`
pub const HAMMING: Window = Window { name: "hamming", symbol: sys::mlx_hamming };
/// `mlx_hanning`
pub const HANNING: Window = Window { name: "hanning", symbol: sys::mlx_hanning };
