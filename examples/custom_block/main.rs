//! A block written by a user, with weights from a file of Python MLX, and its output beside Python's.
//!
//! `MLX_CPU=stock cargo run --example custom_block`. Not here: the block (`block`).

mod block;

use block::Block;
use mlx::{nn::Weights, ops, prelude::*};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/custom_block/block.safetensors");

fn main() -> Result<()> {
    let file = ops::load_safetensors(FILE)?.tensors;
    for dtype in [Dtype::Float32, Dtype::Bfloat16] {
        let tensors = file.iter().map(|(name, tensor)| (name.clone(), tensor.astype(dtype))).collect();
        let weights = Weights::new(&tensors);
        let block = Block::from_weights(&weights)?;

        let y = block.forward(&weights.get("input")?)?; // lazy
        println!("{y:?}, its first row {}", y.index((0, 0, ..6))); // computed here

        let python = &file[&format!("expected.{dtype}")];
        let (ours, theirs) = (y.astype(Dtype::Float32), python.astype(Dtype::Float32));
        let unequal = ours.ne(&theirs).sum(..).item::<i32>()?;
        let farthest = (ours - theirs).abs().max(..).item::<f32>()?;
        // The graph is Python's in every mode; with another BLAS the last bits of a float32 product may differ.
        println!("  {unequal} of {} elements differ from Python's, by at most {farthest:e}\n", y.size());
    }
    Ok(())
}
