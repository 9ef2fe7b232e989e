//! Products with quantized matrices. Not here: quantization itself (`quantize`).

use crate::{QuantMode, Quantization, QuantizedTensor};
use mlx_core::{Device, DeviceKind, Dtype, Error, ErrorKind, OperandRef, Result, Tensor, ffi::fast};
use mlx_ops::{expand_dims, reshape};

/// `x @ w.T` for the quantized `w` when `transpose` (Python's default, and what layers do), else `x @ w`.
///
/// On the CPU sums are in the dtype of the result: half precision loses digits over thousands of terms.
///
/// # Errors
/// Shapes and dtypes that do not belong together; empty operands; a `w` with a global scale, which this product
/// would leave out.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_fast::{QuantMode, quantize, quantized_matmul};
/// let w = quantize(&Tensor::from_shape_slice([1, 64], &[0.5_f32; 64])?, QuantMode::Affine)?;
/// let x = Tensor::from_shape_slice([1, 64], &[1.0_f32; 64])?;
/// assert_eq!(quantized_matmul(&x, &w, true)?.to_vec::<f32>()?, [32.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.quantized_matmul")]
#[track_caller]
pub fn quantized_matmul(x: &Tensor, w: &QuantizedTensor, transpose: bool) -> Result<Tensor> {
    let op = "quantized_matmul";
    fits(op, x, w)?;
    fast::quantized_matmul(x, w.raw(), transpose, w.how.raw(op)?)
}

/// `x @ w.T` with each row computed as if it were the only one: the same bits whatever rows are beside it.
///
/// `x` is `[…, K]`, `w` one affine matrix of `[N, K]`; the result is `[…, N]`. GPUs sum in another order where there are more rows; the
/// CPU does not, so there this is [`quantized_matmul`], which does not copy the weight for each row.
///
/// # Errors
/// As [`quantized_matmul`]; another mode; a batch of matrices.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_fast::{QuantMode, quantize, quantized_matmul_rows};
/// let w = quantize(&Tensor::from_shape_slice([1, 64], &[0.5_f32; 64])?, QuantMode::Affine)?;
/// let x = Tensor::from_shape_slice([2, 64], &[1.0_f32; 128])?;
/// assert_eq!(quantized_matmul_rows(&x, &w)?.to_vec::<f32>()?, [32.0, 32.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn quantized_matmul_rows(x: &Tensor, w: &QuantizedTensor) -> Result<Tensor> {
    let op = "quantized_matmul_rows";
    fits(op, x, w)?;
    if w.how.mode != QuantMode::Affine {
        return refuse(op, ErrorKind::Value, x, w, "Only affine weights have independent rows.");
    }
    if w.packed.ndim() != 2 {
        return refuse(op, ErrorKind::Shape, x, w, "The weight must be one matrix.");
    }
    let inner = x.shape()[x.ndim() - 1];
    let rows = x.size() as i32 / inner;
    if rows == 1 || Device::current()?.kind() == DeviceKind::Cpu {
        return quantized_matmul(x, w, true);
    }
    let mut batch = w.clone();
    batch.packed = expand_dims(&w.packed, 0)?;
    batch.scales = expand_dims(&w.scales, 0)?;
    batch.biases = w.biases.as_ref().map(|biases| expand_dims(biases, 0)).transpose()?;
    let y = quantized_matmul(&reshape(x, [rows, 1, inner])?, &batch, true)?;
    let mut shape = x.shape().to_vec();
    shape[x.ndim() - 1] = w.packed.shape()[0];
    reshape(&y, shape)
}

/// Which matrices [`gather_qmm`] and [`gather_qqmm`] multiply.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_fast::Gather;
/// let how = Gather::new().rhs(&tensor![0, 3, 1]);
/// assert!(how.transpose && how.lhs.is_none());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Gather {
    /// Indices of the matrices of `x`, counted along its batch axes row by row; all of them in order where there are none.
    pub lhs: Option<Tensor>,
    /// Indices of those of `w`, such as a mixture's experts.
    pub rhs: Option<Tensor>,
    /// Whether `w` is transposed; [`gather_qqmm`] always does.
    pub transpose: bool,
    /// Whether the indices rise: some devices are faster then.
    pub sorted: bool,
}

impl Default for Gather {
    fn default() -> Gather {
        Gather::new()
    }
}

impl Gather {
    /// All matrices in order, those of `w` transposed.
    #[must_use]
    pub fn new() -> Gather {
        Gather { lhs: None, rhs: None, transpose: true, sorted: false }
    }

    /// By indices of `x`.
    #[must_use]
    pub fn lhs(mut self, indices: &Tensor) -> Gather {
        self.lhs = Some(indices.clone());
        self
    }

    /// By indices of `w`.
    #[must_use]
    pub fn rhs(mut self, indices: &Tensor) -> Gather {
        self.rhs = Some(indices.clone());
        self
    }

    /// Whether `w` is transposed.
    #[must_use]
    pub fn transpose(mut self, transpose: bool) -> Gather {
        self.transpose = transpose;
        self
    }

    /// Whether the indices rise.
    #[must_use]
    pub fn sorted(mut self, sorted: bool) -> Gather {
        self.sorted = sorted;
        self
    }

    fn indices(&self) -> [Option<&Tensor>; 2] {
        [self.lhs.as_ref(), self.rhs.as_ref()]
    }
}

/// [`quantized_matmul`] of matrices chosen by index: `x` is `[…, M, K]`, `w` a batch of `[N, K]`, or `[K, N]` without
/// `transpose`; the indices of both broadcast, and the result is `[indices…, M, N]`.
///
/// # Errors
/// As [`quantized_matmul`]; an index that names no matrix; indices that are no integers or do not broadcast. An index that is
/// not computed yet is limited to the matrices there are.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_fast::{Gather, QuantMode, gather_qmm, quantize};
/// let experts = [[1.0_f32; 64], [2.0; 64]].concat();
/// let w = quantize(&Tensor::from_shape_slice([2, 1, 64], &experts)?, QuantMode::Affine)?;
/// let x = Tensor::from_shape_slice([1, 1, 64], &[1.0_f32; 64])?;
/// let y = gather_qmm(&x, &w, &Gather::new().rhs(&tensor![1]))?;
/// assert_eq!(y.to_vec::<f32>()?, [128.0]);
/// assert!(gather_qmm(&x, &w, &Gather::new().rhs(&tensor![2])).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.gather_qmm")]
#[track_caller]
pub fn gather_qmm(x: &Tensor, w: &QuantizedTensor, how: &Gather) -> Result<Tensor> {
    let op = "gather_qmm";
    fits(op, x, w)?;
    fast::gather_qmm(x, w.raw(), how.indices(), (how.transpose, how.sorted), w.how.raw(op)?)
}

/// The weight of [`qqmm`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum QqmmWeight<'a> {
    /// Quantized already, its global scale with it.
    Quantized(&'a QuantizedTensor),
    /// A dense matrix to quantize, by which gradients can be taken; with its global scale.
    Dense(&'a Tensor, Quantization, Option<&'a Tensor>),
}

impl<'a> From<&'a QuantizedTensor> for QqmmWeight<'a> {
    fn from(w: &'a QuantizedTensor) -> QqmmWeight<'a> {
        QqmmWeight::Quantized(w)
    }
}

/// `x @ w.T` with `x` quantized like `w` on the fly, in the modes nvfp4, mxfp8 and mxfp4; `x` is `[…, K]`, `w` `[N, K]`.
///
/// In nvfp4 mode both sides may have global scales (float32, one element), or neither.
///
/// # Errors
/// Shapes and dtypes that do not belong together; empty operands; affine mode; one global scale. When evaluated on the CPU,
/// where MLX has no such product: more than one row, or a dense weight.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_fast::{QuantMode, qqmm, quantize};
/// let w = quantize(&Tensor::from_shape_slice([1, 32], &[0.5_f32; 32])?, QuantMode::Mxfp8)?;
/// let x = Tensor::from_shape_slice([1, 32], &[2.0_f32; 32])?;
/// assert_eq!(qqmm(&x, &w, None)?.to_vec::<f32>()?, [32.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.qqmm")]
#[track_caller]
pub fn qqmm<'a>(x: &Tensor, w: impl Into<QqmmWeight<'a>>, global_scale: Option<&Tensor>) -> Result<Tensor> {
    let (sides, how) = sides("qqmm", x, w.into(), global_scale)?;
    fast::qqmm(x, sides, how)
}

/// [`qqmm`] of matrices chosen by index, as in [`gather_qmm`].
///
/// # Errors
/// As [`qqmm`] and [`gather_qmm`]. MLX does not compute this on the CPU: evaluation fails there.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_fast::{Gather, QuantMode, gather_qqmm, quantize};
/// let w = quantize(&Tensor::from_shape_slice([2, 1, 32], &[0.5_f32; 64])?, QuantMode::Nvfp4)?;
/// let x = Tensor::from_shape_slice([1, 1, 32], &[2.0_f32; 32])?;
/// assert_eq!(gather_qqmm(&x, &w, None, &Gather::new().rhs(&tensor![1]))?.shape(), [1, 1, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.gather_qqmm")]
#[track_caller]
pub fn gather_qqmm<'a>(
    x: &Tensor,
    w: impl Into<QqmmWeight<'a>>,
    global_scale: Option<&Tensor>,
    how: &Gather,
) -> Result<Tensor> {
    let (sides, quantization) = sides("gather_qqmm", x, w.into(), global_scale)?;
    fast::gather_qqmm(x, sides, how.indices(), how.sorted, quantization)
}

fn sides<'a>(
    op: &'static str,
    x: &Tensor,
    w: QqmmWeight<'a>,
    global_scale: Option<&'a Tensor>,
) -> Result<(fast::Sides<'a>, fast::Quantization)> {
    let (weight, scales, of_weight, how) = match w {
        QqmmWeight::Quantized(w) => (&w.packed, Some(&w.scales), w.global_scale.as_ref(), w.how),
        QqmmWeight::Dense(w, how, global_scale) => (w, None, global_scale, how),
    };
    let refuse = |kind, why: &str| {
        let operands: Vec<OperandRef<'_>> =
            [Some(x), Some(weight), scales].into_iter().flatten().map(Into::into).collect();
        Err(Error::new(kind, op, format!("[{op}] {why}")).with_operands(&operands))
    };
    if x.ndim() == 0 || weight.ndim() < 2 {
        return refuse(ErrorKind::Shape, "The inputs must have at least 1 and 2 dimensions.");
    }
    if let Some(why) = misfit(x, weight, scales) {
        return refuse(ErrorKind::Shape, why);
    }
    // `gather_qqmm` takes uint32 for quantized, and reads the scales that are not there.
    if scales.is_none() && weight.dtype() == Dtype::Uint32 {
        return refuse(ErrorKind::Value, "Scales must be provided if second argument is quantized.");
    }
    // MLX takes the kernel of 4-bit floats for it, whatever the scales are.
    if how.mode == QuantMode::Affine {
        return refuse(ErrorKind::Value, "Affine mode is not supported.");
    }
    // That kernel takes scales for bytes.
    if scales.is_some_and(|scales| scales.dtype() != Dtype::Uint8) {
        return refuse(ErrorKind::Dtype, "Scales must be uint8.");
    }
    let sides = fast::Sides { weight, scales, global_scales: [global_scale, of_weight] };
    Ok((sides, how.raw(op)?))
}

/// Why MLX would divide by 0 or read foreign memory.
fn misfit(x: &Tensor, weight: &Tensor, scales: Option<&Tensor>) -> Option<&'static str> {
    // MLX divides by the sizes of the product and of a row.
    if x.size() == 0 || weight.size() == 0 || scales.is_some_and(|scales| scales.size() == 0) {
        return Some("Empty operands are not supported.");
    }
    // It compares the last axis and the batch axes; the rows between them it trusts, and reads past the scales.
    if scales.is_some_and(|scales| rows(weight.shape()) != rows(scales.shape())) {
        return Some("Weight and scales should have the same rows.");
    }
    None
}

/// The sizes but for the last.
fn rows(shape: &[i32]) -> &[i32] {
    shape.split_last().map_or(shape, |(_, rows)| rows)
}

/// Refuses operands on which MLX divides by 0 or reads foreign memory.
#[track_caller]
fn fits(op: &'static str, x: &Tensor, w: &QuantizedTensor) -> Result<()> {
    if x.ndim() == 0 {
        return refuse(op, ErrorKind::Shape, x, w, "The first input must have at least 1 dimension.");
    }
    if let Some(why) = misfit(x, &w.packed, Some(&w.scales)) {
        return refuse(op, ErrorKind::Shape, x, w, why);
    }
    if w.global_scale.is_some() {
        return refuse(op, ErrorKind::Value, x, w, "A weight with a global scale is not supported.");
    }
    Ok(())
}

#[track_caller]
fn refuse<T>(op: &'static str, kind: ErrorKind, x: &Tensor, w: &QuantizedTensor, why: &str) -> Result<T> {
    let operands: Vec<_> = std::iter::once(x.into()).chain(w.operands()).collect();
    Err(Error::new(kind, op, format!("[{op}] {why}")).with_operands(&operands))
}
