//! Where somebody speaks in a sound: the times as text, the whole as a picture.
//!
//! `cargo run --release --example vad SPEECH.wav`. Not here: the detector (`mlx_examples::silero`), the picture (`timeline`).

mod sound;
mod timeline;

use clap::Parser;
use mlx_examples::{
    Result,
    options::Place,
    silero::{CHUNK, RATE, Silero, segments},
    text::bar,
};
use std::{
    fs,
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
    match options.place.run(|| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vad: {error}");
            ExitCode::FAILURE
        }
    }
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
        fs::write(&svg, timeline::svg(&samples, &likely, &found)?)
            .map_err(|error| format!("{}: {error}", svg.display()))?;
        eprintln!("{} in {took:.1?}: {}", path.display(), svg.display());
    }
    Ok(())
}
