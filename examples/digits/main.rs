//! Trains a small convolutional network on pictures of digits that it makes itself, and says how well it knows others.
//!
//! `cargo run --release --example digits [STEPS]`. Not here: the pictures (`data`), the network (`model`), the steps (`training`).

mod data;
mod model;
mod training;

use data::Digits;
use mlx::{prelude::*, random};
use std::time::Instant;

fn main() -> Result<()> {
    let steps = std::env::args().nth(1).and_then(|steps| steps.parse().ok()).unwrap_or(300);
    let digits = Digits::new()?;
    let start = Instant::now();
    let (model, _) = training::train(&digits, steps, |i, loss| println!("step {i:4}: loss {loss:.4}"))?;
    let seconds = start.elapsed().as_secs_f64();

    let (pictures, wanted) = digits.draw(2000, &random::key(1 << 32)?)?;
    let accuracy = 100.0 * training::accuracy(&model, &pictures, &wanted)?;
    println!("{steps} steps in {seconds:.1} s; {accuracy:.1} % of 2000 other pictures are told right");
    Ok(())
}
