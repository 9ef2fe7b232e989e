//! Fused kernels and quantization: `mlx.core.fast`.
//!
//! Not here yet: everything. The crate holds the place its ops will have between mlx-ops and mlx-nn.

#![forbid(unsafe_code)]
