//! The models that `cargo xtask parity models` holds against Python: what each computes, by name.
//!
//! A model's Python original is `xtask/parity/models/NAME.py`. Not here: the comparison (xtask).

use crate::download::Package;
use mlx::Tensor;
use std::{collections::BTreeMap, error::Error};

/// Named results of a model.
pub type Outputs = BTreeMap<String, Tensor>;

/// A model with an original in Python.
pub struct Model {
    /// The name of the original's script.
    pub name: &'static str,
    /// Where its weights, or data, are.
    pub package: Package,
    /// Computes what the script computes, under the same names.
    pub outputs: fn() -> Result<Outputs, Box<dyn Error>>,
}

/// All of them.
pub const MODELS: &[Model] = &[];
