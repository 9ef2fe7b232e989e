//! What is computed along rows, in float32: softmax and sums of halves.

use super::run::Float;
use crate::ffi::cpu::{Part, Work};
use mlx_cpu::{
    Isa,
    reduce::{self, Reduction},
};

pub(super) fn softmax<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) -> Result<(), String> {
    let x = T::floats(inputs[0].elements());
    reduce::softmax(Isa::chosen()?, work.numbers().inner, x, T::floats_mut(out))
}

pub(super) fn sum<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) -> Result<(), String> {
    let x = T::floats(inputs[0].elements());
    Reduction::Sum.run(Isa::chosen()?, work.numbers().inner, x, T::floats_mut(out))
}
