//! Products of tensors: inner, outer, kron, vecdot, tensordot.

use mlx_core::{IntoShape, Result, Shape, Tensor, ffi::products, or_panic};

/// The sums of products over the last axes of both; with a 0-d tensor the plain product.
///
/// # Errors
/// Last axes of different sizes; dtypes that are no floats, where a sum is taken.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::inner(&tensor![1.0, 2.0], &tensor![3.0, 4.0])?.item::<f32>()?, 11.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.inner")]
#[track_caller]
pub fn inner(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    products::inner(a, b)
}

/// The product of each element of `a` with each of `b`: `[a.size(), b.size()]`.
///
/// # Errors
/// What MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::outer(&tensor![1, 2], &tensor![3, 4])?.to_vec::<i32>()?, [3, 4, 6, 8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.outer")]
#[track_caller]
pub fn outer(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    products::outer(a, b)
}

/// The Kronecker product: each element of `a` replaced by its product with all of `b`.
///
/// # Errors
/// What MLX refuses.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_ops::kron(&tensor![1, 2], &tensor![1, 10])?.to_vec::<i32>()?, [1, 10, 2, 20]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.kron")]
#[track_caller]
pub fn kron(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    products::kron(a, b)
}

/// The dot products of the vectors along `axis`, `a` conjugated where it is complex.
///
/// # Errors
/// Sizes along `axis` that differ; other shapes that do not broadcast; 0-d tensors; an axis out of range.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::vecdot(&x, &x, -1)?.to_vec::<i32>()?, [5, 25]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.vecdot")]
#[track_caller]
pub fn vecdot(a: &Tensor, b: &Tensor, axis: i32) -> Result<Tensor> {
    products::vecdot(a, b, axis)
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl<A, B> Sealed for (A, B) {}
}

/// The axes over which a [`tensordot`] sums: how many, the last of the left tensor and the first of the right one, or a pair
/// of lists.
pub trait IntoContraction: sealed::Sealed {
    /// The number, or the lists.
    ///
    /// # Errors
    /// An axis beyond `i32`.
    #[doc(hidden)]
    fn into_contraction(self) -> Result<Contraction>;
}

#[doc(hidden)]
pub enum Contraction {
    Count(i32),
    Axes(Shape, Shape),
}

impl IntoContraction for i32 {
    fn into_contraction(self) -> Result<Contraction> {
        Ok(Contraction::Count(self))
    }
}

impl<A: IntoShape, B: IntoShape> IntoContraction for (A, B) {
    fn into_contraction(self) -> Result<Contraction> {
        Ok(Contraction::Axes(self.0.into_shape()?, self.1.into_shape()?))
    }
}

/// The sums of products over the axes that both have: `2` is Python's default, `([0], [1])` a pair of lists.
///
/// # Errors
/// Axes of different sizes, named twice or out of range; dtypes that are no floats.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(mlx_ops::tensordot(&x, &x, 2)?.item::<f32>()?, 30.0);
/// assert_eq!(mlx_ops::tensordot(&x, &x, ([0], [0]))?.to_vec::<f32>()?, [10.0, 14.0, 14.0, 20.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.tensordot")]
#[track_caller]
pub fn tensordot(a: &Tensor, b: &Tensor, axes: impl IntoContraction) -> Result<Tensor> {
    match axes.into_contraction()? {
        Contraction::Count(count) => products::tensordot_count(a, b, count),
        Contraction::Axes(of_a, of_b) => products::tensordot_axes(a, b, &of_a, &of_b),
    }
}

/// Products of tensors as methods. Each panics at the caller's line where the free function returns an error.
pub trait ProductOps {
    /// See [`inner`](fn@inner).
    #[must_use]
    fn inner(&self, other: &Tensor) -> Tensor;

    /// See [`outer`](fn@outer).
    #[must_use]
    fn outer(&self, other: &Tensor) -> Tensor;

    /// See [`kron`](fn@kron).
    #[must_use]
    fn kron(&self, other: &Tensor) -> Tensor;

    /// See [`vecdot`](fn@vecdot).
    #[must_use]
    fn vecdot(&self, other: &Tensor, axis: i32) -> Tensor;

    /// See [`tensordot`](fn@tensordot).
    #[must_use]
    fn tensordot(&self, other: &Tensor, axes: impl IntoContraction) -> Tensor;
}

impl ProductOps for Tensor {
    #[track_caller]
    fn inner(&self, other: &Tensor) -> Tensor {
        or_panic(inner(self, other))
    }

    #[track_caller]
    fn outer(&self, other: &Tensor) -> Tensor {
        or_panic(outer(self, other))
    }

    #[track_caller]
    fn kron(&self, other: &Tensor) -> Tensor {
        or_panic(kron(self, other))
    }

    #[track_caller]
    fn vecdot(&self, other: &Tensor, axis: i32) -> Tensor {
        or_panic(vecdot(self, other, axis))
    }

    #[track_caller]
    fn tensordot(&self, other: &Tensor, axes: impl IntoContraction) -> Tensor {
        or_panic(tensordot(self, other, axes))
    }
}
