//! The worker's layers: convolutions.

use super::{Layer, family};
use crate::parity::worker::{
    failure::Result,
    signature::{Bound, Call},
};
use mlx_nn::{Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d};
use mlx_ops::{Convolution, TransposedConvolution};

const PLAIN: &str = "in_channels, out_channels, kernel_size, stride=, padding=, dilation=, groups=, bias=";
const DEEP: &str = "in_channels, out_channels, kernel_size, stride=, padding=, dilation=, bias=";
const TRANSPOSED: &str =
    "in_channels, out_channels, kernel_size, stride=, padding=, dilation=, output_padding=, bias=";

pub(super) fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    /// The layer from the channels, the kernel, how it goes, and whether there is a bias.
    macro_rules! made {
        ($layer:ident, $bound:ident, $how:expr, $bias:literal) => {{
            let [inputs, outputs] = [$bound.int(0, 0)?, $bound.int(1, 0)?];
            let (kernel, bias) = ($bound.int_each(2, 0)?, $bound.flag_or($bias, true)?);
            Ok(Layer::unary($layer::new(inputs, outputs, kernel, $how, bias)?))
        }};
    }
    family! { name, init;
        "Conv1d"(PLAIN) |b| made!(Conv1d, b, plain(&b)?.groups(b.int(6, 1)?), 7);
        "Conv2d"(PLAIN) |b| made!(Conv2d, b, plain(&b)?.groups(b.int(6, 1)?), 7);
        "Conv3d"(DEEP) |b| made!(Conv3d, b, plain(&b)?, 6);
        "ConvTranspose1d"(TRANSPOSED) |b| made!(ConvTranspose1d, b, transposed(&b)?, 7);
        "ConvTranspose2d"(TRANSPOSED) |b| made!(ConvTranspose2d, b, transposed(&b)?, 7);
        "ConvTranspose3d"(TRANSPOSED) |b| made!(ConvTranspose3d, b, transposed(&b)?, 7);
    }
}

fn plain<const N: usize>(bound: &Bound) -> Result<Convolution<N>> {
    let how = Convolution::new().stride(bound.int_each(3, 1)?).padding(bound.int_each(4, 0)?);
    Ok(how.dilation(bound.int_each(5, 1)?))
}

fn transposed<const N: usize>(bound: &Bound) -> Result<TransposedConvolution<N>> {
    let how = TransposedConvolution::new().stride(bound.int_each(3, 1)?).padding(bound.int_each(4, 0)?);
    Ok(how.dilation(bound.int_each(5, 1)?).output_padding(bound.int_each(6, 0)?))
}
