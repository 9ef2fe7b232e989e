//! Transposed convolutions, channels last.

use super::convolution::{described, initial};
use crate::{
    Module, State, Weights,
    module::{python_bool, python_tuple},
};
use mlx_core::{BinaryOperator, Dtype, Result, Tensor};
use mlx_ops::{
    PerAxis, TransposedConvolution, conv_transpose1d, conv_transpose2d, conv_transpose3d, random::uniform,
    zeros,
};

/// The table: documentation, name, Python's, over how many axes, the function, the kernel's sizes and what goes in.
macro_rules! layers {
    ($($(#[$doc:meta])* $layer:ident $alias:literal $axes:literal $function:ident $kernel:literal $input:literal;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Module)]
        #[module(extra_repr = Self::describe)]
        #[doc(alias = $alias)]
        pub struct $layer {
            #[doc = concat!("`[out_channels, ", $kernel, ", in_channels / groups]`")]
            pub weight: Tensor,
            /// `[out_channels]`
            pub bias: Option<Tensor>,
            /// Stride, padding, dilation and output padding; groups, which Python's layer has not, are not in its `repr`.
            pub how: TransposedConvolution<$axes>,
            state: State,
        }

        impl $layer {
            /// A layer from `in_channels` to `out_channels`, with parameters as Python initialises them: a weight that is
            /// uniform within the root of one over `in_channels` times the kernel's size, a bias of zeros.
            ///
            /// # Errors
            /// Channels that the groups do not divide; sizes that are no sizes.
            pub fn new(
                in_channels: i32,
                out_channels: i32,
                kernel_size: impl PerAxis<$axes>,
                how: TransposedConvolution<$axes>,
                bias: bool,
            ) -> Result<$layer> {
                let kernel = kernel_size.per_axis();
                let (shape, within) =
                    initial(stringify!($layer), in_channels, out_channels, &kernel, how.groups)?;
                let weight = uniform(-within, within, shape)?;
                let bias = bias.then(|| zeros([out_channels], Dtype::Float32)).transpose()?;
                Ok($layer::from_parameters(weight, bias, how))
            }

            /// A layer with these parameters.
            #[must_use]
            pub fn from_parameters(
                weight: Tensor,
                bias: Option<Tensor>,
                how: TransposedConvolution<$axes>,
            ) -> $layer {
                $layer { weight, bias, how, state: State::new() }
            }

            /// A layer from `weight` and, where there is one, `bias`.
            ///
            /// # Errors
            /// No `weight`.
            pub fn from_weights(weights: &Weights<'_>, how: TransposedConvolution<$axes>) -> Result<$layer> {
                Ok($layer::from_parameters(weights.get("weight")?, weights.find("bias"), how))
            }

            #[doc = concat!("The transposed convolution of `x`, `", $input, "`, plus the bias.")]
            ///
            /// # Errors
            /// Shapes that do not fit; dtypes that are no real floats.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let y = $function(x, &self.weight, self.how)?;
                match &self.bias {
                    Some(bias) => BinaryOperator::Add.apply((&y).into(), bias.into()),
                    None => Ok(y),
                }
            }

            fn describe(&self) -> String {
                written(&self.weight, self.how, self.bias.is_some())
            }
        })*
    };
}

layers! {
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
    ConvTranspose1d "nn.ConvTranspose1d" 1 conv_transpose1d "kernel_size" "[batch, length, in_channels]";

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
    ConvTranspose2d "nn.ConvTranspose2d" 2 conv_transpose2d "kernel_height, kernel_width"
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
    ConvTranspose3d "nn.ConvTranspose3d" 3 conv_transpose3d "kernel_depth, kernel_height, kernel_width"
        "[batch, depth, height, width, in_channels]";
}

fn written<const N: usize>(weight: &Tensor, how: TransposedConvolution<N>, has_bias: bool) -> String {
    let begin = described(weight, how.groups, [how.stride, how.padding, how.dilation]);
    let more = how.output_padding;
    let more = if N == 1 { more[0].to_string() } else { python_tuple(&more) };
    format!("{begin}, output_padding={more}, bias={}", python_bool(has_bias))
}
