//! Rotary position embedding.

use mlx_core::{Result, Tensor, ffi::fast};

/// How [`rope`] rotates.
///
/// ```
/// # use mlx_fast::Rope;
/// let how = Rope::new(64).base(500_000.0).offset(17);
/// assert_eq!(how.dims, 64);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rope {
    /// How many of the features are rotated; the others stay as they are. Even.
    pub dims: i32,
    /// Whether features 2i and 2i + 1 make a pair (the paper's way), instead of i and i + dims / 2.
    pub traditional: bool,
    /// Where the frequencies come from.
    pub frequencies: Frequencies,
    /// The factor of positions.
    pub scale: f32,
    /// The position of the first element along the axis before the last.
    pub offset: Offset,
}

/// Where the frequencies of [`rope`] come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Frequencies {
    /// Powers of a base.
    Base(f32),
    /// These periods, `dims / 2` of them.
    Freqs(Tensor),
}

/// The position where [`rope`] starts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Offset {
    /// One known now.
    Int(i32),
    /// One in a 0-d tensor of integers, or one for each element of the batch in a 1-D tensor.
    Tensor(Tensor),
}

impl From<i32> for Offset {
    fn from(offset: i32) -> Offset {
        Offset::Int(offset)
    }
}

impl From<&Tensor> for Offset {
    fn from(offset: &Tensor) -> Offset {
        Offset::Tensor(offset.clone())
    }
}

impl Rope {
    /// Rotates the first `dims` features: halves, base 10000, scale 1, offset 0, the defaults of Python's `nn.RoPE`.
    #[must_use]
    pub fn new(dims: i32) -> Rope {
        Rope {
            dims,
            traditional: false,
            frequencies: Frequencies::Base(10_000.0),
            scale: 1.0,
            offset: Offset::Int(0),
        }
    }

    /// Whether neighbours are pairs.
    #[must_use]
    pub fn traditional(mut self, traditional: bool) -> Rope {
        self.traditional = traditional;
        self
    }

    /// Frequencies from a base.
    #[must_use]
    pub fn base(mut self, base: f32) -> Rope {
        self.frequencies = Frequencies::Base(base);
        self
    }

    /// Frequencies from a tensor.
    #[must_use]
    pub fn freqs(mut self, freqs: &Tensor) -> Rope {
        self.frequencies = Frequencies::Freqs(freqs.clone());
        self
    }

    /// The factor of positions.
    #[must_use]
    pub fn scale(mut self, scale: f32) -> Rope {
        self.scale = scale;
        self
    }

    /// The position of the first element: an `i32` or a tensor.
    #[must_use]
    pub fn offset(mut self, offset: impl Into<Offset>) -> Rope {
        self.offset = offset.into();
        self
    }
}

/// `x`, of shape `[batch, …, time, features]`, with its features rotated by their position in time.
///
/// Positions and angles are float32 whatever the dtype of `x`.
///
/// # Errors
/// Fewer than three dimensions; `dims` below 1, odd or more than the features; `freqs` of another size; an offset
/// tensor that is no integer, or neither 0-d nor one for each element of the batch; an `x` that is no real float.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_fast::{Rope, rope};
/// let x = Tensor::from_shape_slice([1, 1, 2], &[1.0_f32, 0.0])?;
/// let y = rope(&x, &Rope::new(2).offset(1))?.to_vec::<f32>()?;
/// assert!((y[0] - 1_f32.cos()).abs() < 1e-6 && (y[1] - 1_f32.sin()).abs() < 1e-6);
/// assert_eq!(rope(&x, &Rope::new(2).offset(&tensor![1]))?.to_vec::<f32>()?, y);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fast.rope")]
#[track_caller]
pub fn rope(x: &Tensor, how: &Rope) -> Result<Tensor> {
    let (base, freqs) = match &how.frequencies {
        Frequencies::Base(base) => (Some(*base), None),
        Frequencies::Freqs(freqs) => (None, Some(freqs)),
    };
    let raw = fast::Rope { dims: how.dims, traditional: how.traditional, base, scale: how.scale, freqs };
    match &how.offset {
        Offset::Int(offset) => fast::rope(x, &raw, *offset),
        Offset::Tensor(offset) => fast::rope_dynamic(x, &raw, offset),
    }
}
