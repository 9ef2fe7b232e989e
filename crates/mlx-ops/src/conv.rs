//! Convolutions, channels last.

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi::fast};

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

impl<const N: usize> Default for Convolution<N> {
    fn default() -> Convolution<N> {
        Convolution::new()
    }
}

impl<const N: usize> Convolution<N> {
    /// Stride 1, padding 0, dilation 1, one group.
    #[must_use]
    pub fn new() -> Convolution<N> {
        Convolution { stride: [1; N], padding: [0; N], dilation: [1; N], groups: 1 }
    }

    /// The kernel's steps: one number, or one for each axis.
    #[must_use]
    pub fn stride(mut self, stride: impl PerAxis<N>) -> Convolution<N> {
        self.stride = stride.per_axis();
        self
    }

    /// Zeros before and after: one number, or one for each axis.
    #[must_use]
    pub fn padding(mut self, padding: impl PerAxis<N>) -> Convolution<N> {
        self.padding = padding.per_axis();
        self
    }

    /// The distances between the kernel's elements: one number, or one for each axis.
    #[must_use]
    pub fn dilation(mut self, dilation: impl PerAxis<N>) -> Convolution<N> {
        self.dilation = dilation.per_axis();
        self
    }

    /// How many groups the channels form.
    #[must_use]
    pub fn groups(mut self, groups: i32) -> Convolution<N> {
        self.groups = groups;
        self
    }

    fn raw(self) -> fast::Convolution<N> {
        let Convolution { stride, padding, dilation, groups } = self;
        fast::Convolution { stride, padding, dilation, groups }
    }

    /// Refuses what ends the process inside MLX or its BLAS.
    fn check(self, op: &'static str, x: &Tensor, weight: &Tensor) -> Result<()> {
        let refuse = |kind, why: &str| {
            let error = Error::new(kind, op, format!("[conv] {why}"));
            Err(error.with_operands(&[x.into(), weight.into()]))
        };
        if self.groups < 1 {
            return refuse(ErrorKind::Value, "The number of groups must be positive.");
        }
        if weight.size() == 0 {
            return refuse(ErrorKind::Shape, "The weight must not be empty.");
        }
        if self.along(x.shape(), weight.shape()).any(Along::is_too_short) {
            let why =
                "Spatial dimensions of input after padding cannot be smaller than weight spatial dimensions.";
            return refuse(ErrorKind::Shape, why);
        }
        if self.wraps(x.shape(), weight.shape()) {
            return refuse(ErrorKind::Value, "Strides, padding or dilation are too large.");
        }
        // MLX lays out a row of the kernel's size for each of its positions, and counts both in 32 bits.
        let row = weight.size() / weight.shape().first().map_or(1, |&out| out as usize);
        if self.positions(x.shape(), weight.shape()) > i64::from(i32::MAX) || row > i32::MAX as usize {
            return refuse(ErrorKind::Shape, "The kernel has too many positions or elements.");
        }
        Ok(())
    }

    /// What there is of each axis between the batch and the channels. With more axes than `N` MLX takes the last settings
    /// for the others.
    fn along<'a>(self, x: &'a [i32], weight: &'a [i32]) -> impl Iterator<Item = Along> + 'a {
        let inner = |sizes: &'a [i32]| sizes.get(1..sizes.len().saturating_sub(1)).unwrap_or_default();
        inner(x).iter().zip(inner(weight)).enumerate().map(move |(axis, (&size, &kernel))| {
            let setting = |settings: [i32; N]| i64::from(settings[axis.min(N - 1)]);
            let (stride, padding, dilation) =
                (setting(self.stride), setting(self.padding), setting(self.dilation));
            Along { size: size.into(), kernel: kernel.into(), stride, padding, dilation }
        })
    }

    /// Whether MLX's borders, where the kernel begins and ends to lie inside the padded input, wrap around in 32 bits: it
    /// writes outside of the result then. Not asked of sizes that MLX refuses.
    fn wraps(self, x: &[i32], weight: &[i32]) -> bool {
        self.along(x, weight).any(Along::wraps)
    }

    /// How many positions the kernel takes; 0 where MLX itself refuses the sizes.
    fn positions(self, x: &[i32], weight: &[i32]) -> i64 {
        let batch = x.first().map_or(0, |&batch| batch.into());
        self.along(x, weight).map(Along::positions).fold(batch, i64::saturating_mul)
    }

    /// `x` and what is left of the padding. MLX's kernel for groups and dilation over two axes takes each position in the
    /// padding before an axis for one of the result; where there are fewer it writes behind the result, as for 5x5 groups
    /// over one padded pixel. Such an `x` is padded first.
    fn padded(self, x: &Tensor, weight: &Tensor) -> Result<(Tensor, Convolution<N>)> {
        let axes: Vec<Along> = self.along(x.shape(), weight.shape()).collect();
        let overhangs = axes.iter().any(|axis| axis.padding > axis.positions() * axis.stride);
        let plain = self.groups == 1 && axes.iter().all(|axis| axis.dilation == 1);
        if axes.len() != 2 || plain || !overhangs || axes.iter().any(|axis| axis.positions() == 0) {
            return Ok((x.clone(), self));
        }
        let sizes = [axes[0].padding, axes[1].padding].map(|size| size as i32);
        Ok((fast::pad(x, &[1, 2], &sizes)?, self.padding([0; N])))
    }
}

/// A convolution along one axis.
#[derive(Clone, Copy)]
struct Along {
    size: i64,
    kernel: i64,
    stride: i64,
    padding: i64,
    dilation: i64,
}

impl Along {
    /// Whether the kernel is longer than the padded input by less than a step, where MLX's division rounds to one position:
    /// it reads behind the input.
    fn is_too_short(self) -> bool {
        let missing = self.dilation * (self.kernel - 1) + 1 - self.size - 2 * self.padding;
        missing > 0 && missing < self.stride
    }

    fn wraps(self) -> bool {
        let Along { size, kernel, stride, padding, dilation } = self;
        let fits = |size: i64| i32::try_from(size).is_ok();
        let (spread, padded, reach) = (dilation * (kernel - 1) + 1, size + 2 * padding, dilation * kernel);
        if spread > padded && fits(spread) && fits(padded) {
            return false; // MLX refuses it, in its own words
        }
        let borders = [padding + stride - 1, size + padding - reach + stride, reach, padding - reach];
        !borders.into_iter().all(fits)
    }

    /// How many positions the kernel takes; 0 where MLX itself refuses the sizes.
    fn positions(self) -> i64 {
        let padded = self.size + 2 * self.padding;
        if self.stride < 1 || self.dilation < 1 || padded > i64::from(i32::MAX) {
            return 0;
        }
        let room = padded - self.dilation * (self.kernel - 1) - 1;
        if room < 0 { 0 } else { room / self.stride + 1 }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl<const N: usize> Sealed for [i32; N] {}
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
    how.check("conv1d", x, weight)?;
    let (x, how) = how.padded(x, weight)?;
    fast::conv1d(&x, weight, &how.raw())
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
    how.check("conv2d", x, weight)?;
    let (x, how) = how.padded(x, weight)?;
    fast::conv2d(&x, weight, &how.raw())
}
