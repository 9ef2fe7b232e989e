//! Sounds out of wav files.
//!
//! Not here: what is heard in them.

use hound::{SampleFormat, WavReader};
use mlx_examples::{Result, silero::RATE};
use std::path::Path;

/// The samples, from -1 to 1 and `RATE` a second: the mean of the channels, of a faster sound every so many-th sample.
pub(crate) fn open(path: &Path) -> Result<Vec<f32>> {
    read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn read(path: &Path) -> Result<Vec<f32>> {
    let mut file = WavReader::open(path)?;
    let spec = file.spec();
    let (step, channels) = (spec.sample_rate / RATE, usize::from(spec.channels));
    if spec.sample_rate % RATE != 0 || step == 0 || channels == 0 {
        let rate = spec.sample_rate;
        return Err(
            format!("{channels} channels of {rate} samples a second; {RATE} or a multiple are read").into()
        );
    }
    let samples = match spec.sample_format {
        SampleFormat::Float => file.samples::<f32>().collect::<Result<Vec<_>, _>>()?,
        SampleFormat::Int => {
            let scale = f32::exp2(1.0 - f32::from(spec.bits_per_sample));
            file.samples::<i32>().map(|sample| Ok(sample? as f32 * scale)).collect::<Result<Vec<_>>>()?
        }
    };
    let mean = |frame: &[f32]| frame.iter().sum::<f32>() / channels as f32;
    Ok(samples.chunks_exact(channels).step_by(step as usize).map(mean).collect())
}
