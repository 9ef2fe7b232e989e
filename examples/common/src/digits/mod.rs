//! Learning scikit-learn's handwritten digits: what the program `train_digits` is made of.
//!
//! Not here: its options and what it shows.

mod checkpoint;
mod data;
mod model;
mod training;

pub use data::{Batch, Digits, SIDE};
pub use model::{Cnn, Kind, Mlp, Net};
pub use training::{Done, Settings, Training};

use crate::Result;
use mlx::Tensor;
use std::collections::BTreeMap;

/// All that a training of each network is after 50 steps, which go into its second epoch: what Python must have, too.
///
/// # Errors
/// Pictures that cannot be fetched.
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let mut outputs = BTreeMap::new();
    for (name, model) in [("cnn", Kind::Cnn), ("mlp", Kind::Mlp)] {
        let settings = Settings { model, epochs: 2, seed: 7, ..Settings::default() };
        let mut training = Training::new(settings, Digits::fetch()?)?;
        for _ in 0..50 {
            training.step()?;
        }
        let tensors = training.tensors()?.into_iter();
        outputs.extend(tensors.map(|(key, tensor)| (format!("{name}.{key}"), tensor)));
    }
    Ok(outputs)
}
