//! Trains a network on scikit-learn's handwritten digits, and draws how it went.
//!
//! `cargo run --release --example train_digits -- --help`. Ctrl-C saves a checkpoint, and `--resume` goes on from it: with the
//! bits of a training that was never stopped. Not here: the training itself (`mlx_examples::digits`).

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use mlx::nn::ModuleExt;
use mlx_examples::{
    Result,
    digits::{Digits, Kind, Settings, Training},
    options::Place,
    plot::{Figure, Panel},
    program,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Train a network on handwritten digits
#[derive(Parser)]
pub(crate) struct Options {
    /// Which network [default: cnn]
    #[arg(long)]
    model: Option<Kind>,
    /// How often it sees all pictures [default: 10]
    #[arg(long)]
    epochs: Option<usize>,
    /// How many pictures it sees in one step [default: 32]
    #[arg(long)]
    batch: Option<usize>,
    /// The highest learning rate [default: 0.008]
    #[arg(long)]
    lr: Option<f64>,
    /// What all draws begin with [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    place: Place,
    /// The folder of checkpoint, weights and curve
    #[arg(long, default_value = "target/train_digits")]
    out: PathBuf,
    /// Go on from the checkpoint in that folder
    #[arg(long)]
    resume: bool,
}

fn main() -> ExitCode {
    run(&Options::parse())
}

pub(crate) fn run(options: &Options) -> ExitCode {
    program::run_interruptible("train_digits", || options.place.run(|| train(options)))
}

/// Trains to the end, or until Ctrl-C.
fn train(options: &Options) -> Result<()> {
    fs::create_dir_all(&options.out)?;
    let checkpoint = options.out.join("checkpoint.safetensors");
    let mut training = begin(options, &checkpoint)?;
    println!("{}: {} parameters", training.settings, training.net.num_parameters());
    let bar = bar(&training);
    while !training.is_done() {
        let done = training.step()?;
        bar.inc(1);
        bar.set_message(format!("loss {:.4}", done.loss));
        if let Some(accuracy) = done.accuracy {
            let (epoch, epochs) = (training.accuracies.len(), training.settings.epochs);
            let (accuracy, lr) = (100.0 * accuracy, training.learning_rate()?);
            bar.suspend(|| {
                println!("epoch {epoch:2}/{epochs}: {accuracy:.2} % of the others told right; learning rate {lr:.5}");
            });
            training.save(&checkpoint)?;
        }
        if program::is_interrupted() {
            bar.finish_and_clear();
            training.save(&checkpoint)?;
            println!("stopped after {} steps; --resume goes on", training.losses.len());
            return Ok(());
        }
    }
    bar.finish_and_clear();
    training.net.save_weights(options.out.join("model.safetensors"))?;
    fs::write(options.out.join("curve.svg"), curve(&training).to_string())?;
    println!("checkpoint.safetensors, model.safetensors and curve.svg are in {}", options.out.display());
    Ok(())
}

/// A new training, or the one of the checkpoint.
fn begin(options: &Options, checkpoint: &Path) -> Result<Training> {
    let digits = Digits::fetch()?;
    if !options.resume {
        return Training::new(options.over(Settings::default()), digits);
    }
    let training = Training::resume(checkpoint, digits)?;
    if options.over(training.settings) != training.settings {
        let (file, settings) = (checkpoint.display(), training.settings);
        return Err(format!("{file} is of a training with {settings}, and goes on with nothing else").into());
    }
    Ok(training)
}

impl Options {
    /// The settings with what was asked for in place of theirs.
    fn over(&self, settings: Settings) -> Settings {
        Settings {
            model: self.model.unwrap_or(settings.model),
            epochs: self.epochs.unwrap_or(settings.epochs),
            batch: self.batch.unwrap_or(settings.batch),
            lr: self.lr.unwrap_or(settings.lr),
            seed: self.seed.unwrap_or(settings.seed),
        }
    }
}

/// It shows itself on a terminal only.
fn bar(training: &Training) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} step {pos}/{len}, {msg}, {eta} left");
    let style = style.expect("the template is well formed");
    ProgressBar::new(training.steps() as u64).with_position(training.losses.len() as u64).with_style(style)
}

/// The losses and accuracies as a picture.
fn curve(training: &Training) -> Figure {
    let per_epoch = training.steps_per_epoch();
    let losses = (1..).zip(&training.losses).map(|(step, &loss)| (f64::from(step), loss.into()));
    let accuracies = (1..).zip(&training.accuracies);
    let accuracies =
        accuracies.map(|(epoch, &accuracy)| ((epoch * per_epoch) as f64, 100.0 * f64::from(accuracy)));
    let last = training.steps() as f64;
    let panel = |y| Panel::new("step", y).x_range(0.0, last);
    Figure::new(format!("train_digits {}", training.settings))
        .panel(panel("loss [nat]").line("cross entropy of the batch, with smoothed labels", losses))
        .panel(panel("accuracy [%]").line("of 360 pictures held out", accuracies))
}
