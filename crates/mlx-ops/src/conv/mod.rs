//! Convolutions, channels last.

mod options;
mod settings;

use mlx_core::{Error, ErrorKind, Result, Shape, Tensor, ffi, ffi::products};
pub use options::{Convolution, GeneralConvolution, IntoSettings, PerAxis, TransposedConvolution};
use settings::Settings;

/// The convolution of `x`, `[batch, length, channels]`, with `weight`, `[out, kernel, channels / groups]`.
///
/// # Errors
/// Shapes that do not fit; strides, dilations or groups below 1; an empty weight; dtypes that are no real floats.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::{Convolution, conv1d};
/// let x = Tensor::from_shape_slice([1, 4, 1], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let weight = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 10.0])?;
/// assert_eq!(conv1d(&x, &weight, Convolution::new().stride(2))?.to_vec::<f32>()?, [21.0, 43.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.conv1d")]
#[track_caller]
pub fn conv1d(x: &Tensor, weight: &Tensor, how: Convolution<1>) -> Result<Tensor> {
    how.settings().convolve("conv1d", x, weight)
}

/// The convolution of `x`, `[batch, height, width, channels]`, with `weight`,
/// `[out, kernel_height, kernel_width, channels / groups]`.
///
/// # Errors
/// As [`conv1d`].
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::{Convolution, conv2d};
/// let x = Tensor::from_shape_slice([1, 2, 2, 1], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let weight = Tensor::from_shape_slice([1, 1, 2, 1], &[1.0_f32, 10.0])?;
/// assert_eq!(conv2d(&x, &weight, Convolution::new())?.to_vec::<f32>()?, [21.0, 43.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.conv2d")]
#[track_caller]
pub fn conv2d(x: &Tensor, weight: &Tensor, how: Convolution<2>) -> Result<Tensor> {
    how.settings().convolve("conv2d", x, weight)
}

/// The convolution of `x`, `[batch, depth, height, width, channels]`, with `weight`,
/// `[out, kernel_depth, kernel_height, kernel_width, channels]`; MLX has no groups here.
///
/// # Errors
/// As [`conv1d`]; other than one group.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::{Convolution, conv3d};
/// let x = Tensor::from_shape_slice([1, 2, 1, 1, 1], &[1.0_f32, 2.0])?;
/// let weight = Tensor::from_shape_slice([1, 2, 1, 1, 1], &[1.0_f32, 10.0])?;
/// assert_eq!(conv3d(&x, &weight, Convolution::new())?.to_vec::<f32>()?, [21.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.conv3d")]
#[track_caller]
pub fn conv3d(x: &Tensor, weight: &Tensor, how: Convolution<3>) -> Result<Tensor> {
    how.settings().convolve("conv3d", x, weight)
}

/// The convolution of `x`, `[batch, …, channels]` with one to three axes between, with `weight`,
/// `[out, …, channels / groups]`: with padding of its own on each side, a dilated input, or the kernel turned around.
///
/// # Errors
/// As [`conv1d`]; lists of other than one number or one for each axis.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::{GeneralConvolution, conv_general};
/// let x = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 2.0])?;
/// let weight = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 10.0])?;
/// let how = GeneralConvolution::new().padding_before_after(1, 0);
/// assert_eq!(conv_general(&x, &weight, &how)?.to_vec::<f32>()?, [10.0, 21.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.conv_general")]
#[track_caller]
pub fn conv_general(x: &Tensor, weight: &Tensor, how: &GeneralConvolution) -> Result<Tensor> {
    how.0.convolve("conv_general", x, weight)
}

macro_rules! transposed {
    ($($(#[$doc:meta])* $name:ident $axes:literal $alias:literal;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// As [`conv1d`]; more than one group over three axes.
        ///
        /// ```
        /// # use mlx_core::{Dtype, Shape};
        #[doc = concat!("# use mlx_ops::{TransposedConvolution, ", stringify!($name), ", ones};")]
        #[doc = concat!("let sizes: Shape = std::iter::repeat_n(1, ", stringify!($axes), " + 2).collect();")]
        /// let x = ones(&sizes, Dtype::Float32)?;
        /// let how = TransposedConvolution::new().output_padding(1);
        #[doc = concat!("let y = ", stringify!($name), "(&x, &x, how)?;")]
        /// assert_eq!(y.shape()[1], 2);
        /// assert_eq!(y.to_vec::<f32>()?[..2], [1.0, 0.0]);
        /// # Ok::<(), mlx_core::Error>(())
        /// ```
        #[doc(alias = $alias)]
        #[track_caller]
        pub fn $name(x: &Tensor, weight: &Tensor, how: TransposedConvolution<$axes>) -> Result<Tensor> {
            transposed(stringify!($name), x, weight, how)
        })*
    };
}

transposed! {
    /// The transposed convolution of `x`, `[batch, length, channels]`, with `weight`, `[out, kernel, channels / groups]`.
    conv_transpose1d 1 "mx.conv_transpose1d";
    /// The transposed convolution of `x`, `[batch, height, width, channels]`, with `weight`,
    /// `[out, kernel_height, kernel_width, channels / groups]`.
    conv_transpose2d 2 "mx.conv_transpose2d";
    /// The transposed convolution of `x`, `[batch, depth, height, width, channels]`, with `weight`,
    /// `[out, kernel_depth, kernel_height, kernel_width, channels]`.
    conv_transpose3d 3 "mx.conv_transpose3d";
}

/// The convolution that MLX makes of a transposed one: steps of 1 with the kernel turned around, over the input with its
/// elements apart.
#[track_caller]
fn transposed<const N: usize>(
    op: &'static str,
    x: &Tensor,
    weight: &Tensor,
    how: TransposedConvolution<N>,
) -> Result<Tensor> {
    let refuse = |kind, why: &str| Err(Error::new(kind, op, why).with_operands(&[x.into(), weight.into()]));
    if weight.ndim() <= N || x.ndim() <= N {
        return refuse(ErrorKind::Index, "SmallVector out of range."); // MLX's own words
    }
    let mut padding = [Shape::new(), Shape::new()];
    for axis in 0..N {
        let [size, kernel] = [x, weight].map(|tensor| i64::from(tensor.shape()[axis + 1]));
        let setting = |list: [i32; N]| i64::from(list[axis]);
        let (stride, cut, dilation) = (setting(how.stride), setting(how.padding), setting(how.dilation));
        let (spread, extent) = (1 + dilation * (kernel - 1), 1 + stride * (size - 1));
        let low = spread - cut - 1;
        // What MLX adds up on the way.
        let whole = extent - 2 * cut + spread - 1;
        let high = low + setting(how.output_padding);
        let beyond = |size: &i64| *size > i64::from(i32::MAX);
        if let Some(size) = [low, whole, high].into_iter().find(beyond) {
            return refuse(ErrorKind::Value, &beyond_sizes(size));
        }
        padding[0].push(low as i32);
        padding[1].push(high as i32);
    }
    let settings = Settings {
        stride: how.stride.iter().map(|_| 1).collect(),
        padding,
        kernel_dilation: Shape::from_slice(&how.dilation),
        input_dilation: Shape::from_slice(&how.stride),
        groups: how.groups,
        flip: true,
    };
    settings.convolve(op, x, weight)
}

/// MLX's own words for a size that is none.
fn beyond_sizes(size: i64) -> String {
    let range = format!("[{}, {}]", i32::MIN, i32::MAX);
    format!(
        "[conv] Shape dimension {size} is outside the supported range {range}. \
         MLX currently uses 32-bit integers for shape dimensions."
    )
}

/// How much of a convolution of two vectors is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvolveMode {
    /// Each point where they overlap.
    #[default]
    Full,
    /// As many points as the longer one has.
    Same,
    /// The points where they overlap completely.
    Valid,
}

/// The discrete convolution of two vectors; the longer one is the input, the other one the filter.
///
/// # Errors
/// Other than one dimension; an empty vector; dtypes that are no real floats.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{ConvolveMode, convolve};
/// let (a, v) = (tensor![1.0, 2.0, 3.0], tensor![1.0, 10.0]);
/// assert_eq!(convolve(&a, &v, ConvolveMode::Full)?.to_vec::<f32>()?, [1.0, 12.0, 23.0, 30.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.convolve")]
#[track_caller]
pub fn convolve(a: &Tensor, v: &Tensor, mode: ConvolveMode) -> Result<Tensor> {
    let refuse =
        |why| Err(Error::new(ErrorKind::Shape, "convolve", why).with_operands(&[a.into(), v.into()]));
    if a.ndim() != 1 || v.ndim() != 1 {
        return refuse("[convolve] Inputs must be 1D.");
    }
    if a.size() == 0 || v.size() == 0 {
        return refuse("[convolve] Inputs cannot be empty.");
    }
    let (x, filter) = if a.size() < v.size() { (v, a) } else { (a, v) };
    let length = filter.shape()[0];
    let filter = ffi::reshape(&products::backwards(filter)?, &[1, -1, 1])?;
    let mut x = ffi::reshape(x, &[1, -1, 1])?;
    let padding = match mode {
        ConvolveMode::Full => length - 1,
        ConvolveMode::Same if length % 2 == 1 => length / 2,
        ConvolveMode::Same => {
            let (low, zero) = (length / 2, Tensor::scalar(0, mlx_core::Dtype::Int32)?);
            x = ffi::pad(&x, &[0, 1, 2], &[0, low, 0], &[0, low - 1, 0], &zero, c"constant")?;
            0
        }
        ConvolveMode::Valid => 0,
    };
    let y = conv1d(&x, &filter, Convolution::new().padding(padding))?;
    ffi::reshape(&y, &[-1])
}
