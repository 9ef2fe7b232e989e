//! Where in a sequence an element stands: rotations, sines, and biases of attention scores.

use super::refused;
use crate::{
    Module, State,
    python::{boolean, float, tuple},
};
use mlx_core::{Dtype, Result, Tensor, bf16, f16};
use mlx_fast::{Offset, Rope, rope};
use mlx_ops::{
    Ellipsis, NewAxis, abs, add, arange, astype, concatenate, cos, divide, exp, expand_dims, index, multiply,
    negative, sin, subtract,
};
use std::f64::consts::PI;

/// Rotary positions: pairs of features are rotated by angles that grow with the position.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::RoPE;
/// let x = mlx_ops::ones([1, 2, 3, 4], Dtype::Float32)?;
/// let rotated = RoPE::new(4).forward(&x, 0)?;
/// assert_eq!(mlx_ops::index(&rotated, (0, 0, 0))?.to_vec::<f32>()?, [1.0; 4]);
/// let later = RoPE::new(4).forward(&mlx_ops::index(&x, (.., .., 2..))?, 2)?;
/// assert_eq!(later.to_vec::<f32>()?, mlx_ops::index(&rotated, (.., .., 2..))?.to_vec::<f32>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.RoPE")]
pub struct RoPE {
    /// How many features are rotated; the others stay.
    pub dims: i32,
    /// Whether neighbours are pairs, and not features half of `dims` apart.
    pub traditional: bool,
    /// What the frequencies are powers of.
    pub base: f32,
    /// The factor of positions.
    pub scale: f32,
    state: State,
}

impl RoPE {
    /// A layer that rotates the first `dims` features, with Python's defaults: pairs half of them apart, base 10000,
    /// scale 1.
    #[must_use]
    pub fn new(dims: i32) -> RoPE {
        RoPE { dims, traditional: false, base: 10_000.0, scale: 1.0, state: State::new() }
    }

    /// Whether neighbours are pairs.
    #[must_use]
    pub fn traditional(mut self, traditional: bool) -> RoPE {
        self.traditional = traditional;
        self
    }

    /// What the frequencies are powers of.
    #[must_use]
    pub fn base(mut self, base: f32) -> RoPE {
        self.base = base;
        self
    }

    /// The factor of positions.
    #[must_use]
    pub fn scale(mut self, scale: f32) -> RoPE {
        self.scale = scale;
        self
    }

    /// `x`, `[batch, …, time, features]`, rotated; its first element stands at `offset`, an `i32` or a tensor (see
    /// [`Offset`]).
    ///
    /// # Errors
    /// Those of [`rope`].
    #[track_caller]
    pub fn forward(&self, x: &Tensor, offset: impl Into<Offset>) -> Result<Tensor> {
        let how = Rope::new(self.dims).traditional(self.traditional).base(self.base).scale(self.scale);
        rope(x, &how.offset(offset))
    }

    fn describe(&self) -> String {
        format!("{}, traditional={}", self.dims, boolean(self.traditional))
    }
}

/// Sines and cosines of positions, at frequencies in a geometric row.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::SinusoidalPositionalEncoding;
/// let encoding = SinusoidalPositionalEncoding::new(4)?.scale(1.0);
/// let y = encoding.forward(&tensor![0.0, 1.0])?;
/// assert_eq!(y.shape(), [2, 4]);
/// assert_eq!(mlx_ops::index(&y, 0)?.to_vec::<f32>()?, [0.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.SinusoidalPositionalEncoding")]
pub struct SinusoidalPositionalEncoding {
    /// What the waves are multiplied with.
    pub scale: f64,
    /// Whether cosines stand before sines.
    pub cos_first: bool,
    #[module(skip)]
    sigmas: Tensor,
    state: State,
}

impl SinusoidalPositionalEncoding {
    /// An encoding in `dims` features with Python's defaults: frequencies from 1 to 0.0001, sines first, the scale
    /// `sqrt(2 / dims)`.
    ///
    /// # Errors
    /// `dims` that are odd or not positive.
    pub fn new(dims: i32) -> Result<SinusoidalPositionalEncoding> {
        SinusoidalPositionalEncoding::with_frequencies(dims, 0.0001, 1.0, false)
    }

    /// [`new`](SinusoidalPositionalEncoding::new) with frequencies between these; in turns and not in radians with
    /// `full_turns`.
    ///
    /// # Errors
    /// As [`new`](SinusoidalPositionalEncoding::new); a frequency that has no logarithm.
    pub fn with_frequencies(
        dims: i32,
        min_freq: f64,
        max_freq: f64,
        full_turns: bool,
    ) -> Result<SinusoidalPositionalEncoding> {
        const LAYER: &str = "SinusoidalPositionalEncoding";
        if dims <= 0 || dims % 2 != 0 {
            return refused(LAYER, format!("[{LAYER}] dims must be positive and even but got {dims}."));
        }
        for frequency in [min_freq, max_freq] {
            // A NaN has one, itself.
            if frequency <= 0.0 {
                let frequency = float(frequency);
                return refused(LAYER, format!("[{LAYER}] a frequency of {frequency} has no logarithm."));
            }
        }
        let pairs = dims / 2;
        let one_zero = if pairs == 1 {
            Tensor::from_slice(&[1.0_f32])?
        } else {
            subtract(1, divide(arange(0, pairs, 1)?, pairs - 1)?)?
        };
        let (low, high) = (min_freq.ln(), max_freq.ln());
        let mut sigmas = exp(&add(multiply(one_zero, high - low)?, low)?)?;
        if full_turns {
            sigmas = multiply(sigmas, 2.0 * PI)?;
        }
        let scale = (2.0 / f64::from(dims)).powf(0.5);
        Ok(SinusoidalPositionalEncoding { scale, cos_first: false, sigmas, state: State::new() })
    }

    /// What the waves are multiplied with.
    #[must_use]
    pub fn scale(mut self, scale: f64) -> SinusoidalPositionalEncoding {
        self.scale = scale;
        self
    }

    /// Whether cosines stand before sines.
    #[must_use]
    pub fn cos_first(mut self, cos_first: bool) -> SinusoidalPositionalEncoding {
        self.cos_first = cos_first;
        self
    }

    /// The encodings of the positions in `x`, `[…]`, as `[…, dims]`.
    ///
    /// # Errors
    /// What MLX refuses.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let angles = multiply(index(x, (Ellipsis, NewAxis))?, &self.sigmas)?;
        let (cosines, sines) = (cos(&angles)?, sin(&angles)?);
        let waves = if self.cos_first { [&cosines, &sines] } else { [&sines, &cosines] };
        let y = concatenate(waves, -1)?;
        // Python compares with 1 as well.
        if (self.scale - 1.0).abs() == 0.0 { Ok(y) } else { multiply(y, self.scale) }
    }
}

/// A bias of attention scores for the distance between query and key, steeper from head to head: `ALiBi`.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::ALiBi;
/// let scores = mlx_ops::zeros([1, 8, 1, 3], Dtype::Float32)?;
/// let biased = ALiBi::new().forward(&scores, 2, None)?;
/// assert_eq!(mlx_ops::index(&biased, (0, 0, 0))?.to_vec::<f32>()?, [-1.0, -0.5, 0.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, Module)]
#[doc(alias = "nn.ALiBi")]
pub struct ALiBi {
    state: State,
}

impl ALiBi {
    /// The layer.
    #[must_use]
    pub fn new() -> ALiBi {
        ALiBi::default()
    }

    /// The biases, `[1, num_heads, queries, keys]`, of queries at the positions from `offset` to `q_sequence_length`
    /// and keys at those from 0.
    ///
    /// # Errors
    /// No head; lengths that are no lengths.
    #[track_caller]
    pub fn create_alibi_matrix(
        q_sequence_length: i32,
        k_sequence_length: i32,
        num_heads: i32,
        offset: i32,
        dtype: Dtype,
    ) -> Result<Tensor> {
        let queries = index(&arange(offset, q_sequence_length, 1)?, (.., NewAxis))?;
        let keys = index(&arange(0, k_sequence_length, 1)?, (NewAxis, ..))?;
        let apart = expand_dims(&subtract(queries, keys)?, [0, 1])?;
        let distances = negative(&abs(&apart)?)?;
        let slopes = expand_dims(&slopes(num_heads, dtype)?, [-1, -2])?;
        astype(&multiply(distances, slopes)?, dtype)
    }

    /// `scores`, `[batch, heads, queries, keys]`, with their biases; `offset` is the position of the first query. With
    /// an additive mask.
    ///
    /// # Errors
    /// Scores without heads, or with more than 2²⁴; what does not fit.
    #[track_caller]
    pub fn forward(&self, scores: &Tensor, offset: i32, mask: Option<&Tensor>) -> Result<Tensor> {
        let shape = scores.shape();
        // As Python counts: the second axis, and the last two.
        let (&[_, heads, ..], &[.., queries, keys]) = (shape, shape) else {
            let shape = tuple(shape);
            return refused(
                "ALiBi",
                format!("[ALiBi] scores have heads, queries and keys, not the shape {shape}"),
            );
        };
        let Some(length) = queries.checked_add(offset) else {
            return refused("ALiBi", format!("[ALiBi] there is no position {queries} after {offset}"));
        };
        let mut bias = ALiBi::create_alibi_matrix(length, keys, heads, offset, scores.dtype())?;
        if let Some(mask) = mask {
            bias = add(bias, mask)?;
        }
        add(scores, bias)
    }
}

/// One slope a head: for a power of two of heads a geometric row, else every other one of the next row goes behind it.
fn slopes(num_heads: i32, dtype: Dtype) -> Result<Tensor> {
    fn row(heads: u32) -> Vec<f64> {
        let start = 2_f64.powf(-(2_f64.powf(-(f64::from(heads).log2() - 3.0))));
        (0..heads).map(|head| start * start.powf(f64::from(head))).collect()
    }
    // More slopes than these float32 can hardly tell apart, and a host's memory ends somewhere.
    const MOST: u32 = 1 << 24;
    let Some(heads) = u32::try_from(num_heads).ok().filter(|heads| (1..=MOST).contains(heads)) else {
        return refused("ALiBi", format!("[ALiBi] there are no slopes for {num_heads} heads"));
    };
    let whole = 1_u32 << heads.ilog2();
    let mut slopes = row(whole);
    if whole < heads {
        slopes.extend(row(2 * whole).into_iter().step_by(2).take((heads - whole) as usize));
    }
    // Constants on the host, through float32 as in Python.
    let singles: Vec<f32> = slopes.iter().map(|&slope| slope as f32).collect();
    match dtype {
        Dtype::Float32 => Tensor::from_slice(&singles),
        Dtype::Float16 => Tensor::from_slice(&singles.iter().copied().map(f16::from_f32).collect::<Vec<_>>()),
        Dtype::Bfloat16 => {
            Tensor::from_slice(&singles.iter().copied().map(bf16::from_f32).collect::<Vec<_>>())
        }
        Dtype::Float64 => Tensor::from_slice(&slopes),
        _ => {
            let slopes = astype(&Tensor::from_slice(&singles)?, dtype)?;
            slopes.eval()?;
            Ok(slopes)
        }
    }
}
