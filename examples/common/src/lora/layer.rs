//! A linear layer with a low-rank term beside it: mlx-lm's `LoRALinear`, op for op.
//!
//! Not here: which layers of a model become one (`super::Lora`).

use super::Term;
use mlx::{
    ErrorKind,
    nn::{Dropout, Linear, MaybeQuantized, Module, QuantizedForm, State},
    ops,
    prelude::*,
    random::Uniform,
};

/// `linear(x) + scale * ((x @ lora_a) @ lora_b)`, where `linear` is dense or quantized and stays as it is.
#[derive(Clone, Debug, Module)]
pub struct LoRALinear {
    /// What was there before.
    pub linear: MaybeQuantized<Linear>,
    dropout: Dropout,
    /// What the term is multiplied with.
    pub scale: f64,
    /// `[input_dims, rank]`
    pub lora_a: Tensor,
    /// `[rank, output_dims]`; zeros at first, so that nothing changes
    pub lora_b: Tensor,
    state: State,
}

impl LoRALinear {
    /// `linear` with a term beside it, drawn as mlx-lm draws it.
    ///
    /// # Errors
    /// A dropout outside [0, 1); a layer of another kind.
    pub fn from_base(linear: MaybeQuantized<Linear>, term: &Term) -> Result<LoRALinear> {
        let [outputs, inputs] = dims(&linear)?;
        // mlx-lm draws a layer that it throws away: without that, a seed would give other terms than there.
        drop(Linear::new(inputs, outputs, false)?);
        let bound = 1.0 / f64::from(inputs).sqrt();
        Ok(LoRALinear {
            linear,
            dropout: Dropout::new(term.dropout)?,
            scale: term.scale,
            lora_a: Uniform::new(-bound, bound).sample([inputs, term.rank])?,
            lora_b: ops::zeros([term.rank, outputs], Dtype::Float32)?,
            state: State::new(),
        })
    }

    /// `x`, `[…, input_dims]`, as `[…, output_dims]`.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        let z = ops::matmul(&ops::matmul(&self.dropout.forward(x)?, &self.lora_a)?, &self.lora_b)?;
        ops::add(y, ops::multiply(self.scale, z)?.astype(x.dtype()))
    }
}

/// The sizes of what comes out and goes in.
fn dims(linear: &MaybeQuantized<Linear>) -> Result<[i32; 2]> {
    match linear {
        MaybeQuantized::Full(linear) => Ok([linear.weight.dim(0), linear.weight.dim(1)]),
        MaybeQuantized::Quantized(QuantizedForm::Weight(linear)) => {
            Ok([linear.weight.dim(0), linear.weight.dim(1) * 32 / linear.quantization().bits])
        }
        _ => {
            Err(Error::new(ErrorKind::Value, "LoRALinear", "a layer that quantizes its input takes no term"))
        }
    }
}

/// A projection of a model, which may get a low-rank term.
#[derive(Clone, Debug, Module)]
pub enum Projection {
    /// Without one.
    Base(MaybeQuantized<Linear>),
    /// With one.
    Lora(LoRALinear),
}

impl Projection {
    /// `x` projected.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Projection::Base(linear) => linear.forward(x),
            Projection::Lora(lora) => lora.forward(x),
        }
    }

    /// Gets a term.
    ///
    /// # Errors
    /// It has one; as [`LoRALinear::from_base`].
    pub fn add(&mut self, term: &Term) -> Result<()> {
        let Projection::Base(linear) = self else {
            return Err(Error::new(ErrorKind::Value, "LoRALinear", "it has a low-rank term already"));
        };
        *self = Projection::Lora(LoRALinear::from_base(linear.clone(), term)?);
        Ok(())
    }
}

impl From<MaybeQuantized<Linear>> for Projection {
    fn from(linear: MaybeQuantized<Linear>) -> Projection {
        Projection::Base(linear)
    }
}
