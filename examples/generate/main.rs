//! Text from a language model: `cargo run --release --example generate -- "What is the capital of France?"`
//!
//! Here: reading the command line, showing tokens as they come, Ctrl-C. The model, its files and the drawing of tokens are
//! `mlx_examples::language`.

mod args;

use args::{Args, Place};
use clap::Parser;
use mlx::{Device, DeviceKind, memory, with_device};
use mlx_examples::language::{Decode, Fusion, Generation, JsonMask, Language, Predict, Settings, smollm2};
use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Whether somebody pressed Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What shells expect of a program that Ctrl-C ended.
const ENDED_BY_CTRL_C: u8 = 130;

fn main() -> ExitCode {
    let args = Args::parse();
    // The second time it ends the program at once: a long prompt, or a download, has no tokens to stop behind.
    let handler = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED_BY_CTRL_C.into());
        }
    });
    match handler.map_err(Into::into).and_then(|()| placed(&args)) {
        Ok(()) if INTERRUPTED.load(Ordering::Relaxed) => ExitCode::from(ENDED_BY_CTRL_C),
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("generate: {e}");
            ExitCode::FAILURE
        }
    }
}

/// [`run`] on the device that was asked for.
fn placed(args: &Args) -> Result<()> {
    let device = match args.device {
        Some(Place::Cpu) => Device::cpu(),
        Some(Place::Gpu) => Device::gpu(),
        None => Device::current()?,
    };
    with_device(device, || run(args, device.kind() == DeviceKind::Cpu))?
}

fn run(args: &Args, on_cpu: bool) -> Result<()> {
    let start = Instant::now();
    let path = args.model.clone().map_or_else(smollm2, Ok)?;
    let language = Language::load(&path, args.form(on_cpu), args.dtype())?;
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
    while let Some(token) = generation.next().filter(|_| !INTERRUPTED.load(Ordering::Relaxed)) {
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
