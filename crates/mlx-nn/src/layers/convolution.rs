//! Convolutions, channels last.

use crate::Weights;
use mlx_core::{BinaryOperator, Result, Tensor};
use mlx_ops::{Convolution, conv1d, conv2d};

/// A convolution over one axis.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_nn::Conv1d;
/// # use mlx_ops::Convolution;
/// let weight = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 10.0])?;
/// let x = Tensor::from_shape_slice([1, 3, 1], &[1.0_f32, 2.0, 3.0])?;
/// let conv = Conv1d::new(weight, Some(tensor![0.5]), Convolution::new());
/// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [21.5, 32.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "nn.Conv1d")]
pub struct Conv1d {
    /// `[out_channels, kernel_size, in_channels / groups]`
    pub weight: Tensor,
    /// `[out_channels]`
    pub bias: Option<Tensor>,
    /// Stride, padding, dilation and groups.
    pub how: Convolution<1>,
}

/// A convolution over two axes.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_nn::Conv2d;
/// # use mlx_ops::Convolution;
/// let weight = Tensor::from_shape_slice([1, 1, 1, 1], &[3.0_f32])?;
/// let x = Tensor::from_shape_slice([1, 2, 2, 1], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let conv = Conv2d::new(weight, None, Convolution::new().stride(2));
/// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "nn.Conv2d")]
pub struct Conv2d {
    /// `[out_channels, kernel_height, kernel_width, in_channels / groups]`
    pub weight: Tensor,
    /// `[out_channels]`
    pub bias: Option<Tensor>,
    /// Stride, padding, dilation and groups.
    pub how: Convolution<2>,
}

macro_rules! layers {
    ($($layer:ident $axes:literal $function:ident $input:literal;)*) => {
        $(impl $layer {
            /// A layer with these parameters.
            #[must_use]
            pub fn new(weight: Tensor, bias: Option<Tensor>, how: Convolution<$axes>) -> $layer {
                $layer { weight, bias, how }
            }

            /// A layer from `weight` and, where there is one, `bias`.
            ///
            /// # Errors
            /// No `weight`.
            pub fn from_weights(weights: &Weights<'_>, how: Convolution<$axes>) -> Result<$layer> {
                Ok($layer::new(weights.get("weight")?, weights.find("bias"), how))
            }

            #[doc = concat!("The convolution of `x`, `", $input, "`, plus the bias.")]
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
        })*
    };
}

layers! {
    Conv1d 1 conv1d "[batch, length, in_channels]";
    Conv2d 2 conv2d "[batch, height, width, in_channels]";
}
