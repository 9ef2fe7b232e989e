//! What a token costs whose model a GPU computes in less time than a program takes to ask for it: the form for decoding of
//! `mlx_examples::language`, the model itself, and mlx-lm's.
//!
//! `cargo bench --bench decode -- --help`. A round is a greedy text from one token; while a token is read the next one is
//! under way, as in mlx-lm. Engines take turns. For each token: *build* is making the graph, *schedule* is `async_eval`,
//! *wait* is reading the token before. Tokens are compared, and so are the bits of the last logits. Not here: the shape and the
//! weights (`shape`), Python's side (`twin.py`).

#[path = "../paired.rs"]
mod paired;
mod shape;
#[path = "../twin.rs"]
mod twin;

use clap::Parser;
use flate2::Crc;
use mlx::{Device, graph, ops, prelude::*};
use mlx_examples::{
    Result,
    language::{Decode, Fusion, Predict},
    program,
};
use paired::median;
use serde_json::Value;
use shape::{Flags, Which};
use std::{
    fmt::Write,
    process::ExitCode,
    time::{Duration, Instant},
};
use twin::Twin;

fn main() -> ExitCode {
    let flags = Flags::parse();
    program::run("decode", || flags.place.run(|| run(&flags)))
}

fn run(flags: &Flags) -> Result<()> {
    println!("{}, CPU mode {}, {flags:?}", Device::current()?, mlx::cpu_mode()?);
    let mut engines = Vec::new();
    for &which in &flags.engines {
        match Engine::new(which, flags) {
            Ok(engine) => engines.push((which, engine, Vec::new())),
            Err(why) if which == Which::MlxLm => println!("Without mlx-lm: {why}"),
            Err(why) => return Err(why),
        }
    }
    for round in 0..=flags.rounds {
        for (_, engine, rounds) in &mut engines {
            let round_of = engine.round(flags.tokens)?;
            if round > 0 {
                rounds.push(round_of);
            }
        }
    }
    let told: Vec<(Which, Vec<Round>)> =
        engines.into_iter().map(|(which, _, rounds)| (which, rounds)).collect();
    print!("{}", table(&told));
    Ok(())
}

/// What a text cost, for each token, and what it was.
#[derive(Clone, Debug, Default)]
struct Round {
    build: Duration,
    schedule: Duration,
    wait: Duration,
    total: Duration,
    /// Nodes of a token's graph, without leaves.
    nodes: usize,
    tokens: Vec<u32>,
    /// The checksum of the last logits' bits.
    bits: u32,
}

enum Engine {
    Ours(Box<dyn Predict>),
    Python(Twin),
}

impl Engine {
    fn new(which: Which, flags: &Flags) -> Result<Engine> {
        let fusion = match which {
            Which::Decode => Fusion::default(),
            Which::Apart => Fusion { attention: false, mlp: false },
            Which::Plain => return Ok(Engine::Ours(Box::new(flags.model()?))),
            Which::MlxLm => {
                let twin = Twin::python_of("decode/twin.py", &[])?;
                return match twin.ask(&flags.told().to_string()).as_str() {
                    "ready" => Ok(Engine::Python(twin)),
                    why => Err(format!("Python: {why}").into()),
                };
            }
        };
        Ok(Engine::Ours(Box::new(Decode::new(flags.model()?, fusion)?)))
    }

    fn round(&self, tokens: usize) -> Result<Round> {
        match self {
            Engine::Python(twin) => told(&twin.ask(&tokens.to_string())),
            Engine::Ours(model) => timed(tokens, &**model),
        }
    }
}

/// A text of so many tokens.
fn timed(count: usize, model: &dyn Predict) -> Result<Round> {
    let mut caches = model.new_caches()?;
    let mut next = |token: &Tensor| {
        let logits = model.scores(token, &mut caches)?;
        Ok::<_, mlx::Error>((ops::argmax(&logits, -1)?, logits))
    };
    let mut round = Round::default();
    let (mut token, mut logits) = next(&Tensor::from_slice(&[1_u32])?)?;
    mlx::async_eval([&token])?;
    let start = Instant::now();
    for _ in 0..count {
        let begun = Instant::now();
        let after = next(&token)?;
        let built = Instant::now();
        mlx::async_eval([&after.0])?;
        let scheduled = Instant::now();
        round.tokens.push(token.item()?);
        round.wait += scheduled.elapsed();
        round.schedule += scheduled - built;
        round.build += built - begun;
        (token, logits) = after;
    }
    round.total = start.elapsed();
    let mut bits = Crc::new();
    bits.update(&logits.to_bytes()?);
    round.bits = bits.sum();
    token.eval()?;
    let graph = graph::canonical([&next(&token)?.0])?;
    round.nodes = graph.lines().filter(|line| !line.starts_with("leaf ")).count();
    let per_token = u32::try_from(count)?.max(1);
    for time in [&mut round.build, &mut round.schedule, &mut round.wait, &mut round.total] {
        *time /= per_token;
    }
    Ok(round)
}

/// Python's answer.
fn told(answer: &str) -> Result<Round> {
    let read = || -> Option<Round> {
        let json: Value = serde_json::from_str(answer).ok()?;
        let time = |name: &str| Some(Duration::from_nanos(json[name].as_u64()?));
        let tokens = json["tokens"].as_array()?.iter().map(|token| u32::try_from(token.as_u64()?).ok());
        Some(Round {
            build: time("build")?,
            schedule: time("schedule")?,
            wait: time("wait")?,
            total: time("total")?,
            nodes: json["nodes"].as_u64()?.try_into().ok()?,
            tokens: tokens.collect::<Option<_>>()?,
            bits: json["bits"].as_u64()?.try_into().ok()?,
        })
    };
    read().ok_or_else(|| format!("Python says {answer:?}").into())
}

/// Medians over the rounds, and of the ratios within each; then what was not the same.
fn table(engines: &[(Which, Vec<Round>)]) -> String {
    let mut text = String::from(
        "| engine | build ms | schedule ms | wait ms | ms a token | nodes | tokens/s | ratio | tokens | last logits |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|---|---|\n",
    );
    let (Some((_, first)), Some((_, last))) = (engines.first(), engines.last()) else { return text };
    for (which, rounds) in engines {
        let ms = |of: fn(&Round) -> Duration| {
            let times = rounds.iter().map(|round| of(round).as_secs_f64() * 1e3);
            format!("{:.3}", median(times))
        };
        let seconds = median(rounds.iter().map(|round| round.total.as_secs_f64()));
        let ratios =
            rounds.iter().zip(last).map(|(round, last)| last.total.as_secs_f64() / round.total.as_secs_f64());
        let same =
            rounds.iter().map(|round| alike(&round.tokens, &first[0].tokens)).min().unwrap_or_default();
        let bits = rounds.iter().all(|round| round.bits == first[0].bits);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.1} | {:.2} | {} | {} |",
            format!("{which:?}").to_lowercase(),
            ms(|round| round.build),
            ms(|round| round.schedule),
            ms(|round| round.wait),
            ms(|round| round.total),
            rounds[0].nodes,
            1.0 / seconds,
            median(ratios),
            if same == first[0].tokens.len() {
                "equal".to_owned()
            } else {
                format!("DIFFERENT from {same} on")
            },
            if bits { "equal bits" } else { "OTHER BITS" },
        );
    }
    let mut seen = first[0].tokens.clone();
    seen.sort_unstable();
    seen.dedup();
    text + &format!("\n{} tokens, {} different ones among them.\n", first[0].tokens.len(), seen.len())
}

/// How many tokens are the same before one is not.
fn alike(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
