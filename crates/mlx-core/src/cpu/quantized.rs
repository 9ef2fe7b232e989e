//! Products with quantized weights, one matrix, one for each of a batch, or one chosen for each product.

use super::run::Float;
use crate::ffi::cpu::{Part, Work};
use mlx_cpu::{
    Floats,
    quantized::{self, Format, Product, Scales, Weights},
};

/// The inputs of a node in slices, and how they are read.
struct Inputs<'a, T> {
    x: &'a [T],
    codes: &'a [u8],
    scales: Groups<'a, T>,
    format: Format,
    /// Of a matrix of weights.
    rows: usize,
    columns: usize,
}

enum Groups<'a, T> {
    Affine(&'a [T], &'a [T]),
    Bytes(&'a [u8]),
}

impl<'a, T: Float> Inputs<'a, T> {
    fn new(work: &Work<'_>, inputs: &[Part<'a>]) -> Result<Self, String> {
        let numbers = work.numbers();
        let format = match numbers.mode {
            0 => Format::Affine { bits: numbers.bits as usize, group: numbers.group_size as usize },
            1 => Format::Mxfp4,
            2 => Format::Mxfp8,
            3 => Format::Nvfp4,
            other => return Err(format!("[cpu] no kernel knows quantization mode {other}.")),
        };
        let scales = match inputs.get(3) {
            Some(biases) => Groups::Affine(inputs[2].elements(), biases.elements()),
            None => Groups::Bytes(inputs[2].elements()),
        };
        let (n, k) = (numbers.columns, numbers.inner);
        let (rows, columns) = if numbers.transpose { (n, k) } else { (k, n) };
        Ok(Inputs { x: inputs[0].elements(), codes: inputs[1].bytes(), scales, format, rows, columns })
    }

    /// `count` matrices, the first of which has its codes and its groups begin there.
    fn weights(&self, count: usize, codes: usize, groups: [usize; 2]) -> Weights<'a> {
        let Inputs { format, rows, columns, .. } = *self;
        let bytes = count * rows * columns / 8 * format.bits();
        let each = count * rows * columns / format.group();
        let scales = match self.scales {
            Groups::Affine(scales, biases) => Scales::Affine {
                scales: part(scales, groups[0], each),
                biases: part(biases, groups[1], each),
            },
            Groups::Bytes(scales) => Scales::Bytes { scales: &scales[groups[0]..][..each], global: 1.0 },
        };
        Weights { format, codes: &self.codes[codes..][..bytes], scales, count, rows, columns }
    }
}

fn part<T: Float>(values: &[T], start: usize, count: usize) -> Floats<'_> {
    T::floats(&values[start..][..count])
}

pub(super) fn matmul<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) -> Result<(), String> {
    let numbers = work.numbers();
    let read = Inputs::<T>::new(work, inputs)?;
    let (m, n, k) = (numbers.rows, numbers.columns, numbers.inner);
    for (i, out) in out.chunks_mut(m * n).enumerate() {
        let start = |input: usize| work.matrices(input).starts[i] as usize;
        let groups = [start(2), if inputs.len() > 3 { start(3) } else { 0 }];
        // Codes lie in words of four bytes.
        let weights = read.weights(1, start(1) * 4, groups);
        let product =
            Product { x: part(read.x, start(0), m * k), m, weights, transpose: numbers.transpose, isa: None };
        quantized::matmul(&product, T::floats_mut(out)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

pub(super) fn gather<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) -> Result<(), String> {
    let numbers = work.numbers();
    let (of_x, of_w) = (inputs[0].elements::<u32>(), inputs[1].elements::<u32>());
    let read = Inputs::<T>::new(work, &inputs[2..])?;
    let count = read.codes.len() * 8 / read.format.bits() / (read.rows * read.columns);
    let weights = read.weights(count, 0, [0, 0]);
    let product =
        Product { x: T::floats(read.x), m: numbers.rows, weights, transpose: numbers.transpose, isa: None };
    quantized::gather(&product, of_x, of_w, T::floats_mut(out)).map_err(|error| error.to_string())
}
