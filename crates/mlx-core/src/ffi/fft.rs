//! Calls of mlx-c's Fourier transforms.
//!
//! Not here: the options as users write them (mlx-ops).

use super::call::node;
use crate::{Result, Tensor};
use mlx_link as sys;
use std::ffi::c_int;

/// Which of the two directions divides by the number of elements, in mlx-c's terms.
#[derive(Clone, Copy)]
pub enum Norm {
    /// The inverse does.
    Backward,
    /// Both do, by its root.
    Ortho,
    /// The forward one does.
    Forward,
}

impl Norm {
    fn code(self) -> sys::mlx_fft_norm {
        match self {
            Norm::Backward => sys::mlx_fft_norm__MLX_FFT_NORM_BACKWARD,
            Norm::Ortho => sys::mlx_fft_norm__MLX_FFT_NORM_ORTHO,
            Norm::Forward => sys::mlx_fft_norm__MLX_FFT_NORM_FORWARD,
        }
    }
}

type AlongFn = unsafe extern "C" fn(
    *mut sys::mlx_array,
    sys::mlx_array,
    c_int,
    c_int,
    sys::mlx_fft_norm,
    sys::mlx_stream,
) -> c_int;

/// A symbol that transforms along one axis.
#[derive(Clone, Copy)]
pub struct Along(AlongFn);

impl Along {
    /// The transform of `x` along `axis`, cut or filled up to `size`, its errors under the name of `op`.
    ///
    /// # Errors
    /// What MLX refuses.
    #[track_caller]
    pub fn call(self, op: &'static str, x: &Tensor, size: i32, axis: i32, norm: Norm) -> Result<Tensor> {
        let norm = norm.code();
        node!(op, (self.0), tensor x, value size, value axis, value norm)
    }
}

/// `mx.fft.fft`
pub const FFT: Along = Along(sys::mlx_fft_fft);
/// `mx.fft.ifft`
pub const IFFT: Along = Along(sys::mlx_fft_ifft);
/// `mx.fft.rfft`
pub const RFFT: Along = Along(sys::mlx_fft_rfft);
/// `mx.fft.irfft`
pub const IRFFT: Along = Along(sys::mlx_fft_irfft);

type TransformFn = unsafe extern "C" fn(
    *mut sys::mlx_array,
    sys::mlx_array,
    *const c_int,
    usize,
    *const c_int,
    usize,
    sys::mlx_fft_norm,
    sys::mlx_stream,
) -> c_int;

/// A symbol that transforms over axes.
#[derive(Clone, Copy)]
pub struct Transform(TransformFn);

impl Transform {
    /// The transform of `x` over `axes`, cut or filled up to `sizes`, its errors under the name of `op`.
    ///
    /// # Errors
    /// What MLX refuses.
    #[track_caller]
    pub fn call(
        self,
        op: &'static str,
        x: &Tensor,
        sizes: &[i32],
        axes: &[i32],
        norm: Norm,
    ) -> Result<Tensor> {
        let norm = norm.code();
        node!(op, (self.0), tensor x, list sizes, list axes, value norm)
    }
}

/// `mx.fft.fftn`
pub const FFTN: Transform = Transform(sys::mlx_fft_fftn);
/// `mx.fft.ifftn`
pub const IFFTN: Transform = Transform(sys::mlx_fft_ifftn);
/// `mx.fft.rfftn`
pub const RFFTN: Transform = Transform(sys::mlx_fft_rfftn);
/// `mx.fft.irfftn`
pub const IRFFTN: Transform = Transform(sys::mlx_fft_irfftn);

/// Whether a copy of a tensor without elements would still go through so many positions of its other axes that it does
/// not end: shifted it is what it was.
fn walks_on(x: &Tensor) -> bool {
    const MANY: u128 = 1 << 20;
    let positions = |shape: &[i32]| {
        shape.iter().filter(|&&size| size > 0).fold(1_u128, |all, &size| all.saturating_mul(size as u128))
    };
    x.size() == 0 && positions(x.shape()) > MANY
}

macro_rules! shifts {
    ($($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name(x: &Tensor, axes: &[i32]) -> Result<Tensor> {
            let shifted = node!($op, sys::$symbol, tensor x, list axes)?;
            Ok(if walks_on(x) { x.clone() } else { shifted })
        })*
    };
}

shifts! {
    /// `mx.fft.fftshift(x, axes)`
    fftshift = "fftshift" mlx_fft_fftshift;
    /// `mx.fft.ifftshift(x, axes)`
    ifftshift = "ifftshift" mlx_fft_ifftshift;
}

macro_rules! frequencies {
    ($($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name(n: i32, d: f64) -> Result<Tensor> {
            node!($op, sys::$symbol, value n, value d)
        })*
    };
}

frequencies! {
    /// `mx.fft.fftfreq(n, d)`
    fftfreq = "fftfreq" mlx_fft_fftfreq;
    /// `mx.fft.rfftfreq(n, d)`
    rfftfreq = "rfftfreq" mlx_fft_rfftfreq;
}
