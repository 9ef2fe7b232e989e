//! The worker's functions: convolutions.

use super::{Row, one};
use crate::parity::worker::{
    failure::Result,
    signature::{Bound, Call},
};
use mlx_core::Tensor;
use mlx_ops::Convolution;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[("conv1d", |call| one(conv1d(call))), ("conv2d", |call| one(conv2d(call)))];

fn conv1d(call: &Call) -> Result<Tensor> {
    let (bound, how) = convolution(call, |bound, i, default| Ok([bound.int(i, default)?]))?;
    Ok(mlx_ops::conv1d(bound.tensor(0)?, bound.tensor(1)?, how)?)
}

fn conv2d(call: &Call) -> Result<Tensor> {
    let (bound, how) = convolution(call, Bound::int_pair)?;
    Ok(mlx_ops::conv2d(bound.tensor(0)?, bound.tensor(1)?, how)?)
}

fn convolution<const N: usize>(
    call: &Call,
    sizes: fn(&Bound, usize, i32) -> Result<[i32; N]>,
) -> Result<(Bound, Convolution<N>)> {
    let bound = call.bind("input, weight, /, stride=, padding=, dilation=, groups=")?;
    let how = Convolution::new()
        .stride(sizes(&bound, 2, 1)?)
        .padding(sizes(&bound, 3, 0)?)
        .dilation(sizes(&bound, 4, 1)?)
        .groups(bound.int(5, 1)?);
    Ok((bound, how))
}
