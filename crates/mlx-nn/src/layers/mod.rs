//! Layers, a file for each of Python's.

mod convolution;
mod linear;
mod normalization;

pub use convolution::{Conv1d, Conv2d};
pub use linear::Linear;
pub use normalization::RMSNorm;
