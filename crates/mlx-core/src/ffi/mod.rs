//! The only `unsafe` of the workspace's Rust: calls into mlx-c, and the rules that make them sound.
//!
//! The contract. (1) One process-wide lock is held while a node is built or dropped, a graph is scheduled,
//! settled, dumped or read: MLX walks and edits shared nodes without locks of its own. (2) Metadata (shape,
//! dtype) never changes after a node is built, and a handle is cloned by counting alone: both go without the
//! lock. (3) Waiting for results happens outside the lock, on tickets (`eval`). (4) mlx-c reports an error by
//! its status and by a call of our handler on the same thread (`status`); nothing unwinds through C.
//! (5) Every thread's default streams are ours (`runtime`, `place`). (6) Code that MLX calls back
//! on its own threads never takes the lock (`runtime::foreign`). (7) A buffer is read only when its values
//! are there, with the dtype it has (`view`).
//!
//! Not here: what an op means, which dtypes and shapes it takes. Hidden: for the crates of this workspace only.

mod arrange;
mod build;
mod call;
mod closure;
pub(crate) mod compile;
pub(crate) mod cpu;
pub(crate) mod custom;
pub(crate) mod eval;
pub(crate) mod export;
pub mod fast;
pub mod fft;
mod handle;
pub(crate) mod host;
mod indexing;
pub mod io;
pub(crate) mod kernel;
pub mod linalg;
mod lock;
pub(crate) mod memory;
mod numeric;
mod order;
pub mod owned;
pub(crate) mod place;
pub mod products;
pub mod random;
mod rules;
pub(crate) mod runtime;
mod shaped;
mod stack;
mod status;
mod symbols;
pub(crate) mod transforms;
mod vector;
pub(crate) mod view;

pub use arrange::*;
pub use call::{Binary, Reduce, Ternary, Unary};
pub(crate) use closure::Stop;
pub use compile::{Pointwise, pointwise};
pub(crate) use handle::Handle;
pub use indexing::*;
pub use numeric::*;
pub use order::*;
pub use rules::*;
pub use shaped::*;
pub use symbols::*;
