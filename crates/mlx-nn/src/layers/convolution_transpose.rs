//! Transposed convolutions, channels last.

use super::convolution::{convolutions, described};
use crate::python::{boolean, tuple};
use mlx_core::Tensor;
use mlx_ops::{TransposedConvolution, conv_transpose1d, conv_transpose2d, conv_transpose3d};

convolutions! {
    "transposed convolution", TransposedConvolution, "`in_channels` times the kernel's size";

    /// The transpose of a convolution over one axis: each element of `x` adds a multiple of the kernel.
    ///
    /// ```
    /// # use mlx_core::Tensor;
    /// # use mlx_nn::ConvTranspose1d;
    /// # use mlx_ops::TransposedConvolution;
    /// let weight = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 10.0])?;
    /// let x = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 2.0])?;
    /// let conv = ConvTranspose1d::from_parameters(weight, None, TransposedConvolution::new());
    /// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [1.0, 12.0, 20.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ConvTranspose1d "nn.ConvTranspose1d" 1 conv_transpose1d
        "Stride, padding, dilation and output padding; groups, which Python's layer has not, are not in its `repr`."
        "kernel_size" "[batch, length, in_channels]";

    /// The transpose of a convolution over two axes.
    ///
    /// ```
    /// # use mlx_core::Tensor;
    /// # use mlx_nn::ConvTranspose2d;
    /// # use mlx_ops::TransposedConvolution;
    /// let weight = Tensor::from_shape_slice([1, 1, 2, 1], &[1.0_f32, 10.0])?;
    /// let x = Tensor::from_shape_slice([1, 1, 2, 1], &[1.0_f32, 2.0])?;
    /// let conv = ConvTranspose2d::from_parameters(weight, None, TransposedConvolution::new().stride([1, 2]));
    /// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [1.0, 10.0, 2.0, 20.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ConvTranspose2d "nn.ConvTranspose2d" 2 conv_transpose2d
        "Stride, padding, dilation and output padding; groups, which Python's layer has not, are not in its `repr`."
        "kernel_height, kernel_width"
        "[batch, height, width, in_channels]";

    /// The transpose of a convolution over three axes.
    ///
    /// ```
    /// # use mlx_core::Tensor;
    /// # use mlx_nn::ConvTranspose3d;
    /// # use mlx_ops::TransposedConvolution;
    /// let weight = Tensor::from_shape_slice([1, 1, 1, 2, 1], &[1.0_f32, 10.0])?;
    /// let x = Tensor::from_shape_slice([1, 1, 1, 2, 1], &[1.0_f32, 2.0])?;
    /// let conv = ConvTranspose3d::from_parameters(weight, None, TransposedConvolution::new());
    /// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [1.0, 12.0, 20.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ConvTranspose3d "nn.ConvTranspose3d" 3 conv_transpose3d
        "Stride, padding, dilation and output padding; groups, which Python's layer has not, are not in its `repr`."
        "kernel_depth, kernel_height, kernel_width"
        "[batch, depth, height, width, in_channels]";
}

fn written<const N: usize>(weight: &Tensor, how: TransposedConvolution<N>, has_bias: bool) -> String {
    let begin = described(weight, how.groups, [how.stride, how.padding, how.dilation]);
    let more = how.output_padding;
    let more = if N == 1 { more[0].to_string() } else { tuple(&more) };
    format!("{begin}, output_padding={more}, bias={}", boolean(has_bias))
}
