//! What the examples share: where models and data come from, and the models. Each example is a short program beside this folder.

#![forbid(unsafe_code)]

pub mod ccexam;
pub mod digits;
pub mod download;
pub mod efficientnet;
pub mod language;
pub mod lora;
pub mod minilm;
pub mod onnx;
pub mod options;
pub mod parity;
pub mod pictures;
pub mod plot;
pub mod program;
pub mod silero;
pub mod text;
pub mod torch;

use mlx::Tensor;
use std::{error::Error, fmt::Display, path::Path};

/// What went wrong, as a sentence.
pub type Failure = Box<dyn Error + Send + Sync>;

/// What a model or a program gives, or why it could not.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// `result`, its error with the file it is about.
fn of_file<T, E: Display>(path: &Path, result: Result<T, E>) -> Result<T> {
    result.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// A loss that is one, behind so many steps.
fn number(loss: &Tensor, steps: usize) -> Result<f32> {
    let loss: f32 = loss.item()?;
    if loss.is_finite() {
        return Ok(loss);
    }
    Err(format!("the loss is {loss} after {steps} steps: try a lower learning rate").into())
}
