//! Quantization: matrices of few bits an element, and back to dense ones. Not here: their products (`quantized_products`).

use mlx_core::{Dtype, Error, ErrorKind, OperandRef, Result, Tensor, ffi::fast};
use std::ffi::CStr;

/// How elements become bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantMode {
    /// Integers with a scale and a bias for each group, both of the matrix's dtype.
    Affine,
    /// 4-bit floats, a scale that is a power of two (uint8) for each group of 32.
    Mxfp4,
    /// 8-bit floats, likewise.
    Mxfp8,
    /// 4-bit floats, a scale that is an 8-bit float (uint8) for each group of 16.
    Nvfp4,
}

impl QuantMode {
    /// The mode by Python's name of it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<QuantMode> {
        let all = [QuantMode::Affine, QuantMode::Mxfp4, QuantMode::Mxfp8, QuantMode::Nvfp4];
        all.into_iter().find(|mode| mode.c_name().to_bytes() == name.as_bytes())
    }

    /// Python's name of the mode.
    ///
    /// ```
    /// # use mlx_fast::QuantMode;
    /// assert_eq!(QuantMode::by_name(QuantMode::Nvfp4.name()), Some(QuantMode::Nvfp4));
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        self.c_name().to_str().unwrap_or_default()
    }

    fn c_name(self) -> &'static CStr {
        match self {
            QuantMode::Affine => c"affine",
            QuantMode::Mxfp4 => c"mxfp4",
            QuantMode::Mxfp8 => c"mxfp8",
            QuantMode::Nvfp4 => c"nvfp4",
        }
    }
}

/// A mode with its group size and bits.
///
/// ```
/// # use mlx_fast::{QuantMode, Quantization};
/// let how = Quantization::new(QuantMode::Affine).group_size(32);
/// assert_eq!((how.group_size, how.bits), (32, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quantization {
    /// How elements become bits.
    pub mode: QuantMode,
    /// How many elements of a row share a scale: 32, 64 or 128 in affine mode, in the others the default alone.
    pub group_size: i32,
    /// How many bits an element takes: 2, 3, 4, 5, 6 or 8 in affine mode, in the others the default alone.
    pub bits: i32,
}

impl Quantization {
    /// The mode with Python's defaults: affine 64 and 4, mxfp4 32 and 4, mxfp8 32 and 8, nvfp4 16 and 4.
    #[must_use]
    pub fn new(mode: QuantMode) -> Quantization {
        let (group_size, bits) = match mode {
            QuantMode::Affine => (64, 4),
            QuantMode::Mxfp4 => (32, 4),
            QuantMode::Mxfp8 => (32, 8),
            QuantMode::Nvfp4 => (16, 4),
        };
        Quantization { mode, group_size, bits }
    }

    /// With another group size.
    #[must_use]
    pub fn group_size(mut self, group_size: i32) -> Quantization {
        self.group_size = group_size;
        self
    }

    /// With another number of bits.
    #[must_use]
    pub fn bits(mut self, bits: i32) -> Quantization {
        self.bits = bits;
        self
    }

    /// What mlx-c takes. MLX divides by both numbers, in `quantize` before it looks which there are.
    pub(crate) fn raw(self, op: &'static str) -> Result<fast::Quantization> {
        for (what, value, most) in [("bits", self.bits, 32), ("group_size", self.group_size, 1 << 16)] {
            let named_by_mlx = op == "quantize" && value != 0;
            if !named_by_mlx && !(1..=most).contains(&value) {
                let message = format!("[{op}] Invalid value for {what}: {value}");
                return Err(Error::new(ErrorKind::Value, op, message));
            }
        }
        // MLX looks at this in the other functions; its product takes the mode's own kernel, which leaves the buffers.
        let own = Quantization::new(self.mode);
        let is_product = !matches!(op, "quantize" | "dequantize");
        if is_product && self.mode != QuantMode::Affine && self != own {
            let mode = self.mode.c_name().to_string_lossy();
            let message = format!(
                "[{op}] {mode} quantization requires group size {} and {} bits but got {} and {}.",
                own.group_size, own.bits, self.group_size, self.bits
            );
            return Err(Error::new(ErrorKind::Value, op, message));
        }
        Ok(fast::Quantization { mode: self.mode.c_name(), group_size: self.group_size, bits: self.bits })
    }
}

impl From<QuantMode> for Quantization {
    fn from(mode: QuantMode) -> Quantization {
        Quantization::new(mode)
    }
}

/// A quantized matrix, or a batch of them: the parts by Python's names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuantizedTensor {
    /// The elements, packed into uint32.
    pub packed: Tensor,
    /// A scale for each group.
    pub scales: Tensor,
    /// A bias for each group; in affine mode alone.
    pub biases: Option<Tensor>,
    /// What all scales are to be multiplied with; in nvfp4 mode, and there rarely.
    pub global_scale: Option<Tensor>,
    /// How it is quantized.
    pub how: Quantization,
}

impl QuantizedTensor {
    /// A quantized matrix from its parts, as a file holds them.
    #[must_use]
    pub fn new(
        packed: Tensor,
        scales: Tensor,
        biases: Option<Tensor>,
        how: impl Into<Quantization>,
    ) -> QuantizedTensor {
        QuantizedTensor { packed, scales, biases, global_scale: None, how: how.into() }
    }

    pub(crate) fn raw(&self) -> fast::QuantizedParts<'_> {
        let QuantizedTensor { packed: weight, scales, biases, global_scale, .. } = self;
        let (biases, global_scale) = (biases.as_ref(), global_scale.as_ref());
        fast::QuantizedParts { weight, scales, biases, global_scale }
    }

    pub(crate) fn operands(&self) -> Vec<OperandRef<'_>> {
        [Some(&self.packed), Some(&self.scales), self.biases.as_ref()]
            .into_iter()
            .flatten()
            .map(Into::into)
            .collect()
    }
}

/// `w` quantized row by row.
///
/// An infinity makes all of its group NaN in affine mode; in the others, and by a NaN, the group means nothing.
///
/// # Errors
/// Fewer than two dimensions; a last axis that the group size does not divide; sizes that the mode does not have;
/// dtypes that are no real floats.
///
/// ```
/// # use mlx_core::{Dtype, Tensor};
/// # use mlx_fast::{QuantMode, dequantize, quantize};
/// let w = Tensor::from_shape_slice([1, 64], &[5.0_f32; 64])?;
/// let q = quantize(&w, QuantMode::Affine)?;
/// assert_eq!((q.packed.shape(), q.packed.dtype()), (&[1, 8][..], Dtype::Uint32));
/// assert_eq!(dequantize(&q)?.to_vec::<f32>()?, [5.0; 64]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.quantize")]
#[track_caller]
pub fn quantize(w: &Tensor, how: impl Into<Quantization>) -> Result<QuantizedTensor> {
    parts(w, how.into(), None)
}

/// [`quantize`] in nvfp4 mode with scales relative to a float32 `global_scale` (one element).
///
/// # Errors
/// As [`quantize`]; another mode; a scale of another dtype or size.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_fast::{QuantMode, dequantize, quantize_scaled};
/// let w = Tensor::from_shape_slice([1, 32], &[6.0_f32; 32])?;
/// let q = quantize_scaled(&w, QuantMode::Nvfp4, &tensor![6.0])?;
/// assert_eq!(dequantize(&q)?.shape(), [1, 32]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn quantize_scaled(
    w: &Tensor,
    how: impl Into<Quantization>,
    global_scale: &Tensor,
) -> Result<QuantizedTensor> {
    parts(w, how.into(), Some(global_scale))
}

#[track_caller]
fn parts(w: &Tensor, how: Quantization, global_scale: Option<&Tensor>) -> Result<QuantizedTensor> {
    let mut parts = fast::quantize(w, how.raw("quantize")?, global_scale)?.into_iter();
    let (Some(packed), Some(scales), biases) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Error::new(ErrorKind::Mlx, "quantize", "MLX gave fewer parts than two"));
    };
    Ok(QuantizedTensor { packed, scales, biases, global_scale: global_scale.cloned(), how })
}

/// The dense matrix: of the scales' dtype in affine mode, else bfloat16, or float32 with a global scale.
///
/// # Errors
/// Parts of shapes and dtypes that do not belong together.
///
/// ```
/// # use mlx_core::{Dtype, Tensor};
/// # use mlx_fast::{QuantMode, dequantize, quantize};
/// let w = Tensor::from_shape_slice([1, 32], &[0.5_f32; 32])?;
/// assert_eq!(dequantize(&quantize(&w, QuantMode::Mxfp8)?)?.dtype(), Dtype::Bfloat16);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.dequantize")]
#[track_caller]
pub fn dequantize(q: &QuantizedTensor) -> Result<Tensor> {
    fast::dequantize(q.raw(), q.how.raw("dequantize")?, None)
}

/// [`dequantize`] to a real float `dtype`.
///
/// # Errors
/// As [`dequantize`]; another dtype.
///
/// ```
/// # use mlx_core::{Dtype, Tensor};
/// # use mlx_fast::{QuantMode, dequantize_dtype, quantize};
/// let q = quantize(&Tensor::from_shape_slice([1, 32], &[0.5_f32; 32])?, QuantMode::Mxfp4)?;
/// assert_eq!(dequantize_dtype(&q, Dtype::Float16)?.dtype(), Dtype::Float16);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn dequantize_dtype(q: &QuantizedTensor, dtype: Dtype) -> Result<Tensor> {
    fast::dequantize(q.raw(), q.how.raw("dequantize")?, Some(dtype))
}
