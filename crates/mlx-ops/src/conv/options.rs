//! How convolutions go: strides, padding, dilations, groups.

use super::settings::Settings;
use mlx_core::Shape;

/// Stride, padding and dilation over `N` axes, and groups.
///
/// ```
/// # use mlx_ops::Convolution;
/// let how = Convolution::<2>::new().stride(2).padding([1, 0]);
/// assert_eq!((how.stride, how.padding, how.dilation, how.groups), ([2, 2], [1, 0], [1, 1], 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Convolution<const N: usize> {
    /// The kernel's steps.
    pub stride: [i32; N],
    /// Zeros before and after each axis; negative ones cut off.
    pub padding: [i32; N],
    /// The distances between the kernel's elements.
    pub dilation: [i32; N],
    /// How many groups the channels form: each output channel sees the input channels of its group.
    pub groups: i32,
}

/// Stride, padding and dilation of a transposed convolution over `N` axes, and groups.
///
/// ```
/// # use mlx_ops::TransposedConvolution;
/// let how = TransposedConvolution::<2>::new().stride(2).output_padding([1, 0]);
/// assert_eq!((how.stride, how.output_padding, how.groups), ([2, 2], [1, 0], 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransposedConvolution<const N: usize> {
    /// The distances between the input's elements.
    pub stride: [i32; N],
    /// How much of the result is cut off before and after each axis.
    pub padding: [i32; N],
    /// The distances between the kernel's elements.
    pub dilation: [i32; N],
    /// How much longer the result is after each axis.
    pub output_padding: [i32; N],
    /// How many groups the channels form.
    pub groups: i32,
}

/// The setters that both have.
macro_rules! options {
    ($($type:ident { $($field:ident = $default:literal),* })*) => {
        $(impl<const N: usize> Default for $type<N> {
            fn default() -> $type<N> {
                $type::new()
            }
        }

        impl<const N: usize> $type<N> {
            /// Steps and dilations of 1, no padding, one group.
            #[must_use]
            pub fn new() -> $type<N> {
                $type { $($field: [$default; N],)* groups: 1 }
            }

            $(#[doc = concat!("Sets `", stringify!($field), "`: one number, or one for each axis.")]
            #[must_use]
            pub fn $field(mut self, $field: impl PerAxis<N>) -> $type<N> {
                self.$field = $field.per_axis();
                self
            })*

            /// How many groups the channels form.
            #[must_use]
            pub fn groups(mut self, groups: i32) -> $type<N> {
                self.groups = groups;
                self
            }
        })*
    };
}

options! {
    Convolution { stride = 1, padding = 0, dilation = 1 }
    TransposedConvolution { stride = 1, padding = 0, dilation = 1, output_padding = 0 }
}

impl<const N: usize> Convolution<N> {
    pub(super) fn settings(self) -> Settings {
        let padding = Shape::from_slice(&self.padding);
        Settings {
            stride: Shape::from_slice(&self.stride),
            padding: [padding.clone(), padding],
            kernel_dilation: Shape::from_slice(&self.dilation),
            input_dilation: Shape::from_slice(&[1]),
            groups: self.groups,
            flip: false,
        }
    }
}

/// All that a convolution over one to three axes can be told.
///
/// Each setting is one number for all axes, or a list of one for each.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::{GeneralConvolution, conv_general};
/// let x = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 2.0])?;
/// let weight = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 10.0])?;
/// let how = GeneralConvolution::new().padding_before_after(0, 1).input_dilation(2).flip();
/// assert_eq!(conv_general(&x, &weight, &how)?.to_vec::<f32>()?, [10.0, 2.0, 20.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GeneralConvolution(pub(super) Settings);

impl Default for GeneralConvolution {
    fn default() -> GeneralConvolution {
        GeneralConvolution::new()
    }
}

impl GeneralConvolution {
    /// Steps and dilations of 1, no padding, one group.
    #[must_use]
    pub fn new() -> GeneralConvolution {
        GeneralConvolution(Convolution::<1>::new().settings())
    }

    /// The kernel's steps.
    #[must_use]
    pub fn stride(mut self, stride: impl IntoSettings) -> GeneralConvolution {
        self.0.stride = stride.into_settings();
        self
    }

    /// Zeros before and after each axis; negative ones cut off.
    #[must_use]
    pub fn padding(self, padding: impl IntoSettings) -> GeneralConvolution {
        let padding = padding.into_settings();
        self.padding_before_after(&padding[..], &padding[..])
    }

    /// Zeros before each axis, and zeros after it: Python's pair of lists.
    #[must_use]
    pub fn padding_before_after(
        mut self,
        before: impl IntoSettings,
        after: impl IntoSettings,
    ) -> GeneralConvolution {
        self.0.padding = [before.into_settings(), after.into_settings()];
        self
    }

    /// The distances between the kernel's elements.
    #[must_use]
    pub fn kernel_dilation(mut self, dilation: impl IntoSettings) -> GeneralConvolution {
        self.0.kernel_dilation = dilation.into_settings();
        self
    }

    /// The distances between the input's elements.
    #[must_use]
    pub fn input_dilation(mut self, dilation: impl IntoSettings) -> GeneralConvolution {
        self.0.input_dilation = dilation.into_settings();
        self
    }

    /// How many groups the channels form.
    #[must_use]
    pub fn groups(mut self, groups: i32) -> GeneralConvolution {
        self.0.groups = groups;
        self
    }

    /// Turns the kernel around along each axis: a convolution as mathematics has it.
    #[must_use]
    pub fn flip(mut self) -> GeneralConvolution {
        self.0.flip = true;
        self
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl<const N: usize> Sealed for [i32; N] {}
    impl Sealed for &[i32] {}
    impl Sealed for Vec<i32> {}
}

/// One number for all of `N` axes, or one for each.
pub trait PerAxis<const N: usize>: sealed::Sealed {
    /// One for each.
    fn per_axis(self) -> [i32; N];
}

impl<const N: usize> PerAxis<N> for i32 {
    fn per_axis(self) -> [i32; N] {
        [self; N]
    }
}

impl<const N: usize> PerAxis<N> for [i32; N] {
    fn per_axis(self) -> [i32; N] {
        self
    }
}

/// One number for all axes, or a list of one for each.
pub trait IntoSettings: sealed::Sealed {
    /// The list.
    fn into_settings(self) -> Shape;
}

impl IntoSettings for i32 {
    fn into_settings(self) -> Shape {
        Shape::from_slice(&[self])
    }
}

impl<const N: usize> IntoSettings for [i32; N] {
    fn into_settings(self) -> Shape {
        Shape::from_slice(&self)
    }
}

impl IntoSettings for &[i32] {
    fn into_settings(self) -> Shape {
        Shape::from_slice(self)
    }
}

impl IntoSettings for Vec<i32> {
    fn into_settings(self) -> Shape {
        Shape::from_vec(self)
    }
}
