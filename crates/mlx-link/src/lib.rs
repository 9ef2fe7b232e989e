//! Where MLX's native code comes from (`build/`), and its raw declarations.
//!
//! Not here: any safe function. Only mlx-core's `ffi` module may use this crate.

#![allow(unsafe_code)]

#[cfg(not(target_vendor = "apple"))]
#[path = "bindings.rs"]
#[rustfmt::skip]
mod mlxc;
#[rustfmt::skip]
mod native;

#[cfg(target_vendor = "apple")]
pub use mlx_sys::*;
#[cfg(not(target_vendor = "apple"))]
pub use mlxc::*;
pub use native::*;

/// The version of MLX that the bindings, the hashes and the parity records belong to.
pub const MLX_VERSION: &str = "0.32.2";

/// The folder with `include/` and `lib/libmlx.so` that this build was linked to, where it was linked to one.
pub const MLX_DIR: Option<&str> = option_env!("MLX_LINK_MLX");

/// The folder with `libmlxc.so` and the `include/` of mlx-c that this build was linked to, likewise.
pub const MLXC_DIR: Option<&str> = option_env!("MLX_LINK_MLXC");

/// Where the build keeps the OpenBLAS of `MLX_CPU=blas`, likewise; the file is missing where it could not be fetched.
pub const OPENBLAS: Option<&str> = option_env!("MLX_LINK_OPENBLAS");
