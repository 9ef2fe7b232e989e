//! A first look at the library, on the word embeddings of a real language model.
//!
//! `cargo run --release --example quickstart`. Not here: where the model comes from (`model`, `mlx_examples`).

mod model;

use mlx::{graph::Graph, prelude::*};
use model::Model;
use std::{
    env, fs, io,
    path::PathBuf,
    time::{Duration, Instant},
};

const WORDS: [&str; 4] = ["king", "paris", "tuesday", "guitar"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::open()?;
    let [rows, columns] = *model.embeddings.shape() else { return Err("a table has two axes".into()) };
    println!("MLX {}; {}: {rows} words × {columns}\n", mlx::MLX_VERSION, model.name);
    for dtype in [Dtype::Float32, Dtype::Bfloat16, Dtype::Float16] {
        tour(&model, dtype)?;
    }
    println!("The graph of gelu, as a picture: {}", picture(&model.embeddings)?.display());
    Ok(())
}

/// Builds every formula lazily, computes them in one go, and shows what came out.
fn tour(model: &Model, dtype: Dtype) -> Result<(), Box<dyn std::error::Error>> {
    let rows: Vec<usize> = WORDS.iter().map(|word| model.row(word)).collect::<Result<_, _>>()?;

    let ((table, gelu, norms, cosines), build) = timed(|| {
        let table = model.embeddings.astype(dtype);
        let (gelu, norms) = (gelu(&table), norms(&table));
        let cosines: Vec<Tensor> = rows.iter().map(|&row| cosines(&table, &norms, row)).collect();
        (table, gelu, norms, cosines)
    });
    let (computed, eval) = timed(|| mlx::eval([&table, &gelu, &norms].into_iter().chain(&cosines)));
    computed?;

    println!("{table:?}: built in {build:.1?}, computed in {eval:.1?}");
    println!("  {}, its first five numbers: {}", WORDS[0], table.index((rows[0], ..5)));
    println!("  gelu of them: {}", gelu.index((rows[0], ..5)));
    println!(
        "  lengths of the first five rows: {}; of all, the mean: {:.4}",
        norms.index(..5),
        norms.mean(..).item::<f32>()?
    );
    for ((word, row), cosines) in WORDS.iter().zip(rows).zip(cosines) {
        let nearest: Vec<String> = top(&cosines.to_vec()?, 5, row)
            .map(|(row, cosine)| format!("{} {cosine:.4}", model.words[row]))
            .collect();
        println!("  {word:<8} is near {}", nearest.join(", "));
    }
    println!();
    Ok(())
}

/// The tanh form of GELU, as on paper: scalars are weak, so bfloat16 stays bfloat16.
fn gelu(x: &Tensor) -> Tensor {
    0.5 * x * (1.0 + (0.797_884_560_8 * (x + 0.044_715 * x.pow(3))).tanh())
}

/// The graph that `gelu` builds, as SVG beside this program.
fn picture(x: &Tensor) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let y = gelu(x);
    let svg = Graph::of([&y]).name("x", x).name("gelu", &y).svg()?;
    let path = env::current_exe()?.with_extension("svg");
    let explain = |e: io::Error| format!("{}: {e}", path.display());
    fs::write(&path, svg).map_err(explain)?;
    Ok(path)
}

/// The length of each row, in float32: a half-precision sum of hundreds of squares is a coarse one.
fn norms(table: &Tensor) -> Tensor {
    table.astype(Dtype::Float32).square().sum(-1).sqrt()
}

/// The cosine of the angle between one row and every row.
fn cosines(table: &Tensor, norms: &Tensor, row: usize) -> Tensor {
    table.matmul(&table.index(row)) / (norms * norms.index(row))
}

/// The positions and values of the `count` largest values, the one at `but` left out.
fn top(values: &[f32], count: usize, but: usize) -> impl Iterator<Item = (usize, f32)> {
    let mut order: Vec<usize> = (0..values.len()).filter(|&i| i != but).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order.into_iter().take(count).map(|i| (i, values[i]))
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
