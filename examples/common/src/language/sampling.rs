//! Which token comes next: mlx-lm's `sample_utils`, in its order of operations and compiled where it is, so that a seed draws
//! what it draws in Python.

use mlx::{
    ops,
    prelude::*,
    random::{self, Categorical},
    transforms::{Compiled, CompiledState, compile, compile_state},
};

/// How tokens are drawn. The default takes the likeliest.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// What scores are divided by; 0 for the likeliest token.
    pub temperature: f64,
    /// Only the likeliest tokens that have this probability together; 0 and 1 for all.
    pub top_p: f64,
    /// Only tokens at least this fraction as probable as the likeliest; 0 for all.
    pub min_p: f64,
    /// What makes the last 20 tokens less likely; 0 and 1 leave them.
    pub repetition_penalty: f64,
    /// What the draws begin with; none for other draws each time.
    pub seed: Option<u64>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { temperature: 0.0, top_p: 0.0, min_p: 0.0, repetition_penalty: 0.0, seed: None }
    }
}

impl Sampling {
    /// That each setting is in its range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn checked(self) -> Result<Sampling, String> {
        let settings = [
            ("temperature", self.temperature, f64::MAX),
            ("top_p", self.top_p, 1.0),
            ("min_p", self.min_p, 1.0),
            ("repetition_penalty", self.repetition_penalty, f64::MAX),
        ];
        match settings.into_iter().find(|(_, value, most)| !(0.0..=*most).contains(value)) {
            Some((name, value, most)) if most <= 1.0 => {
                Err(format!("{name} is {value}, not between 0 and {most}"))
            }
            Some((name, value, _)) => Err(format!("{name} is {value}, not a number from 0 on")),
            None => Ok(self),
        }
    }
}

/// Scores in, scores out; compiled once, then one node of a graph.
type Filter = Compiled<Tensor, Result<Tensor>, Box<dyn Fn(&Tensor) -> Result<Tensor>>>;
/// A key and scores in, a token out; the key moves on.
type Draw =
    CompiledState<Tensor, Tensor, Result<Tensor>, Box<dyn Fn(&mut Tensor, &Tensor) -> Result<Tensor>>>;

/// How many of the last tokens a repetition penalty looks at.
const CONTEXT: i32 = 20;

/// What draws tokens as a [`Sampling`] says.
pub struct Sampler {
    filters: Vec<Filter>,
    draw: Option<Draw>,
    key: Tensor,
    penalty: Option<f64>,
    last: Option<Tensor>,
}

impl Sampler {
    /// A sampler at its first token.
    ///
    /// # Errors
    /// None but of a start of MLX that failed.
    pub fn new(how: Sampling) -> Result<Sampler> {
        let mut filters: Vec<Filter> = Vec::new();
        if how.top_p > 0.0 && how.top_p < 1.0 {
            filters.push(compile(Box::new(move |logprobs| top_p(logprobs, how.top_p))));
        }
        if how.min_p > 0.0 {
            filters.push(compile(Box::new(move |logprobs| min_p(logprobs, how.min_p))));
        }
        let draw = (how.temperature > 0.0).then(|| -> Draw {
            compile_state(Box::new(move |key, logprobs| categorical(key, logprobs, how.temperature)))
        });
        let penalty = Some(how.repetition_penalty).filter(|&by| by > 0.0);
        let key = how.seed.map_or_else(random::state, random::key)?;
        Ok(Sampler { filters, draw, key, penalty, last: None })
    }

    /// Tells of tokens, `[count]`, that come before the one to be drawn.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn see(&mut self, tokens: &Tensor) -> Result<()> {
        if self.penalty.is_some() {
            let all = match &self.last {
                Some(last) => ops::concatenate([last, tokens], 0)?,
                None => tokens.clone(),
            };
            let from = (all.dim(0) - CONTEXT).max(0);
            self.last = Some(all.index(from..));
        }
        Ok(())
    }

    /// A token for each row of `logits`, `[batch, vocabulary]`: `[batch]`, uint32.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn sample(&mut self, logits: &Tensor) -> Result<Tensor> {
        let mut logits = logits.clone();
        if let (Some(by), Some(last)) = (self.penalty, &self.last) {
            let scores = logits.index((.., last));
            let less = ops::where_(scores.lt(0), &(&scores * by), &(&scores / by))?;
            logits.set_index((.., last), &less);
        }
        let mut logprobs = &logits - ops::logsumexp(&logits, axes(..).keep())?;
        let Some(draw) = &self.draw else { return ops::argmax(&logprobs, -1) };
        for filter in &self.filters {
            logprobs = filter.call(&logprobs)?;
        }
        draw.call(&mut self.key, &logprobs)
    }
}

/// The likeliest tokens that have the probability `most` together; the others' scores are minus infinity.
fn top_p(logprobs: &Tensor, most: f64) -> Result<Tensor> {
    let sorted = ops::sort(logprobs, -1)?;
    let probabilities = sorted.astype(Dtype::Float32).exp();
    let above = probabilities.cumsum(scan(-1).reverse().exclusive());
    let total = above.index((Ellipsis, ..1)) + probabilities.index((Ellipsis, ..1));
    let dropped = above.ge(most * total).sum(axes(-1).keep());
    let threshold = ops::take_along_axis(&sorted, &dropped, -1)?;
    ops::where_(logprobs.lt(&threshold), f64::NEG_INFINITY, logprobs)
}

/// The tokens at least `least` times as probable as the likeliest.
fn min_p(logprobs: &Tensor, least: f64) -> Result<Tensor> {
    let threshold = logprobs.max(axes(-1).keep()) + least.ln();
    ops::where_(logprobs.lt(&threshold), f64::NEG_INFINITY, logprobs)
}

/// A draw by the scores over `temperature`, with a key of its own; `key` becomes the next one.
fn categorical(key: &mut Tensor, logprobs: &Tensor, temperature: f64) -> Result<Tensor> {
    let keys = random::split(key, 2)?;
    *key = keys.index(0);
    Categorical::new(&(logprobs * (1.0 / temperature))).key(&keys.index(1)).sample_each()
}
