//! Several optimizers, each for some of the parameters.

use super::{Optimizer, refused};
use crate::Parameters;
use mlx_core::{Error, ErrorKind, Result, Tensor};
use std::{fmt, sync::Arc};

/// Several optimizers: each parameter is left to the first whose filter takes it by its key and gradient.
///
/// ```
/// # use mlx_core::tensor;
/// use mlx_nn::optimizers::{MultiOptimizer, Muon, Optimizer, SGD};
/// let mut optimizer = MultiOptimizer::new()
///     .add(|_, gradient| gradient.ndim() >= 2, Muon::new(0.02)?)
///     .fallback(SGD::new(0.5)?);
/// let parameters = [("weight".to_owned(), tensor![[1.0, 2.0]]), ("bias".to_owned(), tensor![1.0])].into();
/// let after = optimizer.apply_gradients(&parameters, &parameters)?;
/// assert_eq!(after["bias"].item::<f32>()?, 0.5);
/// let keys: Vec<String> = optimizer.state().into_keys().filter(|key| key.ends_with(".v")).collect();
/// assert_eq!(keys, ["states.0.weight.v", "states.1.bias.v"]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
///
/// Its learning rate is the first one's; to set it sets it for all. Clones go their own ways.
#[derive(Clone, Default)]
#[doc(alias = "optim.MultiOptimizer")]
pub struct MultiOptimizer {
    parts: Vec<Part>,
}

type Filter = dyn Fn(&str, &Tensor) -> bool + Send + Sync;

struct Part {
    /// `None` takes all.
    filter: Option<Arc<Filter>>,
    optimizer: Box<dyn Cloned>,
}

/// An optimizer of any type that can be copied.
trait Cloned: Optimizer {
    fn cloned(&self) -> Box<dyn Cloned>;
}

impl<O: Optimizer + Clone + 'static> Cloned for O {
    fn cloned(&self) -> Box<dyn Cloned> {
        Box::new(self.clone())
    }
}

impl Clone for Part {
    fn clone(&self) -> Part {
        Part { filter: self.filter.clone(), optimizer: self.optimizer.cloned() }
    }
}

impl MultiOptimizer {
    /// One that takes no parameters yet.
    #[must_use]
    pub fn new() -> MultiOptimizer {
        MultiOptimizer::default()
    }

    /// One more optimizer, for the parameters that `filter` takes and no earlier one took.
    #[must_use]
    pub fn add(
        self,
        filter: impl Fn(&str, &Tensor) -> bool + Send + Sync + 'static,
        optimizer: impl Optimizer + Clone + 'static,
    ) -> MultiOptimizer {
        self.with(Part { filter: Some(Arc::new(filter)), optimizer: Box::new(optimizer) })
    }

    /// The last optimizer, for all other parameters.
    #[must_use]
    pub fn fallback(self, optimizer: impl Optimizer + Clone + 'static) -> MultiOptimizer {
        self.with(Part { filter: None, optimizer: Box::new(optimizer) })
    }

    fn with(mut self, part: Part) -> MultiOptimizer {
        self.parts.push(part);
        self
    }

    /// Changes all optimizers, or none where one of them fails.
    fn changed<T>(&mut self, change: impl FnOnce(&mut Vec<Part>) -> Result<T>) -> Result<T> {
        let mut parts = self.parts.clone();
        let given = change(&mut parts)?;
        self.parts = parts;
        Ok(given)
    }

    /// The parameters of each optimizer.
    fn split(&self, parameters: &Parameters) -> Result<Vec<Parameters>> {
        let mut split = vec![Parameters::new(); self.parts.len()];
        for (key, tensor) in parameters {
            let takes = |part: &Part| part.filter.as_ref().is_none_or(|filter| filter(key, tensor));
            let Some(i) = self.parts.iter().position(takes) else {
                return refused("MultiOptimizer", format!("no optimizer takes {key:?}"));
            };
            split[i].insert(key.clone(), tensor.clone());
        }
        Ok(split)
    }
}

impl Optimizer for MultiOptimizer {
    fn init(&mut self, parameters: &Parameters) -> Result<()> {
        let split = self.split(parameters)?;
        self.changed(|parts| {
            parts.iter_mut().zip(&split).try_for_each(|(part, parameters)| part.optimizer.init(parameters))
        })
    }

    fn apply_gradients(&mut self, gradients: &Parameters, parameters: &Parameters) -> Result<Parameters> {
        let split = self.split(gradients)?;
        self.changed(|parts| {
            let mut updated = Parameters::new();
            for (part, gradients) in parts.iter_mut().zip(&split) {
                updated.extend(part.optimizer.apply_gradients(gradients, parameters)?);
            }
            Ok(updated)
        })
    }

    fn state(&self) -> Parameters {
        let states = self.parts.iter().enumerate().flat_map(|(i, part)| {
            let state = part.optimizer.state().into_iter();
            state.map(move |(key, tensor)| (format!("states.{i}.{key}"), tensor))
        });
        states.collect()
    }

    fn set_state(&mut self, state: Parameters) -> Result<()> {
        let invalid = || Error::new(ErrorKind::Value, "set_state", "Invalid state provided");
        let mut states = vec![Parameters::new(); self.parts.len()];
        for (key, tensor) in state {
            let below = key.strip_prefix("states.").and_then(|key| key.split_once('.'));
            let (i, key) = below.ok_or_else(invalid)?;
            let i: usize = i.parse().map_err(|_| invalid())?;
            states.get_mut(i).ok_or_else(invalid)?.insert(key.to_owned(), tensor);
        }
        self.changed(|parts| {
            parts.iter_mut().zip(states).try_for_each(|(part, state)| part.optimizer.set_state(state))
        })
    }

    fn learning_rate(&self) -> Option<Tensor> {
        self.parts.first()?.optimizer.learning_rate()
    }

    fn set_learning_rate(&mut self, learning_rate: f64) -> Result<()> {
        self.changed(|parts| {
            parts.iter_mut().try_for_each(|part| part.optimizer.set_learning_rate(learning_rate))
        })
    }

    fn is_initialized(&self) -> bool {
        self.parts.iter().all(|part| part.optimizer.is_initialized())
    }
}

impl fmt::Debug for MultiOptimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MultiOptimizer of {}", self.parts.len())
    }
}
