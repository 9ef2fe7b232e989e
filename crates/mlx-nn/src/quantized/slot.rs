//! What becomes what, and the places where it does. Not here: the field that is such a place (`maybe`).

use super::{QQLinear, QuantizedEmbedding, QuantizedLinear};
use crate::{Embedding, Linear, Module, Unary, layers::refused};
use mlx_core::{Result, Tensor};
use mlx_fast::{QuantMode, Quantization};
use std::any::Any;

/// How a layer is quantized: the arguments of Python's `to_quantized`.
///
/// ```
/// # use mlx_fast::{QuantMode, Quantization};
/// # use mlx_nn::LayerQuantization;
/// let how = LayerQuantization::from(Quantization::new(QuantMode::Affine).bits(8));
/// assert_eq!((how.quantization.bits, how.quantize_input), (8, false));
/// assert!(LayerQuantization::from(QuantMode::Mxfp8).quantize_input().quantize_input);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerQuantization {
    /// The mode, with its group size and bits.
    pub quantization: Quantization,
    /// Whether what a linear map is given is quantized, too.
    pub quantize_input: bool,
}

impl LayerQuantization {
    /// With the input quantized, too, in the modes nvfp4 and mxfp8.
    #[must_use]
    pub fn quantize_input(mut self) -> LayerQuantization {
        self.quantize_input = true;
        self
    }
}

impl<Q: Into<Quantization>> From<Q> for LayerQuantization {
    fn from(quantization: Q) -> LayerQuantization {
        LayerQuantization { quantization: quantization.into(), quantize_input: false }
    }
}

/// A layer that has a quantized form: Python's layers with a `to_quantized`.
pub trait Quantizable: Module {
    /// What it becomes.
    type Quantized: Module;

    /// Its quantized form.
    ///
    /// # Errors
    /// A layer that cannot be quantized so.
    fn to_quantized(&self, how: &LayerQuantization) -> Result<Self::Quantized>;
}

/// The quantized forms of a [`Linear`].
#[derive(Clone, Debug, Module)]
#[non_exhaustive]
pub enum QuantizedForm {
    /// With a quantized weight.
    Weight(QuantizedLinear),
    /// With its input quantized, too.
    Input(QQLinear),
}

impl Unary for QuantizedForm {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            QuantizedForm::Weight(layer) => layer.forward(x),
            QuantizedForm::Input(layer) => layer.forward(x),
        }
    }
}

impl Quantizable for Linear {
    type Quantized = QuantizedForm;

    fn to_quantized(&self, how: &LayerQuantization) -> Result<QuantizedForm> {
        let how_of_weight = how.quantization;
        if !how.quantize_input {
            return QuantizedLinear::from_linear(self, how_of_weight).map(QuantizedForm::Weight);
        }
        if !matches!(how_of_weight.mode, QuantMode::Nvfp4 | QuantMode::Mxfp8) {
            let mode = how_of_weight.mode.name();
            let message = format!(
                "Quantized activations are only supported for 'nvfp4' and 'mxfp8' modes, got {mode}."
            );
            return refused("Linear", message);
        }
        QQLinear::from_linear(self, how_of_weight).map(QuantizedForm::Input)
    }
}

impl Quantizable for Embedding {
    type Quantized = QuantizedEmbedding;

    fn to_quantized(&self, how: &LayerQuantization) -> Result<QuantizedEmbedding> {
        if how.quantize_input {
            return refused("Embedding", "Quantized input is not supported.".into());
        }
        QuantizedEmbedding::from_embedding(self, how.quantization)
    }
}

/// What a place does when its model is quantized.
pub trait Slot {
    /// Whether there is a layer in it that has a quantized form.
    fn is_full(&self) -> bool;

    /// The layer in it, quantized; nothing where there is none that has such a form.
    ///
    /// # Errors
    /// A layer that cannot be quantized so.
    fn quantized(&self, how: &LayerQuantization) -> Result<Option<Box<dyn Any>>>;

    /// Puts what [`quantized`](Slot::quantized) gave in its place.
    fn put(&mut self, quantized: Box<dyn Any>);
}

/// The layers that have a quantized form in a box of any layer.
fn dense(layer: &dyn Module) -> (Option<&Linear>, Option<&Embedding>) {
    let layer: &dyn Any = layer.as_dyn();
    (layer.downcast_ref(), layer.downcast_ref())
}

/// Whether Python's layer has a `to_quantized`.
pub(super) fn has_form(layer: &dyn Module) -> bool {
    !matches!(dense(layer), (None, None))
}

/// A box of any layer that has a quantized form.
pub(crate) fn boxed(place: &mut dyn Any) -> Option<&mut dyn Slot> {
    let place = place.downcast_mut::<Box<dyn Unary>>()?;
    if has_form(place) { Some(place) } else { None }
}

impl Slot for Box<dyn Unary> {
    fn is_full(&self) -> bool {
        has_form(self)
    }

    fn quantized(&self, how: &LayerQuantization) -> Result<Option<Box<dyn Any>>> {
        let form: Box<dyn Unary> = match dense(self) {
            (Some(linear), _) => Box::new(linear.to_quantized(how)?),
            (_, Some(embedding)) => Box::new(embedding.to_quantized(how)?),
            (None, None) => return Ok(None),
        };
        Ok(Some(Box::new(form)))
    }

    fn put(&mut self, quantized: Box<dyn Any>) {
        if let Ok(layer) = quantized.downcast::<Box<dyn Unary>>() {
            *self = *layer;
        }
    }
}
