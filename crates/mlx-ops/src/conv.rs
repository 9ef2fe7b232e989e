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
        if self.wraps(x.shape(), weight.shape()) {
            return refuse(ErrorKind::Value, "Strides, padding or dilation are too large.");
        }
        if self.rows(x.shape(), weight.shape()) > i64::from(i32::MAX) {
            return refuse(ErrorKind::Shape, "The result is too large.");
        }
        Ok(())
    }

    /// Whether MLX's borders, where the kernel begins and ends to lie inside the padded input, wrap around in 32 bits: it
    /// writes outside of the result then. Not asked of sizes that MLX refuses.
    fn wraps(self, x: &[i32], weight: &[i32]) -> bool {
        if x.len() != N + 2 || weight.len() != N + 2 {
            return false;
        }
        (0..N).any(|axis| {
            let [stride, padding, dilation, x, weight] =
                [self.stride[axis], self.padding[axis], self.dilation[axis], x[axis + 1], weight[axis + 1]]
                    .map(i64::from);
            let (kernel, extent) = (dilation * weight, dilation * (weight - 1) + 1);
            let fits = |number: &i64| i32::try_from(*number).is_ok();
            let refused = fits(&extent) && extent > x + 2 * padding;
            let borders = [padding + stride - 1, x + padding - kernel + stride, kernel, padding - kernel];
            !refused && !borders.iter().all(fits)
        })
    }

    /// How many positions the kernel takes, which MLX counts in 32 bits when it lays its rows out; 0 where MLX itself
    /// refuses the sizes.
    fn rows(self, x: &[i32], weight: &[i32]) -> i64 {
        let ([batch, x @ .., _], [_, weight @ .., _]) = (x, weight) else { return 0 };
        if x.len() != N || weight.len() != N {
            return 0;
        }
        (0..N).fold(i64::from(*batch), |rows, axis| {
            rows.saturating_mul(self.along(axis, x[axis], weight[axis]))
        })
    }

    /// How many positions the kernel takes along an axis, as [`rows`](Convolution::rows).
    fn along(self, axis: usize, x: i32, weight: i32) -> i64 {
        let (stride, dilation) = (i64::from(self.stride[axis]), i64::from(self.dilation[axis]));
        let padded = i64::from(x) + 2 * i64::from(self.padding[axis]);
        if stride < 1 || dilation < 1 || padded > i64::from(i32::MAX) {
            return 0;
        }
        let room = padded - dilation * (i64::from(weight) - 1) - 1;
        if room < 0 { 0 } else { room / stride + 1 }
    }

    /// Whether the kernel is inside the padding alone at more positions than there are, which MLX's kernel for groups and
    /// dilation does not expect: it writes behind the result, as for 5x5 groups over one padded pixel.
    fn overhangs(self, x: &[i32], weight: &[i32]) -> bool {
        if x.len() != N + 2 || weight.len() != N + 2 || (self.groups == 1 && self.dilation == [1; N]) {
            return false;
        }
        let along: [i64; N] = std::array::from_fn(|axis| self.along(axis, x[axis + 1], weight[axis + 1]));
        let outside = |axis: usize| {
            i64::from(self.padding[axis]).div_euclid(i64::from(self.stride[axis]))
                + i64::from(self.padding[axis] % self.stride[axis] > 0)
        };
        !along.contains(&0) && (0..N).any(|axis| outside(axis) > along[axis])
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
    fast::conv1d(x, weight, &how.raw())
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
    if how.overhangs(x.shape(), weight.shape()) {
        let padded = fast::pad(x, &[1, 2], &how.padding)?;
        return fast::conv2d(&padded, weight, &how.padding(0).raw());
    }
    fast::conv2d(x, weight, &how.raw())
}
