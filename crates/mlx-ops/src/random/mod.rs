//! Random numbers: `mlx.core.random`, bit for bit.
//!
//! A function draws with this thread's key, which [`seed`] sets; the struct of its name takes what else there is:
//! a key of its own, a dtype, parameters.
//!
//! ```
//! # use mlx_core::Dtype;
//! use mlx_ops::random::{self, Normal};
//! random::seed(0)?;
//! let noise = random::normal([2, 3])?;
//! let key = random::key(7)?;
//! let weights = Normal::new().scale(0.02).dtype(Dtype::Bfloat16).key(&key).sample([2, 3])?;
//! assert_eq!((noise.dtype(), weights.dtype()), (Dtype::Float32, Dtype::Bfloat16));
//! # Ok::<(), mlx_core::Error>(())
//! ```
//!
//! A draw without a key moves this thread's key on, also where it is refused; a draw with one leaves it.

mod choice;
mod continuous;
mod discrete;
mod key;
mod multivariate;

pub use choice::{Categorical, Permutation, Permuted, categorical, permutation};
pub use continuous::{
    Gumbel, Laplace, Normal, TruncatedNormal, Uniform, gumbel, laplace, normal, truncated_normal, uniform,
};
pub use discrete::{Bernoulli, Randint, bernoulli, randint};
pub use key::{key, seed, set_state, split, state};
pub use multivariate::{MultivariateNormal, multivariate_normal};

/// The setters that distributions share.
macro_rules! setters {
    (key) => {
        /// The key to draw with, in place of this thread's.
        #[must_use]
        pub fn key(mut self, key: &mlx_core::Tensor) -> Self {
            self.key = Some(key.clone());
            self
        }
    };
    (dtype) => {
        /// The dtype of what is drawn.
        #[must_use]
        pub fn dtype(mut self, dtype: mlx_core::Dtype) -> Self {
            self.dtype = dtype;
            self
        }
    };
}
use setters;

/// A parameter as the caller wrote it: a scalar is weak until its place is known.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    Tensor(mlx_core::Tensor),
    Scalar(mlx_core::Scalar),
}

impl Parameter {
    fn new(operand: &impl mlx_core::Operand) -> Parameter {
        match operand.operand() {
            mlx_core::OperandRef::Scalar(scalar) => Parameter::Scalar(scalar),
            mlx_core::OperandRef::Tensor(tensor) => Parameter::Tensor(tensor.clone()),
            other => unreachable!("{other} is neither a tensor nor a scalar"),
        }
    }

    /// The parameter as a tensor, a scalar at `dtype`, or at its own where there is none.
    fn to_tensor(
        &self,
        op: &'static str,
        dtype: Option<mlx_core::Dtype>,
    ) -> mlx_core::Result<mlx_core::Tensor> {
        match self {
            Parameter::Tensor(tensor) => Ok(tensor.clone()),
            Parameter::Scalar(scalar) => mlx_core::Tensor::weak(op, *scalar, dtype),
        }
    }
}
