//! Weights by Python's names.

use mlx_core::{Error, ErrorKind, Result, Tensor};
use std::collections::HashMap;

/// Tensors by name, as a file holds them, seen from one module of a model: names are relative to it.
///
/// ```
/// # use std::collections::HashMap;
/// # use mlx_core::tensor;
/// # use mlx_nn::Weights;
/// let tensors = HashMap::from([("mlp.up.weight".to_owned(), tensor![1.0])]);
/// let mlp = Weights::new(&tensors).scope("mlp");
/// assert_eq!(mlp.scope("up").get("weight")?.shape(), [1]);
/// let error = mlp.get("down.weight").unwrap_err();
/// assert_eq!(error.message(), "there is no tensor named mlp.down.weight");
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Weights<'a> {
    tensors: &'a HashMap<String, Tensor>,
    prefix: String,
}

impl<'a> Weights<'a> {
    /// The whole model's weights.
    #[must_use]
    pub fn new(tensors: &'a HashMap<String, Tensor>) -> Weights<'a> {
        Weights { tensors, prefix: String::new() }
    }

    /// The weights below `module`, which may hold dots.
    #[must_use]
    pub fn scope(&self, module: impl std::fmt::Display) -> Weights<'a> {
        Weights { tensors: self.tensors, prefix: format!("{}{module}.", self.prefix) }
    }

    /// The tensor of that name.
    ///
    /// # Errors
    /// There is none; the error has the whole name.
    pub fn get(&self, name: &str) -> Result<Tensor> {
        self.find(name).ok_or_else(|| {
            let message = format!("there is no tensor named {}{name}", self.prefix);
            Error::new(ErrorKind::Value, "load_weights", message)
        })
    }

    /// The tensor of that name, if there is one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tensor> {
        self.tensors.get(&format!("{}{name}", self.prefix)).cloned()
    }
}
