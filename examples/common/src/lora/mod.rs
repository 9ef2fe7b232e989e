//! Low-rank fine-tuning: few new parameters beside the frozen ones of a model, with mlx-lm's names and ops.
//!
//! [`Lora::apply`] puts them into a language model, [`FineTuning`] trains them, [`save`] and [`load`] are their files. Not here:
//! the program (`examples/lora`).

mod files;
mod layer;
mod training;

pub use files::{load, save};
pub use layer::{LoRALinear, Projection};
pub use training::{FineTuning, Settings, outputs};

use crate::{Result, language::Model};
use mlx::nn::ModuleExt;
use serde::{Deserialize, Serialize};

/// Which projections of a model get a low-rank term, and what kind of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Lora {
    /// How many layers have them, counted from the last; 0 for all.
    pub layers: usize,
    /// What is the same in all of them.
    pub term: Term,
}

/// A low-rank term: mlx-lm's `lora_parameters`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// How many directions it has.
    pub rank: i32,
    /// What it is multiplied with.
    pub scale: f64,
    /// How much of its input is left out at random in training.
    pub dropout: f64,
    /// The projections of a layer that get one; none for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
}

impl Default for Lora {
    fn default() -> Lora {
        Lora { layers: 8, term: Term { rank: 8, scale: 20.0, dropout: 0.0, keys: None } }
    }
}

impl Lora {
    /// Freezes a model and puts a term beside its projections, drawn by the thread's random key in mlx-lm's order.
    ///
    /// # Errors
    /// Settings that make no sense; a model that has such terms already.
    pub fn apply(&self, model: &mut Model) -> Result<()> {
        let Term { rank, scale, keys, .. } = &self.term;
        if *rank < 1 || !scale.is_finite() {
            return Err(format!("a term of rank {rank} and scale {scale} is none").into());
        }
        model.freeze(..)?;
        let mut found = false;
        for layer in model.projections(self.layers) {
            for (key, projection) in layer {
                if keys.as_ref().is_none_or(|keys| keys.iter().any(|wanted| wanted == key)) {
                    projection.add(&self.term).map_err(|error| format!("{key}: {error}"))?;
                    found = true;
                }
            }
        }
        if !found {
            return Err(format!(
                "a layer has none of the projections {:?}",
                keys.as_deref().unwrap_or_default()
            )
            .into());
        }
        Ok(())
    }
}
