//! Functions that layers are given. Not here: the functions themselves (`crate::activations`).

use mlx_core::{Result, Tensor};
use std::{any::type_name, fmt, sync::Arc};

type Function = dyn Fn(&Tensor) -> Result<Tensor> + Send + Sync;

/// A function of a tensor that a layer calls: [`relu`](crate::relu), any other of this crate, or a closure.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{Activation, relu};
/// let steps = [Activation::from(relu), Activation::from(|x: &mlx_core::Tensor| Ok(x * 2.0))];
/// let x = steps[1].apply(&steps[0].apply(&tensor![-1.0, 3.0])?)?;
/// assert_eq!(x.to_vec::<f32>()?, [0.0, 6.0]);
/// assert_eq!(format!("{:?}", steps[0]), "<function relu>");
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Activation {
    function: Arc<Function>,
    name: &'static str,
}

impl Activation {
    /// What the function gives for `x`.
    ///
    /// # Errors
    /// Those of the function.
    #[track_caller]
    pub fn apply(&self, x: &Tensor) -> Result<Tensor> {
        (self.function)(x)
    }
}

impl<F: Fn(&Tensor) -> Result<Tensor> + Send + Sync + 'static> From<F> for Activation {
    fn from(function: F) -> Activation {
        // The path of a function, whose end is its name; of a closure there is none.
        let name = type_name::<F>().rsplit("::").next().unwrap_or_default();
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        Activation { function: Arc::new(function), name: if is_name { name } else { "<lambda>" } }
    }
}

/// As Python shows a function, without the address.
impl fmt::Debug for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<function {}>", self.name)
    }
}
