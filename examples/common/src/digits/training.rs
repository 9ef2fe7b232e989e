//! A training: a network, its optimizer, the order of the pictures, and how it went so far.
//!
//! Not here: its file (`checkpoint`).

use super::{Batch, Digits, Kind, Net};
use crate::{Result, number};
use mlx::{
    nn::{
        self, ModuleExt, Parameters,
        losses::{CrossEntropy, Reduction, cross_entropy},
    },
    ops,
    optimizers::{AdamW, Optimizer, Schedule, compile_step, cosine_decay, join_schedules, linear_schedule},
    prelude::*,
    random,
};

/// What a training is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which network learns.
    pub model: Kind,
    /// How often it sees all pictures.
    pub epochs: usize,
    /// How many pictures it sees in one step.
    pub batch: usize,
    /// The highest learning rate.
    pub lr: f64,
    /// What all draws begin with.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { model: Kind::Cnn, epochs: 10, batch: 32, lr: 8e-3, seed: 0 }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The loss of its pictures, before it.
    pub loss: f32,
    /// Behind the last step of an epoch: the part of the held-out pictures that the network tells right.
    pub accuracy: Option<f32>,
}

type Step = dyn Fn(&mut Net, &mut AdamW, &Batch) -> mlx::Result<Tensor>;

/// A network that learns, step by step. Its draws are from the thread's random key: a thread has one training at a time.
pub struct Training {
    /// What it was told.
    pub settings: Settings,
    /// The network.
    pub net: Net,
    /// The loss of each step so far.
    pub losses: Vec<f32>,
    /// The accuracy after each epoch so far.
    pub accuracies: Vec<f32>,
    pub(super) optimizer: AdamW,
    /// The rows of the pictures in the order of this epoch.
    pub(super) order: Tensor,
    /// The key of the orders of the next epochs.
    pub(super) shuffle: Tensor,
    digits: Digits,
    step: Box<Step>,
}

impl Training {
    /// A training before its first step.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn new(settings: Settings, digits: Digits) -> Result<Training> {
        settings.check(&digits)?;
        random::seed(settings.seed)?;
        let net = Net::new(settings.model)?;
        let mut optimizer = AdamW::new(schedule(settings, &digits)?)?.bias_correction(true);
        optimizer.init(&net.trainable_parameters())?;
        let compiled = compile_step(&net, &optimizer, learn);
        let step =
            move |net: &mut Net, optimizer: &mut AdamW, batch: &Batch| compiled.call(net, optimizer, batch);
        Ok(Training {
            settings,
            net,
            losses: Vec::new(),
            accuracies: Vec::new(),
            optimizer,
            order: ops::arange(0, digits.training.1.dim(0), 1)?.astype(Dtype::Uint32),
            shuffle: random::key(settings.seed)?,
            digits,
            step: Box::new(step),
        })
    }

    /// The next step.
    ///
    /// # Errors
    /// A loss that is no number any more.
    pub fn step(&mut self) -> Result<Done> {
        let (batch, at) = (self.settings.batch, self.losses.len() % self.steps_per_epoch());
        if at == 0 {
            let keys = random::split(&self.shuffle, 2)?;
            self.shuffle = keys.index(0);
            self.order =
                random::Permutation::new(self.digits.training.1.dim(0)).key(&keys.index(1)).sample()?;
        }
        let rows = self.order.index(at * batch..(at + 1) * batch);
        let (pictures, digits) = &self.digits.training;
        let batch = (ops::take(pictures, &rows, 0)?, ops::take(digits, &rows, 0)?);
        let loss = (self.step)(&mut self.net, &mut self.optimizer, &batch)?;
        mlx::eval(self.net.parameters().values().chain(self.optimizer.state().values()))?;
        let loss = number(&loss, self.losses.len())?;
        self.losses.push(loss);
        let accuracy = (at + 1 == self.steps_per_epoch()).then(|| self.accuracy()).transpose()?;
        self.accuracies.extend(accuracy);
        Ok(Done { loss, accuracy })
    }

    /// The part of the held-out pictures that the network tells right.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn accuracy(&self) -> Result<f32> {
        let (pictures, digits) = &self.digits.held_out;
        let mut net = self.net.clone();
        net.eval();
        let right = net.forward(pictures)?.argmax(-1).eq(digits);
        Ok(right.astype(Dtype::Float32).mean(..).item()?)
    }

    /// The learning rate of the last step.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn learning_rate(&self) -> Result<f32> {
        Ok(self.optimizer.learning_rate().ok_or("AdamW has one")?.item()?)
    }

    /// The steps of an epoch; pictures that are too few for one more are left out of it.
    #[must_use]
    pub fn steps_per_epoch(&self) -> usize {
        self.settings.steps_per_epoch(&self.digits)
    }

    /// The steps of the whole training.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.settings.epochs * self.steps_per_epoch()
    }

    /// Whether all steps are done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.losses.len() == self.steps()
    }

    /// All that the next steps depend on, and how the ones before went: what a checkpoint holds.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn tensors(&self) -> Result<Parameters> {
        let mut tensors = Parameters::new();
        tensors
            .extend(self.net.parameters().into_iter().map(|(key, tensor)| (format!("model.{key}"), tensor)));
        let state = self.optimizer.state().into_iter();
        tensors.extend(state.map(|(key, tensor)| (format!("optimizer.{key}"), tensor)));
        tensors.insert("random.key".to_owned(), random::state()?);
        tensors.insert("shuffle.key".to_owned(), self.shuffle.clone());
        tensors.insert("shuffle.order".to_owned(), self.order.clone());
        tensors.insert("history.losses".to_owned(), padded(&self.losses, self.steps())?);
        tensors.insert("history.accuracies".to_owned(), padded(&self.accuracies, self.settings.epochs)?);
        Ok(tensors)
    }
}

impl Settings {
    fn check(&self, digits: &Digits) -> Result<()> {
        let pictures = digits.training.1.size();
        if !(1..=10_000).contains(&self.epochs) {
            return Err(format!("{} epochs are not from 1 to 10000", self.epochs).into());
        }
        if !(1..=pictures).contains(&self.batch) {
            return Err(format!("a batch of {} pictures is not from 1 to {pictures}", self.batch).into());
        }
        if !(self.lr.is_finite() && self.lr > 0.0) {
            return Err(format!("a learning rate of {} is not above 0", self.lr).into());
        }
        Ok(())
    }

    fn steps_per_epoch(&self, digits: &Digits) -> usize {
        digits.training.1.size() / self.batch
    }
}

/// One step: the loss of the pictures, its gradients, the optimizer's step.
fn learn(net: &mut Net, optimizer: &mut AdamW, (pictures, digits): &Batch) -> mlx::Result<Tensor> {
    let how = CrossEntropy::new().label_smoothing(0.1).reduction(Reduction::Mean);
    let (loss, gradients) =
        nn::value_and_grad(net, |net| cross_entropy(&net.forward(pictures)?, digits, how))?;
    optimizer.update(net, &gradients)?;
    Ok(loss)
}

/// The learning rate of each step: up in a line for a tenth of the steps, then down to a hundredth by a cosine.
fn schedule(settings: Settings, digits: &Digits) -> mlx::Result<Schedule> {
    let steps = (settings.epochs * settings.steps_per_epoch(digits)) as i64;
    let (warm_up, lr) = ((steps / 10).max(1), settings.lr);
    let rise = linear_schedule(lr / 10.0, lr, warm_up)?;
    let fall = cosine_decay(lr, (steps - warm_up).max(1), lr / 100.0)?;
    join_schedules(&[rise, fall], &[warm_up])
}

/// Numbers that grow to `count`, with NaN for what is not yet: a shape that the settings alone say.
fn padded(numbers: &[f32], count: usize) -> mlx::Result<Tensor> {
    let mut numbers = numbers.to_vec();
    numbers.resize(count, f32::NAN);
    Tensor::from_slice(&numbers)
}
