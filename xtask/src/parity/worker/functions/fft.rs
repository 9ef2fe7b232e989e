//! The worker's functions: `mx.fft`.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::{Bound, Call},
};
use mlx_core::{Axes, Tensor};
use mlx_ops::fft::{self, Fft, FftN, Norm};

type One = fn(&Tensor, Fft) -> mlx_core::Result<Tensor>;
type Several = fn(&Tensor, FftN) -> mlx_core::Result<Tensor>;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("fft", |call| one(over_one(call, fft::fft))),
    ("fft2", |call| one(over_two(call, fft::fft2, fft::fftn))),
    ("fftfreq", |call| one(frequencies(call, fft::fftfreq))),
    ("fftn", |call| one(over_all(call, fft::fftn))),
    ("fftshift", |call| one(shifted(call, fft::fftshift))),
    ("ifft", |call| one(over_one(call, fft::ifft))),
    ("ifft2", |call| one(over_two(call, fft::ifft2, fft::ifftn))),
    ("ifftn", |call| one(over_all(call, fft::ifftn))),
    ("ifftshift", |call| one(shifted(call, fft::ifftshift))),
    ("irfft", |call| one(over_one(call, fft::irfft))),
    ("irfft2", |call| one(over_two(call, fft::irfft2, fft::irfftn))),
    ("irfftn", |call| one(over_all(call, fft::irfftn))),
    ("rfft", |call| one(over_one(call, fft::rfft))),
    ("rfft2", |call| one(over_two(call, fft::rfft2, fft::rfftn))),
    ("rfftfreq", |call| one(frequencies(call, fft::rfftfreq))),
    ("rfftn", |call| one(over_all(call, fft::rfftn))),
];

fn norm(call: &Call, bound: &Bound, i: usize) -> Result<Norm> {
    match bound.text(i, "backward")? {
        "backward" => Ok(Norm::Backward),
        "ortho" => Ok(Norm::Ortho),
        "forward" => Ok(Norm::Forward),
        _ => {
            let op = call.op.trim_start_matches("fft.");
            let why = "Invalid norm. Expected one of {'backward', 'ortho', 'forward'}.";
            Err(Failure::raised("ValueError", format!("[{op}] {why}")))
        }
    }
}

fn over_one(call: &Call, function: One) -> Result<Tensor> {
    let bound = call.bind("a, n=, axis=, norm=")?;
    let mut how = Fft::over(bound.int(2, -1)?).norm(norm(call, &bound, 3)?);
    if bound.has(1) {
        how = how.n(bound.int(1, 0)?);
    }
    Ok(function(bound.tensor(0)?, how)?)
}

/// The functions of two dimensions mean the last two by default, and by None all.
fn over_two(call: &Call, function: Several, all: Several) -> Result<Tensor> {
    let bound = call.bind("a, s=, axes=, norm=")?;
    if !bound.is_given(2) || bound.has(2) {
        return several(call, &bound, function);
    }
    if bound.has(1) {
        let op = call.op.trim_start_matches("fft.");
        let message = format!("[{op}] `axes` should not be `None` if `s` is not `None`.");
        return Err(Failure::raised("ValueError", message));
    }
    several(call, &bound, all)
}

fn over_all(call: &Call, function: Several) -> Result<Tensor> {
    several(call, &call.bind("a, s=, axes=, norm=")?, function)
}

fn several(call: &Call, bound: &Bound, function: Several) -> Result<Tensor> {
    let mut how = FftN::over(bound.axes(2)?).norm(norm(call, bound, 3)?);
    if bound.has(1) {
        how = how.sizes(bound.shape(1, false)?)?;
    }
    Ok(function(bound.tensor(0)?, how)?)
}

fn shifted(call: &Call, function: fn(&Tensor, Axes) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    let bound = call.bind("a, axes=")?;
    Ok(function(bound.tensor(0)?, bound.axes(1)?)?)
}

fn frequencies(call: &Call, function: fn(i32, f64) -> mlx_core::Result<Tensor>) -> Result<Tensor> {
    let bound = call.bind("n, d=")?;
    Ok(function(bound.int(0, 0)?, bound.double(1, 1.0)?)?)
}
