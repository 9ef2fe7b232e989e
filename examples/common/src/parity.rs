//! The models that `cargo xtask parity models` holds against Python: what each computes, by name.
//!
//! A model's Python original is `xtask/parity/models/NAME.py`. Not here: the comparison (xtask).

use crate::{
    Result, ccexam, digits,
    download::{CCEXAM, EFFICIENTNET, MINILM, Package, SCIKIT_LEARN, SILERO, SMOLLM2},
    efficientnet, language, lora, minilm, silero,
};
use mlx::Tensor;
use std::collections::BTreeMap;

/// Named results of a model.
pub type Outputs = BTreeMap<String, Tensor>;

/// A model with an original in Python.
pub struct Model {
    /// The name of the original's script.
    pub name: &'static str,
    /// Where its weights, or data, are.
    pub package: Package,
    /// Computes what the script computes, under the same names.
    pub outputs: fn() -> Result<Outputs>,
}

/// All of them.
pub const MODELS: &[Model] = &[
    Model { name: "ccexam", package: CCEXAM, outputs: ccexam::outputs },
    Model { name: "digits", package: SCIKIT_LEARN, outputs: digits::outputs },
    Model { name: "efficientnet", package: EFFICIENTNET, outputs: efficientnet::outputs },
    Model { name: "language", package: SMOLLM2, outputs: language::outputs },
    Model { name: "lora", package: SMOLLM2, outputs: lora::outputs },
    Model { name: "minilm", package: MINILM, outputs: minilm::outputs },
    Model { name: "silero", package: SILERO, outputs: silero::outputs },
];
