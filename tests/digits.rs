//! The example `digits` learns, and what it learned is the same from a file.

#[path = "../examples/digits/data.rs"]
mod data;
#[path = "support/folder.rs"]
mod folder;
#[path = "../examples/digits/model.rs"]
mod model;
#[path = "../examples/digits/training.rs"]
mod training;

use data::{Digits, SIDE};
use folder::Folder;
use mlx::{
    nn::ModuleExt,
    optimizers::{AdamW, Optimizer},
    prelude::*,
    random,
};
use model::Cnn;
use training::accuracy;

#[test]
fn it_tells_digits_that_it_never_saw() -> Result<()> {
    let digits = Digits::new()?;
    let (pictures, wanted) = digits.draw(1000, &random::key(1 << 32)?)?;
    let mut losses = Vec::new();
    let (model, optimizer) = training::train(&digits, 300, |_, loss| losses.push(loss))?;
    let learned = accuracy(&model, &pictures, &wanted)?;
    assert!(learned > 0.95 && losses[losses.len() - 1] < 0.1 * losses[0], "{learned}, {losses:?}");
    assert_eq!(optimizer.state()["step"].item::<u64>()?, 300);

    let folder = Folder::new("digits");
    model.save_weights(folder.path("model.safetensors"))?;
    optimizer.save_state(folder.path("optimizer.npz"))?;
    let mut again = Cnn::new(SIDE as i32)?;
    assert!(accuracy(&again, &pictures, &wanted)? < 0.5);
    again.load_weights(folder.path("model.safetensors"))?;
    assert_eq!(accuracy(&again, &pictures, &wanted)?.to_bits(), learned.to_bits());
    let mut other = AdamW::new(1.0)?;
    other.load_state(folder.path("optimizer.npz"))?;
    let sum = |optimizer: &AdamW| optimizer.state()["linear.weight.v"].sum(..).item::<f32>();
    assert_eq!(sum(&other)?.to_bits(), sum(&optimizer)?.to_bits());
    Ok(())
}
