//! Optimizers, schedules of learning rates, clipping of gradients: `mlx.optimizers`, with Python's names, its order of ops
//! and the keys of its state.
//!
//! An optimizer's settings are public fields with Python's defaults, and methods of the same names set them. What is done
//! with optimizers stands in [`Optimizer`]; one of your own implements [`Rule`]. Settings that Python's constructor refuses
//! are an error when the optimizer is first used.
//!
//! ```
//! # use mlx_core::{Result, tensor};
//! use mlx_nn::{Linear, optimizers::{Adam, Optimizer}, value_and_grad};
//! # use mlx_ops::{ReduceOps, UnaryOps};
//!
//! let mut model = Linear::from_parameters(tensor![[0.0, 0.0]], None);
//! let mut optimizer = Adam::new(0.1)?.bias_correction(true);
//! let (x, y) = (tensor![[1.0, 0.0], [0.0, 1.0]], tensor![[2.0], [-1.0]]);
//! for _ in 0..100 {
//!     let (_, gradients) = value_and_grad(&mut model, |model| -> Result<_> {
//!         Ok((model.forward(&x)? - &y).square().mean(..))
//!     })?;
//!     optimizer.update(&mut model, &gradients)?;
//!     mlx_core::eval([&model.weight])?;
//! }
//! let weight = model.weight.to_vec::<f32>()?;
//! assert!((weight[0] - 2.0).abs() < 0.1 && (weight[1] + 1.0).abs() < 0.1, "{weight:?}");
//! # Ok::<(), mlx_core::Error>(())
//! ```
//!
//! Here: the table's macro. Not here: gradients ([`value_and_grad`](crate::value_and_grad)).

mod adafactor;
mod adam;
mod clip;
mod compiled;
mod learning_rate;
mod lion;
mod memory;
mod multi;
mod muon;
mod rule;
mod scaled;
mod schedules;
mod sgd;

pub use adafactor::Adafactor;
pub use adam::{Adam, AdamW, Adamax};
pub use clip::clip_grad_norm;
pub use compiled::{CompiledStep, compile_step};
pub use learning_rate::{LearningRate, Schedule};
pub use lion::Lion;
pub use memory::{Memory, Slots};
pub use multi::MultiOptimizer;
pub use muon::Muon;
pub use rule::{Optimizer, Rule};
pub use scaled::{AdaDelta, Adagrad, RMSprop};
pub use schedules::{cosine_decay, exponential_decay, join_schedules, linear_schedule, step_decay};
pub use sgd::SGD;

use crate::python::float;
use mlx_core::{Error, ErrorKind, Result};

/// The optimizers by Python's name, with its module: what tidy wants a parity case for.
#[doc(hidden)]
pub const NAMES: &[&str] = &[
    "optim.AdaDelta",
    "optim.Adafactor",
    "optim.Adagrad",
    "optim.Adam",
    "optim.AdamW",
    "optim.Adamax",
    "optim.Lion",
    "optim.Muon",
    "optim.RMSprop",
    "optim.SGD",
];

/// A struct with its settings as fields, a constructor, a setter for each setting, and its rule: what `check` refuses,
/// the slots of a parameter, and `step`, which its file has.
macro_rules! optimizer {
    (
        $(#[$doc:meta])*
        $name:ident $alias:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty = $default:expr,)*
        }
        $(check = $check:path;)?
        slots = $slots:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[doc(alias = $alias)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
            memory: $crate::optimizers::Memory,
        }

        impl $name {
            /// An optimizer with that learning rate, a number or a [`Schedule`](crate::optimizers::Schedule), and
            /// Python's defaults.
            ///
            /// # Errors
            /// A schedule that fails.
            pub fn new(
                learning_rate: impl Into<$crate::optimizers::LearningRate>,
            ) -> mlx_core::Result<$name> {
                Ok($name::with_memory($crate::optimizers::Memory::new(learning_rate)?))
            }

            fn with_memory(memory: $crate::optimizers::Memory) -> $name {
                $name { $($field: $default,)* memory }
            }

            $($(#[$field_doc])*
            #[must_use]
            pub fn $field(mut self, $field: impl Into<$type>) -> $name {
                self.$field = $field.into();
                self
            })*
        }

        impl $crate::optimizers::Rule for $name {
            fn memory(&self) -> &$crate::optimizers::Memory {
                &self.memory
            }

            fn memory_mut(&mut self) -> &mut $crate::optimizers::Memory {
                &mut self.memory
            }

            $(fn check(&self) -> mlx_core::Result<()> {
                $check(self)
            })?

            fn init_single(
                &self,
                parameter: &mlx_core::Tensor,
            ) -> mlx_core::Result<$crate::optimizers::Slots> {
                let slots: fn(&$name, &mlx_core::Tensor) -> mlx_core::Result<$crate::optimizers::Slots> = $slots;
                slots(self, parameter)
            }

            fn apply_single(
                &self,
                gradient: &mlx_core::Tensor,
                parameter: &mlx_core::Tensor,
                slots: &mut $crate::optimizers::Slots,
            ) -> mlx_core::Result<mlx_core::Tensor> {
                self.step(gradient, parameter, slots)
            }
        }
    };
}
use optimizer;

fn refused<T>(optimizer: &'static str, message: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Value, optimizer, message.into()))
}

/// Decay rates of running averages, as Python checks them.
fn check_betas(optimizer: &'static str, words: &str, betas: [f64; 2]) -> Result<()> {
    for (i, beta) in betas.into_iter().enumerate() {
        if !(0.0..1.0).contains(&beta) {
            let beta = float(beta);
            return refused(
                optimizer,
                format!("{words} beta{} should be in [0, 1), {beta} was provided instead", i + 1),
            );
        }
    }
    Ok(())
}

/// A term that keeps divisors from 0, as Python checks it.
fn check_eps(optimizer: &'static str, eps: f64) -> Result<()> {
    // NaN passes, as in Python.
    if eps <= 0.0 {
        let eps = float(eps);
        return refused(optimizer, format!("{optimizer} epsilon should be >0, {eps} was provided instead"));
    }
    Ok(())
}
