//! Silero's detector of voices: for each 32 milliseconds, how likely somebody speaks.
//!
//! The weights are those of the package's ONNX file: its safetensors file is another model. Not here: ONNX (`onnx`).

use crate::{Result, download::SILERO, of_file, onnx};
use mlx::{
    nn::{Conv1d, LSTM, LstmState, Module, ModuleExt, relu},
    ops::{self, Convolution, PadMode},
    prelude::*,
};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::Path,
};

/// Samples a second.
pub const RATE: u32 = 16_000;
/// Samples that one probability is about.
pub const CHUNK: usize = 512;
/// Samples before them that are seen, too; behind them as many are mirrored.
const CONTEXT: usize = 64;
/// Chunks that are computed at once.
const BATCH: usize = 256;

/// The network.
#[derive(Clone, Debug, Module)]
pub struct Silero {
    /// A Fourier transform: cosines, then sines.
    stft: Conv1d,
    encoder: Vec<Conv1d>,
    rnn: LSTM,
    decoder: Conv1d,
}

impl Silero {
    /// One with random weights.
    ///
    /// # Errors
    /// None that is known.
    pub fn new() -> Result<Silero> {
        let conv =
            |from, to, stride| Conv1d::new(from, to, 3, Convolution::new().padding(1).stride(stride), true);
        Ok(Silero {
            stft: Conv1d::new(1, 258, 256, Convolution::new().stride(128), false)?,
            encoder: vec![conv(129, 128, 1)?, conv(128, 64, 2)?, conv(64, 64, 2)?, conv(64, 128, 1)?],
            rnn: LSTM::new(128, 128, true)?,
            decoder: Conv1d::new(128, 1, 1, Convolution::new(), true)?,
        })
    }

    /// The trained one of the package.
    ///
    /// # Errors
    /// A package that cannot be had; as [`load`](Silero::load).
    pub fn open() -> Result<Silero> {
        Silero::load(&SILERO.file("silero_vad/data/silero_vad_16k_op15.onnx")?)
    }

    /// One with the weights of an ONNX file.
    ///
    /// # Errors
    /// A file that cannot be read or does not fit, and which tensor of it.
    pub fn load(path: &Path) -> Result<Silero> {
        let mut net = Silero::new()?;
        let weights = for_mlx(onnx::load(path)?);
        of_file(path, net.load_weights(weights))?;
        Ok(net)
    }

    /// How likely somebody speaks in each chunk of `samples`, the last one filled with silence.
    ///
    /// # Errors
    /// No samples at all.
    pub fn listen(&self, samples: &[f32]) -> Result<Vec<f32>> {
        let (mut likely, mut state) = (Vec::new(), None);
        for start in (0..samples.len()).step_by(BATCH * CHUNK) {
            let end = samples.len().min(start + BATCH * CHUNK);
            let chunks = chunks(samples, start, end)?;
            let (y, next) = self.forward(&chunks, state.as_ref())?;
            mlx::eval([&y, &next.0, &next.1])?;
            likely.extend(y.to_vec::<f32>()?);
            state = Some(next);
        }
        if likely.is_empty() { Err("there is no sound".into()) } else { Ok(likely) }
    }

    /// Probabilities of chunks that follow each other, `[chunks, CONTEXT + CHUNK]`, and the state behind the last.
    ///
    /// # Errors
    /// Chunks of another size.
    pub fn forward(
        &self,
        chunks: &Tensor,
        state: Option<&(Tensor, Tensor)>,
    ) -> Result<(Tensor, (Tensor, Tensor))> {
        // Mirrored at the last sample, which does not come twice.
        let x = ops::pad(chunks, [(0, 0), (0, CONTEXT as i32)], PadMode::Reflect)?.expand_dims(-1);
        let waves = self.stft.forward(&x)?.square();
        let mut x = (waves.index((Ellipsis, ..129)) + waves.index((Ellipsis, 129..))).sqrt();
        for conv in &self.encoder {
            x = relu(&conv.forward(&x)?)?;
        }
        let x = ops::squeeze(&x, 1)?;
        let (hidden, cell) = match state {
            None => self.rnn.forward(&x, LstmState::new())?,
            Some((hidden, cell)) => self.rnn.forward(&x, (hidden, cell))?,
        };
        let y = self.decoder.forward(&relu(&hidden)?.expand_dims(0))?;
        Ok((ops::sigmoid(&y)?.flatten(..), (hidden.index(-1), cell.index(-1))))
    }
}

/// The samples from `start` to `end` in chunks, each behind its context.
fn chunks(samples: &[f32], start: usize, end: usize) -> Result<Tensor> {
    let count = (end - start).div_ceil(CHUNK);
    let sample = |at: usize| at.checked_sub(CONTEXT).and_then(|at| samples.get(at)).copied().unwrap_or(0.0);
    let rows = (0..count).flat_map(|i| (0..CONTEXT + CHUNK).map(move |j| start + i * CHUNK + j));
    let rows: Vec<f32> = rows.map(sample).collect();
    Ok(Tensor::from_shape_slice([count, CONTEXT + CHUNK], &rows)?)
}

/// PyTorch's weights under MLX's names: channels last, one bias for the two of an LSTM.
fn for_mlx(weights: HashMap<String, Tensor>) -> HashMap<String, Tensor> {
    let (mut renamed, mut bias) = (HashMap::new(), None);
    for (name, tensor) in weights {
        let tensor = if tensor.ndim() == 3 { tensor.transpose([0, 2, 1]) } else { tensor };
        let name = name.strip_prefix("model.").unwrap_or(&name);
        let name = name.replace("stft.forward_basis_buffer", "stft.weight").replace(".reparam_conv", "");
        let name = name.replace("decoder.rnn", "rnn").replace("decoder.decoder.2", "decoder");
        let name = match &*name {
            "rnn.weight_ih" => "rnn.Wx".to_owned(),
            "rnn.weight_hh" => "rnn.Wh".to_owned(),
            "rnn.bias_ih" | "rnn.bias_hh" => match bias.take() {
                None => {
                    bias = Some(tensor);
                    continue;
                }
                Some(other) if Tensor::shape(&other) == tensor.shape() => {
                    renamed.insert("rnn.bias".to_owned(), other + tensor);
                    continue;
                }
                Some(_) => name,
            },
            _ => name,
        };
        renamed.insert(name, tensor);
    }
    renamed
}

/// Chunks of silence that end speech, and of speech that are too few to be any.
const SILENCE: usize = 4;
const SHORT: usize = 8;

/// Where somebody speaks, in chunks: from where the probability reaches `threshold` to where it stays 0.15 below it.
#[must_use]
pub fn segments(likely: &[f32], threshold: f32) -> Vec<Range<usize>> {
    let (mut found, mut open): (Vec<Range<usize>>, Option<Range<usize>>) = (Vec::new(), None);
    for (i, &likely) in likely.iter().enumerate() {
        match &mut open {
            None if likely >= threshold => open = Some(i..i + 1),
            Some(part) if likely >= threshold - 0.15 => part.end = i + 1,
            Some(part) if i >= part.end + SILENCE => found.extend(open.take()),
            _ => {}
        }
    }
    found.extend(open);
    found.retain(|part| part.len() >= SHORT);
    found
}

/// Three seconds that are no speech and not silence either: a saw that moves, louder and softer, with noise; whole numbers
/// alone make it, so that it is the same anywhere.
#[must_use]
pub fn made_up() -> Vec<f32> {
    let (mut noise, mut phase) = (1_u32, 0_u32);
    let sample = |i: u32| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        phase = (phase + 60 + i / 400) % 8192;
        let loud = (i / 1600 % 5) as i32;
        let value = (phase as i32 - 4096) * loud + (noise >> 20) as i32 - 2048;
        value as f32 / 32768.0
    };
    (0..3 * RATE).map(sample).collect()
}

/// What parity compares with Python's.
///
/// # Errors
/// As [`Silero::open`].
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let samples = made_up();
    let (likely, (hidden, cell)) = Silero::open()?.forward(&chunks(&samples, 0, samples.len())?, None)?;
    let outputs = [("likely", likely), ("hidden", hidden), ("cell", cell)];
    Ok(outputs.map(|(name, tensor)| (name.to_owned(), tensor)).into())
}
