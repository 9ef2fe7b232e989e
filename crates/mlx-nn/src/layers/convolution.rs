//! Convolutions, channels last, and the macro that writes a convolution's layer: `convolution_transpose` has others.

use super::{refused, scale};
use crate::python::{boolean, tuple};
use mlx_core::{Dtype, Result, Tensor};
use mlx_ops::{Convolution, conv1d, conv2d, conv3d, random::uniform, zeros};

/// The table: what is done, the type of its settings, within what a weight is drawn; then of each layer documentation,
/// name, Python's, over how many axes, the function, its settings in words, the kernel's sizes and what goes in.
macro_rules! convolutions {
    (
        $what:literal, $settings:ident, $within:literal;
        $($(#[$doc:meta])*
        $layer:ident $alias:literal $axes:literal $function:ident $how:literal $kernel:literal $input:literal;)*
    ) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, $crate::Module)]
        #[module(extra_repr = Self::describe)]
        #[doc(alias = $alias)]
        pub struct $layer {
            #[doc = concat!("`[out_channels, ", $kernel, ", in_channels / groups]`")]
            pub weight: mlx_core::Tensor,
            /// `[out_channels]`
            pub bias: Option<mlx_core::Tensor>,
            #[doc = $how]
            pub how: $settings<$axes>,
            state: $crate::State,
        }

        impl $layer {
            /// A layer from `in_channels` to `out_channels`, with parameters as Python initialises them: a weight that is
            #[doc = concat!("uniform within the root of one over ", $within, ", a bias of zeros.")]
            ///
            /// # Errors
            /// Channels that the groups do not divide; sizes that are no sizes.
            pub fn new(
                in_channels: i32,
                out_channels: i32,
                kernel_size: impl mlx_ops::PerAxis<$axes>,
                how: $settings<$axes>,
                bias: bool,
            ) -> mlx_core::Result<$layer> {
                let kernel = kernel_size.per_axis();
                let (weight, bias) = $crate::layers::convolution::drawn(
                    stringify!($layer),
                    [in_channels, out_channels, how.groups],
                    &kernel,
                    bias,
                )?;
                Ok($layer::from_parameters(weight, bias, how))
            }

            /// A layer with these parameters.
            #[must_use]
            pub fn from_parameters(
                weight: mlx_core::Tensor,
                bias: Option<mlx_core::Tensor>,
                how: $settings<$axes>,
            ) -> $layer {
                $layer { weight, bias, how, state: $crate::State::new() }
            }

            /// A layer from `weight` and, where there is one, `bias`.
            ///
            /// # Errors
            /// No `weight`.
            pub fn from_weights(
                weights: &$crate::Weights<'_>,
                how: $settings<$axes>,
            ) -> mlx_core::Result<$layer> {
                Ok($layer::from_parameters(weights.get("weight")?, weights.find("bias"), how))
            }

            #[doc = concat!("The ", $what, " of `x`, `", $input, "`, plus the bias.")]
            ///
            /// # Errors
            /// Shapes that do not fit; dtypes that are no real floats.
            #[track_caller]
            pub fn forward(&self, x: &mlx_core::Tensor) -> mlx_core::Result<mlx_core::Tensor> {
                let y = $function(x, &self.weight, self.how)?;
                match &self.bias {
                    Some(bias) => mlx_core::BinaryOperator::Add.apply((&y).into(), bias.into()),
                    None => Ok(y),
                }
            }

            fn describe(&self) -> String {
                written(&self.weight, self.how, self.bias.is_some())
            }
        })*
    };
}
pub(super) use convolutions;

convolutions! {
    "convolution", Convolution, "the inputs of an output";

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
    Conv1d "nn.Conv1d" 1 conv1d "Stride, padding, dilation and groups." "kernel_size"
        "[batch, length, in_channels]";

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
    Conv2d "nn.Conv2d" 2 conv2d "Stride, padding, dilation and groups." "kernel_height, kernel_width"
        "[batch, height, width, in_channels]";

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
    Conv3d "nn.Conv3d" 3 conv3d
        "Stride, padding and dilation; groups, which Python's layer has not, are 1 in its `repr`."
        "kernel_depth, kernel_height, kernel_width" "[batch, depth, height, width, in_channels]";
}

/// A weight and a bias as Python initialises them.
pub(super) fn drawn(
    layer: &'static str,
    [in_channels, out_channels, groups]: [i32; 3],
    kernel: &[i32],
    bias: bool,
) -> Result<(Tensor, Option<Tensor>)> {
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
    let weight = uniform(-within, within, shape)?;
    Ok((weight, bias.then(|| zeros([out_channels], Dtype::Float32)).transpose()?))
}

/// What Python's `repr` begins with, up to the dilation.
pub(super) fn described<const N: usize>(
    weight: &Tensor,
    groups: i32,
    [stride, padding, dilation]: [[i32; N]; 3],
) -> String {
    let kernel = weight.shape().get(1..=N).unwrap_or_default();
    let kernel = if let [one] = kernel { one.to_string() } else { tuple(kernel) };
    let each = |sizes: [i32; N]| if N == 1 { sizes[0].to_string() } else { tuple(&sizes) };
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
    format!("{begin}{groups}, bias={}", boolean(has_bias))
}
