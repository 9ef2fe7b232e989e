//! The training of adapters on lines of text.
//!
//! Not here: the adapters' layers and files.

use super::Lora;
use crate::{
    Result,
    language::{Form, Language, Model, smollm2},
    number,
};
use mlx::{
    Dtype,
    nn::{
        self, ModuleExt,
        losses::{CrossEntropy, cross_entropy},
    },
    ops,
    optimizers::{Adam, Optimizer, compile_step},
    prelude::*,
    random,
};
use std::collections::BTreeMap;

/// What a training is told.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many lines it sees in one step.
    pub batch: usize,
    /// The learning rate.
    pub lr: f64,
    /// What all draws begin with.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { batch: 6, lr: 5e-4, seed: 0 }
    }
}

/// Tokens, those that follow each, and 1 where that one counts: `[lines, time]` each.
type Batch = (Tensor, Tensor, Tensor);
type Step = dyn Fn(&mut Model, &mut Adam, &Batch) -> mlx::Result<Tensor>;

/// A model whose adapters learn, step by step. Its draws are from the thread's random key.
pub struct FineTuning {
    /// The model, with adapters.
    pub model: Model,
    /// The loss of each step so far.
    pub losses: Vec<f32>,
    optimizer: Adam,
    lines: Batch,
    order: Tensor,
    batch: usize,
    step: Box<Step>,
}

impl FineTuning {
    /// Puts adapters into `model`, to learn `lines` of tokens, each of which `end` ends.
    ///
    /// # Errors
    /// Settings that make no sense; fewer lines than a batch; tokens that the model does not have.
    pub fn new(
        mut model: Model,
        lora: &Lora,
        lines: &[Vec<u32>],
        end: u32,
        settings: Settings,
    ) -> Result<FineTuning> {
        let Settings { batch, lr, seed } = settings;
        if !(1..=lines.len()).contains(&batch) {
            return Err(
                format!("a batch of {batch} is not from 1 to the {} lines of the text", lines.len()).into()
            );
        }
        if !(lr.is_finite() && lr > 0.0) {
            return Err(format!("a learning rate of {lr} is not above 0").into());
        }
        let known = model.config().vocab_size as u32;
        if let Some(token) = lines.iter().flatten().chain([&end]).find(|token| **token >= known) {
            return Err(format!("token {token} is none of the model's {known}").into());
        }
        random::seed(seed)?;
        lora.apply(&mut model)?;
        model.train(true);
        let mut optimizer = Adam::new(lr)?;
        optimizer.init(&model.trainable_parameters())?;
        let compiled = compile_step(&model, &optimizer, learn);
        let step = move |model: &mut Model, optimizer: &mut Adam, batch: &Batch| {
            compiled.call(model, optimizer, batch)
        };
        let (lines, losses, order) = (padded(lines, end)?, Vec::new(), tensor![0]);
        Ok(FineTuning { model, losses, optimizer, lines, order, batch, step: Box::new(step) })
    }

    /// The next step; its loss, before it. Each time all lines were seen, their order is drawn again.
    ///
    /// # Errors
    /// A loss that is no number any more.
    pub fn step(&mut self) -> Result<f32> {
        let (inputs, targets, counts) = &self.lines;
        let lines = inputs.dim(0);
        let at = self.losses.len() % (lines as usize / self.batch) * self.batch;
        if at == 0 {
            self.order = random::permutation(lines)?;
        }
        let rows = self.order.index(at..at + self.batch);
        let batch =
            (ops::take(inputs, &rows, 0)?, ops::take(targets, &rows, 0)?, ops::take(counts, &rows, 0)?);
        let loss = (self.step)(&mut self.model, &mut self.optimizer, &batch)?;
        let trained = self.model.trainable_parameters();
        mlx::eval(trained.values().chain(self.optimizer.state().values()))?;
        let loss = number(&loss, self.losses.len())?;
        self.losses.push(loss);
        Ok(loss)
    }
}

/// One step: the mean loss of all tokens that count, its gradients by the adapters, the optimizer's step.
fn learn(model: &mut Model, optimizer: &mut Adam, (inputs, targets, counts): &Batch) -> mlx::Result<Tensor> {
    let (loss, gradients) = nn::value_and_grad(model, |model| {
        let logits = model.forward(inputs, &mut [])?;
        let losses = cross_entropy(&logits, targets, CrossEntropy::new().weights(counts))?;
        Ok::<_, Error>(losses.sum(..) / counts.sum(..))
    })?;
    optimizer.update(model, &gradients)?;
    Ok(loss)
}

/// Lines of one length, so that a step is traced once; what is behind a line's end does not count.
fn padded(lines: &[Vec<u32>], end: u32) -> mlx::Result<Batch> {
    let longest = lines.iter().map(Vec::len).max().unwrap_or(0);
    let (mut inputs, mut targets, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let at = |place: usize| line.get(place).copied().unwrap_or(end);
        inputs.extend((0..longest).map(at));
        targets.extend((1..=longest).map(at));
        counts.extend((1..=longest).map(|place| f32::from(u8::from(place <= line.len()))));
    }
    let shape = [lines.len(), longest];
    Ok((
        Tensor::from_shape_slice(shape, &inputs)?,
        Tensor::from_shape_slice(shape, &targets)?,
        Tensor::from_shape_slice(shape, &counts)?,
    ))
}

/// All that four steps on SmolLM2, with its quantized weights, make of adapters: what Python must have, too.
///
/// # Errors
/// The model cannot be fetched or read.
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let model = Language::load(&smollm2()?, Form::Stored, Some(Dtype::Float32))?.model;
    let mut lora = Lora { layers: 2, ..Lora::default() };
    lora.term.dropout = 0.1;
    // Any tokens will do.
    let lines: Vec<Vec<u32>> =
        (0..4).map(|line| (0..6 + line).map(|place| 500 + 7 * line + place).collect()).collect();
    let settings = Settings { batch: 2, seed: 7, ..Settings::default() };
    let mut training = FineTuning::new(model, &lora, &lines, 2, settings)?;
    for _ in 0..4 {
        training.step()?;
    }
    let mut outputs: BTreeMap<String, Tensor> = training.model.trainable_parameters().into_iter().collect();
    outputs.extend(
        training.optimizer.state().into_iter().map(|(key, value)| (format!("optimizer.{key}"), value)),
    );
    outputs.insert("losses".to_owned(), Tensor::from_slice(&training.losses)?);
    Ok(outputs)
}
