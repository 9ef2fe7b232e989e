//! What all optimizers do, and what one of your own says.

use super::{Memory, Slots, memory::Before};
use crate::{Module, ModuleExt, Parameters, WeightSource};
use mlx_core::{Error, ErrorKind, OperandRef, Result, Scalar, Tensor};
use std::path::Path;

/// What changes parameters by their gradients, and remembers of each what it needs.
///
/// [`Rule`]s are optimizers; so are [`MultiOptimizer`](super::MultiOptimizer) and `Box<dyn Optimizer>`.
#[doc(alias = "optim.Optimizer")]
pub trait Optimizer: Send + Sync {
    /// Makes the state of parameters that have none yet. The first step does it by itself, for what it gets gradients of.
    ///
    /// # Errors
    /// Settings that Python's constructor refuses.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt, optimizers::{Optimizer, SGD}};
    /// let mut optimizer = SGD::new(0.1)?.momentum(0.9);
    /// optimizer.init(&Linear::new(2, 2, true)?.trainable_parameters())?;
    /// assert_eq!(optimizer.state().into_keys().collect::<Vec<_>>(), ["step", "learning_rate", "weight.v", "bias.v"]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn init(&mut self, parameters: &Parameters) -> Result<()>;

    /// One step: the parameters that have a gradient, after it. `parameters` may hold more.
    ///
    /// # Errors
    /// A gradient of no parameter, or of one that the state has not, as the state is made at the first step; shapes that do
    /// not broadcast; what [`init`](Optimizer::init) refuses. The state is what it was then.
    fn apply_gradients(&mut self, gradients: &Parameters, parameters: &Parameters) -> Result<Parameters>;

    /// [`apply_gradients`](Optimizer::apply_gradients) to a model.
    ///
    /// # Errors
    /// As [`apply_gradients`](Optimizer::apply_gradients); the model is what it was then.
    fn update(&mut self, model: &mut dyn Module, gradients: &Parameters) -> Result<()> {
        let updated = self.apply_gradients(gradients, &model.parameters())?;
        model.update_loose(&updated);
        Ok(())
    }

    /// All that it remembers, under the keys of Python's state as `tree_flatten` joins them: `step`, `learning_rate`,
    /// `layers.0.weight.v`.
    fn state(&self) -> Parameters;

    /// Goes on from that state.
    ///
    /// # Errors
    /// Keys that are no state's. The state is what it was then.
    fn set_state(&mut self, state: Parameters) -> Result<()>;

    /// The learning rate of the last step, or the first one's before it; `None` where it has none.
    fn learning_rate(&self) -> Option<Tensor>;

    /// Another learning rate for the next steps; a [`Schedule`](super::Schedule) goes on regardless.
    ///
    /// # Errors
    /// MLX that cannot be started.
    fn set_learning_rate(&mut self, learning_rate: f64) -> Result<()>;

    /// Whether the state of the parameters is made.
    #[doc(hidden)]
    fn is_initialized(&self) -> bool;

    /// Writes the [`state`](Optimizer::state) to a file, `.safetensors` or `.npz`; Python reads it by
    /// `tree_unflatten(list(mx.load(file).items()))`.
    ///
    /// # Errors
    /// Another ending; a computation that fails; a file that cannot be written.
    fn save_state(&self, file: impl AsRef<Path>) -> Result<()>
    where
        Self: Sized,
    {
        crate::module::save_tensors("save_state", file.as_ref(), &self.state())
    }

    /// Goes on from a state in a file or a map, which Python may have written by `tree_flatten(optimizer.state)`.
    ///
    /// # Errors
    /// As [`set_state`](Optimizer::set_state); a file that cannot be read.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Optimizer, SGD};
    /// let path = std::env::temp_dir().join(format!("mlx-doc-state-{}.safetensors", std::process::id()));
    /// let parameters = [("w".to_owned(), tensor![1.0])].into();
    /// let mut optimizer = SGD::new(0.1)?.momentum(0.5);
    /// optimizer.apply_gradients(&parameters, &parameters)?;
    /// optimizer.save_state(&path)?;
    /// let mut other = SGD::new(0.3)?.momentum(0.5);
    /// other.load_state(&path)?;
    /// let after = other.apply_gradients(&parameters, &parameters)?;
    /// assert_eq!(after["w"].item::<f32>()?, 1.0 - 0.1 * 1.5);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn load_state(&mut self, state: impl WeightSource) -> Result<()>
    where
        Self: Sized,
    {
        self.set_state(state.tensors()?)
    }
}

/// What an optimizer does with one parameter; all else is [`Optimizer`]'s.
///
/// ```
/// # use mlx_core::{Result, Tensor, tensor};
/// use mlx_nn::optimizers::{Memory, Optimizer, Rule, Slots};
///
/// /// Steps of the learning rate's length.
/// #[derive(Clone)]
/// struct Signs(Memory);
///
/// impl Rule for Signs {
///     fn memory(&self) -> &Memory {
///         &self.0
///     }
///     fn memory_mut(&mut self) -> &mut Memory {
///         &mut self.0
///     }
///     fn init_single(&self, _parameter: &Tensor) -> Result<Slots> {
///         Ok(Slots::new())
///     }
///     fn apply_single(&self, gradient: &Tensor, parameter: &Tensor, _slots: &mut Slots) -> Result<Tensor> {
///         Ok(parameter - self.0.learning_rate()? * mlx_ops::sign(gradient)?)
///     }
/// }
///
/// let mut signs = Signs(Memory::new(0.5)?);
/// let gradients = [("w".to_owned(), tensor![-3.0, 0.1])].into();
/// let after = signs.apply_gradients(&gradients, &[("w".to_owned(), tensor![1.0, 1.0])].into())?;
/// assert_eq!(after["w"].to_vec::<f32>()?, [1.5, 0.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub trait Rule: Send + Sync {
    /// Its state.
    fn memory(&self) -> &Memory;

    /// Its state, to be changed.
    fn memory_mut(&mut self) -> &mut Memory;

    /// Whether its settings make sense, asked before the first step.
    ///
    /// # Errors
    /// They do not.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What it remembers of a parameter before the first step.
    ///
    /// # Errors
    /// A parameter that it cannot do anything with.
    fn init_single(&self, parameter: &Tensor) -> Result<Slots>;

    /// The parameter after a step, and in `slots` what is remembered of it then.
    ///
    /// # Errors
    /// A gradient that does not fit.
    fn apply_single(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor>;
}

impl<R: Rule> Optimizer for R {
    fn init(&mut self, parameters: &Parameters) -> Result<()> {
        self.check()?;
        let known = &self.memory().slots;
        let new = parameters.iter().filter(|(key, _)| !known.contains_key(*key));
        let made: Vec<(String, Slots)> = new
            .map(|(key, parameter)| Ok((key.clone(), self.init_single(parameter)?)))
            .collect::<Result<_>>()?;
        let memory = self.memory_mut();
        memory.slots.extend(made);
        memory.is_initialized = true;
        Ok(())
    }

    fn apply_gradients(&mut self, gradients: &Parameters, parameters: &Parameters) -> Result<Parameters> {
        let before = Some(self.memory().before());
        let mut attempt = Attempt { rule: self, before };
        if !attempt.rule.memory().is_initialized {
            attempt.rule.init(gradients)?;
        }
        attempt.rule.memory_mut().begin_step()?;
        let (updated, slots) = applied(attempt.rule, gradients, parameters)?;
        attempt.rule.memory_mut().slots.extend(slots);
        attempt.before = None;
        Ok(updated)
    }

    fn state(&self) -> Parameters {
        self.memory().flat()
    }

    fn set_state(&mut self, state: Parameters) -> Result<()> {
        self.memory_mut().set_flat(state)
    }

    fn learning_rate(&self) -> Option<Tensor> {
        self.memory().learning_rate().ok().cloned()
    }

    fn set_learning_rate(&mut self, learning_rate: f64) -> Result<()> {
        let number = OperandRef::Scalar(Scalar::Float(learning_rate));
        let learning_rate = number.to_tensor("learning_rate", None)?.into_owned();
        self.memory_mut().set_learning_rate(learning_rate);
        Ok(())
    }

    fn is_initialized(&self) -> bool {
        self.memory().is_initialized
    }
}

/// A step under way: what was before it comes back where it fails or panics.
struct Attempt<'r, R: Rule> {
    rule: &'r mut R,
    before: Option<Before>,
}

impl<R: Rule> Drop for Attempt<'_, R> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            self.rule.memory_mut().put_back(before);
        }
    }
}

/// The parameters after a step, and what is remembered of them.
fn applied<R: Rule>(
    rule: &R,
    gradients: &Parameters,
    parameters: &Parameters,
) -> Result<(Parameters, Vec<(String, Slots)>)> {
    let (mut updated, mut remembered) = (Parameters::new(), Vec::with_capacity(gradients.len()));
    let missing = |message: String| Error::new(ErrorKind::Index, "apply_gradients", message);
    for (key, gradient) in gradients {
        let parameter = parameters
            .get(key)
            .ok_or_else(|| missing(format!("there is a gradient of no parameter: {key:?}")))?;
        let mut slots = rule.memory().slots.get(key).cloned().ok_or_else(|| {
            missing(format!(
                "the state has nothing of {key:?}: call init with all parameters that are trained"
            ))
        })?;
        updated.insert(key.clone(), rule.apply_single(gradient, parameter, &mut slots)?);
        remembered.push((key.clone(), slots));
    }
    Ok((updated, remembered))
}

impl Optimizer for Box<dyn Optimizer> {
    fn init(&mut self, parameters: &Parameters) -> Result<()> {
        (**self).init(parameters)
    }

    fn apply_gradients(&mut self, gradients: &Parameters, parameters: &Parameters) -> Result<Parameters> {
        (**self).apply_gradients(gradients, parameters)
    }

    fn state(&self) -> Parameters {
        (**self).state()
    }

    fn set_state(&mut self, state: Parameters) -> Result<()> {
        (**self).set_state(state)
    }

    fn learning_rate(&self) -> Option<Tensor> {
        (**self).learning_rate()
    }

    fn set_learning_rate(&mut self, learning_rate: f64) -> Result<()> {
        (**self).set_learning_rate(learning_rate)
    }

    fn is_initialized(&self) -> bool {
        (**self).is_initialized()
    }
}
