//! Feature `approx`: comparing tensors within a tolerance.
//!
//! approx's traits need `PartialEq`, which a tensor does not have: its `eq` is the op. So a borrowed tensor, [`Approx`],
//! has them.

use crate::{Complex32, Dtype, Element, Tensor, bf16, f16};
use approx::{AbsDiffEq, RelativeEq, UlpsEq};
use std::fmt;

/// A tensor that was computed, seen as its values: what `assert_abs_diff_eq!` and its kind compare.
///
/// From [`Tensor::approx`]. Two are equal when their dtypes, shapes and all elements are: real and complex floats as
/// approx compares them (NaN equals nothing; a complex number by its two parts), halves after conversion to `f32`,
/// integers by the size of their difference, bools exactly. Tolerances are `f64`, rounded to `f32` for all floats
/// but float64.
/// The default ones are those of `f32`, MLX's usual dtype, for every dtype.
#[derive(Clone, Copy)]
pub struct Approx<'a>(&'a Tensor);

impl Tensor {
    /// The tensor's values as approx's traits and macros compare them; computes the tensor.
    ///
    /// # Panics
    /// If the computation fails: were that merely unequal, `assert_abs_diff_ne!` would hold of it.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// use approx::{assert_abs_diff_eq, assert_relative_eq};
    /// let x = tensor![0.1, 0.2] * 3.0;
    /// assert_abs_diff_eq!(x.approx(), tensor![0.3, 0.6].approx(), epsilon = 1e-6);
    /// assert_relative_eq!(x.approx(), tensor![0.3, 0.6].approx());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn approx(&self) -> Approx<'_> {
        match self.eval() {
            Ok(()) => Approx(self),
            Err(error) => panic!("{error}"),
        }
    }
}

/// As Python prints the tensor.
impl fmt::Debug for Approx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

/// The same dtype and shape, and equal elements: `-0.0` equals `0.0`, and NaN nothing.
#[allow(clippy::float_cmp)] // Exact is what it says.
impl PartialEq for Approx<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.all(*other, |a, b| a == b, |a, b| a == b, |a, b| a == b)
    }
}

impl AbsDiffEq for Approx<'_> {
    type Epsilon = f64;

    fn default_epsilon() -> f64 {
        f32::EPSILON.into()
    }

    fn abs_diff_eq(&self, other: &Self, epsilon: f64) -> bool {
        let single = |a: f32, b: f32| a.abs_diff_eq(&b, epsilon as f32);
        self.all(*other, single, |a, b| a.abs_diff_eq(&b, epsilon), |a, b| apart(a, b) <= epsilon)
    }
}

impl RelativeEq for Approx<'_> {
    fn default_max_relative() -> f64 {
        f32::EPSILON.into()
    }

    fn relative_eq(&self, other: &Self, epsilon: f64, max_relative: f64) -> bool {
        let single = |a: f32, b: f32| a.relative_eq(&b, epsilon as f32, max_relative as f32);
        let double = |a: f64, b: f64| a.relative_eq(&b, epsilon, max_relative);
        let largest = |a: i128, b: i128| a.unsigned_abs().max(b.unsigned_abs()) as f64;
        let whole = |a, b| apart(a, b) <= epsilon || apart(a, b) <= largest(a, b) * max_relative;
        self.all(*other, single, double, whole)
    }
}

/// Integers have no units in the last place: they are equal within `epsilon`.
impl UlpsEq for Approx<'_> {
    fn default_max_ulps() -> u32 {
        f32::default_max_ulps()
    }

    fn ulps_eq(&self, other: &Self, epsilon: f64, max_ulps: u32) -> bool {
        let single = |a: f32, b: f32| a.ulps_eq(&b, epsilon as f32, max_ulps);
        let double = |a: f64, b: f64| a.ulps_eq(&b, epsilon, max_ulps);
        self.all(*other, single, double, |a, b| apart(a, b) <= epsilon)
    }
}

/// How far two integers are from each other.
fn apart(a: i128, b: i128) -> f64 {
    (a - b).unsigned_abs() as f64
}

impl Approx<'_> {
    /// Whether dtypes and shapes are the same and each pair of elements satisfies its kind's rule.
    fn all(
        self,
        other: Self,
        single: impl Fn(f32, f32) -> bool,
        double: impl Fn(f64, f64) -> bool,
        whole: impl Fn(i128, i128) -> bool,
    ) -> bool {
        let (a, b) = (self.0, other.0);
        if a.dtype() != b.dtype() || a.shape() != b.shape() {
            return false;
        }
        match a.dtype() {
            Dtype::Bool => pairs(a, b, |a: bool, b: bool| a == b),
            Dtype::Uint8 => pairs(a, b, |a: u8, b: u8| whole(a.into(), b.into())),
            Dtype::Uint16 => pairs(a, b, |a: u16, b: u16| whole(a.into(), b.into())),
            Dtype::Uint32 => pairs(a, b, |a: u32, b: u32| whole(a.into(), b.into())),
            Dtype::Uint64 => pairs(a, b, |a: u64, b: u64| whole(a.into(), b.into())),
            Dtype::Int8 => pairs(a, b, |a: i8, b: i8| whole(a.into(), b.into())),
            Dtype::Int16 => pairs(a, b, |a: i16, b: i16| whole(a.into(), b.into())),
            Dtype::Int32 => pairs(a, b, |a: i32, b: i32| whole(a.into(), b.into())),
            Dtype::Int64 => pairs(a, b, |a: i64, b: i64| whole(a.into(), b.into())),
            Dtype::Float16 => pairs(a, b, |a: f16, b: f16| single(a.into(), b.into())),
            Dtype::Bfloat16 => pairs(a, b, |a: bf16, b: bf16| single(a.into(), b.into())),
            Dtype::Float32 => pairs(a, b, single),
            Dtype::Float64 => pairs(a, b, double),
            Dtype::Complex64 => {
                pairs(a, b, |a: Complex32, b: Complex32| single(a.re, b.re) && single(a.im, b.im))
            }
        }
    }
}

/// Whether each pair of elements satisfies `rule`. Both were computed when they became an [`Approx`], so that only
/// memory can be lacking.
fn pairs<T: Element>(a: &Tensor, b: &Tensor, rule: impl Fn(T, T) -> bool) -> bool {
    let values = |x: &Tensor| x.to_vec::<T>().unwrap_or_else(|error| panic!("{error}"));
    values(a).into_iter().zip(values(b)).all(|(a, b)| rule(a, b))
}
