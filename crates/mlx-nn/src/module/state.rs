//! What a module remembers beside its parameters.

use std::collections::BTreeSet;

/// Whether a module is in training, and which of its parameters are frozen: a field of each layer, and of each module
/// that has tensors of its own to freeze or asks whether it is trained.
///
/// ```
/// # use mlx_core::{Result, Tensor, tensor};
/// use mlx_nn::{Module, ModuleExt, State};
///
/// #[derive(Module)]
/// struct Noisy {
///     scale: Tensor,
///     state: State,
/// }
///
/// impl Noisy {
///     fn forward(&self, x: &Tensor) -> Result<Tensor> {
///         let noise = mlx_ops::random::normal(x.shape())?;
///         Ok(if self.state.is_training() { x + &self.scale * noise } else { x.clone() })
///     }
/// }
///
/// let mut noisy = Noisy { scale: tensor![0.1], state: State::new() };
/// noisy.eval();
/// assert_eq!(noisy.forward(&tensor![1.0])?.item::<f32>()?, 1.0);
/// noisy.freeze("scale")?;
/// assert!(noisy.trainable_parameters().is_empty());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    training: bool,
    /// Python's `_no_grad`.
    pub(super) frozen: BTreeSet<String>,
}

impl State {
    /// In training, with nothing frozen, as all modules begin.
    #[must_use]
    pub const fn new() -> State {
        State { training: true, frozen: BTreeSet::new() }
    }

    /// Whether the module is trained, and not only asked.
    #[must_use]
    pub fn is_training(&self) -> bool {
        self.training
    }

    /// Into training or out of it: what [`Module::set_training`](crate::Module::set_training) does by itself.
    pub fn set_training(&mut self, training: bool) {
        self.training = training;
    }

    /// Whether the module's member at `key` is frozen, by itself or with the list that it is in.
    #[must_use]
    pub fn is_frozen(&self, key: &str) -> bool {
        !self.frozen.is_empty() && heads(key).any(|head| self.frozen.contains(head))
    }
}

impl Default for State {
    fn default() -> State {
        State::new()
    }
}

/// A key and what it is below: `a.0.b`, `a.0`, `a`.
pub(super) fn heads(key: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(key), |key| key.rsplit_once('.').map(|(head, _)| head))
}
