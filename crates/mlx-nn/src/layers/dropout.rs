//! What is left out at random in training.

use super::refused;
use crate::{Module, State, python::float};
use mlx_core::{Result, Shape, Tensor};
use mlx_ops::{multiply, random::bernoulli};

/// The table: documentation, name, Python's, and what the mask of an `x` is: its shape, or why there is none.
macro_rules! layers {
    ($($(#[$doc:meta])* $layer:ident $alias:literal = $mask:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Module)]
        #[module(extra_repr = Self::describe)]
        #[doc(alias = $alias)]
        pub struct $layer {
            /// The probability that an element stays.
            keep: f64,
            state: State,
        }

        impl $layer {
            /// A layer that leaves out with probability `p`; Python's default is 0.5.
            ///
            /// # Errors
            /// A `p` outside [0, 1).
            pub fn new(p: f64) -> Result<$layer> {
                Ok($layer { keep: kept(stringify!($layer), p)?, state: State::new() })
            }

            /// `x` with elements left out, in training.
            ///
            /// # Errors
            /// Another number of axes than the layer is for; what MLX refuses.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let mask: fn(&Tensor) -> Result<Shape> = $mask;
                let mask = mask(x)?;
                if self.keep >= 1.0 || !self.state.is_training() {
                    return Ok(x.clone());
                }
                multiply(multiply(bernoulli(self.keep, mask)?, x)?, 1.0 / self.keep)
            }

            fn describe(&self) -> String {
                format!("p={}", float(1.0 - self.keep))
            }
        })*
    };
}

layers! {
    /// Zeros for elements drawn with probability `p`, and the others over `1 - p`, in training; outside it nothing.
    ///
    /// It draws from the thread's random key.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::{Dropout, ModuleExt};
    /// let mut dropout = Dropout::new(0.5)?;
    /// let y = dropout.forward(&tensor![1.0, 1.0, 1.0])?.to_vec::<f32>()?;
    /// assert!(y.iter().all(|&y| y == 0.0 || y == 2.0));
    /// dropout.eval();
    /// assert_eq!(dropout.forward(&tensor![1.0])?.item::<f32>()?, 1.0);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Dropout "nn.Dropout" = |x| Ok(Shape::from_slice(x.shape()));

    /// [`Dropout`] of whole channels of images, `[height, width, channels]` or with a batch before.
    ///
    /// ```
    /// # use mlx_core::Dtype;
    /// # use mlx_nn::Dropout2d;
    /// let y = Dropout2d::new(0.5)?.forward(&mlx_ops::ones([2, 2, 1], Dtype::Float32)?)?.to_vec::<f32>()?;
    /// assert!(y == [0.0; 4] || y == [2.0; 4]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Dropout2d "nn.Dropout2d" = |x| channels("Dropout2d", x, 2);

    /// [`Dropout`] of whole channels of volumes, `[depth, height, width, channels]` or with a batch before.
    ///
    /// ```
    /// # use mlx_core::Dtype;
    /// # use mlx_nn::Dropout3d;
    /// let y = Dropout3d::new(0.5)?.forward(&mlx_ops::ones([1, 2, 2, 1], Dtype::Float32)?)?.to_vec::<f32>()?;
    /// assert!(y == [0.0; 4] || y == [2.0; 4]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Dropout3d "nn.Dropout3d" = |x| channels("Dropout3d", x, 3);
}

/// The probability that an element stays.
fn kept(layer: &'static str, p: f64) -> Result<f64> {
    if !(0.0..1.0).contains(&p) {
        return refused(layer, format!("The dropout probability {} is not in [0, 1)", float(p)));
    }
    Ok(1.0 - p)
}

/// One element for each channel, whose elements lie along the `spatial` axes before it.
fn channels(layer: &'static str, x: &Tensor, spatial: usize) -> Result<Shape> {
    let (ndim, fewest) = (x.ndim(), spatial + 1);
    if ndim != fewest && ndim != fewest + 1 {
        let expected = format!("Expected {fewest} or {} dimensions.", fewest + 1);
        return refused(layer, format!("Received input with {ndim} dimensions. {expected}"));
    }
    let mut mask = Shape::from_slice(x.shape());
    mask[ndim - 1 - spatial..ndim - 1].fill(1);
    Ok(mask)
}
