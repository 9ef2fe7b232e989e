//! Adafactor: squared gradients of matrices by their rows and columns.

use super::{Memory, Slots, optimizer, scaled::averaged};
use mlx_core::{Result, Tensor, axes};
use mlx_ops::{
    add, astype, divide, expand_dims, maximum, mean, minimum, multiply, pow, rsqrt, sqrt, square, subtract,
    zeros, zeros_like,
};

optimizer! {
    /// [Adafactor](https://arxiv.org/abs/1804.04235): [`Adam`](super::Adam) with less memory. Of a parameter of two axes or
    /// more it keeps the squared gradients' means along the last two.
    ///
    /// Its state has `exp_avg_sq_row` and `exp_avg_sq_col` of such parameters, `exp_avg_sq` of others, and `exp_avg` with
    /// [`beta_1`](Adafactor::beta_1). By default it sets its learning rate itself.
    ///
    /// ```
    /// # use mlx_core::Dtype;
    /// # use mlx_nn::optimizers::{Adafactor, Optimizer};
    /// let mut optimizer = Adafactor::relative()?;
    /// let w = [("w".to_owned(), mlx_ops::ones([2, 3], Dtype::Float32)?)].into();
    /// let after = optimizer.apply_gradients(&w, &w)?["w"].to_vec::<f32>()?;
    /// assert!(after.iter().all(|w| (w - 0.99).abs() < 1e-6));
    /// assert_eq!(optimizer.state()["w.exp_avg_sq_row"].shape(), [2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Adafactor "optim.Adafactor" {
        /// What is added to squared gradients, and the least size of a parameter that the step is scaled by; 1e-30 and 1e-3
        /// by default.
        eps: [f64; 2] = [1e-30, 1e-3],
        /// How large the root of the mean square of a step may be, before it is scaled; 1 by default.
        clip_threshold: f64 = 1.0,
        /// The exponent of the number of steps: how fast the averages' rate nears 1; -0.8 by default.
        decay_rate: f64 = -0.8,
        /// How much of the last step is kept; none by default.
        beta_1: Option<f64> = None,
        /// How fast parameters shrink; 0 by default.
        weight_decay: f64 = 0.0,
        /// Whether a step is as large as the parameter's root mean square says; so by default.
        scale_parameter: bool = true,
        /// Whether the learning rate comes from the number of steps and not from the caller; so by default.
        relative_step: bool = true,
        /// Whether such a learning rate begins small; not by default.
        warmup_init: bool = false,
    }
    slots = Adafactor::slots;
}

impl Adafactor {
    /// An optimizer without a learning rate of the caller's: Python's default. [`new`](Adafactor::new) with one asks for
    /// [`relative_step(false)`](Adafactor::relative_step), too, or the learning rate is not used.
    ///
    /// # Errors
    /// MLX that cannot be started.
    pub fn relative() -> Result<Adafactor> {
        Ok(Adafactor::with_memory(Memory::without_learning_rate()?))
    }

    fn slots(&self, parameter: &Tensor) -> Result<Slots> {
        let (shape, dtype) = (parameter.shape(), parameter.dtype());
        let mut slots = match *shape {
            [ref outer @ .., rows, columns] => {
                let (by_row, by_column) = ([outer, &[rows]].concat(), [outer, &[columns]].concat());
                Slots::new()
                    .with("exp_avg_sq_row", zeros(by_row, dtype)?)
                    .with("exp_avg_sq_col", zeros(by_column, dtype)?)
            }
            _ => Slots::new().with("exp_avg_sq", zeros_like(parameter)?),
        };
        if self.beta_1.is_some() {
            slots.set("exp_avg", zeros_like(parameter)?);
        }
        Ok(slots)
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let size = root_mean_square(parameter)?;
        let learning_rate = self.learning_rate_of(&size)?;
        let beta_2 = subtract(1.0, astype(&pow(self.memory.step(), self.decay_rate)?, size.dtype())?)?;
        let squared = add(square(gradient)?, self.eps[0])?;
        let update = if gradient.ndim() >= 2 {
            let rows = mixed(&beta_2, slots.get("exp_avg_sq_row")?, || mean(&squared, -1))?;
            let columns = mixed(&beta_2, slots.get("exp_avg_sq_col")?, || mean(&squared, -2))?;
            slots.set("exp_avg_sq_row", rows.clone());
            slots.set("exp_avg_sq_col", columns.clone());
            multiply(product(&rows, &columns)?, gradient)?
        } else {
            let average = mixed(&beta_2, slots.get("exp_avg_sq")?, || Ok(squared))?;
            slots.set("exp_avg_sq", average.clone());
            multiply(rsqrt(&average)?, gradient)?
        };
        let over = maximum(1.0, divide(root_mean_square(&update)?, self.clip_threshold)?)?;
        let mut update = multiply(&learning_rate, divide(update, over)?)?;
        if let Some(beta_1) = self.beta_1 {
            update = averaged(slots.get("exp_avg")?, beta_1, &update)?;
            slots.set("exp_avg", update.clone());
        }
        let mut parameter = parameter.clone();
        if self.weight_decay != 0.0 {
            let shrunk = multiply(&parameter, multiply(learning_rate, -self.weight_decay)?)?;
            parameter = add(parameter, shrunk)?;
        }
        subtract(parameter, update)
    }

    /// The learning rate of a parameter of that size.
    fn learning_rate_of(&self, size: &Tensor) -> Result<Tensor> {
        let step = self.memory.step();
        let relative = match (self.relative_step, self.warmup_init) {
            (false, _) => self.memory.learning_rate()?.clone(),
            (true, true) => minimum(multiply(step, 1e-6)?, rsqrt(step)?)?,
            (true, false) => minimum(1e-2, rsqrt(step)?)?,
        };
        let relative = astype(&relative, size.dtype())?;
        if self.scale_parameter {
            multiply(maximum(self.eps[1], size)?, relative)
        } else {
            multiply(relative, 1.0)
        }
    }
}

fn root_mean_square(x: &Tensor) -> Result<Tensor> {
    sqrt(&mean(&square(x)?, ..)?)
}

/// `beta * average + (1 - beta) * new`, whose parts are made in Python's order.
fn mixed(beta: &Tensor, average: &Tensor, new: impl FnOnce() -> Result<Tensor>) -> Result<Tensor> {
    add(multiply(beta, average)?, multiply(subtract(1, beta)?, new()?)?)
}

/// The inverse roots that the means along rows and columns stand for.
fn product(rows: &Tensor, columns: &Tensor) -> Result<Tensor> {
    let rows = rsqrt(&divide(rows, mean(rows, axes(-1).keep())?)?)?;
    let columns = rsqrt(columns)?;
    multiply(expand_dims(&rows, -1)?, expand_dims(&columns, -2)?)
}
