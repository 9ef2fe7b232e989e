//! Long short-term memory. Not here: other recurrent layers, and what they share (`recurrent`).

use super::recurrent::{at, columns, described, drawn, parts, projected, rows, steps};
use crate::{Module, State, Weights};
use mlx_core::{Result, Tensor};
use mlx_ops::{add, addmm, multiply, sigmoid, stack, transpose};

/// What an [`LSTM`] begins with, `[…, hidden_size]` each; zeros where there is none.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{LSTM, LstmState};
/// let (lstm, h) = (LSTM::new(3, 1, true)?, tensor![0.5]);
/// let x = tensor![[1.0, 2.0, 3.0]];
/// let both = lstm.forward(&x, (&h, &h))?;
/// assert_eq!(lstm.forward(&x, LstmState::new().hidden(&h).cell(&h))?.0.to_vec::<f32>()?, both.0.to_vec::<f32>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LstmState<'a> {
    /// The hidden state.
    pub hidden: Option<&'a Tensor>,
    /// The cell.
    pub cell: Option<&'a Tensor>,
}

impl<'a> LstmState<'a> {
    /// Nothing before.
    #[must_use]
    pub fn new() -> LstmState<'a> {
        LstmState::default()
    }

    /// With a hidden state.
    #[must_use]
    pub fn hidden(mut self, hidden: &'a Tensor) -> LstmState<'a> {
        self.hidden = Some(hidden);
        self
    }

    /// With a cell.
    #[must_use]
    pub fn cell(mut self, cell: &'a Tensor) -> LstmState<'a> {
        self.cell = Some(cell);
        self
    }
}

impl<'a> From<(&'a Tensor, &'a Tensor)> for LstmState<'a> {
    fn from((hidden, cell): (&'a Tensor, &'a Tensor)) -> LstmState<'a> {
        LstmState::new().hidden(hidden).cell(cell)
    }
}

/// Long short-term memory.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_nn::{LSTM, LstmState};
/// let lstm = LSTM::new(3, 5, true)?;
/// let x = mlx_ops::ones([2, 4, 3], Dtype::Float32)?;
/// let (hidden, cell) = lstm.forward(&x, LstmState::new())?;
/// assert_eq!((hidden.shape(), cell.shape()), (&[2, 4, 5][..], &[2, 4, 5][..]));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[module(extra_repr = Self::describe)]
#[doc(alias = "nn.LSTM")]
pub struct LSTM {
    /// `[4 * hidden_size, input_size]`: of the input gate, the forget gate, the new cell, the output gate.
    #[module(rename = "Wx")]
    pub wx: Tensor,
    /// `[4 * hidden_size, hidden_size]`
    #[module(rename = "Wh")]
    pub wh: Tensor,
    /// `[4 * hidden_size]`
    pub bias: Option<Tensor>,
    hidden_size: i32,
    state: State,
}

impl LSTM {
    /// A layer with parameters drawn as Python draws them: uniform within `1 / sqrt(hidden_size)` of 0.
    ///
    /// # Errors
    /// Sizes that are no sizes.
    pub fn new(input_size: i32, hidden_size: i32, bias: bool) -> Result<LSTM> {
        let (drawn, rows) = (drawn("LSTM", hidden_size)?, rows("LSTM", 4, hidden_size)?);
        let wx = drawn.sample([rows, input_size])?;
        let wh = drawn.sample([rows, hidden_size])?;
        let bias = bias.then(|| drawn.sample([rows])).transpose()?;
        LSTM::from_parameters(wx, wh, bias)
    }

    /// A layer with these parameters.
    ///
    /// # Errors
    /// A `wh` that is no matrix.
    pub fn from_parameters(wx: Tensor, wh: Tensor, bias: Option<Tensor>) -> Result<LSTM> {
        let hidden_size = columns("LSTM", "Wh", &wh)?;
        Ok(LSTM { wx, wh, bias, hidden_size, state: State::new() })
    }

    /// A layer from `Wx`, `Wh` and, where there is one, `bias`.
    ///
    /// # Errors
    /// No `Wx`, no `Wh`; as [`from_parameters`](LSTM::from_parameters).
    pub fn from_weights(weights: &Weights<'_>) -> Result<LSTM> {
        LSTM::from_parameters(weights.get("Wx")?, weights.get("Wh")?, weights.find("bias"))
    }

    /// The hidden state and the cell after each step, `[…, time, hidden_size]` each; `before`, two tensors or an
    /// [`LstmState`], has those before the first.
    ///
    /// # Errors
    /// Shapes that do not fit; no step.
    #[track_caller]
    pub fn forward<'a>(&self, x: &Tensor, before: impl Into<LstmState<'a>>) -> Result<(Tensor, Tensor)> {
        let LstmState { hidden, cell } = before.into();
        let x = projected(x, &self.wx, self.bias.as_ref())?;
        let (mut all, mut cells): (Vec<Tensor>, Vec<Tensor>) = (Vec::new(), Vec::new());
        for step in 0..steps("LSTM", &x)? {
            let mut gates = at(&x, step)?;
            if let Some(hidden) = all.last().or(hidden) {
                gates = addmm(&gates, hidden, &transpose(&self.wh, ..)?, 1.0, 1.0)?;
            }
            let [input, forget, new, output] = parts(&gates)?;
            let (input, forget) = (sigmoid(&input)?, sigmoid(&forget)?);
            let (new, output) = (mlx_ops::tanh(&new)?, sigmoid(&output)?);
            let next = match cells.last().or(cell) {
                Some(cell) => add(multiply(forget, cell)?, multiply(input, new)?)?,
                None => multiply(input, new)?,
            };
            all.push(multiply(output, mlx_ops::tanh(&next)?)?);
            cells.push(next);
        }
        Ok((stack(&all, -2)?, stack(&cells, -2)?))
    }

    fn describe(&self) -> String {
        described(&self.wx, self.hidden_size, self.bias.is_some())
    }
}
