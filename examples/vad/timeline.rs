//! A sound over time: its loudness, the probability of speech, and where speech was found, as SVG.
//!
//! Not here: the finding.

use mlx_examples::silero::{CHUNK, RATE};
use std::{
    fmt::{self, Write},
    ops::Range,
};

/// Pixels of a chunk, of the whole height, and of the middle of the wave.
const STEP: usize = 4;
const HEIGHT: usize = 220;
const MIDDLE: f32 = 60.0;
/// From the foot of the probability's curve to its top.
const CURVE: [f32; 2] = [195.0, 75.0];

/// The picture.
pub(crate) fn svg(samples: &[f32], likely: &[f32], found: &[Range<usize>]) -> Result<String, fmt::Error> {
    let width = likely.len() * STEP;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for part in found {
        let (x, width) = (part.start * STEP, part.len() * STEP);
        writeln!(svg, "<rect x=\"{x}\" width=\"{width}\" height=\"{}\" fill=\"#d9f0d3\"/>", CURVE[0])?;
    }
    writeln!(svg, "<path fill=\"#4575b4\" d=\"{}\"/>", wave(samples)?)?;
    let curve: Vec<String> = (0..)
        .zip(likely)
        .map(|(i, likely)| format!("{},{:.1}", i * STEP + STEP / 2, CURVE[0] - CURVE[1] * likely))
        .collect();
    writeln!(svg, "<polyline fill=\"none\" stroke=\"#d73027\" points=\"{}\"/>", curve.join(" "))?;
    let pixels = |second: usize| second * RATE as usize * STEP / CHUNK;
    for second in (0..).take_while(|&second| pixels(second) < width) {
        writeln!(svg, "<text x=\"{}\" y=\"212\">{second} s</text>", pixels(second))?;
    }
    Ok(svg + "</svg>\n")
}

/// From the least to the greatest sample of each chunk.
fn wave(samples: &[f32]) -> Result<String, fmt::Error> {
    let mut path = String::new();
    for (i, chunk) in samples.chunks(CHUNK).enumerate() {
        let least = chunk.iter().copied().fold(0.0, f32::min).max(-1.0);
        let most = chunk.iter().copied().fold(0.0, f32::max).min(1.0);
        let (x, top, height) = (i * STEP, MIDDLE * (1.0 - most), MIDDLE * (most - least) + 1.0);
        write!(path, "M{x} {top:.1}h{}v{height:.1}h-{}z", STEP - 1, STEP - 1)?;
    }
    Ok(path)
}
