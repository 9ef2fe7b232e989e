//! Text from a language model: `cargo run --release --example generate -- "What is the capital of France?"`
//!
//! Here: reading the command line, showing tokens as they come. The model, its files and the drawing of tokens are
//! `mlx_examples::language`.

mod args;

use args::Args;
use clap::Parser;
use mlx::memory;
use mlx_examples::{
    Result,
    language::{Decode, Fusion, Generation, JsonMask, Language, Predict, Settings, smollm2},
    program,
};
use std::{
    io::{self, Write},
    process::ExitCode,
    time::Instant,
};

fn main() -> ExitCode {
    let args = Args::parse();
    program::run_interruptible("generate", || args.place.run(|| run(&args)))
}

fn run(args: &Args) -> Result<()> {
    let start = Instant::now();
    let path = args.model.clone().map_or_else(smollm2, Ok)?;
    let language = Language::load(&path, args.form()?, args.dtype())?;
    let prompt = language.prompt(&args.prompt, args.raw)?;
    let bytes = || language.tokenizer.bytes(language.model.config().vocab_size);
    let json = args.json.then(|| JsonMask::new(bytes(), &language.stop)).transpose()?;
    eprintln!(
        "{}: read in {:.2} s, {} tokens in the prompt",
        path.display(),
        start.elapsed().as_secs_f64(),
        prompt.len()
    );

    let settings = Settings {
        sampling: args.sampling(),
        max_tokens: args.max_tokens,
        stop: language.stop.clone(),
        json,
        ..Settings::default()
    };
    let Language { model, tokenizer, .. } = language;
    let model: Box<dyn Predict> = if args.plain || !Decode::has(model.config()) {
        Box::new(model)
    } else {
        Box::new(Decode::new(model, Fusion::default())?)
    };
    let mut generation = Generation::new(&*model, &prompt, settings)?;
    let (mut out, mut text, mut count) = (io::stdout().lock(), tokenizer.stream(), 0);
    while let Some(token) = generation.next().filter(|_| !program::is_interrupted()) {
        out.write_all(text.push(token?)?.as_bytes())?;
        out.flush()?;
        count += 1;
    }
    writeln!(out, "{}", text.finish()?)?;

    let timing = generation.timing();
    eprintln!(
        "{count} tokens: the first after {:.3} s, then {:.1} a second; {} MiB at most",
        timing.first.as_secs_f64(),
        timing.tokens_per_second(),
        memory::peak()? >> 20
    );
    Ok(())
}
