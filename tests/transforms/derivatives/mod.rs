//! Derivatives of every op against finite differences, in float64 where the op knows it; vectorised calls against single
//! ones.
//!
//! Each public op has a row, or stands in [`apart`]; `cargo xtask tidy` compares both with the ops there are.
//! Not here: that gradients have Python's bits (`tests/parity/transforms_*.json`).

mod algebra;
mod apart;
mod check;
mod elementwise;
mod indexing;
mod kernels;
mod layers;
mod nn;
mod products;
mod reductions;
mod row;
mod sequences;
mod shaping;

use check::check;

macro_rules! tests {
    ($($name:ident: $rows:path;)*) => {
        $(#[test]
        fn $name() {
            check($rows);
        })*

        const ALL: &[&[row::Row]] = &[$($rows),*];
    };
}

#[test]
fn what_stands_apart_has_no_row() {
    let named = |op| ALL.iter().copied().flatten().any(|row| row.names.split(' ').any(|name| name == op));
    let both: Vec<_> = apart::APART.iter().filter(|(op, _)| named(*op)).collect();
    assert!(both.is_empty(), "{both:?}");
}

tests! {
    of_one_tensor: elementwise::ONE;
    of_two_tensors: elementwise::TWO;
    of_integers: elementwise::DISCRETE;
    shapes: shaping::SHAPES;
    joins: shaping::JOINS;
    diagonals: shaping::DIAGONALS;
    reductions: reductions::REDUCTIONS;
    scans: reductions::SCANS;
    sorts: reductions::SORTS;
    reads: indexing::READS;
    updates: indexing::UPDATES;
    at_updates: indexing::AT;
    products: products::PRODUCTS;
    convolutions: products::CONVOLUTIONS;
    linear_algebra: algebra::LINEAR;
    fourier_transforms: algebra::FOURIER;
    complex_numbers: algebra::COMPLEX;
    fused_kernels: kernels::FUSED;
    activations: nn::ACTIVATIONS;
    losses: nn::LOSSES;
    quantized: kernels::QUANTIZED;
    draws: kernels::DRAWS;
    layers: layers::LAYERS;
    pools_and_upsampling: layers::RESIZING;
    activations_as_layers: layers::ACTIVATIONS;
    sequence_layers: sequences::SEQUENCES;
    quantized_layers: sequences::QUANTIZED;
}
