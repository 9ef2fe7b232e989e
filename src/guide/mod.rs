//! The guide: twelve short pages, for those who know ndarray or Python's MLX. All code in it is run by the tests.
//!
//! 1. [`start`]: tensors, formulas, reading values.
//! 2. [`lazy_evaluation`]: when something is computed, and how to look at the graph.
//! 3. [`scalars_and_dtypes`]: what `&x * 0.5` is, in every dtype.
//! 4. [`indexing`]: picking elements out, and writing them.
//! 5. [`errors_and_panics`]: which calls return a `Result`, and what an error says.
//! 6. [`streams_and_threads`]: tensors on many threads.
//! 7. [`transforms`]: gradients, maps over items, compilation.
//! 8. [`custom_models`]: models of layers, their weights, gradients.
//! 9. [`training`]: optimizers, learning rates, a compiled step, going on from files.
//! 10. [`quantized_models`]: models in few bits, their weights, what attention keeps.
//! 11. [`host_kernels`]: ops of your own, and memory of yours.
//! 12. [`differences`]: where results differ from Python's, the whole list.
//! 13. [`python_users`]: a table, Python on the left, Rust on the right.

#[doc = include_str!("start.md")]
pub mod start {}

#[doc = include_str!("lazy_evaluation.md")]
pub mod lazy_evaluation {}

#[doc = include_str!("scalars_and_dtypes.md")]
pub mod scalars_and_dtypes {}

#[doc = include_str!("indexing.md")]
pub mod indexing {}

#[doc = include_str!("errors_and_panics.md")]
pub mod errors_and_panics {}

#[doc = include_str!("streams_and_threads.md")]
pub mod streams_and_threads {}

#[doc = include_str!("transforms.md")]
pub mod transforms {}

#[doc = include_str!("custom_models.md")]
pub mod custom_models {}

#[doc = include_str!("training.md")]
pub mod training {}

#[doc = include_str!("quantized_models.md")]
pub mod quantized_models {}

#[doc = include_str!("host_kernels.md")]
pub mod host_kernels {}

#[doc = include_str!("differences.md")]
pub mod differences {}

#[doc = include_str!("python_users.md")]
pub mod python_users {}
