//! Pools: the largest or the mean element of a window that moves over the axes between batch and features.

use super::refused;
use crate::{
    Module, ModuleField, State,
    module::{Member, MemberMut},
    python::tuple,
};
use mlx_core::{Result, Tensor};
use mlx_ops::{IntoFill, PerAxis, as_strided, max, mean, pad, reshape, transpose};

/// How a pool goes over `N` axes: the window's sizes, its steps, and how far the axes are padded before and after.
///
/// ```
/// # use mlx_nn::Pooling;
/// let how = Pooling::<2>::new(3).padding([1, 0]);
/// assert_eq!((how.kernel_size, how.stride, how.padding), ([3, 3], [3, 3], [1, 0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pooling<const N: usize> {
    /// The window's sizes.
    pub kernel_size: [i32; N],
    /// The window's steps.
    pub stride: [i32; N],
    /// How many elements are added before and after each axis.
    pub padding: [i32; N],
}

impl<const N: usize> Pooling<N> {
    /// Windows side by side, without padding.
    #[must_use]
    pub fn new(kernel_size: impl PerAxis<N>) -> Pooling<N> {
        let kernel_size = kernel_size.per_axis();
        Pooling { kernel_size, stride: kernel_size, padding: [0; N] }
    }

    /// Sets the steps: one number, or one for each axis.
    #[must_use]
    pub fn stride(mut self, stride: impl PerAxis<N>) -> Pooling<N> {
        self.stride = stride.per_axis();
        self
    }

    /// Sets the padding: one number, or one for each axis.
    #[must_use]
    pub fn padding(mut self, padding: impl PerAxis<N>) -> Pooling<N> {
        self.padding = padding.per_axis();
        self
    }

    fn checked(self, layer: &'static str) -> Result<Pooling<N>> {
        for (name, sizes) in [("kernel_size", &self.kernel_size), ("stride", &self.stride)] {
            if sizes.iter().any(|&size| size <= 0) {
                let sizes = tuple(sizes);
                return refused(layer, format!("[{layer}] '{name}' must be positive but got {sizes}."));
            }
        }
        if self.padding.iter().any(|&size| size < 0) {
            let sizes = tuple(&self.padding);
            return refused(layer, format!("[{layer}] 'padding' must be non-negative but got {sizes}."));
        }
        Ok(self)
    }

    fn describe(&self) -> String {
        let [kernel, stride, padding] = [self.kernel_size, self.stride, self.padding].map(|s| tuple(&s));
        format!("kernel_size={kernel}, stride={stride}, padding={padding}")
    }
}

impl<const N: usize> ModuleField for Pooling<N> {
    const IS_SETTING: bool = true;

    fn visit_members<'a>(&'a self, _key: &str, _visit: &mut dyn FnMut(&str, Member<'a>)) {}

    fn visit_members_mut<'a>(&'a mut self, _key: &str, _visit: &mut dyn FnMut(&str, MemberMut<'a>)) {}
}

/// One window size for all axes.
impl<const N: usize> From<i32> for Pooling<N> {
    fn from(kernel_size: i32) -> Pooling<N> {
        Pooling::new(kernel_size)
    }
}

/// One window size for each axis.
impl<const N: usize> From<[i32; N]> for Pooling<N> {
    fn from(kernel_size: [i32; N]) -> Pooling<N> {
        Pooling::new(kernel_size)
    }
}

/// `x` with `fill` around it.
fn padded<const N: usize>(x: &Tensor, how: Pooling<N>, fill: impl IntoFill) -> Result<Tensor> {
    if how.padding.iter().all(|&size| size == 0) {
        return Ok(x.clone());
    }
    let none = std::iter::once((0, 0));
    let each = how.padding.iter().map(|&size| (size, size));
    let widths: Vec<(i32, i32)> = none.clone().chain(each).chain(none).collect();
    pad(x, widths, fill)
}

/// The windows of `x`, `[batch, …, features]`, as `[batch, …, sizes of the window, features]`.
fn windows<const N: usize>(layer: &'static str, x: &Tensor, how: Pooling<N>) -> Result<Tensor> {
    let ndim = x.ndim();
    if ndim < 3 {
        let needed = "To extract sliding windows at least 1 spatial dimension (3 total) is needed";
        return refused(layer, format!("{needed} but the input only has {ndim} dimensions."));
    }
    let (kernel, stride) = (how.kernel_size, how.stride);
    let (batch, spatial, features) = (x.dim(0), &x.shape()[1..ndim - 1], x.dim(-1));
    if spatial.len() != N {
        let needed = "To extract sliding windows the window shapes and strides must have the same number of spatial \
                      dimensions as the signal";
        let got = spatial.len();
        return refused(
            layer,
            format!(
                "{needed} but the signal has {got} dims and the window shape has {N} and strides have {N}."
            ),
        );
    }
    let beside = |axis: usize| kernel[axis] == stride[axis] && spatial[axis] % kernel[axis] == 0;
    if (0..N).all(beside) {
        return side_by_side(x, kernel);
    }
    let steps = steps(x.shape());
    let (mut shape, mut strides) = (vec![batch], vec![steps[0]]);
    for axis in 0..N {
        // Beyond i32 only below 0, and then there is no window.
        let last = (i64::from(spatial[axis]) - i64::from(kernel[axis])).div_euclid(stride[axis].into());
        shape.push(i32::try_from(last + 1).unwrap_or(i32::MIN));
        let Some(step) = steps[axis + 1].checked_mul(stride[axis].into()) else {
            return refused(layer, format!("steps of {} elements do not fit into 64 bits", stride[axis]));
        };
        strides.push(step);
    }
    shape.extend(kernel);
    shape.push(features);
    strides.extend(&steps[1..]);
    as_strided(x, shape, &strides, 0)
}

/// Windows that share no element and leave none out.
fn side_by_side<const N: usize>(x: &Tensor, kernel: [i32; N]) -> Result<Tensor> {
    let (sizes, count) = (x.shape(), N as i32);
    let mut shape = vec![sizes[0]];
    for axis in 0..N {
        shape.extend([sizes[axis + 1] / kernel[axis], kernel[axis]]);
    }
    shape.push(sizes[N + 1]);
    let places = (1..=count).map(|axis| 2 * axis - 1);
    let within = (1..=count).map(|axis| 2 * axis);
    let order: Vec<i32> = std::iter::once(0).chain(places).chain(within).chain([2 * count + 1]).collect();
    transpose(&reshape(x, shape)?, order)
}

/// How many elements a step along each axis is, in row-major order.
fn steps(shape: &[i32]) -> Vec<i64> {
    let mut steps = vec![1_i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis].saturating_mul(shape[axis].into());
    }
    steps
}

/// The window's axes.
fn window_axes<const N: usize>() -> Vec<i32> {
    (0..N as i32).map(|axis| axis - N as i32 - 1).collect()
}

/// The table: name, Python's, over how many axes, what goes in, the function of a window's elements in words and by name,
/// what is padded with, and an example: a shape of 1, 3, -2, 0, a window, what comes out.
macro_rules! layers {
    ($($layer:ident $alias:literal $axes:literal $input:literal = $what:literal $function:ident $fill:expr,
        $shape:literal $window:literal $example:literal;)*) => {
        $(#[doc = concat!("The ", $what, " of each window over the axes of ", $input, " but the first and last.")]
        ///
        /// Elements behind the last whole window are left out.
        ///
        /// ```
        /// # use mlx_core::Tensor;
        #[doc = concat!("# use mlx_nn::", stringify!($layer), ";")]
        #[doc = concat!("let x = Tensor::from_shape_slice(", $shape, ", &[1.0_f32, 3.0, -2.0, 0.0])?;")]
        #[doc = concat!("let y = ", stringify!($layer), "::new(", $window, ")?.forward(&x)?;")]
        #[doc = concat!("assert_eq!(y.to_vec::<f32>()?, ", $example, ");")]
        /// # Ok::<(), mlx_core::Error>(())
        /// ```
        #[derive(Clone, Debug, Module)]
        #[module(extra_repr = Self::describe)]
        #[doc(alias = $alias)]
        pub struct $layer {
            how: Pooling<$axes>,
            state: State,
        }

        impl $layer {
            /// A layer of these windows; a number, or one for each axis, is the size of windows side by side.
            ///
            /// # Errors
            /// A size or a step that is not positive; negative padding.
            pub fn new(how: impl Into<Pooling<$axes>>) -> Result<$layer> {
                Ok($layer { how: how.into().checked(stringify!($layer))?, state: State::new() })
            }

            #[doc = concat!("The ", $what, " of each window of `x`, `", $input, "`.")]
            ///
            /// # Errors
            /// Another number of axes; axes that are shorter than a window; sizes beyond `i32`.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let x = padded(x, self.how, $fill)?;
                $function(&windows(stringify!($layer), &x, self.how)?, window_axes::<$axes>())
            }

            fn describe(&self) -> String {
                self.how.describe()
            }
        })*
    };
}

layers! {
    MaxPool1d "nn.MaxPool1d" 1 "[batch, length, features]" = "largest element" max f64::NEG_INFINITY,
        "[1, 4, 1]" "2" "[3.0, 0.0]";
    MaxPool2d "nn.MaxPool2d" 2 "[batch, height, width, features]" = "largest element" max f64::NEG_INFINITY,
        "[1, 2, 2, 1]" "[1, 2]" "[3.0, 0.0]";
    MaxPool3d "nn.MaxPool3d" 3 "[batch, depth, height, width, features]" = "largest element" max f64::NEG_INFINITY,
        "[1, 1, 2, 2, 1]" "[1, 2, 1]" "[1.0, 3.0]";
    AvgPool1d "nn.AvgPool1d" 1 "[batch, length, features]" = "mean" mean 0, "[1, 4, 1]" "2" "[2.0, -1.0]";
    AvgPool2d "nn.AvgPool2d" 2 "[batch, height, width, features]" = "mean" mean 0,
        "[1, 2, 2, 1]" "[1, 2]" "[2.0, -1.0]";
    AvgPool3d "nn.AvgPool3d" 3 "[batch, depth, height, width, features]" = "mean" mean 0,
        "[1, 1, 2, 2, 1]" "[1, 2, 1]" "[-0.5, 1.5]";
}
