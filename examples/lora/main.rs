//! Teaches SmolLM2 a manner of speaking by low-rank adapters, and shows what it says before and after.
//!
//! `cargo run --release --example lora`, then `-- --adapters target/lora` to use them again; mlx-lm reads them, too. Not here: the
//! adapters (`mlx_examples::lora`), the model (`mlx_examples::language`).

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use mlx::{Dtype, nn::ModuleExt};
use mlx_examples::{
    Result,
    language::{Form, Generation, Language, Settings as Speech, smollm2},
    lora::{self, FineTuning, Lora, Settings},
    options::Place,
    program,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// What it learns unless told otherwise: sixty lines of one pattern.
pub(crate) const LINES: &str = include_str!("lines.txt");

/// Teach a language model lines of text by low-rank adapters
#[derive(Parser)]
pub(crate) struct Options {
    /// The text, whose lines are learned one by one [default: sixty lines of one pattern]
    #[arg(long)]
    text: Option<PathBuf>,
    /// A GGUF file, or a folder of Hugging Face's [default: SmolLM2]
    #[arg(long)]
    model: Option<PathBuf>,
    /// What the model is to go on with, before and after
    #[arg(long, num_args = 1.., default_values = ["A clock is", "A dog is", "A cloud is"])]
    prompt: Vec<String>,
    /// How many layers learn, counted from the last; 0 for all
    #[arg(long, default_value_t = Lora::default().layers)]
    layers: usize,
    /// The rank of the adapters
    #[arg(long, default_value_t = Lora::default().term.rank)]
    rank: i32,
    /// What they are multiplied with
    #[arg(long, default_value_t = Lora::default().term.scale)]
    scale: f64,
    /// How much of their input is left out at random
    #[arg(long, default_value_t = Lora::default().term.dropout)]
    dropout: f64,
    /// How many steps they learn
    #[arg(long, default_value_t = 60)]
    steps: u64,
    /// How many lines a step sees
    #[arg(long, default_value_t = Settings::default().batch)]
    batch: usize,
    /// The learning rate
    #[arg(long, default_value_t = Settings::default().lr)]
    lr: f64,
    /// What all draws begin with
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    #[command(flatten)]
    place: Place,
    /// The folder of the adapters
    #[arg(long, default_value = "target/lora")]
    out: PathBuf,
    /// Learn nothing, and use the adapters of this folder
    #[arg(long)]
    adapters: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    program::run_interruptible("lora", || options.place.run(|| run(&options)))
}

fn run(options: &Options) -> Result<()> {
    let file = options.model.clone().map_or_else(smollm2, Ok)?;
    let mut language = Language::load(&file, Form::fastest()?, Some(Dtype::Float32))?;
    say("Before", &language, &options.prompt)?;
    match &options.adapters {
        Some(folder) => drop(lora::load(&mut language.model, folder)?),
        None => language = taught(language, options)?,
    }
    language.model.eval();
    say("After", &language, &options.prompt)
}

/// The model behind the training, or behind as much of it as Ctrl-C left.
fn taught(language: Language, options: &Options) -> Result<Language> {
    let text = options.text.as_deref().map_or_else(|| Ok(LINES.to_owned()), read)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<Vec<u32>> = lines.map(|line| language.tokenizer.encode(line)).collect::<Result<_>>()?;
    let end = *language.stop.first().ok_or("the model has no token that ends a text")?;
    let mut lora = Lora { layers: options.layers, ..Lora::default() };
    (lora.term.rank, lora.term.scale, lora.term.dropout) = (options.rank, options.scale, options.dropout);
    let settings = Settings { batch: options.batch, lr: options.lr, seed: options.seed };
    let mut training = FineTuning::new(language.model, &lora, &lines, end, settings)?;

    let count = training.model.trainable_parameters().values().map(mlx::Tensor::size).sum::<usize>();
    println!("{count} of {} numbers learn {} lines", training.model.num_parameters(), lines.len());
    let style = ProgressStyle::with_template("{bar:40} step {pos}/{len}, {msg}, {eta} left")?;
    let bar = ProgressBar::new(options.steps).with_style(style);
    for step in 1..=options.steps {
        let loss = training.step()?;
        bar.inc(1);
        bar.set_message(format!("loss {loss:.3}"));
        let is_last = step == options.steps || program::is_interrupted();
        if step == 1 || step % 10 == 0 || is_last {
            bar.suspend(|| println!("step {step:3}: loss {loss:.3}"));
        }
        if is_last {
            break;
        }
    }
    bar.finish_and_clear();
    lora::save(&training.model, &lora, &options.out)?;
    println!("adapters.safetensors and adapter_config.json are in {}\n", options.out.display());
    Ok(Language { model: training.model, ..language })
}

/// What the model goes on with, a line each.
fn say(when: &str, language: &Language, prompts: &[String]) -> Result<()> {
    println!("{when}:");
    for prompt in prompts {
        let settings = Speech { max_tokens: 24, stop: language.stop.clone(), ..Speech::default() };
        let tokens = language.tokenizer.encode(prompt)?;
        let said: Vec<u32> = Generation::new(&language.model, &tokens, settings)?.collect::<Result<_>>()?;
        let said = language.tokenizer.decode(&said)?;
        println!("  {prompt}{}", said.replace('\n', " "));
    }
    println!();
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()).into())
}
