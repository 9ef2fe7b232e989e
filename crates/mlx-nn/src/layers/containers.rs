//! Layers one after the other.

use crate::Module;
use mlx_core::{Result, Tensor};
use std::fmt;

/// A module that takes a tensor and gives one: what a [`Sequential`] holds. All such layers are; for a model of yours
/// it is one line.
///
/// ```
/// # use mlx_core::{Result, Tensor, tensor};
/// use mlx_nn::{Linear, Module, Sequential, Unary};
///
/// #[derive(Module)]
/// struct Residual {
///     inner: Linear,
/// }
///
/// impl Unary for Residual {
///     fn forward(&self, x: &Tensor) -> Result<Tensor> {
///         Ok(x + self.inner.forward(x)?)
///     }
/// }
///
/// let model = Sequential::new().add(Residual { inner: Linear::new(2, 2, true)? }).add(Linear::new(2, 1, true)?);
/// assert_eq!(model.forward(&tensor![[1.0, 2.0]])?.shape(), [1, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub trait Unary: Module {
    /// What the module gives for `x`.
    ///
    /// # Errors
    /// Those of the module.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor>;
}

impl<U: Unary + ?Sized> Unary for Box<U> {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        (**self).forward(x)
    }
}

/// Layers that are called in order, each with what the one before gave.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{Linear, ModuleExt, Sequential, relu};
/// let model = Sequential::new().add(Linear::new(2, 8, true)?).add_fn(relu).add(Linear::new(8, 1, true)?);
/// assert_eq!(model.forward(&tensor![[1.0, 2.0]])?.shape(), [1, 1]);
/// let keys: Vec<String> = model.parameters().into_keys().collect();
/// assert_eq!(keys, ["layers.0.weight", "layers.0.bias", "layers.2.weight", "layers.2.bias"]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Default, Module)]
pub struct Sequential {
    /// The layers, in order.
    pub layers: Vec<Box<dyn Unary>>,
}

impl Sequential {
    /// No layer yet.
    #[must_use]
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// With one more layer at the end.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "nothing is summed")]
    pub fn add(mut self, layer: impl Unary) -> Sequential {
        self.layers.push(Box::new(layer));
        self
    }

    /// With a function at the end.
    #[must_use]
    pub fn add_fn(self, function: impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static) -> Sequential {
        self.add(Lambda::new(function))
    }

    /// What the last layer gives.
    ///
    /// # Errors
    /// Those of the layers.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for layer in &self.layers {
            x = layer.forward(&x)?;
        }
        Ok(x)
    }
}

impl fmt::Debug for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_dyn(), f)
    }
}

type Function = dyn Fn(&Tensor) -> Result<Tensor> + Send + Sync;

/// A function as a layer, without parameters.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{Lambda, Unary};
/// let half = Lambda::new(|x| Ok(x * 0.5));
/// assert_eq!(half.forward(&tensor![3.0])?.item::<f32>()?, 1.5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Module)]
pub struct Lambda {
    #[module(skip)]
    function: Box<Function>,
}

impl Lambda {
    /// The layer that calls `function`.
    #[must_use]
    pub fn new(function: impl Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static) -> Lambda {
        Lambda { function: Box::new(function) }
    }
}

impl Unary for Lambda {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        (self.function)(x)
    }
}

impl fmt::Debug for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lambda")
    }
}
