//! Layers, losses, initialisers and optimizers: `mlx.nn`.
//!
//! Not here yet: everything. The crate holds the place its modules will have on top of mlx-fast.

#![forbid(unsafe_code)]
