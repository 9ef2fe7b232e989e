//! Quantized products: MLX's layouts and values, its accuracy at least, and every set of instructions.
//!
//! `fixtures` holds Python MLX's results, `reference` its decoding and its order of roundings, checked by them.

mod accuracy;
mod fixtures;
mod hostile;
mod reference;
