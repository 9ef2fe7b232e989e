//! Adam and its kin.

use super::{
    Memory, Slots, check_betas, optimizer, refused,
    scaled::{averaged, divided},
};
use crate::python::float;
use mlx_core::{Result, Tensor};
use mlx_ops::{abs, add, astype, divide, maximum, multiply, pow, rsqrt, sqrt, square, subtract};

optimizer! {
    /// Adam: `m = b1 * m + (1 - b1) * g`, `v = b2 * v + (1 - b2) * g²`, `w = w - learning_rate * m / (sqrt(v) + eps)`.
    ///
    /// Its state has `m` and `v` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Adam, Optimizer};
    /// let mut optimizer = Adam::new(0.5)?.betas([0.75, 0.75]).bias_correction(true);
    /// let w = [("w".to_owned(), tensor![4.0])].into();
    /// assert_eq!(optimizer.apply_gradients(&w, &w)?["w"].item::<f32>()?, 3.5);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Adam "optim.Adam" {
        /// How much of the last step's `m` and `v` is kept, in [0, 1); 0.9 and 0.999 by default.
        betas: [f64; 2] = [0.9, 0.999],
        /// Keeps the divisor from 0; 1e-8 by default.
        eps: f64 = 1e-8,
        /// Whether `m` and `v` are scaled up in the first steps, where they are averages with 0; not by default.
        bias_correction: bool = false,
    }
    check = Adam::check;
    slots = |_, parameter| Slots::zeros(["m", "v"], parameter);
}

impl Adam {
    fn check(&self) -> Result<()> {
        check("Adam", self.betas, self.eps)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let settings = (self.betas, self.eps, self.bias_correction);
        adam(&self.memory, settings, gradient, parameter, slots)
    }
}

optimizer! {
    /// AdamW: [`Adam`] of parameters that shrink: `w * (1 - learning_rate * weight_decay)` in place of `w`.
    ///
    /// Its state has `m` and `v` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{AdamW, Optimizer};
    /// let mut optimizer = AdamW::new(0.5)?.weight_decay(0.5);
    /// let gradients = [("w".to_owned(), tensor![0.0])].into();
    /// let after = optimizer.apply_gradients(&gradients, &[("w".to_owned(), tensor![4.0])].into())?;
    /// assert_eq!(after["w"].item::<f32>()?, 3.0);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    AdamW "optim.AdamW" {
        /// How much of the last step's `m` and `v` is kept, in [0, 1); 0.9 and 0.999 by default.
        betas: [f64; 2] = [0.9, 0.999],
        /// Keeps the divisor from 0; 1e-8 by default.
        eps: f64 = 1e-8,
        /// How fast parameters shrink; 0.01 by default.
        weight_decay: f64 = 0.01,
        /// Whether `m` and `v` are scaled up in the first steps, where they are averages with 0; not by default.
        bias_correction: bool = false,
    }
    check = AdamW::check;
    slots = |_, parameter| Slots::zeros(["m", "v"], parameter);
}

impl AdamW {
    fn check(&self) -> Result<()> {
        check("AdamW", self.betas, self.eps)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        let kept = subtract(1, multiply(learning_rate, self.weight_decay)?)?;
        let settings = (self.betas, self.eps, self.bias_correction);
        adam(&self.memory, settings, gradient, &multiply(parameter, kept)?, slots)
    }
}

optimizer! {
    /// Adamax, [`Adam`] by the largest gradient: `m = b1 * m + (1 - b1) * g`, `v = max(b2 * v, |g|)`,
    /// `w = w - learning_rate * m / (v + eps)`.
    ///
    /// Its state has `m` and `v` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Adamax, Optimizer};
    /// let mut optimizer = Adamax::new(1.0)?.betas([0.75, 0.5]);
    /// let w = [("w".to_owned(), tensor![4.0])].into();
    /// assert_eq!(optimizer.apply_gradients(&w, &w)?["w"].item::<f32>()?, 3.75);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Adamax "optim.Adamax" {
        /// How much of the last step's `m` and `v` is kept, in [0, 1); 0.9 and 0.999 by default.
        betas: [f64; 2] = [0.9, 0.999],
        /// Keeps the divisor from 0; 1e-8 by default.
        eps: f64 = 1e-8,
    }
    check = Adamax::check;
    slots = |_, parameter| Slots::zeros(["m", "v"], parameter);
}

impl Adamax {
    fn check(&self) -> Result<()> {
        check("Adamax", self.betas, self.eps)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        let [b1, b2] = self.betas;
        let m = averaged(slots.get("m")?, b1, gradient)?;
        let v = maximum(multiply(slots.get("v")?, b2)?, abs(gradient)?)?;
        slots.set("m", m.clone());
        slots.set("v", v.clone());
        subtract(parameter, divide(multiply(learning_rate, m)?, add(v, self.eps)?)?)
    }
}

/// In the words of Adam, of which the others are subclasses.
fn check(optimizer: &'static str, betas: [f64; 2], eps: f64) -> Result<()> {
    check_betas(optimizer, "Adam", betas)?;
    if eps.is_nan() || eps < 0.0 {
        let eps = float(eps);
        return refused(optimizer, format!("Adam epsilon should be >=0, {eps} was provided instead"));
    }
    Ok(())
}

/// A step of Adam with its betas, its eps, and whether it corrects for the first steps.
fn adam(
    memory: &Memory,
    ([b1, b2], eps, is_corrected): ([f64; 2], f64, bool),
    gradient: &Tensor,
    parameter: &Tensor,
    slots: &mut Slots,
) -> Result<Tensor> {
    let dtype = gradient.dtype();
    let learning_rate = astype(memory.learning_rate()?, dtype)?;
    let m = averaged(slots.get("m")?, b1, gradient)?;
    let v = averaged(slots.get("v")?, b2, &square(gradient)?)?;
    slots.set("m", m.clone());
    slots.set("v", v.clone());
    if !is_corrected {
        return divided(parameter, multiply(learning_rate, m)?, &v, eps);
    }
    let left = |beta: f64| subtract(1, pow(beta, memory.step())?);
    let c1 = astype(&divide(learning_rate, left(b1)?)?, dtype)?;
    let c2 = astype(&rsqrt(&left(b2)?)?, dtype)?;
    let numerator = multiply(c1, m)?;
    let denominator = add(multiply(sqrt(&v)?, c2)?, eps)?;
    subtract(parameter, divide(numerator, denominator)?)
}
