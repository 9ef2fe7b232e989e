//! A block written on the layers gives Python's bits, in float32 and in bfloat16.
//!
//! With MLX's own BLAS, which is chosen for a whole process: so a child process computes.

#[path = "../examples/custom_block/block.rs"]
mod block;
#[path = "support/own_blas.rs"]
mod own_blas;

use block::Block;
use mlx::{Dtype, ops, prelude::*};
use std::collections::HashMap;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/custom_block/block.safetensors");

#[test]
fn the_bits_are_pythons() {
    own_blas::run("with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    let file = ops::load_safetensors(FILE).expect("a file of the repository").tensors;
    check(&file, Dtype::Float32);
    check(&file, Dtype::Bfloat16);
}

/// Every element, by its bits.
#[track_caller]
fn check(file: &HashMap<String, Tensor>, dtype: Dtype) {
    let tensors = file.iter().map(|(name, tensor)| (name.clone(), tensor.astype(dtype))).collect();
    let weights = mlx::nn::Weights::new(&tensors);
    let block = Block::from_weights(&weights).expect("all weights are there");
    let y = block.forward(&file["input"].astype(dtype)).expect("shapes that fit");
    let python = &file[&format!("expected.{dtype}")];
    assert_eq!((y.dtype(), y.shape()), (python.dtype(), python.shape()));
    y.eval().and_then(|()| python.eval()).expect("nothing that fails");
    assert_eq!(y.to_bytes().expect("computed"), python.to_bytes().expect("read"), "{dtype}");
}

#[test]
fn a_missing_weight_is_named() {
    let mut file = ops::load_safetensors(FILE).expect("a file of the repository").tensors;
    file.remove("mlp.up_proj.weight").expect("a weight of the block");
    let error = Block::from_weights(&mlx::nn::Weights::new(&file)).err().expect("a weight is missing");
    assert_eq!(error.message(), "there is no tensor named mlp.up_proj.weight");
}
