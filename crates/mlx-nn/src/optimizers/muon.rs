//! Muon: steps that are orthogonal matrices.

use super::{Slots, optimizer, refused};
use mlx_core::{Result, Tensor, axes};
use mlx_ops::{
    add, addmm, astype, divide,
    linalg::{Norm, norm},
    matmul, multiply, reshape, subtract, transpose,
};

optimizer! {
    /// Muon, by Keller Jordan: `v = momentum * v + (1 - momentum) * g`, of which each matrix is made orthogonal by Newton's
    /// and Schulz's iteration.
    ///
    /// Parameters of more than two axes are matrices of their first one and the others; of fewer they take `v` as it is.
    /// Embeddings, the last layer, and parameters of fewer axes are better left to another optimizer: see
    /// [`MultiOptimizer`](super::MultiOptimizer). Its state has `v` of each parameter, in its shape and dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::optimizers::{Muon, Optimizer};
    /// let mut optimizer = Muon::new(1.0)?.weight_decay(0.0);
    /// let gradients = [("w".to_owned(), tensor![[0.5, 0.0], [0.0, -8.0]])].into();
    /// let w = [("w".to_owned(), tensor![[0.0, 0.0], [0.0, 0.0]])].into();
    /// let step = optimizer.apply_gradients(&gradients, &w)?["w"].to_vec::<f32>()?;
    /// assert!((-1.3..-0.6).contains(&step[0]) && (0.6..1.3).contains(&step[3]), "{step:?}");
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    Muon "optim.Muon" {
        /// How much of the last step's `v` is kept; 0.95 by default.
        momentum: f64 = 0.95,
        /// How much of the parameter is added to its gradient; 0.01 by default.
        weight_decay: f64 = 0.01,
        /// Nesterov's momentum; so by default.
        nesterov: bool = true,
        /// How often the iteration is done, at most 1024 times; 5 by default.
        ns_steps: u32 = 5_u32,
    }
    check = Muon::check;
    slots = |_, parameter| Slots::zeros(["v"], parameter);
}

/// Each is nodes of the graph for each matrix.
const MOST_NS_STEPS: u32 = 1024;

impl Muon {
    fn check(&self) -> Result<()> {
        match self.ns_steps {
            0..=MOST_NS_STEPS => Ok(()),
            many => refused(
                "Muon",
                format!("ns_steps should be at most {MOST_NS_STEPS}, {many} was provided instead"),
            ),
        }
    }

    fn step(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let (momentum, rest) = (self.momentum, 1.0 - self.momentum);
        let mut gradient = gradient.clone();
        if self.weight_decay != 0.0 {
            gradient = add(gradient, multiply(parameter, self.weight_decay)?)?;
        }
        let v = multiply(slots.get("v")?, momentum)?;
        let v = add(v, multiply(&gradient, rest)?)?;
        slots.set("v", v.clone());
        let mut update =
            if self.nesterov { add(multiply(&gradient, rest)?, multiply(v, momentum)?)? } else { v };
        let mut learning_rate = astype(self.memory.learning_rate()?, gradient.dtype())?;
        if let [.., rows, columns] = *update.shape() {
            let shape = update.shape().to_vec();
            if shape.len() > 2 {
                update = reshape(&update, [shape[0], -1])?;
            }
            update = orthogonal(update, self.ns_steps)?;
            if shape.len() > 2 {
                update = reshape(&update, &shape[..])?;
            }
            if columns == 0 {
                return refused("Muon", "division by zero");
            }
            let scale = (f64::from(rows) / f64::from(columns)).max(1.0).sqrt();
            learning_rate = multiply(learning_rate, scale)?;
        }
        subtract(parameter, multiply(learning_rate, update)?)
    }
}

/// A matrix near the orthogonal one that is nearest to `x`.
fn orthogonal(mut x: Tensor, steps: u32) -> Result<Tensor> {
    let (a, b, c) = (3.4445, -4.7750, 2.0315);
    let is_turned = x.dim(-2) > x.dim(-1);
    if is_turned {
        x = transpose(&x, ..)?;
    }
    let size = norm(&x, Norm::Euclidean, axes(..).keep())?;
    x = divide(x, add(size, 1e-7)?)?;
    for _ in 0..steps {
        let square = matmul(&x, &transpose(&x, ..)?)?;
        let sum = addmm(&multiply(&square, b)?, &square, &square, c, 1.0)?;
        x = addmm(&multiply(&x, a)?, &sum, &x, 1.0, 1.0)?;
    }
    if is_turned { transpose(&x, ..) } else { Ok(x) }
}
