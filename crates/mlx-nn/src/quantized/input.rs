//! Linear maps whose input is quantized, too.

use super::{described, sizes, unpacked};
use crate::{
    Linear, Member, MemberMut, Module, State, Unary, Weights,
    layers::{refused, scale},
};
use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor};
use mlx_fast::{QqmmWeight, Quantization, QuantizedTensor, dequantize, qqmm, quantize};
use mlx_ops::random::Uniform;

/// `x @ weight.T`, both quantized on the fly, in the modes nvfp4, mxfp8 and mxfp4.
///
/// In training the weight is dense, and gradients are taken by it; out of training it is `weight` in uint32 with
/// `scales`. [`train`](crate::ModuleExt::train) and [`eval`](crate::ModuleExt::eval) turn one into the other. On the CPU
/// MLX computes the second alone, of one row.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_fast::QuantMode;
/// # use mlx_nn::{Linear, ModuleExt, QQLinear};
/// let linear = Linear::from_parameters(Tensor::from_shape_slice([2, 32], &[0.5_f32; 64])?, None);
/// let mut layer = QQLinear::from_linear(&linear, QuantMode::Mxfp8)?;
/// assert_eq!(layer.weight.shape(), [2, 32]);
/// layer.eval();
/// let keys: Vec<String> = layer.parameters().into_keys().collect();
/// assert_eq!((layer.weight.shape(), keys), (&[2, 8][..], vec!["weight".to_owned(), "scales".to_owned()]));
/// let x = Tensor::from_shape_slice([1, 32], &[2.0_f32; 32])?;
/// assert_eq!(layer.forward(&x)?.to_vec::<f32>()?, [32.0, 32.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "nn.QQLinear")]
pub struct QQLinear {
    /// `[output_dims, input_dims]`; out of training `[output_dims, input_dims * bits / 32]`, uint32
    pub weight: Tensor,
    /// `[output_dims, input_dims / group_size]`, out of training
    pub scales: Option<Tensor>,
    quantization: Quantization,
    state: State,
}

impl QQLinear {
    /// A layer from `input_dims` features to `output_dims`, in training, its weight drawn as [`Linear::new`]'s; Python's
    /// default mode is nvfp4.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    pub fn new(input_dims: i32, output_dims: i32, how: impl Into<Quantization>) -> Result<QQLinear> {
        let scale = scale("QQLinear", input_dims.into())?;
        let weight = Uniform::new(-scale, scale).sample([output_dims, input_dims])?;
        Ok(QQLinear { weight, scales: None, quantization: how.into(), state: State::new() })
    }

    /// The layer with this weight, in training or not as the layer is. As in Python a weight is drawn and forgotten.
    ///
    /// # Errors
    /// A bias, which there cannot be; a weight that is no matrix, or that cannot be quantized out of training.
    pub fn from_linear(linear: &Linear, how: impl Into<Quantization>) -> Result<QQLinear> {
        let [outputs, inputs] = sizes("QQLinear", &linear.weight)?;
        if linear.bias.is_some() {
            return refused("QQLinear", "QQLinear does not support bias yet.".into());
        }
        let mut layer = QQLinear::new(inputs, outputs, how)?;
        layer.weight = linear.weight.clone();
        let training = linear.state().is_none_or(State::is_training);
        layer.state.set_training(training);
        if !training {
            layer.quantize()?;
        }
        Ok(layer)
    }

    /// A layer from `weight` and, where there are, `scales`: then it is out of training.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>, how: impl Into<Quantization>) -> Result<QQLinear> {
        let (weight, scales) = (weights.get("weight")?, weights.find("scales"));
        let mut state = State::new();
        state.set_training(scales.is_none());
        Ok(QQLinear { weight, scales, quantization: how.into(), state })
    }

    /// How the weight and the input are quantized.
    #[must_use]
    pub fn quantization(&self) -> Quantization {
        self.quantization
    }

    /// Quantizes the weight, if it is not.
    ///
    /// # Errors
    /// A weight that cannot be quantized: of other dtypes, or with a row that groups do not divide.
    pub fn quantize(&mut self) -> Result<()> {
        if self.scales.is_none() {
            let QuantizedTensor { packed, scales, .. } = quantize(&self.weight, self.quantization)?;
            (self.weight, self.scales) = (packed, Some(scales));
        }
        Ok(())
    }

    /// Makes the weight dense, if it is not; bfloat16.
    ///
    /// # Errors
    /// Parts that do not belong together.
    pub fn dequantize(&mut self) -> Result<()> {
        if let Some(scales) = &self.scales {
            let parts = QuantizedTensor::new(self.weight.clone(), scales.clone(), None, self.quantization);
            (self.weight, self.scales) = (dequantize(&parts)?, None);
        }
        Ok(())
    }

    /// `x`, `[…, input_dims]`, as `[…, output_dims]`.
    ///
    /// # Errors
    /// Shapes and dtypes that do not fit; affine mode; a weight in uint32 without scales; out of training, a weight that
    /// cannot be quantized (Python raises when the mode is set). What MLX does not compute on the CPU fails when it is
    /// evaluated.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match &self.scales {
            Some(scales) => {
                let (weight, scales) = (self.weight.clone(), scales.clone());
                qqmm(x, &QuantizedTensor::new(weight, scales, None, self.quantization), None)
            }
            None if self.weight.dtype() == Dtype::Uint32 => {
                let message = "the weight is quantized, and has no scales";
                Err(Error::new(ErrorKind::Value, "QQLinear", message))
            }
            None if !self.state.is_training() => qqmm(x, &quantize(&self.weight, self.quantization)?, None),
            None => qqmm(x, QqmmWeight::Dense(&self.weight, self.quantization, None), None),
        }
    }
}

/// Written out, since its members change with its mode.
impl Module for QQLinear {
    fn type_name(&self) -> &'static str {
        "QQLinear"
    }

    fn members<'a>(&'a self, visit: &mut dyn FnMut(&str, Member<'a>)) {
        visit("weight", Member::Parameter(&self.weight));
        if let Some(scales) = &self.scales {
            visit("scales", Member::Parameter(scales));
        }
    }

    fn members_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        visit("weight", MemberMut::Parameter(&mut self.weight));
        if let Some(scales) = &mut self.scales {
            visit("scales", MemberMut::Parameter(scales));
        }
    }

    fn state(&self) -> Option<&State> {
        Some(&self.state)
    }

    fn state_mut(&mut self) -> Option<&mut State> {
        Some(&mut self.state)
    }

    fn set_training(&mut self, training: bool) {
        self.state.set_training(training);
        // What cannot be turned stays as it is, and `forward` says why: Python raises here, where Rust's modes have no errors.
        let _ = if training { self.dequantize() } else { self.quantize() };
    }

    fn extra_repr(&self) -> String {
        let outputs = self.weight.shape().first().copied().unwrap_or_default();
        let inputs = match self.weight.dtype() {
            Dtype::Uint32 => unpacked(&self.weight, self.quantization),
            _ => self.weight.shape().last().copied().unwrap_or_default().into(),
        };
        format!("input_dims={inputs}, output_dims={outputs}, {}", described(self.quantization))
    }

    fn as_dyn(&self) -> &dyn Module {
        self
    }

    fn as_dyn_mut(&mut self) -> &mut dyn Module {
        self
    }
}

impl Unary for QQLinear {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        QQLinear::forward(self, x)
    }
}
