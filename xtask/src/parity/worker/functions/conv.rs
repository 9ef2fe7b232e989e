//! The worker's functions: convolutions.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::{Bound, Call},
};
use mlx_core::Tensor;
use mlx_ops::{Convolution, ConvolveMode, GeneralConvolution, TransposedConvolution};

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("conv1d", |call| one(convolution(call, mlx_ops::conv1d))),
    ("conv2d", |call| one(convolution(call, mlx_ops::conv2d))),
    ("conv3d", |call| one(convolution(call, mlx_ops::conv3d))),
    ("conv_general", |call| one(general(call))),
    ("conv_transpose1d", |call| one(transposed(call, mlx_ops::conv_transpose1d))),
    ("conv_transpose2d", |call| one(transposed(call, mlx_ops::conv_transpose2d))),
    ("conv_transpose3d", |call| one(transposed(call, mlx_ops::conv_transpose3d))),
    ("convolve", |call| one(convolve(call))),
];

fn convolution<const N: usize>(
    call: &Call,
    function: fn(&Tensor, &Tensor, Convolution<N>) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind("input, weight, /, stride=, padding=, dilation=, groups=")?;
    let how = Convolution::new()
        .stride(bound.int_each(2, 1)?)
        .padding(bound.int_each(3, 0)?)
        .dilation(bound.int_each(4, 1)?)
        .groups(bound.int(5, 1)?);
    Ok(function(bound.tensor(0)?, bound.tensor(1)?, how)?)
}

fn transposed<const N: usize>(
    call: &Call,
    function: fn(&Tensor, &Tensor, TransposedConvolution<N>) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind("input, weight, /, stride=, padding=, dilation=, output_padding=, groups=")?;
    let how = TransposedConvolution::new()
        .stride(bound.int_each(2, 1)?)
        .padding(bound.int_each(3, 0)?)
        .dilation(bound.int_each(4, 1)?)
        .output_padding(bound.int_each(5, 0)?)
        .groups(bound.int(6, 1)?);
    Ok(function(bound.tensor(0)?, bound.tensor(1)?, how)?)
}

fn general(call: &Call) -> Result<Tensor> {
    let bound =
        call.bind("input, weight, /, stride=, padding=, kernel_dilation=, input_dilation=, groups=, flip=")?;
    let list = |i: usize, default: i32| bound.int_list(i, default);
    let mut how = GeneralConvolution::new()
        .stride(list(2, 1)?)
        .kernel_dilation(list(4, 1)?)
        .input_dilation(list(5, 1)?)
        .groups(bound.int(6, 1)?);
    how = match bound.list_pair(3)? {
        Some([before, after]) => how.padding_before_after(before, after),
        None => how.padding(list(3, 0)?),
    };
    if bound.flag(7)? {
        how = how.flip();
    }
    Ok(mlx_ops::conv_general(bound.tensor(0)?, bound.tensor(1)?, &how)?)
}

fn convolve(call: &Call) -> Result<Tensor> {
    let bound: Bound = call.bind("a, v, /, mode=")?;
    let mode = match bound.text(2, "full")? {
        "full" => ConvolveMode::Full,
        "same" => ConvolveMode::Same,
        "valid" => ConvolveMode::Valid,
        // Rust has no other modes; Python looks at the vectors first.
        _ => {
            mlx_ops::convolve(bound.tensor(0)?, bound.tensor(1)?, ConvolveMode::Full)?;
            return Err(Failure::raised("ValueError", "[convolve] Invalid mode."));
        }
    };
    Ok(mlx_ops::convolve(bound.tensor(0)?, bound.tensor(1)?, mode)?)
}
