//! Optimizers that divide by the root of squared gradients: RMSprop, Adagrad, AdaDelta.

use super::{Slots, check_eps, optimizer, refused};
use crate::python::float;
use mlx_core::{Result, Tensor};
use mlx_ops::{add, astype, divide, multiply, sqrt, square, subtract};

optimizer! {
    /// RMSprop: `v = alpha * v + (1 - alpha) * g²`, `w = w - learning_rate * g / (sqrt(v) + eps)`.
    ///
    /// Its state has `v` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Optimizer, RMSprop};
    /// let mut optimizer = RMSprop::new(0.5)?.alpha(0.75);
    /// let w = [("w".to_owned(), tensor![4.0])].into();
    /// assert_eq!(optimizer.apply_gradients(&w, &w)?["w"].item::<f32>()?, 3.0);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    RMSprop "optim.RMSprop" {
        /// How much of the last step's `v` is kept, 0 or more; 0.99 by default.
        alpha: f64 = 0.99,
        /// Keeps the divisor from 0; 1e-8 by default.
        eps: f64 = 1e-8,
    }
    check = RMSprop::check;
    slots = |_, parameter| Slots::zeros(["v"], parameter);
}

impl RMSprop {
    fn check(&self) -> Result<()> {
        if self.alpha < 0.0 {
            let alpha = float(self.alpha);
            return refused("RMSprop", format!("RMSprop alpha should be >=0, {alpha} was provided instead"));
        }
        check_eps("RMSprop", self.eps)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        let v = averaged(slots.get("v")?, self.alpha, &square(gradient)?)?;
        slots.set("v", v.clone());
        divided(parameter, multiply(learning_rate, gradient)?, &v, self.eps)
    }
}

optimizer! {
    /// Adagrad: `v = v + g²`, `w = w - learning_rate * g / (sqrt(v) + eps)`.
    ///
    /// Its state has `v` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Adagrad, Optimizer};
    /// let mut optimizer = Adagrad::new(0.5)?;
    /// let w = [("w".to_owned(), tensor![4.0])].into();
    /// assert_eq!(optimizer.apply_gradients(&w, &w)?["w"].item::<f32>()?, 3.5);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Adagrad "optim.Adagrad" {
        /// Keeps the divisor from 0; 1e-8 by default.
        eps: f64 = 1e-8,
    }
    check = Adagrad::check;
    slots = |_, parameter| Slots::zeros(["v"], parameter);
}

impl Adagrad {
    fn check(&self) -> Result<()> {
        check_eps("Adagrad", self.eps)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        let v = add(slots.get("v")?, square(gradient)?)?;
        slots.set("v", v.clone());
        divided(parameter, multiply(learning_rate, gradient)?, &v, self.eps)
    }
}

optimizer! {
    /// AdaDelta: `v = rho * v + (1 - rho) * g²`, `d = sqrt(u + eps) / sqrt(v + eps) * g`,
    /// `u = rho * u + (1 - rho) * d²`, `w = w - learning_rate * d`.
    ///
    /// Its state has `v` and `u` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{AdaDelta, Optimizer};
    /// let mut optimizer = AdaDelta::new(1.0)?.rho(0.75).eps(1.0);
    /// let w = [("w".to_owned(), tensor![0.0])].into();
    /// let gradients = [("w".to_owned(), tensor![4.0])].into();
    /// let after = optimizer.apply_gradients(&gradients, &w)?["w"].item::<f32>()?;
    /// assert!((after + 4.0 / 5_f32.sqrt()).abs() < 1e-6);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    AdaDelta "optim.AdaDelta" {
        /// How much of the last step's averages is kept, 0 or more; 0.9 by default.
        rho: f64 = 0.9,
        /// Keeps the divisor from 0; 1e-6 by default.
        eps: f64 = 1e-6,
    }
    check = AdaDelta::check;
    slots = |_, parameter| Slots::zeros(["v", "u"], parameter);
}

impl AdaDelta {
    fn check(&self) -> Result<()> {
        if self.rho < 0.0 {
            let rho = float(self.rho);
            return refused("AdaDelta", format!("AdaDelta rho should be >=0, {rho} was provided instead"));
        }
        check_eps("AdaDelta", self.eps)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        let (v, u) = (slots.get("v")?, slots.get("u")?);
        let v = averaged(v, self.rho, &square(gradient)?)?;
        let ratio = divide(sqrt(&add(u, self.eps)?)?, sqrt(&add(&v, self.eps)?)?)?;
        let d = multiply(ratio, gradient)?;
        let u = averaged(u, self.rho, &square(&d)?)?;
        slots.set("v", v);
        slots.set("u", u);
        subtract(parameter, multiply(learning_rate, d)?)
    }
}

/// `kept * average + (1 - kept) * new`
pub(super) fn averaged(average: &Tensor, kept: f64, new: &Tensor) -> Result<Tensor> {
    add(multiply(average, kept)?, multiply(new, 1.0 - kept)?)
}

/// `parameter - step / (sqrt(v) + eps)`
pub(super) fn divided(parameter: &Tensor, step: Tensor, v: &Tensor, eps: f64) -> Result<Tensor> {
    subtract(parameter, divide(step, add(sqrt(v)?, eps)?)?)
}
