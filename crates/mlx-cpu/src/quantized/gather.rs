//! Products with a matrix chosen for each `x`: mixtures of experts.

use super::{
    format::Error,
    pack::Element,
    product::{Job, Product, Sizes},
    rows::Rows,
};
use crate::FloatsMut;

/// Writes, for each `i`, the matrix `lhs[i]` of `x` times the matrix `rhs[i]` of the weights.
///
/// ```
/// use mlx_cpu::{Floats, FloatsMut, quantized::{Format, Product, Scales, Weights, gather}};
/// // Two matrices of one row each: 32 ones, and 32 twos.
/// let scales = Scales::Affine { scales: Floats::F32(&[1.0, 2.0]), biases: Floats::F32(&[0.0, 0.0]) };
/// let format = Format::Affine { bits: 8, group: 32 };
/// let weights = Weights { format, codes: &[1; 64], scales, count: 2, rows: 1, columns: 32 };
/// let product = Product { x: Floats::F32(&[1.0; 32]), m: 1, weights, transpose: true, isa: None };
/// let mut out = [0.0; 3];
/// gather(&product, &[0, 0, 0], &[1, 0, 1], FloatsMut::F32(&mut out)).unwrap();
/// assert_eq!(out, [64.0, 32.0, 64.0]);
/// ```
///
/// # Errors
/// The slices do not fit, an index is too large, or the instructions asked for are not there.
pub fn gather(product: &Product<'_>, lhs: &[u32], rhs: &[u32], out: FloatsMut<'_>) -> Result<(), Error> {
    if lhs.len() != rhs.len() {
        let (lhs, rhs) = (lhs.len(), rhs.len());
        return Err(Error(format!("quantized product: {lhs} indices of x and {rhs} of the weights")));
    }
    let sizes = product.check(lhs.len(), out.len())?;
    if let Some(count) = sizes.matrices {
        within("x", lhs, count)?;
    }
    within("the weights", rhs, product.weights.count)?;
    match out {
        FloatsMut::F32(out) => by_matrix(product, &sizes, (lhs, rhs), out),
        FloatsMut::F16(out) => by_matrix(product, &sizes, (lhs, rhs), out),
        FloatsMut::Bf16(out) => by_matrix(product, &sizes, (lhs, rhs), out),
    }
    Ok(())
}

fn within(what: &str, indices: &[u32], count: usize) -> Result<(), Error> {
    match indices.iter().find(|&&index| index as usize >= count) {
        None => Ok(()),
        Some(index) => {
            Err(Error(format!("quantized product: index {index} into {what}, which has {count} matrices")))
        }
    }
}

/// All products with one matrix together: its codes are read once for them.
fn by_matrix<T: Element>(product: &Product<'_>, sizes: &Sizes, (lhs, rhs): (&[u32], &[u32]), out: &mut [T]) {
    let mut order: Vec<usize> = (0..rhs.len()).collect();
    order.sort_by_key(|&i| rhs[i]);
    let mut pairs = Vec::new();
    for same in order.chunk_by(|&a, &b| rhs[a] == rhs[b]) {
        pairs.clear();
        pairs.extend(same.iter().map(|&i| (lhs[i] as usize, i)));
        let rows = Rows::of(&product.weights, rhs[same[0]] as usize);
        Job { product, sizes, rows, pairs: &pairs }.run(out);
    }
}
