//! What the threads of a soak do: each job computes something twice, by tensors and by plain Rust, and compares.
//!
//! All values are exact in both, so that equal means equal bits. Not here: threads and memory (`soak`).

use crate::chance::Chance;
use mlx_core::{Dtype, Error, Tensor, async_eval, eval};
use mlx_ops::{IndexOps, MatmulOps, ReduceOps, ShapingOps, Slice};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

/// A wrong value, or an error that should not be.
type Outcome = Result<(), String>;

/// What all threads share.
pub(super) struct Shared {
    /// Lazy tensors with their values, which any thread may evaluate, build on, or drop.
    pool: Mutex<Vec<(Tensor, Vec<i32>)>>,
    folder: PathBuf,
    files: AtomicU64,
}

impl Shared {
    pub(super) fn new(folder: &Path) -> Shared {
        Shared { pool: Mutex::default(), folder: folder.to_owned(), files: AtomicU64::new(0) }
    }
}

/// A kind of work.
type Job = fn(&Shared, &mut Chance) -> Outcome;

/// All kinds, in turn by chance.
pub(super) const JOBS: [(&str, Job); 12] = [
    ("floats", floats),
    ("integers", integers),
    ("views", views),
    ("products", products),
    ("shared lazy tensors", shared_lazy),
    ("async_eval", asynchronous),
    ("failing builds", failing_builds),
    ("failing evaluations", failing_evaluations),
    ("big temporaries", big_temporaries),
    ("files", files),
    ("printing", printing),
    ("short threads", short_threads),
];

/// The tensors of the pool at most.
const POOL: usize = 32;

fn values(chance: &mut Chance, most: usize) -> Vec<i32> {
    (0..=chance.below(most)).map(|_| chance.below(2001) as i32 - 1000).collect()
}

fn unexpected(error: Error) -> String {
    format!("an unexpected error: {error}")
}

fn ints(values: &[i32]) -> Result<Tensor, String> {
    Tensor::from_slice(values).map_err(unexpected)
}

/// The tensor holds exactly these, all of them.
fn same<T: mlx_core::Element + PartialEq + std::fmt::Debug>(tensor: &Tensor, wanted: &[T]) -> Outcome {
    let found = tensor.to_vec::<T>().map_err(unexpected)?;
    if found == wanted {
        return Ok(());
    }
    let at = found.iter().zip(wanted).position(|(found, wanted)| found != wanted);
    let (found, wanted) = (at.map(|at| &found[at]), at.map(|at| &wanted[at]));
    Err(format!("a wrong value in {tensor:?}: {found:?} instead of {wanted:?} at {at:?}"))
}

fn floats(_: &Shared, chance: &mut Chance) -> Outcome {
    let a: Vec<f32> = values(chance, 3000).iter().map(|&value| value as f32 / 8.0).collect();
    let (x, by) = (Tensor::from_slice(&a).map_err(unexpected)?, chance.below(100) as f32 / 4.0);
    let y = (&x * by + 1.5) * (&x - 0.25);
    let wanted: Vec<f32> = a.iter().map(|a| (a * by + 1.5) * (a - 0.25)).collect();
    same(&y, &wanted)?;
    let greater = mlx_ops::greater(&y, &x).map_err(unexpected)?;
    let wanted: Vec<bool> = wanted.iter().zip(&a).map(|(y, x)| y > x).collect();
    same(&greater, &wanted)
}

fn integers(_: &Shared, chance: &mut Chance) -> Outcome {
    let a = values(chance, 3000);
    let by = chance.below(7) as i32 + 1;
    let x = ints(&a)?;
    let y = (&x * 65_537 - by) ^ 255;
    let wanted: Vec<i32> = a.iter().map(|a| (a.wrapping_mul(65_537) - by) ^ 255).collect();
    same(&y, &wanted)?;
    same(&x.sum(..), &[a.iter().sum::<i32>()])?;
    // The divisor is lazy, so it is guarded in the graph.
    let divisor = ints(&[by])? + 0;
    let quotients = mlx_ops::floor_divide(&x, &divisor).map_err(unexpected)?;
    same(&quotients, &a.iter().map(|a| a / by).collect::<Vec<i32>>())
}

fn views(_: &Shared, chance: &mut Chance) -> Outcome {
    let (rows, columns) = (chance.below(30) + 1, chance.below(30) + 1);
    let at = |row: usize, column: usize| (row * columns + column) as i32;
    let all: Vec<i32> = (0..(rows * columns) as i32).collect();
    let x = ints(&all)?.reshape([rows, columns]);
    let turned = x.t().index((Slice::step(.., -1), ..));
    let wanted: Vec<i32> =
        (0..columns).rev().flat_map(|column| (0..rows).map(move |row| at(row, column))).collect();
    same(&turned, &wanted)?;
    let row = chance.below(rows);
    same(&x.index(row), &all[row * columns..(row + 1) * columns])
}

fn products(_: &Shared, chance: &mut Chance) -> Outcome {
    let (n, inner, m) = (chance.below(40) + 1, chance.below(40) + 1, chance.below(40) + 1);
    let mut matrix = |size: usize| -> Vec<f32> { (0..size).map(|_| chance.below(9) as f32).collect() };
    let (a, b) = (matrix(n * inner), matrix(inner * m));
    let x = Tensor::from_shape_slice([n, inner], &a).map_err(unexpected)?;
    let y = Tensor::from_shape_slice([inner, m], &b).map_err(unexpected)?;
    let entry = |at: usize| (0..inner).map(|k| a[at / m * inner + k] * b[k * m + at % m]).sum();
    same(&x.matmul(&y), &(0..n * m).map(entry).collect::<Vec<f32>>())
}

/// Takes a tensor that some thread made, builds on it, and leaves the result for another.
fn shared_lazy(shared: &Shared, chance: &mut Chance) -> Outcome {
    let mut pool = shared.pool.lock().map_err(|e| e.to_string())?;
    if pool.len() < POOL {
        let start = values(chance, 500);
        pool.push((ints(&start)? + 0, start));
    }
    let from = chance.below(pool.len());
    let (tensor, known) = pool[from].clone();
    if chance.below(8) == 0 {
        pool.swap_remove(from);
    }
    drop(pool);
    let by = chance.below(100) as i32;
    let next = (&tensor + by) * 3;
    let wanted: Vec<i32> = known.iter().map(|value| (value.wrapping_add(by)).wrapping_mul(3)).collect();
    if chance.below(2) == 0 {
        same(&tensor, &known)?;
    }
    let mut pool = shared.pool.lock().map_err(|e| e.to_string())?;
    if pool.len() < POOL {
        pool.push((next.clone(), wanted.clone()));
    } else {
        // What stood there may be in flight.
        let gone = std::mem::replace(&mut pool[from % POOL], (next.clone(), wanted.clone()));
        drop(pool);
        drop(gone);
    }
    if chance.below(2) == 0 { same(&next, &wanted) } else { Ok(()) }
}

fn asynchronous(_: &Shared, chance: &mut Chance) -> Outcome {
    let a = values(chance, 2000);
    let x = ints(&a)?;
    let started: Vec<Tensor> = (0..4).map(|turn| &x * 2 + turn).collect();
    async_eval(&started).map_err(unexpected)?;
    if chance.below(4) == 0 {
        drop(started);
        return mlx_core::synchronize().map_err(unexpected);
    }
    for (turn, tensor) in started.iter().enumerate() {
        same(tensor, &a.iter().map(|a| a * 2 + turn as i32).collect::<Vec<i32>>())?;
    }
    Ok(())
}

fn failing_builds(_: &Shared, chance: &mut Chance) -> Outcome {
    let size = chance.below(50) + 2;
    let (x, y) = (ints(&vec![1; size])?, ints(&vec![1; size + 1])?);
    let builds = [
        mlx_ops::add(&x, &y),
        mlx_ops::reshape(&x, [size + 1]),
        mlx_ops::index(&x, size),
        mlx_ops::floor_divide(&x, 0),
        mlx_ops::sum(&x, 1),
    ];
    match builds.iter().position(Result::is_ok) {
        Some(which) => Err(format!("the {which}th build with an error has none")),
        None => Ok(()),
    }
}

/// A tensor that fails, what is built on it, and neighbours in the same evaluation that do not.
fn failing_evaluations(shared: &Shared, chance: &mut Chance) -> Outcome {
    let failed = file(shared, &[1; 64], true)?;
    let built = &failed * 2;
    let a = values(chance, 100);
    let neighbour = ints(&a)? + 1;
    let together = eval([&neighbour, &built]);
    if together.is_ok()
        || built.to_vec::<i32>().is_ok()
        || (&built + 1).eval().is_ok()
        || failed.eval().is_ok()
    {
        return Err("a tensor whose file is cut off has values".into());
    }
    let again = ints(&a)? + 1;
    same(&again, &a.iter().map(|a| a + 1).collect::<Vec<i32>>())
}

fn big_temporaries(_: &Shared, chance: &mut Chance) -> Outcome {
    let side = 1024;
    let value = chance.below(4) as f64;
    let x = mlx_ops::full([side, side], value, Dtype::Float32).map_err(unexpected)?;
    let y = (&x + 1.0) * 2.0 - &x.t();
    // Each partial sum of such small integers is exact.
    same(&y.sum(..), &[(value as f32 + 2.0) * (side * side) as f32])
}

fn files(shared: &Shared, chance: &mut Chance) -> Outcome {
    let a = values(chance, 1000);
    let loaded = file(shared, &a, false)?;
    same(&(&loaded + 1), &a.iter().map(|a| a + 1).collect::<Vec<i32>>())?;
    same(&loaded, &a)
}

/// The tensor of a safetensors file, whose data may be cut off after it was opened.
fn file(shared: &Shared, values: &[i32], cut: bool) -> Result<Tensor, String> {
    let number = shared.files.fetch_add(1, Ordering::Relaxed);
    let path = shared.folder.join(format!("{number}.safetensors"));
    let (size, bytes) = (values.len(), values.len() * 4);
    let header = format!(r#"{{"x":{{"dtype":"I32","shape":[{size}],"data_offsets":[0,{bytes}]}}}}"#);
    let mut content = (header.len() as u64).to_le_bytes().to_vec();
    content.extend_from_slice(header.as_bytes());
    let start = content.len() as u64;
    content.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    let io = |e: std::io::Error| format!("{}: {e}", path.display());
    fs::write(&path, &content).map_err(io)?;
    let loaded = mlx_ops::load_safetensors(&path).map_err(unexpected)?;
    if cut {
        fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(start)).map_err(io)?;
    }
    fs::remove_file(&path).map_err(io)?;
    loaded.tensors.get("x").cloned().ok_or_else(|| "the file has lost its tensor".into())
}

fn printing(_: &Shared, chance: &mut Chance) -> Outcome {
    // MLX shortens longer rows.
    let a = values(chance, 6);
    let (found, debug) = ((ints(&a)? + 0).to_string(), format!("{:?}", ints(&a)?));
    let wanted = format!("array({a:?}, dtype=int32)");
    if found != wanted || debug != format!("Tensor(int32, [{}])", a.len()) {
        return Err(format!("printed as {found} and {debug} instead of {wanted}"));
    }
    let dot = mlx_core::graph::dot(&[ints(&a)? + 1]).map_err(unexpected)?;
    if dot.contains("Add") { Ok(()) } else { Err(format!("a graph without its node: {dot}")) }
}

fn short_threads(_: &Shared, chance: &mut Chance) -> Outcome {
    let a = values(chance, 300);
    let x = ints(&a)? + 1;
    let wanted: Vec<i32> = a.iter().map(|a| a + 1).collect();
    let thread = thread::spawn(move || same(&x, &wanted).map(|()| x));
    let x = thread.join().map_err(|_| "a short thread panicked")??;
    same(&(x - 1), &a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_wrong() {
        let x = ints(&[1, 2, 3]).expect("a tensor") + 1;
        assert_eq!(same(&x, &[2, 3, 4]), Ok(()));
        let why = same(&x, &[2, 9, 4]).expect_err("another value");
        assert!(why.contains("Some(3) instead of Some(9) at Some(1)"), "{why}");
        assert!(same(&x, &[2, 3]).is_err() && same(&x, &[2, 3, 4, 5]).is_err());
        assert!(same(&x, &[2.0_f32, 3.0, 4.0]).is_err_and(|why| why.starts_with("an unexpected error")));
    }
}
