//! Activations as layers, each of which calls the function of its name.
//!
//! Not here: what they compute (`crate::activations`).

use crate::{Module, State, Weights};
use mlx_core::{IntoScalar, Result, Scalar, Tensor};
use mlx_ops::full;

/// Layers without settings: the name, Python's, the function, and what it is called with beside the tensor.
macro_rules! plain {
    ($($layer:ident $alias:literal = $function:ident $([$($argument:literal),*])?;)*) => {
        $(#[doc = concat!("[`", stringify!($function), "`](fn@crate::", stringify!($function), ") as a layer.")]
        ///
        /// ```
        /// # use mlx_core::tensor;
        #[doc = concat!("# use mlx_nn::{", stringify!($layer), ", ", stringify!($function), "};")]
        /// let x = tensor![[1.5, -2.5], [0.25, -0.75]];
        #[doc = concat!("let y = ", stringify!($function), "(&x", $($(", ", $argument,)*)? ")?;")]
        #[doc = concat!("let same = ", stringify!($layer), "::new().forward(&x)?;")]
        /// assert_eq!(same.to_vec::<f32>()?, y.to_vec::<f32>()?);
        /// # Ok::<(), mlx_core::Error>(())
        /// ```
        #[derive(Clone, Debug, Default, Module)]
        #[doc(alias = $alias)]
        pub struct $layer {
            state: State,
        }

        impl $layer {
            /// The layer.
            #[must_use]
            pub fn new() -> $layer {
                $layer::default()
            }

            /// What the function gives for `x`.
            ///
            /// # Errors
            /// Those of the function.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
                crate::$function(x $($(, $argument)*)?)
            }
        })*
    };
}

/// Layers with a number as their setting: the name, Python's, the function, the setting and Python's default.
macro_rules! with_number {
    ($($layer:ident $alias:literal = $function:ident, $setting:ident $default:literal;)*) => {
        $(#[doc = concat!("[`", stringify!($function), "`](fn@crate::", stringify!($function), ") as a layer.")]
        ///
        #[doc = concat!("By default `", stringify!($setting), "` is ", $default, ", as in Python.")]
        ///
        /// ```
        /// # use mlx_core::tensor;
        #[doc = concat!("# use mlx_nn::{", stringify!($layer), ", ", stringify!($function), "};")]
        /// let x = tensor![[1.5, -2.5], [0.25, -0.75]];
        #[doc = concat!("let (y, same) = (", stringify!($function), "(&x, 0.5)?, ", stringify!($layer), "::new(0.5).forward(&x)?);")]
        /// assert_eq!(same.to_bytes()?, y.to_bytes()?);
        /// # Ok::<(), mlx_core::Error>(())
        /// ```
        #[derive(Clone, Debug, Module)]
        #[doc(alias = $alias)]
        pub struct $layer {
            /// The function's parameter.
            pub $setting: Scalar,
            state: State,
        }

        impl $layer {
            /// The layer with that number.
            #[must_use]
            pub fn new($setting: impl IntoScalar) -> $layer {
                $layer { $setting: $setting.into_scalar(), state: State::new() }
            }

            /// What the function gives for `x`.
            ///
            /// # Errors
            /// Those of the function.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
                crate::$function(x, self.$setting)
            }
        }

        impl Default for $layer {
            fn default() -> $layer {
                $layer::new($default)
            }
        })*
    };
}

plain! {
    HardTanh "nn.HardTanh" = hard_tanh[-1.0, 1.0];
    Hardswish "nn.Hardswish" = hardswish;
    LogSigmoid "nn.LogSigmoid" = log_sigmoid;
    LogSoftmax "nn.LogSoftmax" = log_softmax[-1];
    Mish "nn.Mish" = mish;
    ReLU "nn.ReLU" = relu;
    ReLU2 "nn.ReLU2" = relu2;
    ReLU6 "nn.ReLU6" = relu6;
    SELU "nn.SELU" = selu;
    SiLU "nn.SiLU" = silu;
    Sigmoid "nn.Sigmoid" = sigmoid;
    Softmax "nn.Softmax" = softmax[-1];
    Softmin "nn.Softmin" = softmin[-1];
    Softplus "nn.Softplus" = softplus;
    Softsign "nn.Softsign" = softsign;
    Tanh "nn.Tanh" = tanh;
}

with_number! {
    CELU "nn.CELU" = celu, alpha 1.0;
    ELU "nn.ELU" = elu, alpha 1.0;
    HardShrink "nn.HardShrink" = hard_shrink, lambd 0.5;
    LeakyReLU "nn.LeakyReLU" = leaky_relu, negative_slope 0.01;
    Softshrink "nn.Softshrink" = softshrink, lambd 0.5;
    Step "nn.Step" = step, threshold 0.0;
}

/// [`glu`](fn@crate::glu) as a layer; by default along the last axis, as in Python.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::GLU;
/// assert_eq!(GLU::default().forward(&tensor![3.0, 5.0, 0.0, 100.0])?.to_vec::<f32>()?, [1.5, 5.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.GLU")]
pub struct GLU {
    /// The axis whose halves are multiplied.
    pub axis: i32,
    state: State,
}

impl GLU {
    /// The layer along `axis`.
    #[must_use]
    pub fn new(axis: i32) -> GLU {
        GLU { axis, state: State::new() }
    }

    /// What the function gives for `x`.
    ///
    /// # Errors
    /// Those of the function.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        crate::glu(x, self.axis)
    }
}

impl Default for GLU {
    fn default() -> GLU {
        GLU::new(-1)
    }
}

/// Which function a [`GELU`] calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeluApprox {
    /// [`gelu`](fn@crate::gelu): Python's `"none"`.
    #[default]
    None,
    /// [`gelu_approx`](fn@crate::gelu_approx): Python's `"precise"` and `"tanh"`.
    Precise,
    /// [`gelu_fast_approx`](fn@crate::gelu_fast_approx): Python's `"fast"`.
    Fast,
}

/// [`gelu`](fn@crate::gelu), or one of its approximations, as a layer.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{GELU, GeluApprox, gelu_approx};
/// let x = tensor![1.5, -2.5];
/// let y = GELU::new(GeluApprox::Precise).forward(&x)?;
/// assert_eq!(y.to_vec::<f32>()?, gelu_approx(&x)?.to_vec::<f32>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, Module)]
#[doc(alias = "nn.GELU")]
pub struct GELU {
    /// Which function.
    #[module(skip)]
    pub approx: GeluApprox,
    state: State,
}

impl GELU {
    /// The layer of that function.
    #[must_use]
    pub fn new(approx: GeluApprox) -> GELU {
        GELU { approx, state: State::new() }
    }

    /// What the function gives for `x`.
    ///
    /// # Errors
    /// Those of the function.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self.approx {
            GeluApprox::None => crate::gelu(x),
            GeluApprox::Precise => crate::gelu_approx(x),
            GeluApprox::Fast => crate::gelu_fast_approx(x),
        }
    }
}

/// [`prelu`](fn@crate::prelu) as a layer, whose slopes are trained.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::PReLU;
/// assert_eq!(PReLU::new(1, 0.25)?.forward(&tensor![-2.0, 2.0])?.to_vec::<f32>()?, [-0.5, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.PReLU")]
pub struct PReLU {
    /// `[num_parameters]`, one slope for all features or one for each.
    pub weight: Tensor,
    state: State,
}

impl PReLU {
    /// A layer of `num_parameters` slopes that begin as `init`; Python's defaults are 1 and 0.25.
    ///
    /// # Errors
    /// A negative number of them; an `init` beyond 64 bits.
    pub fn new(num_parameters: i32, init: impl IntoScalar) -> Result<PReLU> {
        let init = init.into_scalar();
        let dtype = init.dtype_alone("PReLU")?;
        Ok(PReLU::from_parameters(full([num_parameters], init, dtype)?))
    }

    /// A layer with this parameter.
    #[must_use]
    pub fn from_parameters(weight: Tensor) -> PReLU {
        PReLU { weight, state: State::new() }
    }

    /// A layer from `weight`.
    ///
    /// # Errors
    /// No `weight`.
    pub fn from_weights(weights: &Weights<'_>) -> Result<PReLU> {
        Ok(PReLU::from_parameters(weights.get("weight")?))
    }

    /// What the function gives for `x`, `[…, features]`.
    ///
    /// # Errors
    /// Those of the function.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        crate::prelu(x, &self.weight)
    }
}
