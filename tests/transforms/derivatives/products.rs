//! Products of matrices, convolutions.

use super::row::{I, N, P, Row, Wrong, row};
use mlx::{
    Dtype, ops,
    ops::{BlockMasks, Convolution, ConvolveMode, GeneralConvolution, TransposedConvolution},
    prelude::*,
};

const ADDMM: &[(&str, &str)] = &[("0", "input c must broadcast to the output shape")];

pub(crate) const PRODUCTS: &[Row] = &[
    row("mx.matmul @", &[N(&[2, 3]), N(&[3, 4])], |v| ops::matmul(&v[0], &v[1])),
    row("mx.matmul @", &[N(&[2, 3]), N(&[3])], |v| ops::matmul(&v[0], &v[1])),
    row("mx.matmul @", &[N(&[3]), N(&[3, 2])], |v| ops::matmul(&v[0], &v[1])),
    row("mx.matmul @", &[N(&[3]), N(&[3])], |v| ops::matmul(&v[0], &v[1]))
        // One row is summed by another routine than several.
        .vmap_within(1e-14),
    row("mx.matmul @", &[N(&[2, 1, 2, 3]), N(&[2, 3, 2])], |v| ops::matmul(&v[0], &v[1])),
    row("mx.matmul @", &[N(&[3, 2])], |v| ops::matmul(&v[0], &ops::transpose(&v[0], ..)?)),
    row("mx.addmm", &[N(&[4]), N(&[2, 3]), N(&[3, 4])], |v| ops::addmm(&v[0], &v[1], &v[2], 0.5, 2.0))
        .wrong_product(0.336_067)
        .no_vmap(ADDMM),
    row("mx.addmm", &[N(&[2, 2, 4]), N(&[2, 2, 3]), N(&[3, 4])], |v| {
        ops::addmm(&v[0], &v[1], &v[2], 1.0, 1.0)
    })
    .no_vmap(ADDMM),
    row("mx.inner", &[N(&[2, 3]), N(&[4, 3])], |v| ops::inner(&v[0], &v[1])),
    row("mx.outer", &[N(&[2]), N(&[3])], |v| ops::outer(&v[0], &v[1])),
    row("mx.kron", &[N(&[2, 2]), N(&[2, 3])], |v| ops::kron(&v[0], &v[1])),
    row("mx.vecdot", &[N(&[2, 3]), N(&[2, 3])], |v| ops::vecdot(&v[0], &v[1], -1)),
    row("mx.tensordot", &[N(&[2, 3, 2]), N(&[3, 2, 2])], |v| ops::tensordot(&v[0], &v[1], 2)),
    row("mx.tensordot", &[N(&[3, 2]), N(&[2, 3])], |v| ops::tensordot(&v[0], &v[1], ([0], [1]))),
    row("mx.einsum", &[N(&[2, 3]), N(&[3, 4])], |v| ops::einsum("ij,jk->ki", v)),
    row("mx.einsum", &[N(&[2, 3]), N(&[3, 4]), N(&[4, 2])], |v| ops::einsum("ij,jk,kl->il", v)),
    row("mx.einsum", &[N(&[3, 3])], |v| ops::einsum("ii->i", v)),
    row("mx.block_masked_mm", &[N(&[2, 3]), N(&[3, 2]), P(&[1, 1]), P(&[1, 1]), P(&[1, 1])], |v| {
        ops::block_masked_mm(&v[0], &v[1], BlockMasks::new().size(32).out(&v[2]).lhs(&v[3]).rhs(&v[4]))
    })
    .single()
    .no_jvp("Not implemented for BlockMaskedMM")
    .no_vmap(&[("*", "Not implemented for BlockMaskedMM")])
    .wrong(&[Wrong { by: 2, gradient: &[7.833_362] }]),
    row("mx.block_masked_mm", &[N(&[2, 3]), N(&[3, 2]), I(&[1, 1], &[1])], |v| {
        ops::block_masked_mm(&v[0], &v[1], BlockMasks::new().size(32).out(&v[2].astype(Dtype::Bool)))
    })
    .single()
    .no_jvp("Not implemented for BlockMaskedMM")
    .no_vmap(&[("*", "Not implemented for BlockMaskedMM")]),
    row("mx.gather_mm", &[N(&[2, 2, 3]), N(&[3, 3, 2]), I(&[3], &[1, 0, 1]), I(&[3], &[2, 2, 0])], |v| {
        let unsigned = |i: usize| v[i].astype(Dtype::Uint32);
        ops::gather_mm(&v[0], &v[1], &unsigned(2), &unsigned(3))
    })
    .single()
    .no_jvp("Not implemented for GatherMM")
    .no_vmap(&[("*", "Not implemented for GatherMM")]),
    row(
        "ops::gather_mm_sorted",
        &[N(&[2, 2, 3]), N(&[3, 3, 2]), I(&[3], &[1, 0, 1]), I(&[3], &[0, 2, 2])],
        |v| {
            let unsigned = |i: usize| v[i].astype(Dtype::Uint32);
            ops::gather_mm_sorted(&v[0], &v[1], &unsigned(2), &unsigned(3))
        },
    )
    .single()
    .no_jvp("Not implemented for GatherMM")
    .no_vmap(&[("*", "Not implemented for GatherMM")]),
    row("mx.segmented_mm", &[N(&[2, 6]), N(&[6, 3]), I(&[2, 2], &[0, 4, 4, 6])], |v| {
        ops::segmented_mm(&v[0], &v[1], &v[2].astype(Dtype::Uint32))
    })
    .single()
    .no_gradient("Not implemented for SegmentedMM")
    .no_vmap(&[("*", "Not implemented for SegmentedMM")]),
];

const CONVOLUTION: &str = "Not implemented for Convolution";

const GROUPS: &[(&str, &str)] = &[("first last", "Can only handle groups != 1 in 1D or 2D convolutions")];

/// Vectorised, items become groups, which other kernels compute, in another order.
const SUMS: f64 = 1e-6;

pub(crate) const CONVOLUTIONS: &[Row] = &[
    row("mx.conv1d", &[N(&[2, 7, 2]), N(&[2, 3, 2])], |v| ops::conv1d(&v[0], &v[1], Convolution::new()))
        .single()
        .no_jvp(CONVOLUTION)
        .vmap_within(SUMS),
    row("mx.conv1d", &[N(&[1, 7, 4]), N(&[2, 3, 2])], |v| {
        ops::conv1d(&v[0], &v[1], Convolution::new().stride(2).padding(2).dilation(2).groups(2))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS)
    .wrong_vmap(&["1"]),
    row("mx.conv2d", &[N(&[1, 5, 4, 2]), N(&[2, 3, 2, 2])], |v| {
        ops::conv2d(&v[0], &v[1], Convolution::new())
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv2d", &[N(&[1, 6, 5, 2]), N(&[2, 3, 2, 2])], |v| {
        ops::conv2d(&v[0], &v[1], Convolution::new().stride([2, 1]).padding(1))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv2d", &[N(&[1, 6, 5, 2]), N(&[2, 3, 2, 2])], |v| {
        ops::conv2d(&v[0], &v[1], Convolution::new().padding(1).dilation(2))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv2d", &[N(&[1, 4, 4, 4]), N(&[4, 2, 2, 2])], |v| {
        ops::conv2d(&v[0], &v[1], Convolution::new().groups(2))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS)
    .wrong_vmap(&["1"]),
    row("mx.conv3d", &[N(&[1, 3, 3, 3, 1]), N(&[2, 2, 2, 2, 1])], |v| {
        ops::conv3d(&v[0], &v[1], Convolution::new().stride(2).padding(1))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .no_vmap(GROUPS),
    row("mx.conv3d", &[N(&[1, 3, 3, 3, 1]), N(&[2, 2, 2, 2, 1])], |v| {
        ops::conv3d(&v[0], &v[1], Convolution::new())
    })
    .single()
    .no_jvp(CONVOLUTION)
    .no_vmap(GROUPS),
    row("mx.conv_transpose1d", &[N(&[2, 4, 2]), N(&[2, 3, 2])], |v| {
        ops::conv_transpose1d(&v[0], &v[1], TransposedConvolution::new())
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv_transpose1d", &[N(&[2, 4, 2]), N(&[2, 3, 2])], |v| {
        ops::conv_transpose1d(
            &v[0],
            &v[1],
            TransposedConvolution::new().stride(2).padding(1).output_padding(1),
        )
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv_transpose2d", &[N(&[1, 3, 3, 2]), N(&[2, 2, 3, 2])], |v| {
        ops::conv_transpose2d(&v[0], &v[1], TransposedConvolution::new().stride(2).padding(1))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv_transpose3d", &[N(&[1, 2, 3, 2, 1]), N(&[2, 2, 2, 2, 1])], |v| {
        ops::conv_transpose3d(&v[0], &v[1], TransposedConvolution::new())
    })
    .single()
    .no_jvp(CONVOLUTION)
    .no_vmap(GROUPS),
    row("mx.conv_general", &[N(&[1, 6, 2]), N(&[2, 3, 2])], |v| {
        ops::conv_general(&v[0], &v[1], &GeneralConvolution::new().flip())
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv_general", &[N(&[1, 5, 5, 1]), N(&[2, 2, 2, 1])], |v| {
        let how = GeneralConvolution::new().stride(2).padding([2, 1]).kernel_dilation([2, 1]).flip();
        ops::conv_general(&v[0], &v[1], &how)
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    // MLX's own gradients have other shapes where more is padded than the kernel reaches, or more on one side, and where
    // the last positions of a dilated input are not reached.
    row("mx.conv_general", &[N(&[1, 3, 2, 1]), N(&[1, 2, 2, 1])], |v| {
        ops::conv_general(&v[0], &v[1], &GeneralConvolution::new().padding_before_after([1, 0], [0, 2]))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv_general", &[N(&[1, 5, 1]), N(&[1, 2, 1])], |v| {
        ops::conv_general(&v[0], &v[1], &GeneralConvolution::new().stride(2).input_dilation(2))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv_general", &[N(&[2, 4, 3, 2]), N(&[2, 3, 2, 2])], |v| {
        let how = GeneralConvolution::new().stride([3, 2]).input_dilation([2, 3]);
        ops::conv_general(&v[0], &v[1], &how.padding_before_after([1, 4], [3, 0]).flip())
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.conv1d", &[N(&[1, 4, 2]), N(&[1, 1, 2])], |v| {
        ops::conv1d(&v[0], &v[1], Convolution::new().padding(3))
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("mx.convolve", &[N(&[6]), N(&[3])], |v| ops::convolve(&v[0], &v[1], ConvolveMode::Full))
        .single()
        .no_jvp(CONVOLUTION)
        .vmap_within(SUMS),
    row("mx.convolve", &[N(&[6]), N(&[3])], |v| ops::convolve(&v[0], &v[1], ConvolveMode::Same))
        .single()
        .no_jvp(CONVOLUTION)
        .vmap_within(SUMS),
    row("mx.convolve", &[N(&[6]), N(&[3])], |v| ops::convolve(&v[0], &v[1], ConvolveMode::Valid))
        .single()
        .no_jvp(CONVOLUTION)
        .vmap_within(SUMS),
];
