//! Linear maps with a quantized weight.

use super::{described, sizes, unpacked};
use crate::{
    Linear, Module, ModuleExt, State, Unary, Weights,
    layers::{refused, scale},
    python::boolean,
};
use mlx_core::{Dtype, Result, Tensor};
use mlx_fast::{Quantization, QuantizedTensor, quantize, quantized_matmul};
use mlx_ops::{add, random::Uniform, zeros};

/// `x @ weight.T + bias`, the weight quantized. Nothing of it is trained, but for a bias that
/// [`from_linear`](QuantizedLinear::from_linear) takes over, as in Python.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_fast::QuantMode;
/// # use mlx_nn::{Linear, ModuleExt, QuantizedLinear};
/// let linear = Linear::from_parameters(Tensor::from_shape_slice([2, 64], &[0.5_f32; 128])?, None);
/// let quantized = QuantizedLinear::from_linear(&linear, QuantMode::Affine)?;
/// let keys: Vec<String> = quantized.parameters().into_keys().collect();
/// assert_eq!(keys, ["weight", "scales", "biases"]);
/// let x = Tensor::from_shape_slice([1, 64], &[1.0_f32; 64])?;
/// assert_eq!(quantized.forward(&x)?.to_vec::<f32>()?, [32.0, 32.0]);
/// assert!(quantized.trainable_parameters().is_empty());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.QuantizedLinear")]
pub struct QuantizedLinear {
    /// `[output_dims, input_dims * bits / 32]`, uint32
    pub weight: Tensor,
    /// `[output_dims, input_dims / group_size]`
    pub scales: Tensor,
    /// As `scales`; in affine mode alone.
    pub biases: Option<Tensor>,
    /// `[output_dims]`
    pub bias: Option<Tensor>,
    quantization: Quantization,
    state: State,
}

impl QuantizedLinear {
    /// A layer from `input_dims` features to `output_dims`, as Python makes it: a weight that is drawn as
    /// [`Linear::new`]'s and quantized, a bias of zeros. All of it is frozen.
    ///
    /// # Errors
    /// Sizes that are no sizes, or that the group size does not divide; sizes that the mode does not have.
    pub fn new(
        input_dims: i32,
        output_dims: i32,
        bias: bool,
        how: impl Into<Quantization>,
    ) -> Result<QuantizedLinear> {
        let scale = scale("QuantizedLinear", input_dims.into())?;
        let weight = Uniform::new(-scale, scale).sample([output_dims, input_dims])?;
        let bias = bias.then(|| zeros([output_dims], Dtype::Float32)).transpose()?;
        frozen(QuantizedLinear::from_parameters(quantize(&weight, how)?, bias))
    }

    /// A layer with these parameters, which may be trained where their dtype lets them.
    #[must_use]
    pub fn from_parameters(weight: QuantizedTensor, bias: Option<Tensor>) -> QuantizedLinear {
        let QuantizedTensor { packed, scales, biases, how, .. } = weight;
        QuantizedLinear { weight: packed, scales, biases, bias, quantization: how, state: State::new() }
    }

    /// The layer with its weight quantized, which is frozen, and its bias, which is not. As in Python a weight is drawn
    /// and forgotten.
    ///
    /// # Errors
    /// As [`new`](QuantizedLinear::new); a weight that is no matrix of floats.
    pub fn from_linear(linear: &Linear, how: impl Into<Quantization>) -> Result<QuantizedLinear> {
        let ([outputs, inputs], how) = (sizes("QuantizedLinear", &linear.weight)?, how.into());
        // Quantized as Python's is, so that what it refuses is refused first.
        let drawn = QuantizedLinear::new(inputs, outputs, false, how)?;
        let QuantizedTensor { packed: weight, scales, biases, .. } = quantize(&linear.weight, how)?;
        Ok(QuantizedLinear { weight, scales, biases, bias: linear.bias.clone(), ..drawn })
    }

    /// A layer from `weight`, `scales` and, where they are, `biases` and `bias`, all frozen.
    ///
    /// # Errors
    /// No `weight`, no `scales`.
    pub fn from_weights(weights: &Weights<'_>, how: impl Into<Quantization>) -> Result<QuantizedLinear> {
        let parts = (weights.get("weight")?, weights.get("scales")?, weights.find("biases"));
        let weight = QuantizedTensor::new(parts.0, parts.1, parts.2, how);
        frozen(QuantizedLinear::from_parameters(weight, weights.find("bias")))
    }

    /// How the weight is quantized.
    #[must_use]
    pub fn quantization(&self) -> Quantization {
        self.quantization
    }

    /// `x`, `[…, input_dims]`, as `[…, output_dims]`.
    ///
    /// # Errors
    /// Shapes and dtypes that do not fit.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if x.ndim() == 0 {
            return refused(
                "QuantizedLinear",
                "x has its features along the last axis, and a 0-d one has none".into(),
            );
        }
        let (weight, scales, biases) = (self.weight.clone(), self.scales.clone(), self.biases.clone());
        let weight = QuantizedTensor::new(weight, scales, biases, self.quantization);
        let y = quantized_matmul(x, &weight, true)?;
        match &self.bias {
            Some(bias) => add(y, bias),
            None => Ok(y),
        }
    }

    fn describe(&self) -> String {
        let inputs = unpacked(&self.weight, self.quantization);
        let outputs = self.weight.shape().first().copied().unwrap_or_default();
        let (bias, how) = (boolean(self.bias.is_some()), described(self.quantization));
        format!("input_dims={inputs}, output_dims={outputs}, bias={bias}, {how}")
    }
}

impl Unary for QuantizedLinear {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        QuantizedLinear::forward(self, x)
    }
}

/// A layer of which nothing is trained.
pub(super) fn frozen<M: Module>(mut layer: M) -> Result<M> {
    layer.freeze(..)?;
    Ok(layer)
}
