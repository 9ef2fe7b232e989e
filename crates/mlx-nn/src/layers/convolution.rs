//! Convolutions, channels last.

use super::{refused, scale};
use crate::{
    Module, State, Weights,
    module::{python_bool, python_tuple},
};
use mlx_core::{BinaryOperator, Dtype, Result, Tensor};
use mlx_ops::{Convolution, PerAxis, conv1d, conv2d, conv3d, random::uniform, zeros};

/// A convolution over one axis.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_nn::Conv1d;
/// # use mlx_ops::Convolution;
/// let weight = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 10.0])?;
/// let x = Tensor::from_shape_slice([1, 3, 1], &[1.0_f32, 2.0, 3.0])?;
/// let conv = Conv1d::from_parameters(weight, Some(tensor![0.5]), Convolution::new());
/// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [21.5, 32.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Conv1d")]
pub struct Conv1d {
    /// `[out_channels, kernel_size, in_channels / groups]`
    pub weight: Tensor,
    /// `[out_channels]`
    pub bias: Option<Tensor>,
    /// Stride, padding, dilation and groups.
    pub how: Convolution<1>,
    state: State,
}

/// A convolution over two axes.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_nn::Conv2d;
/// # use mlx_ops::Convolution;
/// let weight = Tensor::from_shape_slice([1, 1, 1, 1], &[3.0_f32])?;
/// let x = Tensor::from_shape_slice([1, 2, 2, 1], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let conv = Conv2d::from_parameters(weight, None, Convolution::new().stride(2));
/// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Conv2d")]
pub struct Conv2d {
    /// `[out_channels, kernel_height, kernel_width, in_channels / groups]`
    pub weight: Tensor,
    /// `[out_channels]`
    pub bias: Option<Tensor>,
    /// Stride, padding, dilation and groups.
    pub how: Convolution<2>,
    state: State,
}

/// A convolution over three axes.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_nn::Conv3d;
/// # use mlx_ops::Convolution;
/// let weight = Tensor::from_shape_slice([1, 1, 1, 1, 1], &[3.0_f32])?;
/// let x = Tensor::from_shape_slice([1, 1, 2, 2, 1], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let conv = Conv3d::from_parameters(weight, None, Convolution::new().stride([1, 1, 2]));
/// assert_eq!(conv.forward(&x)?.to_vec::<f32>()?, [3.0, 9.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Conv3d")]
pub struct Conv3d {
    /// `[out_channels, kernel_depth, kernel_height, kernel_width, in_channels / groups]`
    pub weight: Tensor,
    /// `[out_channels]`
    pub bias: Option<Tensor>,
    /// Stride, padding and dilation; groups, which Python's layer has not, are 1 in its `repr`.
    pub how: Convolution<3>,
    state: State,
}

macro_rules! layers {
    ($($layer:ident $axes:literal $function:ident $input:literal;)*) => {
        $(impl $layer {
            /// A layer from `in_channels` to `out_channels`, with parameters as Python initialises them: a weight that is
            /// uniform within the root of one over the inputs of an output, a bias of zeros.
            ///
            /// # Errors
            /// Channels that the groups do not divide; sizes that are no sizes.
            pub fn new(
                in_channels: i32,
                out_channels: i32,
                kernel_size: impl PerAxis<$axes>,
                how: Convolution<$axes>,
                bias: bool,
            ) -> Result<$layer> {
                let (shape, within) =
                    initial(stringify!($layer), in_channels, out_channels, &kernel_size.per_axis(), how.groups)?;
                let weight = uniform(-within, within, shape)?;
                let bias = bias.then(|| zeros([out_channels], Dtype::Float32)).transpose()?;
                Ok($layer::from_parameters(weight, bias, how))
            }

            /// A layer with these parameters.
            #[must_use]
            pub fn from_parameters(weight: Tensor, bias: Option<Tensor>, how: Convolution<$axes>) -> $layer {
                $layer { weight, bias, how, state: State::new() }
            }

            /// A layer from `weight` and, where there is one, `bias`.
            ///
            /// # Errors
            /// No `weight`.
            pub fn from_weights(weights: &Weights<'_>, how: Convolution<$axes>) -> Result<$layer> {
                Ok($layer::from_parameters(weights.get("weight")?, weights.find("bias"), how))
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

            fn describe(&self) -> String {
                written(&self.weight, self.how, self.bias.is_some())
            }
        })*
    };
}

layers! {
    Conv1d 1 conv1d "[batch, length, in_channels]";
    Conv2d 2 conv2d "[batch, height, width, in_channels]";
    Conv3d 3 conv3d "[batch, depth, height, width, in_channels]";
}

/// The shape of a weight, and within what its values are drawn.
pub(super) fn initial(
    layer: &'static str,
    in_channels: i32,
    out_channels: i32,
    kernel: &[i32],
    groups: i32,
) -> Result<(Vec<i32>, f64)> {
    if in_channels.checked_rem(groups) != Some(0) {
        let counts = format!("({in_channels}) must be divisible by the number of groups ({groups})");
        return refused(layer, format!("The number of input channels {counts}"));
    }
    let inputs =
        kernel.iter().try_fold(i64::from(in_channels), |inputs, &size| inputs.checked_mul(size.into()));
    let within = scale(layer, inputs.unwrap_or(-1))?;
    let mut shape = vec![out_channels];
    shape.extend(kernel);
    shape.push(in_channels / groups);
    Ok((shape, within))
}

/// What Python's `repr` begins with, up to the dilation.
pub(super) fn described<const N: usize>(
    weight: &Tensor,
    groups: i32,
    [stride, padding, dilation]: [[i32; N]; 3],
) -> String {
    let kernel = weight.shape().get(1..=N).unwrap_or_default();
    let kernel = if let [one] = kernel { one.to_string() } else { python_tuple(kernel) };
    let each = |sizes: [i32; N]| if N == 1 { sizes[0].to_string() } else { python_tuple(&sizes) };
    // Python's dilation is the int it is given.
    let dilation =
        if dilation.iter().all(|&one| one == dilation[0]) { dilation[0].to_string() } else { each(dilation) };
    let (inputs, outputs) = (weight.shape().last(), weight.shape().first());
    format!(
        "{}, {}, kernel_size={kernel}, stride={}, padding={}, dilation={dilation}",
        inputs.map_or(0, |inputs| inputs.saturating_mul(groups)),
        outputs.unwrap_or(&0),
        each(stride),
        each(padding),
    )
}

fn written<const N: usize>(weight: &Tensor, how: Convolution<N>, has_bias: bool) -> String {
    let begin = described(weight, how.groups, [how.stride, how.padding, how.dilation]);
    let groups = if N == 3 { String::new() } else { format!(", groups={}", how.groups) };
    format!("{begin}{groups}, bias={}", python_bool(has_bias))
}
