//! The training, a compiled step as often as asked for, and how well a model knows digits.

use super::{
    data::{Digits, SIDE},
    model::Cnn,
};
use mlx::{
    nn::{
        self, ModuleExt,
        losses::{CrossEntropy, cross_entropy},
    },
    optimizers::{AdamW, Optimizer, compile_step, cosine_decay},
    prelude::*,
    random,
};

type Batch = (Tensor, Tensor);

/// Draws a model and trains it, on other pictures in each step; says the loss now and then.
pub(crate) fn train(digits: &Digits, steps: i32, mut say: impl FnMut(i32, f32)) -> Result<(Cnn, AdamW)> {
    random::seed(0)?;
    let mut model = Cnn::new(SIDE as i32)?;
    let mut optimizer = AdamW::new(cosine_decay(1e-2, steps.into(), 1e-4)?)?.bias_correction(true);
    let step =
        compile_step(&model, &optimizer, |model, optimizer, (pictures, wanted): &Batch| -> Result<Tensor> {
            let (loss, gradients) = nn::value_and_grad(model, |model| -> Result<Tensor> {
                let losses = cross_entropy(&model.forward(pictures)?, wanted, CrossEntropy::new())?;
                Ok(losses.mean(..))
            })?;
            optimizer.update(model, &gradients)?;
            Ok(loss)
        });
    for i in 0..steps {
        let batch = digits.draw(64, &random::key(i as u64)?)?;
        let loss = step.call(&mut model, &mut optimizer, &batch)?;
        mlx::eval(model.parameters().values().chain(optimizer.state().values()))?;
        if i % 50 == 0 || i + 1 == steps {
            say(i, loss.item()?);
        }
    }
    Ok((model, optimizer))
}

/// The part of the pictures that the model tells right.
pub(crate) fn accuracy(model: &Cnn, pictures: &Tensor, wanted: &Tensor) -> Result<f32> {
    let right = model.forward(pictures)?.argmax(-1).eq(wanted);
    right.astype(Dtype::Float32).mean(..).item()
}
