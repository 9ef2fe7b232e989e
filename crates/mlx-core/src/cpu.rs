//! CPU modes: what computes matrix products, factorisations and, in mode `fast`, more on the CPU.
//!
//! Not here: the choice, which `MLX_CPU` makes when the library starts (mlx-link's native/blas.cpp and fast.cpp).

mod products;
mod quantized;
mod rows;
mod run;

use crate::{Result, ffi};
use std::fmt;

pub(crate) use run::{check, run};

/// What computes matrix products and factorisations on the CPU, chosen by `MLX_CPU` at the first tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CpuMode {
    /// The library that MLX comes with: the bits of Python MLX.
    Stock,
    /// OpenBLAS, the default: Python's graph, many times faster, other roundings.
    Blas,
    /// OpenBLAS, and kernels of this library for quantized products and for products, softmax and sums in float16 and
    /// bfloat16: Python's graph, many times faster, sums in float32.
    Fast,
}

impl fmt::Display for CpuMode {
    /// The value of `MLX_CPU` that asks for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CpuMode::Stock => "stock",
            CpuMode::Blas => "blas",
            CpuMode::Fast => "fast",
        })
    }
}

/// The CPU mode in force: [`Stock`](CpuMode::Stock) also where OpenBLAS alone was asked for and could not be loaded.
///
/// On Apple it is always `Stock`, which is Accelerate.
///
/// # Errors
/// MLX that could not be started, as with an `MLX_CPU` that names no mode.
///
/// ```
/// # use mlx_core::cpu_mode;
/// println!("products are computed by {}", cpu_mode()?);
/// # assert_eq!(cpu_mode()?, cpu_mode()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn cpu_mode() -> Result<CpuMode> {
    Ok(match ffi::runtime::cpu_mode()?.as_str() {
        "fast" => CpuMode::Fast,
        "blas" => CpuMode::Blas,
        _ => CpuMode::Stock,
    })
}

/// The file of the library in force, for the proof of parity.
///
/// # Errors
/// As [`cpu_mode`].
#[doc(hidden)]
pub fn blas_library() -> Result<String> {
    ffi::runtime::blas_library()
}
