//! Rotary positions as a config asks for them: mlx-lm's `rope_utils`, in its order of operations.

use super::config::{Config, Scaling};
use mlx::{
    fast::{Frequencies, Rope, rope},
    ops,
    prelude::*,
};
use std::f64::consts::PI;

/// The rotation of queries and keys of one layer.
#[derive(Clone, Debug)]
pub(super) struct Rotary {
    rope: Rope,
    /// What yarn multiplies with before it rotates.
    magnitude: f64,
    dynamic: Option<Dynamic>,
}

/// A base that grows with the text.
#[derive(Clone, Copy, Debug)]
struct Dynamic {
    base: f64,
    factor: f64,
    trained: f64,
}

impl Rotary {
    /// That of a layer that sees a window, or all.
    ///
    /// # Errors
    /// What MLX refuses.
    pub(super) fn new(config: &Config, slides: bool) -> Result<Rotary> {
        let (dims, scaling) = (config.head_dim, config.rope_scaling.as_ref());
        let (base, scaling) = match config.rope_local_base_freq {
            Some(local) if slides => (local, None),
            _ => (config.rope_theta, scaling),
        };
        let plain = Rope::new(dims).traditional(config.rope_traditional);
        let mut rotary = Rotary { rope: plain.clone().base(base as f32), magnitude: 1.0, dynamic: None };
        match scaling {
            None => {}
            Some(Scaling::Linear { factor }) => rotary.rope = rotary.rope.scale((1.0 / factor) as f32),
            Some(Scaling::Dynamic { factor }) => {
                let trained = f64::from(config.max_position_embeddings);
                rotary.dynamic = Some(Dynamic { base, factor: *factor, trained });
            }
            Some(llama3 @ Scaling::Llama3 { .. }) => {
                rotary.rope = plain.freqs(&llama3_periods(dims, base, llama3)?);
            }
            Some(yarn @ &Scaling::Yarn { factor, mscale, mscale_all_dim, .. }) => {
                rotary.rope = plain.freqs(&yarn_periods(dims, base, yarn)?);
                rotary.magnitude = yarn_magnitude(factor, mscale) / yarn_magnitude(factor, mscale_all_dim);
            }
        }
        Ok(rotary)
    }

    /// `x`, `[batch, heads, time, features]`, the first of which stands at `offset`.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub(super) fn forward(&self, x: &Tensor, offset: i32) -> Result<Tensor> {
        self.rotated(x, offset, self.rope.clone().offset(offset))
    }

    /// [`forward`](Rotary::forward) with the offset in a tensor, too, which several calls may share.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub(super) fn forward_at(&self, x: &Tensor, offset: i32, position: &Tensor) -> Result<Tensor> {
        self.rotated(x, offset, self.rope.clone().offset(position))
    }

    fn rotated(&self, x: &Tensor, offset: i32, mut how: Rope) -> Result<Tensor> {
        if let Some(Dynamic { base, factor, trained }) = self.dynamic {
            let (dims, length) = (f64::from(how.dims), f64::from(x.dim(-2) + offset).max(trained));
            let stretch = (factor * length / trained) - (factor - 1.0);
            how.frequencies = Frequencies::Base((base * stretch.powf(dims / (dims - 2.0))) as f32);
        }
        #[allow(clippy::float_cmp, reason = "exactly one is what leaves x alone")]
        if self.magnitude == 1.0 {
            return rope(x, &how);
        }
        rope(&x.at((Ellipsis, ..how.dims)).multiply(self.magnitude), &how)
    }
}

/// The periods of a base: `base ** (arange(0, dims, 2) / dims)`.
fn periods(exponents: Tensor, dims: i32, base: f64) -> Result<Tensor> {
    ops::power(base, exponents / dims)
}

fn llama3_periods(dims: i32, base: f64, scaling: &Scaling) -> Result<Tensor> {
    let &Scaling::Llama3 { factor, low_freq_factor: low, high_freq_factor: high, original } = scaling else {
        unreachable!("called for it alone")
    };
    let (longest, shortest) = (original / low, original / high);
    let freqs = periods(ops::arange(0, dims, 2)?, dims, base)?;
    let wavelens = 2.0 * PI * &freqs;
    let freqs = ops::where_(wavelens.gt(longest), &(&freqs * factor), &freqs)?;
    let is_medium = wavelens.gt(shortest) & wavelens.lt(longest);
    let smooth = (original / &wavelens - low) / (high - low);
    let smoothed = &freqs / ((1.0 - &smooth) / factor + &smooth);
    ops::where_(&is_medium, &smoothed, &freqs)
}

fn yarn_periods(dims: i32, base: f64, scaling: &Scaling) -> Result<Tensor> {
    let &Scaling::Yarn { factor, original, beta_fast, beta_slow, .. } = scaling else {
        unreachable!("called for it alone")
    };
    let width = f64::from(dims);
    let turning = |turns: f64| (width * (original / (turns * 2.0 * PI)).ln()) / (2.0 * base.ln());
    let (low, high) = (turning(beta_fast).floor().max(0.0), turning(beta_slow).ceil().min(width - 1.0));
    #[allow(clippy::float_cmp, reason = "both are whole numbers")]
    let high = if low == high { high + 0.001 } else { high };
    let extra = periods(ops::arange(0, dims, 2)?.astype(Dtype::Float32), dims, base)?;
    let inter = factor * &extra;
    let ramp = (ops::arange(0, dims / 2, 1)?.astype(Dtype::Float32) - low) / (high - low);
    let mask = 1.0 - ramp.clip(0, 1);
    Ok((&inter * &extra) / (&inter * &mask + &extra * (1.0 - &mask)))
}

fn yarn_magnitude(scale: f64, mscale: f64) -> f64 {
    if scale <= 1.0 { 1.0 } else { 0.1 * mscale * scale.ln() + 1.0 }
}
