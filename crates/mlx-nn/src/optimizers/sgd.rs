//! Stochastic gradient descent.

use super::{Slots, optimizer, refused};
use mlx_core::{Result, Tensor};
use mlx_ops::{add, astype, multiply, subtract};

optimizer! {
    /// Stochastic gradient descent: `v = momentum * v + (1 - dampening) * g`, `w = w - learning_rate * v`.
    ///
    /// Its state has `v` of each parameter, in its shape and dtype, also without momentum.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Optimizer, SGD};
    /// let mut optimizer = SGD::new(0.5)?.momentum(0.5);
    /// let gradients = [("w".to_owned(), tensor![1.0, -2.0])].into();
    /// let mut parameters = [("w".to_owned(), tensor![0.0, 0.0])].into();
    /// for _ in 0..2 {
    ///     parameters = optimizer.apply_gradients(&gradients, &parameters)?;
    /// }
    /// assert_eq!(parameters["w"].to_vec::<f32>()?, [-1.25, 2.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    SGD "optim.SGD" {
        /// How much of the last step's `v` is kept; 0 by default, which keeps none.
        momentum: f64 = 0.0,
        /// How much of the parameter is added to its gradient; 0 by default.
        weight_decay: f64 = 0.0,
        /// How much less of the gradient goes into `v`; 0 by default.
        dampening: f64 = 0.0,
        /// Nesterov's momentum, which asks for a momentum and no dampening; not by default.
        nesterov: bool = false,
    }
    check = SGD::check;
    slots = |_, parameter| Slots::zeros(["v"], parameter);
}

impl SGD {
    fn check(&self) -> Result<()> {
        if self.nesterov && (self.momentum <= 0.0 || self.dampening != 0.0) {
            return refused("SGD", "Nesterov momentum requires a momentum and zero dampening.");
        }
        Ok(())
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let mut gradient = gradient.clone();
        if self.weight_decay != 0.0 {
            gradient = add(gradient, multiply(parameter, self.weight_decay)?)?;
        }
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        if self.momentum <= 0.0 {
            return subtract(parameter, multiply(learning_rate, gradient)?);
        }
        let mut v = multiply(slots.get("v")?, self.momentum)?;
        if self.dampening > 0.0 {
            v = add(v, multiply(&gradient, 1.0 - self.dampening)?)?;
        } else {
            v = add(v, &gradient)?;
        }
        let update = if self.nesterov { add(gradient, multiply(&v, self.momentum)?)? } else { v.clone() };
        slots.set("v", v);
        subtract(parameter, multiply(learning_rate, update)?)
    }
}
