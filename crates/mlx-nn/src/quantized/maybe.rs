//! Fields that hold a layer or its quantized form.

use super::{
    LayerQuantization, QQLinear, Quantizable, QuantizedEmbedding, QuantizedForm, QuantizedLinear, Slot,
};
use crate::{Embedding, Linear, Member, MemberMut, Module, State, Unary, Weights};
use mlx_core::{Result, Tensor};
use mlx_fast::Quantization;
use std::{any::Any, fmt};

/// A layer or its quantized form, for a field that [`quantize`](crate::quantize) may change.
///
/// It is the module that is in it: its keys, its name, what is frozen of it. So one struct loads weights of either kind,
/// strictly, once it holds what the file does.
///
/// ```
/// # use mlx_core::Dtype;
/// use mlx_fast::QuantMode;
/// use mlx_nn::{Linear, MaybeQuantized, Module, ModuleExt, quantize};
///
/// #[derive(Module)]
/// struct Head {
///     out: MaybeQuantized<Linear>,
/// }
///
/// let mut head = Head { out: Linear::new(64, 2, false)?.into() };
/// let x = mlx_ops::ones([1, 64], Dtype::Float32)?;
/// assert_eq!(head.out.forward(&x)?.shape(), [1, 2]);
/// quantize(&mut head, QuantMode::Affine)?;
/// assert_eq!(head.out.forward(&x)?.shape(), [1, 2]);
/// let keys: Vec<String> = head.parameters().into_keys().collect();
/// assert_eq!(keys, ["out.weight", "out.scales", "out.biases"]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[non_exhaustive]
pub enum MaybeQuantized<L: Quantizable> {
    /// The layer.
    Full(L),
    /// Its quantized form.
    Quantized(L::Quantized),
}

impl<L: Quantizable> MaybeQuantized<L> {
    /// Whether the quantized form is in it.
    #[must_use]
    pub fn is_quantized(&self) -> bool {
        matches!(self, MaybeQuantized::Quantized(_))
    }

    fn module(&self) -> &dyn Module {
        match self {
            MaybeQuantized::Full(layer) => layer.as_dyn(),
            MaybeQuantized::Quantized(layer) => layer.as_dyn(),
        }
    }

    fn module_mut(&mut self) -> &mut dyn Module {
        match self {
            MaybeQuantized::Full(layer) => layer.as_dyn_mut(),
            MaybeQuantized::Quantized(layer) => layer.as_dyn_mut(),
        }
    }
}

impl<L: Quantizable + Unary> MaybeQuantized<L>
where
    L::Quantized: Unary,
{
    /// What either gives for `x`.
    ///
    /// # Errors
    /// Those of the layer.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            MaybeQuantized::Full(layer) => layer.forward(x),
            MaybeQuantized::Quantized(layer) => layer.forward(x),
        }
    }
}

impl<L: Quantizable + Unary> Unary for MaybeQuantized<L>
where
    L::Quantized: Unary,
{
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        MaybeQuantized::forward(self, x)
    }
}

impl MaybeQuantized<Embedding> {
    /// `x @ weight.T`: the projection back, with the same weight.
    ///
    /// # Errors
    /// Those of the layer.
    #[track_caller]
    pub fn as_linear(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            MaybeQuantized::Full(layer) => layer.as_linear(x),
            MaybeQuantized::Quantized(layer) => layer.as_linear(x),
        }
    }

    /// The layer that the weights hold: quantized, as `how` says, where there are `scales`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(
        weights: &Weights<'_>,
        how: impl Into<Quantization>,
    ) -> Result<MaybeQuantized<Embedding>> {
        if weights.find("scales").is_none() {
            return Embedding::from_weights(weights).map(MaybeQuantized::Full);
        }
        QuantizedEmbedding::from_weights(weights, how).map(MaybeQuantized::Quantized)
    }
}

impl MaybeQuantized<Linear> {
    /// The layer that the weights hold: quantized, as `how` says, where there are `scales`.
    ///
    /// # Errors
    /// No `weight`.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use mlx_core::tensor;
    /// # use mlx_fast::QuantMode;
    /// # use mlx_nn::{MaybeQuantized, Weights};
    /// let tensors = HashMap::from([("up.weight".to_owned(), tensor![[1.0, 2.0]])]);
    /// let weights = Weights::new(&tensors);
    /// let up = MaybeQuantized::<mlx_nn::Linear>::from_weights(&weights.scope("up"), QuantMode::Affine)?;
    /// assert!(!up.is_quantized());
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn from_weights(
        weights: &Weights<'_>,
        how: impl Into<LayerQuantization>,
    ) -> Result<MaybeQuantized<Linear>> {
        if weights.find("scales").is_none() {
            return Linear::from_weights(weights).map(MaybeQuantized::Full);
        }
        let how = how.into();
        Ok(MaybeQuantized::Quantized(if how.quantize_input {
            QuantizedForm::Input(QQLinear::from_weights(weights, how.quantization)?)
        } else {
            QuantizedForm::Weight(QuantizedLinear::from_weights(weights, how.quantization)?)
        }))
    }
}

impl<L: Quantizable> From<L> for MaybeQuantized<L> {
    fn from(layer: L) -> MaybeQuantized<L> {
        MaybeQuantized::Full(layer)
    }
}

impl<L: Quantizable + Clone> Clone for MaybeQuantized<L>
where
    L::Quantized: Clone,
{
    fn clone(&self) -> MaybeQuantized<L> {
        match self {
            MaybeQuantized::Full(layer) => MaybeQuantized::Full(layer.clone()),
            MaybeQuantized::Quantized(layer) => MaybeQuantized::Quantized(layer.clone()),
        }
    }
}

/// The module that is in it, as Python's `repr`.
impl<L: Quantizable> fmt::Debug for MaybeQuantized<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.module(), f)
    }
}

/// The module that is in it.
impl<L: Quantizable> Module for MaybeQuantized<L> {
    fn type_name(&self) -> &'static str {
        self.module().type_name()
    }

    fn members<'a>(&'a self, visit: &mut dyn FnMut(&str, Member<'a>)) {
        self.module().members(visit);
    }

    fn members_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        self.module_mut().members_mut(visit);
    }

    fn state(&self) -> Option<&State> {
        self.module().state()
    }

    fn state_mut(&mut self) -> Option<&mut State> {
        self.module_mut().state_mut()
    }

    fn set_training(&mut self, training: bool) {
        self.module_mut().set_training(training);
    }

    fn slot(&mut self) -> Option<&mut dyn Slot> {
        Some(self)
    }

    fn extra_repr(&self) -> String {
        self.module().extra_repr()
    }

    fn as_dyn(&self) -> &dyn Module {
        self.module()
    }

    fn as_dyn_mut(&mut self) -> &mut dyn Module {
        self.module_mut()
    }
}

impl<L: Quantizable> Slot for MaybeQuantized<L> {
    fn is_full(&self) -> bool {
        !self.is_quantized()
    }

    fn quantized(&self, how: &LayerQuantization) -> Result<Option<Box<dyn Any>>> {
        match self {
            MaybeQuantized::Full(layer) => Ok(Some(Box::new(layer.to_quantized(how)?))),
            MaybeQuantized::Quantized(_) => Ok(None),
        }
    }

    fn put(&mut self, quantized: Box<dyn Any>) {
        if let Ok(layer) = quantized.downcast::<L::Quantized>() {
            *self = MaybeQuantized::Quantized(*layer);
        }
    }
}
