//! Products that choose: of matrices by index, of segments of the inner axis, of blocks by masks.

use mlx_core::{Result, Tensor, ffi, ffi::products};

mod sealed {
    pub trait Sealed {}
    impl Sealed for &mlx_core::Tensor {}
    impl Sealed for std::ops::RangeFull {}
}

/// Indices in a tensor, or `..` for all in order.
pub trait IntoIndices<'a>: sealed::Sealed {
    /// The tensor, if there is one.
    fn into_indices(self) -> Option<&'a Tensor>;
}

impl<'a> IntoIndices<'a> for &'a Tensor {
    fn into_indices(self) -> Option<&'a Tensor> {
        Some(self)
    }
}

impl<'a> IntoIndices<'a> for std::ops::RangeFull {
    fn into_indices(self) -> Option<&'a Tensor> {
        None
    }
}

/// The products of matrices chosen by index: `lhs` counts those of `a` along its batch axes, row by row, `rhs` those of `b`;
/// both broadcast, and `..` is all of them in order.
///
/// # Errors
/// An index that names no matrix; inner sizes that differ; indices that are no integers or do not broadcast; dtypes that are
/// no real floats, and when evaluated on the CPU any but float32.
///
/// An index that is not computed yet is limited to the matrices there are.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// let a = Tensor::from_shape_slice([2, 1, 1], &[2.0_f32, 3.0])?;
/// let b = Tensor::from_shape_slice([3, 1, 1], &[1.0_f32, 10.0, 100.0])?;
/// let y = mlx_ops::gather_mm(&a, &b, .., &tensor![2, 0])?;
/// assert_eq!(y.to_vec::<f32>()?, [200.0, 3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.gather_mm")]
#[track_caller]
pub fn gather_mm<'a>(
    a: &Tensor,
    b: &Tensor,
    lhs: impl IntoIndices<'a>,
    rhs: impl IntoIndices<'a>,
) -> Result<Tensor> {
    products::gather_mm(a, b, [lhs.into_indices(), rhs.into_indices()], false)
}

/// [`gather_mm`] by indices that rise, of which there is one tensor only: some devices are faster then.
///
/// # Errors
/// As [`gather_mm`].
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// let a = Tensor::from_shape_slice([2, 1, 1], &[2.0_f32, 3.0])?;
/// let b = Tensor::from_shape_slice([3, 1, 1], &[1.0_f32, 10.0, 100.0])?;
/// let y = mlx_ops::gather_mm_sorted(&a, &b, .., &tensor![0, 2])?;
/// assert_eq!(y.to_vec::<f32>()?, [2.0, 300.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn gather_mm_sorted<'a>(
    a: &Tensor,
    b: &Tensor,
    lhs: impl IntoIndices<'a>,
    rhs: impl IntoIndices<'a>,
) -> Result<Tensor> {
    products::gather_mm(a, b, [lhs.into_indices(), rhs.into_indices()], true)
}

/// The products of segments of the inner axis of two matrices: `segments`, `[…, 2]`, holds where each begins and ends.
///
/// # Errors
/// A segment that ends beyond the inner axis; batches of matrices; segments that are no integers; dtypes that are no real
/// floats.
///
/// A segment that is not computed yet is limited to the inner axis.
///
/// ```
/// # use mlx_core::Tensor;
/// let a = Tensor::from_shape_slice([1, 4], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// let b = Tensor::from_shape_slice([4, 1], &[1.0_f32, 1.0, 1.0, 1.0])?;
/// let segments = Tensor::from_shape_slice([2, 2], &[0, 1, 1, 4])?;
/// assert_eq!(mlx_ops::segmented_mm(&a, &b, &segments)?.to_vec::<f32>()?, [1.0, 9.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.segmented_mm")]
#[track_caller]
pub fn segmented_mm(a: &Tensor, b: &Tensor, segments: &Tensor) -> Result<Tensor> {
    let product = products::segmented_mm(a, b, segments)?;
    if segments.size() == 0 || product.size() > 0 {
        return Ok(product);
    }
    // MLX divides by the numbers of rows and columns.
    ffi::full(product.shape(), &Tensor::scalar(0, product.dtype())?, product.dtype())
}

/// The masks of [`block_masked_mm`], and the size of blocks, 64 unless told otherwise.
///
/// A mask has an element for each block: `false` leaves the block out, and a number is its factor.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::{BlockMasks, block_masked_mm, zeros};
/// let x = mlx_ops::ones([32, 32], Dtype::Float32)?;
/// let mask = zeros([1, 1], Dtype::Bool)?;
/// let y = block_masked_mm(&x, &x, BlockMasks::new().size(32).out(&mask))?;
/// assert_eq!(y.to_vec::<f32>()?, [0.0; 1024]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockMasks<'a> {
    size: i32,
    masks: products::Masks<'a>,
}

impl Default for BlockMasks<'_> {
    fn default() -> Self {
        BlockMasks::new()
    }
}

impl<'a> BlockMasks<'a> {
    /// Blocks of 64 and no masks.
    #[must_use]
    pub fn new() -> BlockMasks<'a> {
        BlockMasks { size: 64, masks: [None; 3] }
    }

    /// The size of blocks: 32 or 64.
    #[must_use]
    pub fn size(mut self, size: i32) -> BlockMasks<'a> {
        self.size = size;
        self
    }

    /// The mask of the result.
    #[must_use]
    pub fn out(mut self, mask: &'a Tensor) -> BlockMasks<'a> {
        self.masks[0] = Some(mask);
        self
    }

    /// The mask of the left operand.
    #[must_use]
    pub fn lhs(mut self, mask: &'a Tensor) -> BlockMasks<'a> {
        self.masks[1] = Some(mask);
        self
    }

    /// The mask of the right operand.
    #[must_use]
    pub fn rhs(mut self, mask: &'a Tensor) -> BlockMasks<'a> {
        self.masks[2] = Some(mask);
        self
    }
}

/// The matrix product with blocks of the operands or of the result masked; without masks it is the plain product.
///
/// # Errors
/// As [`matmul`](fn@crate::matmul); another block size; masks that do not broadcast to the blocks; when evaluated on the CPU,
/// any dtype but float32.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::{BlockMasks, block_masked_mm, ones};
/// let x = ones([2, 2], Dtype::Float32)?;
/// let twice = mlx_core::Tensor::from_shape_slice([1, 1], &[2.0_f32])?;
/// assert_eq!(block_masked_mm(&x, &x, BlockMasks::new().lhs(&twice))?.to_vec::<f32>()?, [4.0; 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.block_masked_mm")]
#[track_caller]
pub fn block_masked_mm(a: &Tensor, b: &Tensor, masks: BlockMasks<'_>) -> Result<Tensor> {
    products::block_masked_mm(a, b, masks.size, masks.masks)
}
