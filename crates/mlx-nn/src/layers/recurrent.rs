//! Layers that go through a sequence step by step. Input is `[batch, time, features]` or `[time, features]`. Not here: the
//! LSTM (`lstm`).

use super::{Activation, refused};
use crate::{
    Module, State, Weights,
    python::{boolean, tuple},
    tanh,
};
use mlx_core::{Result, Tensor};
use mlx_ops::{
    Ellipsis, add, addmm, index, matmul, multiply, random::Uniform, sigmoid, split, stack, subtract,
    transpose,
};

/// Within what initial weights are drawn: one over the root of the hidden size, in Python's order of operations.
pub(super) fn drawn(layer: &'static str, hidden_size: i32) -> Result<Uniform> {
    if hidden_size <= 0 {
        return refused(layer, format!("there is no scale of weights for a hidden size of {hidden_size}"));
    }
    let scale = 1.0 / f64::from(hidden_size).sqrt();
    Ok(Uniform::new(-scale, scale))
}

/// How many rows of `blocks * hidden_size` there are.
pub(super) fn rows(layer: &'static str, blocks: i32, hidden_size: i32) -> Result<i32> {
    match blocks.checked_mul(hidden_size) {
        Some(rows) => Ok(rows),
        None => refused(layer, format!("a hidden size of {hidden_size} is too great")),
    }
}

/// The hidden size that a matrix `[…, hidden_size]` has.
pub(super) fn columns(layer: &'static str, name: &str, weight: &Tensor) -> Result<i32> {
    match weight.shape() {
        &[_, columns] => Ok(columns),
        shape => refused(layer, format!("{name} is a matrix, and this one has the shape {}", tuple(shape))),
    }
}

/// The input's part of all steps at once.
#[track_caller]
pub(super) fn projected(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let weight = transpose(weight, ..)?;
    match bias {
        Some(bias) => addmm(bias, x, &weight, 1.0, 1.0),
        None => matmul(x, &weight),
    }
}

/// How many steps there are in `[…, time, features]`.
pub(super) fn steps(layer: &'static str, x: &Tensor) -> Result<i64> {
    if x.ndim() < 2 {
        let shape = tuple(x.shape());
        return refused(
            layer,
            format!("[{layer}] a sequence has time and features, and this one the shape {shape}"),
        );
    }
    let steps = x.dim(-2);
    if steps > MOST_STEPS {
        return refused(
            layer,
            format!("[{layer}] a sequence of {steps} steps is too long: at most {MOST_STEPS}"),
        );
    }
    Ok(steps.into())
}

/// Each step is nodes of the graph, which transforms take as many of.
const MOST_STEPS: i32 = 1 << 20;

/// One step of a sequence.
#[track_caller]
pub(super) fn at(x: &Tensor, step: i64) -> Result<Tensor> {
    index(x, (Ellipsis, step, ..))
}

/// A layer after Elman: `h = tanh(Wxh x + Whh h + bias)`.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{RNN, relu};
/// let rnn = RNN::from_parameters(tensor![[1.0]], tensor![[2.0]], Some(tensor![0.5]))?.nonlinearity(relu);
/// assert_eq!(rnn.forward(&tensor![[1.0], [0.0]], None)?.to_vec::<f32>()?, [1.5, 3.5]);
/// assert_eq!(rnn.forward(&tensor![[1.0]], Some(&tensor![1.0]))?.to_vec::<f32>()?, [3.5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.RNN")]
pub struct RNN {
    /// `[hidden_size, input_size]`
    #[module(rename = "Wxh")]
    pub wxh: Tensor,
    /// `[hidden_size, hidden_size]`
    #[module(rename = "Whh")]
    pub whh: Tensor,
    /// `[hidden_size]`
    pub bias: Option<Tensor>,
    hidden_size: i32,
    #[module(skip)]
    nonlinearity: Activation,
    state: State,
}

impl RNN {
    /// A layer with parameters drawn as Python draws them: uniform within `1 / sqrt(hidden_size)` of 0.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    pub fn new(input_size: i32, hidden_size: i32, bias: bool) -> Result<RNN> {
        let drawn = drawn("RNN", hidden_size)?;
        let wxh = drawn.sample([hidden_size, input_size])?;
        let whh = drawn.sample([hidden_size, hidden_size])?;
        let bias = bias.then(|| drawn.sample([hidden_size])).transpose()?;
        RNN::from_parameters(wxh, whh, bias)
    }

    /// A layer with these parameters.
    ///
    /// # Errors
    /// A `whh` that is no matrix.
    pub fn from_parameters(wxh: Tensor, whh: Tensor, bias: Option<Tensor>) -> Result<RNN> {
        let hidden_size = columns("RNN", "Whh", &whh)?;
        Ok(RNN { wxh, whh, bias, hidden_size, nonlinearity: tanh.into(), state: State::new() })
    }

    /// A layer from `Wxh`, `Whh` and, where there is one, `bias`.
    ///
    /// # Errors
    /// No `Wxh`, no `Whh`; as [`from_parameters`](RNN::from_parameters).
    pub fn from_weights(weights: &Weights<'_>) -> Result<RNN> {
        RNN::from_parameters(weights.get("Wxh")?, weights.get("Whh")?, weights.find("bias"))
    }

    /// With another function than tanh.
    #[must_use]
    pub fn nonlinearity(mut self, nonlinearity: impl Into<Activation>) -> RNN {
        self.nonlinearity = nonlinearity.into();
        self
    }

    /// The hidden state after each step, `[…, time, hidden_size]`; `hidden`, `[…, hidden_size]`, is the one before
    /// the first.
    ///
    /// # Errors
    /// Shapes that do not fit; no step.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hidden: Option<&Tensor>) -> Result<Tensor> {
        let x = projected(x, &self.wxh, self.bias.as_ref())?;
        let mut all: Vec<Tensor> = Vec::new();
        for step in 0..steps("RNN", &x)? {
            let x = at(&x, step)?;
            let sum = match all.last().or(hidden) {
                Some(hidden) => addmm(&x, hidden, &transpose(&self.whh, ..)?, 1.0, 1.0)?,
                None => x,
            };
            all.push(self.nonlinearity.apply(&sum)?);
        }
        stack(&all, -2)
    }

    fn describe(&self) -> String {
        format!(
            "input_dims={}, hidden_size={}, nonlinearity={:?}, bias={}",
            inputs(&self.wxh),
            self.hidden_size,
            self.nonlinearity,
            boolean(self.bias.is_some())
        )
    }
}

/// A gated recurrent unit.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::GRU;
/// let gru = GRU::new(3, 5, true)?;
/// let x = mlx_ops::ones([2, 4, 3], Dtype::Float32)?;
/// assert_eq!(gru.forward(&x, None)?.shape(), [2, 4, 5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.GRU")]
pub struct GRU {
    /// `[3 * hidden_size, input_size]`: of the reset gate, the update gate, the new state.
    #[module(rename = "Wx")]
    pub wx: Tensor,
    /// `[3 * hidden_size, hidden_size]`
    #[module(rename = "Wh")]
    pub wh: Tensor,
    /// `[3 * hidden_size]`
    pub b: Option<Tensor>,
    /// `[hidden_size]`
    pub bhn: Option<Tensor>,
    hidden_size: i32,
    state: State,
}

impl GRU {
    /// A layer with parameters drawn as Python draws them: uniform within `1 / sqrt(hidden_size)` of 0.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    pub fn new(input_size: i32, hidden_size: i32, bias: bool) -> Result<GRU> {
        let (drawn, rows) = (drawn("GRU", hidden_size)?, rows("GRU", 3, hidden_size)?);
        let wx = drawn.sample([rows, input_size])?;
        let wh = drawn.sample([rows, hidden_size])?;
        let b = bias.then(|| drawn.sample([rows])).transpose()?;
        let bhn = bias.then(|| drawn.sample([hidden_size])).transpose()?;
        GRU::from_parameters(wx, wh, b.zip(bhn))
    }

    /// A layer with these parameters, the biases `b` and `bhn`.
    ///
    /// # Errors
    /// A `wh` that is no matrix.
    pub fn from_parameters(wx: Tensor, wh: Tensor, biases: Option<(Tensor, Tensor)>) -> Result<GRU> {
        let (b, bhn) = biases.unzip();
        let hidden_size = columns("GRU", "Wh", &wh)?;
        Ok(GRU { wx, wh, b, bhn, hidden_size, state: State::new() })
    }

    /// A layer from `Wx`, `Wh` and, where they are, `b` and `bhn`.
    ///
    /// # Errors
    /// No `Wx`, no `Wh`, one bias without the other; as [`from_parameters`](GRU::from_parameters).
    pub fn from_weights(weights: &Weights<'_>) -> Result<GRU> {
        let has_biases = ["b", "bhn"].iter().any(|name| weights.find(name).is_some());
        let biases = has_biases.then(|| Ok((weights.get("b")?, weights.get("bhn")?))).transpose()?;
        GRU::from_parameters(weights.get("Wx")?, weights.get("Wh")?, biases)
    }

    /// The hidden state after each step, `[…, time, hidden_size]`; `hidden`, `[…, hidden_size]`, is the one before
    /// the first.
    ///
    /// # Errors
    /// Shapes that do not fit; no step.
    #[track_caller]
    pub fn forward(&self, x: &Tensor, hidden: Option<&Tensor>) -> Result<Tensor> {
        let x = projected(x, &self.wx, self.b.as_ref())?;
        let gates = index(&x, (Ellipsis, ..-self.hidden_size))?;
        let news = index(&x, (Ellipsis, -self.hidden_size..))?;
        let mut all: Vec<Tensor> = Vec::new();
        for step in 0..steps("GRU", &x)? {
            let next = self.step(at(&gates, step)?, &news, step, all.last().or(hidden))?;
            all.push(next);
        }
        stack(&all, -2)
    }

    fn step(&self, mut gates: Tensor, news: &Tensor, step: i64, hidden: Option<&Tensor>) -> Result<Tensor> {
        let mut projected = None;
        if let Some(hidden) = hidden {
            let all = matmul(hidden, &transpose(&self.wh, ..)?)?;
            let of_gates = index(&all, (Ellipsis, ..-self.hidden_size))?;
            let mut of_new = index(&all, (Ellipsis, -self.hidden_size..))?;
            if let Some(bhn) = &self.bhn {
                of_new = add(of_new, bhn)?;
            }
            projected = Some(of_new);
            gates = add(gates, of_gates)?;
        }
        let [reset, update] = parts(&sigmoid(&gates)?)?;
        let mut new = at(news, step)?;
        if let Some(of_new) = projected.as_ref().or(self.bhn.as_ref()) {
            new = add(new, multiply(reset, of_new)?)?;
        }
        let new = mlx_ops::tanh(&new)?;
        let fresh = multiply(subtract(1, &update)?, new)?;
        match hidden {
            Some(hidden) => add(fresh, multiply(update, hidden)?),
            None => Ok(fresh),
        }
    }

    fn describe(&self) -> String {
        described(&self.wx, self.hidden_size, self.b.is_some())
    }
}

pub(super) fn described(wx: &Tensor, hidden_size: i32, bias: bool) -> String {
    format!("input_dims={}, hidden_size={hidden_size}, bias={}", inputs(wx), boolean(bias))
}

/// How many features a weight takes.
fn inputs(weight: &Tensor) -> i32 {
    weight.shape().last().copied().unwrap_or_default()
}

/// Equal parts along the last axis.
#[track_caller]
pub(super) fn parts<const N: usize>(x: &Tensor) -> Result<[Tensor; N]> {
    let parts = split(x, N as i32, -1)?;
    let count = parts.len();
    match parts.try_into() {
        Ok(parts) => Ok(parts),
        Err(_) => refused("split", format!("there are {count} parts where {N} were asked for")),
    }
}
