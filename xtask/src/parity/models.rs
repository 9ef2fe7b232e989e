//! `cargo xtask parity models`: whole models on real weights, each against its Python original (`xtask/parity/models`).
//!
//! Both sides write what they computed to a safetensors file; names, dtypes, shapes and bits must agree. Not here: the models
//! (`mlx-examples`).

use super::{
    blas::Cpu,
    compare,
    driver::{self, Driver, Place},
    side,
    worker::{self, value::encode_tensor},
};
use crate::python;
use clap::Args;
use mlx_core::{MLX_VERSION, Tensor};
use mlx_examples::parity::{MODELS, Model};
use mlx_ops::{load_safetensors, save_safetensors};
use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

#[derive(Args)]
pub(super) struct Models {
    /// Names of models; all without one.
    names: Vec<String>,
    /// The device that computes on both sides; without it, MLX's own choice.
    #[arg(long, value_enum)]
    device: Option<Place>,
    /// A folder with Python MLX, numpy and mlx-lm, in place of those that pip fills.
    #[arg(long)]
    site: Option<PathBuf>,
    /// Let both sides' own output through.
    #[arg(long)]
    verbose: bool,
}

/// Runs the models; `false` when one differs.
pub(super) fn run(asked: &Models) -> Result<bool, String> {
    for name in &asked.names {
        find(name)?;
    }
    let surroundings = driver::Surroundings {
        limit: Duration::from_secs(60),
        cpu: Cpu::Stock,
        device: asked.device,
        site: asked.site.clone(),
        verbose: asked.verbose,
    };
    // Its start is the check that both sides load the same MLX.
    for line in Driver::start(&surroundings)?.greeting() {
        println!("{line}");
    }
    let python_path = python_path(asked, surroundings.python()?)?;
    let (mut passed, mut failed) = (0, 0);
    for model in
        MODELS.iter().filter(|model| asked.names.is_empty() || asked.names.iter().any(|n| n == model.name))
    {
        let start = Instant::now();
        match compare(model, asked, &python_path) {
            Ok(count) => {
                passed += 1;
                println!("ok {}: {count} tensors, {:.1} s", model.name, start.elapsed().as_secs_f64());
            }
            Err(why) => {
                failed += 1;
                println!("FAIL {}: {why}", model.name);
            }
        }
    }
    println!("{passed} passed, {failed} failed, 0 skipped");
    Ok(failed == 0)
}

/// Where the originals find Python MLX and mlx-lm, whose many needs are those of its tokenizers and not of its models.
fn python_path(asked: &Models, site: PathBuf) -> Result<PathBuf, String> {
    if asked.site.is_some() {
        return Ok(site);
    }
    let models = python::site("models", &["--no-deps", &format!("mlx-lm=={MLX_VERSION}")])?;
    env::join_paths([site, models]).map(PathBuf::from).map_err(|e| e.to_string())
}

/// The process of the Rust side: computes a model and writes what it gave.
pub(crate) fn write(name: &str, out: &Path) -> Result<(), String> {
    let device = worker::device()?;
    let outputs = mlx_core::with_device(device, || (find(name)?.outputs)().map_err(|e| e.to_string()));
    let outputs = outputs.map_err(|e| e.to_string())??;
    save_safetensors(out, &outputs).map_err(|e| e.to_string())
}

fn find(name: &str) -> Result<&'static Model, String> {
    MODELS.iter().find(|model| model.name == name).ok_or_else(|| {
        let known: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        format!("no model is called {name}; there are {}", known.join(", "))
    })
}

/// How many tensors both sides agree on, or the first thing they do not.
fn compare(model: &Model, asked: &Models, python_path: &Path) -> Result<usize, String> {
    let package = model.package.folder().map_err(|e| e.to_string())?;
    let scratch = side::scratch().map_err(|e| format!("no folder for temporary files: {e}"))?;
    let [python, rust] = ["python.safetensors", "rust.safetensors"].map(|name| scratch.path().join(name));
    let script = crate::root().join("xtask/parity/models").join(model.name).with_extension("py");
    let place = asked.device.map(Place::variable);
    let run = |program: &Path, arguments: Vec<PathBuf>, variable| {
        let environment: Vec<_> = [variable].into_iter().chain(place.clone()).collect();
        let command = side::command(program, &arguments, &environment, scratch.path(), asked.verbose);
        let said = || std::fs::read_to_string(side::stderr(scratch.path())).unwrap_or_default();
        crate::succeed(&mut command?).map_err(|why| format!("{why}\n{}", said()))
    };
    run(&driver::interpreter()?, vec![script, package, python.clone()], ("PYTHONPATH", python_path.into()))?;
    let program = env::current_exe().map_err(|e| e.to_string())?;
    let arguments = vec!["parity-model".into(), model.name.into(), rust.clone()];
    run(&program, arguments, ("MLX_CPU", "stock".into()))?;
    agree(&read(&python)?, &read(&rust)?)
}

fn read(file: &Path) -> Result<HashMap<String, Tensor>, String> {
    Ok(load_safetensors(file).map_err(|e| e.to_string())?.tensors)
}

fn agree(python: &HashMap<String, Tensor>, rust: &HashMap<String, Tensor>) -> Result<usize, String> {
    let mut names: Vec<&String> = python.keys().chain(rust.keys()).collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Err("neither side gives anything".into());
    }
    for name in &names {
        let [Some(theirs), Some(ours)] = [python.get(*name), rust.get(*name)] else {
            return Err(format!("{name} is given by one side alone"));
        };
        let [Ok(theirs), Ok(ours)] = [theirs, ours].map(encode_tensor) else {
            return Err(format!("{name} cannot be read"));
        };
        if let Some(what) = compare::tensor(&theirs, &ours) {
            return Err(format!("{name}: {what}"));
        }
    }
    Ok(names.len())
}
