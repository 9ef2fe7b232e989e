//! Token after token from a model: mlx-lm's `generate_step`.
//!
//! Not here: how a token is chosen (`sampling`), what may come (`json`), text (`tokenizer`).

use super::{
    Result,
    attention::Cache,
    config::Config,
    decode::Decode,
    json::JsonMask,
    model::Model,
    sampling::{Sampler, Sampling},
};
use mlx::{fast::apply_token_bitmask, memory, ops, prelude::*};
use std::time::{Duration, Instant};

/// How many tokens of a prompt go through the model at once.
const PREFILL_STEP: usize = 2048;
/// After how many tokens MLX gives back what it keeps of freed memory.
const CLEAR_AFTER: usize = 256;

/// What to generate, and for how long.
pub struct Settings {
    /// How tokens are drawn.
    pub sampling: Sampling,
    /// How many there are at most.
    pub max_tokens: usize,
    /// Tokens that end it; they are not given out.
    pub stop: Vec<u32>,
    /// What allows only tokens that go on with a JSON text.
    pub json: Option<JsonMask>,
    /// How many tokens of a prompt go through the model at once.
    pub prefill_step: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        let sampling = Sampling::default();
        Settings { sampling, max_tokens: 256, stop: Vec::new(), json: None, prefill_step: PREFILL_STEP }
    }
}

/// How fast it went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// From the start to the first token.
    pub first: Duration,
    /// How many tokens came after it, and how long they took.
    pub later: (usize, Duration),
}

impl Timing {
    /// Tokens a second, without the first.
    #[must_use]
    pub fn tokens_per_second(&self) -> f64 {
        let (tokens, time) = self.later;
        if time.is_zero() { 0.0 } else { tokens as f64 / time.as_secs_f64() }
    }
}

/// What makes tokens: a [`Model`], or its form for it.
pub trait Predict {
    /// What it is made like.
    fn config(&self) -> &Config;

    /// Empty caches, one for each layer.
    ///
    /// # Errors
    /// None: the config was checked.
    fn new_caches(&self) -> mlx::Result<Vec<Cache>>;

    /// Puts `tokens`, `[time]`, into the caches, which have yet to be evaluated.
    ///
    /// # Errors
    /// What the model refuses.
    fn read(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<()>;

    /// The scores of what comes behind `tokens`, `[time]`: `[1, vocab_size]`.
    ///
    /// # Errors
    /// What the model refuses.
    fn scores(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<Tensor>;
}

impl Predict for Model {
    fn config(&self) -> &Config {
        self.config()
    }

    fn new_caches(&self) -> mlx::Result<Vec<Cache>> {
        self.new_caches()
    }

    fn read(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<()> {
        self.hidden(&ops::expand_dims(tokens, 0)?, caches).map(drop)
    }

    fn scores(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<Tensor> {
        ops::index(&self.forward(&ops::expand_dims(tokens, 0)?, caches)?, (.., -1, ..))
    }
}

impl Predict for Decode {
    fn config(&self) -> &Config {
        self.config()
    }

    fn new_caches(&self) -> mlx::Result<Vec<Cache>> {
        self.new_caches()
    }

    fn read(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<()> {
        self.hidden(tokens, caches).map(drop)
    }

    fn scores(&self, tokens: &Tensor, caches: &mut [Cache]) -> mlx::Result<Tensor> {
        let scores = self.forward(tokens, caches)?;
        if scores.dim(0) == 1 { Ok(scores) } else { ops::index(&scores, -1..) }
    }
}

/// The tokens that follow a prompt, one by one. While one is looked at, the next is computed already.
pub struct Generation<'a> {
    model: &'a dyn Predict,
    caches: Vec<Cache>,
    sampler: Sampler,
    settings: Settings,
    /// What of the prompt did not go through the model yet; all of it is gone behind the first token.
    prompt: Vec<u32>,
    /// The next token, on its way: `[1]`.
    next: Option<Tensor>,
    given: usize,
    is_over: bool,
    started: Instant,
    timing: Timing,
}

impl<'a> Generation<'a> {
    /// What follows `prompt`.
    ///
    /// # Errors
    /// An empty prompt; a token that the model does not have; a setting out of range.
    pub fn new(model: &'a dyn Predict, prompt: &[u32], settings: Settings) -> Result<Generation<'a>> {
        let known = model.config().vocab_size;
        if prompt.is_empty() {
            return Err("the prompt is empty".into());
        }
        if let Some(token) = prompt.iter().find(|&&token| i64::from(token) >= i64::from(known)) {
            return Err(format!("the prompt has token {token}, and the model {known} tokens").into());
        }
        if settings.prefill_step == 0 {
            return Err("no token of the prompt at once is no step".into());
        }
        let sampler = Sampler::new(settings.sampling.checked()?)?;
        Ok(Generation {
            model,
            caches: model.new_caches()?,
            sampler,
            settings,
            prompt: prompt.to_vec(),
            next: None,
            given: 0,
            is_over: false,
            started: Instant::now(),
            timing: Timing::default(),
        })
    }

    /// How fast it went so far.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Whether it ended by a stop token, and not because there were enough.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.is_over && self.given < self.settings.max_tokens
    }

    /// The prompt but for its last token, in steps; only the caches are of interest.
    fn prefill(&mut self) -> Result<()> {
        while self.prompt.len() > 1 {
            let count = self.settings.prefill_step.min(self.prompt.len() - 1);
            let tokens: Vec<u32> = self.prompt.drain(..count).collect();
            let tokens = Tensor::from_slice(&tokens)?;
            self.model.read(&tokens, &mut self.caches)?;
            mlx::eval(self.caches.iter().flat_map(Cache::buffers))?;
            self.sampler.see(&tokens)?;
            memory::clear_cache()?;
        }
        Ok(())
    }

    /// Starts computing the token behind `tokens`, `[count]`.
    fn start(&mut self, tokens: &Tensor) -> Result<Tensor> {
        let mut logits = self.model.scores(tokens, &mut self.caches)?;
        self.sampler.see(tokens)?;
        if let Some(json) = &self.settings.json {
            logits = apply_token_bitmask(&logits, json.words())?;
        }
        let next = self.sampler.sample(&logits)?;
        mlx::async_eval([&next])?;
        Ok(next)
    }

    fn step(&mut self) -> Result<Option<u32>> {
        let current = if let Some(next) = self.next.take() {
            next
        } else {
            self.prefill()?;
            let tokens = Tensor::from_slice(&std::mem::take(&mut self.prompt))?;
            self.start(&tokens)?
        };
        let is_last = self.given + 1 >= self.settings.max_tokens;
        // The next one needs no look at this one, but for a mask, which does.
        if !is_last && self.settings.json.is_none() {
            self.next = Some(self.start(&current)?);
        }
        let token = current.item::<u32>()?;
        if self.settings.stop.contains(&token) {
            return Ok(None);
        }
        if let Some(json) = &mut self.settings.json {
            json.push(token)?;
            if !is_last {
                self.next = Some(self.start(&current)?);
            }
        }
        self.given += 1;
        if self.given.is_multiple_of(CLEAR_AFTER) {
            memory::clear_cache()?;
        }
        Ok(Some(token))
    }
}

impl Iterator for Generation<'_> {
    type Item = Result<u32>;

    fn next(&mut self) -> Option<Result<u32>> {
        if self.is_over || self.given == self.settings.max_tokens {
            return None;
        }
        let step = self.step();
        let elapsed = self.started.elapsed();
        match &step {
            Ok(Some(_)) if self.given == 1 => self.timing.first = elapsed,
            Ok(Some(_)) => self.timing.later = (self.given - 1, elapsed.saturating_sub(self.timing.first)),
            Ok(None) | Err(_) => self.is_over = true,
        }
        step.transpose()
    }
}
