//! How near sentences are to each other in meaning, by the cosines of their vectors.
//!
//! `cargo run --release --example embed`. Not here: the model (`mlx_examples::minilm`).

use clap::Parser;
use mlx::{ops, prelude::*};
use mlx_examples::{
    Result,
    minilm::{Minilm, SENTENCES},
    options::{Floats, Place},
    program,
    text::{bar, column},
};
use std::{fs, path::PathBuf, process::ExitCode, time::Instant};

/// So many sentences are computed at once.
const BATCH: usize = 32;
/// So many of a file's lines are shown for a question.
const SHOWN: usize = 5;

/// Prints the cosines between sentences; with a file, its lines that are nearest to each sentence.
#[derive(Parser)]
struct Options {
    /// What to compare; three sentences of the program's own where none is given
    #[arg(value_name = "SENTENCE")]
    sentences: Vec<String>,
    /// Look for the nearest among the lines of this file
    #[arg(long, value_name = "LINES.txt")]
    file: Option<PathBuf>,
    /// Floats of the weights and activations
    #[arg(long, value_enum, default_value = "f32")]
    dtype: Floats,
    #[command(flatten)]
    place: Place,
}

fn main() -> ExitCode {
    let options = Options::parse();
    program::run("embed", || options.place.run(|| run(&options)))
}

fn run(options: &Options) -> Result<()> {
    let (start, dtype) = (Instant::now(), Dtype::from(options.dtype));
    let model = Minilm::open(dtype)?;
    let loaded = start.elapsed();
    let mut sentences = options.sentences.clone();
    if sentences.is_empty() {
        sentences = SENTENCES.map(str::to_owned).into();
    }
    let lines = options.file.as_ref().map(lines).transpose()?;

    let start = Instant::now();
    let vectors = embed(&model, &sentences)?;
    let others = lines.as_ref().map_or(Ok(vectors.clone()), |lines| embed(&model, lines))?;
    let cosines = vectors.matmul(&others.transpose(..));
    let rows = cosines.to_vec::<f32>()?;
    let count = sentences.len() + lines.as_ref().map_or(0, Vec::len);
    eprintln!("MiniLM, {dtype}: loaded in {loaded:.1?}; {count} sentences in {:.1?}\n", start.elapsed());

    let rows = rows.chunks(others.dim(0) as usize);
    match lines {
        None => matrix(&sentences, rows),
        Some(lines) => sentences.iter().zip(rows).for_each(|(question, row)| nearest(question, &lines, row)),
    }
    Ok(())
}

/// The lines that say something.
fn lines(path: &PathBuf) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if lines.is_empty() {
        Err(format!("{}: there is no line in it", path.display()).into())
    } else {
        Ok(lines)
    }
}

/// A vector for each sentence.
fn embed(model: &Minilm, sentences: &[String]) -> Result<Tensor> {
    let batches = sentences.chunks(BATCH).map(|batch| {
        let vectors = model.embed(&model.tokenize(batch)?)?;
        vectors.eval()?;
        Ok(vectors)
    });
    Ok(ops::concatenate(&batches.collect::<Result<Vec<_>>>()?, 0)?)
}

/// Each sentence's cosine with each.
fn matrix<'a>(sentences: &[String], rows: impl Iterator<Item = &'a [f32]>) {
    let width = sentences.iter().map(|sentence| sentence.chars().count()).max().unwrap_or(0).min(48);
    let numbers: Vec<String> = (1..=sentences.len()).map(|number| format!("{number:>8}")).collect();
    println!("    {}{}", column("", width), numbers.concat());
    for ((number, sentence), row) in (1..).zip(sentences).zip(rows) {
        let cosines: Vec<String> = row.iter().map(|cosine| format!("{cosine:>8.4}")).collect();
        println!("{number:>3} {}{}", column(sentence, width), cosines.concat());
    }
}

/// The lines that are nearest to `question`, nearest first.
fn nearest(question: &str, lines: &[String], cosines: &[f32]) {
    println!("{question}");
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&a, &b| cosines[b].total_cmp(&cosines[a]));
    for &i in order.iter().take(SHOWN) {
        println!("  {:>7.4} {} {}", cosines[i], bar(cosines[i], 12), column(&lines[i], 80).trim_end());
    }
    println!();
}
