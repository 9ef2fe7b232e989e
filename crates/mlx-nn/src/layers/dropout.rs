//! What is left out at random in training.

use super::refused;
use crate::{Module, State, module::python_float};
use mlx_core::{Result, Tensor};
use mlx_ops::{multiply, random::bernoulli};

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
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.Dropout")]
pub struct Dropout {
    /// The probability that an element stays.
    keep: f64,
    state: State,
}

impl Dropout {
    /// A layer that leaves an element out with probability `p`; Python's default is 0.5.
    ///
    /// # Errors
    /// A `p` outside [0, 1).
    pub fn new(p: f64) -> Result<Dropout> {
        if !(0.0..1.0).contains(&p) {
            return refused(
                "Dropout",
                format!("The dropout probability {} is not in [0, 1)", python_float(p)),
            );
        }
        Ok(Dropout { keep: 1.0 - p, state: State::new() })
    }

    /// `x` with elements left out, in training.
    ///
    /// # Errors
    /// What MLX refuses.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if self.keep >= 1.0 || !self.state.is_training() {
            return Ok(x.clone());
        }
        let mask = bernoulli(self.keep, x.shape())?;
        multiply(multiply(mask, x)?, 1.0 / self.keep)
    }

    fn describe(&self) -> String {
        format!("p={}", python_float(1.0 - self.keep))
    }
}
