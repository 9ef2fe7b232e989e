//! Where somebody speaks in a sound: the times as text, the whole as a picture.
//!
//! `cargo run --release --example vad SPEECH.wav`. Not here: the detector (`mlx_examples::silero`).

mod sound;

use clap::Parser;
use mlx_examples::{
    Result,
    options::Place,
    plot::{Figure, Panel},
    program,
    silero::{CHUNK, RATE, Silero, segments},
    text::bar,
};
use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

/// Finds speech in wav files; draws each one's loudness and the probability of speech beside it, as FILE.svg.
#[derive(Parser)]
struct Options {
    /// Sounds of 16,000 samples a second, or a multiple of it
    #[arg(required = true, value_name = "SPEECH.wav")]
    sounds: Vec<PathBuf>,
    /// The least probability that begins speech
    #[arg(long, default_value_t = 0.5)]
    threshold: f32,
    /// Where the pictures go; the folder of the program if it is not said
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

fn main() -> ExitCode {
    let options = Options::parse();
    program::run("vad", || options.place.run(|| run(&options)))
}

fn run(options: &Options) -> Result<()> {
    let model = Silero::open()?;
    let beside = std::env::current_exe()?;
    let folder = options.out.as_deref().or(beside.parent()).unwrap_or(Path::new("."));
    for path in &options.sounds {
        let samples = sound::open(path)?;
        let start = Instant::now();
        let likely = model.listen(&samples).map_err(|error| format!("{}: {error}", path.display()))?;
        let (took, seconds) = (start.elapsed(), samples.len() as f32 / RATE as f32);

        let found = segments(&likely, options.threshold);
        println!("{}: {seconds:.2} s", path.display());
        let time = |chunk: usize| (chunk * CHUNK) as f32 / RATE as f32;
        for part in &found {
            let (from, to) = (time(part.start), time(part.end).min(seconds));
            let mean = likely[part.clone()].iter().sum::<f32>() / part.len() as f32;
            println!("  {from:>8.2} to {to:>7.2} s  {} {:>5.1} %", bar(mean, 20), 100.0 * mean);
        }
        if found.is_empty() {
            println!("  nobody speaks");
        }
        let name = path.with_extension("svg");
        let svg = folder.join(name.file_name().unwrap_or(name.as_os_str()));
        fs::write(&svg, timeline(&name.to_string_lossy(), &samples, &likely, &found).to_string())
            .map_err(|error| format!("{}: {error}", svg.display()))?;
        eprintln!("{} in {took:.1?}: {}", path.display(), svg.display());
    }
    Ok(())
}

/// The loudness and the probability of speech over time, with what was found shaded.
fn timeline(title: &str, samples: &[f32], likely: &[f32], found: &[Range<usize>]) -> Figure {
    let second = |sample: usize| sample as f64 / f64::from(RATE);
    // Down and up again over each chunk: as many samples as there are pixels would be as dark.
    let wave = samples.chunks(CHUNK).enumerate().flat_map(|(i, chunk)| {
        let [least, most] = [f32::min, f32::max].map(|of| chunk.iter().copied().fold(0.0, of));
        [least, most].map(|value| (second(i * CHUNK), f64::from(value)))
    });
    let curve =
        likely.iter().enumerate().map(|(i, &likely)| (second(i * CHUNK + CHUNK / 2), f64::from(likely)));
    let panels = [
        Panel::new("time [s]", "sample").line("", wave).y_range(-1.0, 1.0),
        Panel::new("time [s]", "probability of speech").line("", curve).y_range(0.0, 1.0),
    ];
    panels.into_iter().fold(Figure::new(title), |figure, panel| {
        let panel = panel.x_range(0.0, second(samples.len()));
        let shaded = |panel: Panel, part: &Range<usize>| {
            panel.span(second(part.start * CHUNK), second(part.end * CHUNK))
        };
        figure.panel(found.iter().fold(panel, shaded))
    })
}
