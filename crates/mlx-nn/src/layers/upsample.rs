//! More or fewer samples along the axes between batch and features.
//!
//! Not here: where the samples of linear and cubic interpolation lie and what they weigh (`taps`).

use super::{
    refused,
    taps::{self, Taps, as_int},
};
use crate::{
    Module, State,
    python::{boolean, float},
};
use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor};
use mlx_ops::{
    Index, add, arange_dtype, astype, broadcast_to, index, multiply, reshape, round, subtract, take,
};

/// By how much an [`Upsample`] multiplies the sizes of axes: one factor for all, or one for each.
///
/// ```
/// # use mlx_nn::ScaleFactor;
/// assert_eq!(ScaleFactor::from(2), ScaleFactor::All(2.0));
/// assert_eq!(ScaleFactor::from([2.0, 0.5]), ScaleFactor::Each(vec![2.0, 0.5]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ScaleFactor {
    /// The same for all axes.
    All(f64),
    /// One for each axis.
    Each(Vec<f64>),
}

impl From<f64> for ScaleFactor {
    fn from(factor: f64) -> ScaleFactor {
        ScaleFactor::All(factor)
    }
}

impl From<i32> for ScaleFactor {
    fn from(factor: i32) -> ScaleFactor {
        ScaleFactor::All(factor.into())
    }
}

impl<const N: usize> From<[f64; N]> for ScaleFactor {
    fn from(factors: [f64; N]) -> ScaleFactor {
        ScaleFactor::Each(factors.to_vec())
    }
}

impl From<Vec<f64>> for ScaleFactor {
    fn from(factors: Vec<f64>) -> ScaleFactor {
        ScaleFactor::Each(factors)
    }
}

/// How an [`Upsample`] makes samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpsampleMode {
    /// The nearest sample.
    #[default]
    Nearest,
    /// A weighted sum of the two nearest samples along each axis.
    Linear,
    /// A weighted sum of the four nearest samples along each axis.
    Cubic,
}

impl UpsampleMode {
    fn name(self) -> &'static str {
        match self {
            UpsampleMode::Nearest => "nearest",
            UpsampleMode::Linear => "linear",
            UpsampleMode::Cubic => "cubic",
        }
    }
}

/// `x`, `[batch, …, features]`, with the sizes of the axes between multiplied by factors, which may be below 1.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_nn::{Upsample, UpsampleMode};
/// let x = Tensor::from_shape_slice([1, 2, 1], &[1.0_f32, 2.0])?;
/// let nearest = Upsample::new(2, UpsampleMode::Nearest);
/// assert_eq!(nearest.forward(&x)?.to_vec::<f32>()?, [1.0, 1.0, 2.0, 2.0]);
/// let linear = Upsample::new(2, UpsampleMode::Linear);
/// assert_eq!(linear.forward(&x)?.to_vec::<f32>()?, [1.0, 1.25, 1.75, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Upsample")]
pub struct Upsample {
    #[module(skip)]
    scale_factor: ScaleFactor,
    #[module(skip)]
    mode: UpsampleMode,
    align_corners: bool,
    antialias: bool,
    state: State,
}

impl Upsample {
    /// A layer that multiplies sizes by `scale_factor`: a number, or one for each axis.
    #[must_use]
    pub fn new(scale_factor: impl Into<ScaleFactor>, mode: UpsampleMode) -> Upsample {
        let scale_factor = scale_factor.into();
        Upsample { scale_factor, mode, align_corners: false, antialias: false, state: State::new() }
    }

    /// With the first and last samples of input and output in the same places: Python's `align_corners=True`.
    ///
    /// # Errors
    /// Together with [`antialias`](Upsample::antialias).
    pub fn align_corners(mut self) -> Result<Upsample> {
        self.align_corners = true;
        self.checked()
    }

    /// With sums over as many samples as a smaller result leaves out, so that nothing is lost: Python's `antialias=True`.
    ///
    /// # Errors
    /// With the nearest samples; together with [`align_corners`](Upsample::align_corners).
    pub fn antialias(mut self) -> Result<Upsample> {
        self.antialias = true;
        self.checked()
    }

    fn checked(self) -> Result<Upsample> {
        if self.antialias && self.mode == UpsampleMode::Nearest {
            let message = "[Upsample] Antialiasing is not supported for nearest neighbor upsampling";
            return refused("Upsample", message.into());
        }
        if self.antialias && self.align_corners {
            let message = "[Upsample] antialias=True with align_corners=True is not supported. Use \
                           align_corners=False for antialiased interpolation.";
            return refused("Upsample", message.into());
        }
        Ok(self)
    }

    /// `x`, `[batch, …, features]`, with other sizes between.
    ///
    /// # Errors
    /// Fewer than three axes; another number of factors than axes; a size that is no size, or 0 where samples are summed.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Some(axes) = x.ndim().checked_sub(2).filter(|&axes| axes > 0) else {
            let needed =
                "[Upsample] The input should have at least 1 spatial dimension which means it should be at";
            return refused("Upsample", format!("{needed} least 3D but {}D was provided", x.ndim()));
        };
        let factors = match &self.scale_factor {
            ScaleFactor::All(factor) => vec![*factor; axes],
            ScaleFactor::Each(factors) => factors.clone(),
        };
        if factors.len() != axes {
            let given =
                format!("scale_factor={} and the number of spatial dimensions were {axes}", self.factors());
            return refused(
                "Upsample",
                format!("[Upsample] One scale per spatial dimension is required but {given}"),
            );
        }
        match (self.mode, self.antialias) {
            (UpsampleMode::Nearest, _) => nearest(x, &factors),
            (UpsampleMode::Linear, false) => interpolated(x, &factors, self.align_corners, taps::linear),
            (UpsampleMode::Cubic, false) => interpolated(x, &factors, self.align_corners, taps::cubic),
            (UpsampleMode::Linear, true) => separable(x, &factors, taps::TRIANGLE),
            (UpsampleMode::Cubic, true) => separable(x, &factors, taps::KEYS),
        }
    }

    fn factors(&self) -> String {
        match &self.scale_factor {
            ScaleFactor::All(factor) => float(*factor),
            ScaleFactor::Each(factors) => {
                let factors: Vec<String> = factors.iter().map(float).collect();
                format!("({}{})", factors.join(", "), if factors.len() == 1 { "," } else { "" })
            }
        }
    }

    fn describe(&self) -> String {
        let (factors, mode, aligned) = (self.factors(), self.mode.name(), boolean(self.align_corners));
        let antialias = if self.antialias { ", antialias=True" } else { "" };
        format!("scale_factor={factors}, mode='{mode}', align_corners={aligned}{antialias}")
    }
}

/// The nearest samples: whole factors repeat, others gather.
fn nearest(x: &Tensor, factors: &[f64]) -> Result<Tensor> {
    let whole: Vec<i64> = factors.iter().map(|&factor| as_int(factor)).collect::<Result<_>>()?;
    if factors.iter().all(|factor| factor.fract() == 0.0) {
        return repeated(x, &whole);
    }
    let mut items = vec![Index::from(..)];
    for (axis, &factor) in factors.iter().enumerate() {
        let positions = positions(x.dim(axis as i32 + 1), factor)?;
        items.push(Index::from(taps::along(&positions, axis, factors.len())?));
    }
    index(x, items)
}

fn repeated(x: &Tensor, times: &[i64]) -> Result<Tensor> {
    let sizes = x.shape();
    let (mut apart, mut repeated, mut together) = (vec![sizes[0]], vec![sizes[0]], vec![sizes[0]]);
    for (&size, &times) in sizes[1..].iter().zip(times) {
        let count = i32::try_from(times).ok().filter(|&times| times >= 0);
        let Some((count, all)) = count.and_then(|count| Some((count, size.checked_mul(count)?))) else {
            let message = format!("an axis of {size} cannot be repeated {times} times");
            return Err(Error::new(ErrorKind::Shape, "Upsample", message).with_operands(&[x.into()]));
        };
        apart.extend([size, 1]);
        repeated.extend([size, count]);
        together.push(all);
    }
    let last = x.dim(-1);
    for shape in [&mut apart, &mut repeated, &mut together] {
        shape.push(last);
    }
    reshape(&broadcast_to(&reshape(x, apart)?, repeated)?, together)
}

/// The position of the nearest sample for each one along an axis.
fn positions(size: i32, factor: f64) -> Result<Tensor> {
    let count = as_int(factor * f64::from(size))?;
    let all = arange_dtype(0, count, 1, Dtype::Float32)?;
    let wide = i64::from(size);
    if count == 0 {
        return refused("Upsample", "division by zero".into());
    }
    let step = wide as f64 / count as f64;
    let nearest = if count > wide {
        round(&subtract(multiply(add(all, 0.5)?, step)?, 0.5)?, 0)?
    } else {
        multiply(all, step)?
    };
    astype(&nearest, Dtype::Uint32)
}

/// For each combination of the axes' taps its samples times the product of its weights, all summed.
fn interpolated(
    x: &Tensor,
    factors: &[f64],
    align_corners: bool,
    taps_of: fn(i32, f64, bool, usize, usize) -> Result<Taps>,
) -> Result<Tensor> {
    let axes = factors.len();
    let mut combinations: Vec<Vec<(Tensor, Tensor)>> = vec![Vec::new()];
    for (axis, &factor) in factors.iter().enumerate() {
        let taps = taps_of(x.dim(axis as i32 + 1), factor, align_corners, axis, axes)?;
        let with_each = |combination: Vec<_>| {
            taps.iter().map(move |tap| combination.iter().chain([tap]).cloned().collect()).collect::<Vec<_>>()
        };
        combinations = combinations.into_iter().flat_map(with_each).collect();
    }
    taps::sum(combinations.into_iter().map(|combination| {
        let (positions, weights): (Vec<Tensor>, Vec<Tensor>) = combination.into_iter().unzip();
        let items: Vec<Index<'_>> =
            std::iter::once(Index::from(..)).chain(positions.into_iter().map(Index::from)).collect();
        let weight = weights.into_iter().map(Ok).reduce(|product, weight| multiply(product?, weight?));
        multiply(weight.unwrap_or_else(|| Tensor::scalar(1.0, Dtype::Float32))?, index(x, items)?)
    }))
}

/// One axis after the other.
fn separable(x: &Tensor, factors: &[f64], kernel: taps::Kernel) -> Result<Tensor> {
    let mut y = x.clone();
    for (axis, &factor) in factors.iter().enumerate() {
        let taps = taps::filtered(x.dim(axis as i32 + 1), factor, axis, factors.len(), kernel)?;
        let terms = taps.into_iter().map(|(position, weight)| {
            multiply(take(&y, reshape(&position, [-1])?, axis as i32 + 1)?, weight)
        });
        y = taps::sum(terms)?;
    }
    Ok(y)
}
