//! Lion: steps by signs.

use super::{Slots, check_betas, optimizer, scaled::averaged};
use mlx_core::{Result, Tensor};
use mlx_ops::{astype, multiply, sign, subtract};

optimizer! {
    /// Lion: `c = b1 * m + (1 - b1) * g`, `m = b2 * m + (1 - b2) * g`, `w = w - learning_rate * (sign(c) + weight_decay * w)`.
    ///
    /// As its steps are signs they are larger than Adam's: a learning rate of a third to a tenth of AdamW's, with as much
    /// more weight decay, does the same. Its state has `m` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Lion, Optimizer};
    /// let mut optimizer = Lion::new(0.5)?;
    /// let w = [("w".to_owned(), tensor![4.0, -1.0])].into();
    /// assert_eq!(optimizer.apply_gradients(&w, &w)?["w"].to_vec::<f32>()?, [3.5, -0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Lion "optim.Lion" {
        /// How much of the last step's `m` is in the step, and how much is kept, in [0, 1); 0.9 and 0.99 by default.
        betas: [f64; 2] = [0.9, 0.99],
        /// How fast parameters shrink; 0 by default.
        weight_decay: f64 = 0.0,
    }
    check = Lion::check;
    slots = |_, parameter| Slots::zeros(["m"], parameter);
}

impl Lion {
    fn check(&self) -> Result<()> {
        check_betas("Lion", "Lion", self.betas)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        let [b1, b2] = self.betas;
        let m = slots.get("m")?;
        let c = averaged(m, b1, gradient)?;
        let m = averaged(m, b2, gradient)?;
        slots.set("m", m);
        let mut parameter = parameter.clone();
        if self.weight_decay > 0.0 {
            let kept = subtract(1, multiply(&learning_rate, self.weight_decay)?)?;
            parameter = multiply(kept, parameter)?;
        }
        subtract(parameter, multiply(learning_rate, sign(&c)?)?)
    }
}
