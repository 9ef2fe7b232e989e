//! Weights from files and maps, and to files.

use super::{Module, ModuleExt, Parameters};
use crate::python::tuple;
use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor};
use std::{
    collections::HashMap,
    fmt,
    hash::BuildHasher,
    path::{Path, PathBuf},
};

/// What weights are loaded from: the path of a file, or names with tensors in a map, a `Vec` or an array.
pub trait WeightSource {
    /// The tensors by name.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn tensors(self) -> Result<Parameters>;
}

macro_rules! paths {
    ($($path:ty),*) => {
        $(impl WeightSource for $path {
            fn tensors(self) -> Result<Parameters> {
                Ok(mlx_ops::load(self)?.into_tensors()?.into_iter().collect())
            }
        })*
    };
}

paths!(&str, String, &String, &Path, PathBuf, &PathBuf);

impl<S: BuildHasher> WeightSource for HashMap<String, Tensor, S> {
    fn tensors(self) -> Result<Parameters> {
        Ok(self.into_iter().collect())
    }
}

impl<S: BuildHasher> WeightSource for &HashMap<String, Tensor, S> {
    fn tensors(self) -> Result<Parameters> {
        Ok(self.iter().map(|(name, tensor)| (name.clone(), tensor.clone())).collect())
    }
}

impl WeightSource for Parameters {
    fn tensors(self) -> Result<Parameters> {
        Ok(self)
    }
}

impl WeightSource for &Parameters {
    fn tensors(self) -> Result<Parameters> {
        Ok(self.clone())
    }
}

impl<N: Into<String>> WeightSource for Vec<(N, Tensor)> {
    fn tensors(self) -> Result<Parameters> {
        Ok(self.into_iter().map(|(name, tensor)| (name.into(), tensor)).collect())
    }
}

impl<N: Into<String>, const COUNT: usize> WeightSource for [(N, Tensor); COUNT] {
    fn tensors(self) -> Result<Parameters> {
        Ok(self.into_iter().map(|(name, tensor)| (name.into(), tensor)).collect())
    }
}

/// What did not match when weights were loaded; names are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// Tensors that the module has, and the weights have not.
    pub missing: Vec<String>,
    /// Tensors that the weights have, and the module has not.
    pub extra: Vec<String>,
    /// Tensors that have other shapes now.
    pub shapes: Vec<Mismatch<Vec<i32>>>,
    /// Tensors that have other dtypes now.
    pub dtypes: Vec<Mismatch<Dtype>>,
}

/// What the module had, and what the weights have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch<T> {
    /// The tensor's name.
    pub name: String,
    /// The module's.
    pub expected: T,
    /// The weights'.
    pub received: T,
}

impl LoadReport {
    /// Whether all names and shapes matched: what a strict load asks for.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.shapes.is_empty()
    }
}

/// A line for each kind of mismatch; nothing where everything matched.
impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        for (what, names) in [("missing", &self.missing), ("extra", &self.extra)] {
            if !names.is_empty() {
                lines.push(format!("{what}: {}", names.join(", ")));
            }
        }
        for one in &self.shapes {
            let (expected, received) = (tuple(&one.expected), tuple(&one.received));
            lines.push(format!("shape of {}: {received} for {expected}", one.name));
        }
        for one in &self.dtypes {
            lines.push(format!("dtype of {}: {} for {}", one.name, one.received, one.expected));
        }
        f.write_str(&lines.join("\n"))
    }
}

fn compared(module: &dyn Module, weights: &Parameters) -> LoadReport {
    let mut report = LoadReport::default();
    let known = module.parameters();
    report.extra = weights.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
    report.extra.sort_unstable();
    for (name, own) in known {
        let Some(given) = weights.get(&name) else {
            report.missing.push(name);
            continue;
        };
        if own.dtype() != given.dtype() {
            let (expected, received) = (own.dtype(), given.dtype());
            report.dtypes.push(Mismatch { name: name.clone(), expected, received });
        }
        if own.shape() != given.shape() {
            let (expected, received) = (own.shape().to_vec(), given.shape().to_vec());
            report.shapes.push(Mismatch { name, expected, received });
        }
    }
    report.missing.sort_unstable();
    report
}

pub(super) fn load(module: &mut dyn Module, weights: Parameters, strict: bool) -> Result<LoadReport> {
    let report = compared(module, &weights);
    let refused = |message: String| Err(Error::new(ErrorKind::Value, "load_weights", message));
    if strict {
        if !report.extra.is_empty() {
            let (count, names) = (report.extra.len(), report.extra.join(",\n"));
            return refused(format!("Received {count} parameters not in model: \n{names}."));
        }
        if !report.missing.is_empty() {
            let (count, names) = (report.missing.len(), report.missing.join(",\n"));
            return refused(format!("Missing {count} parameters: \n{names}."));
        }
        if let Some(Mismatch { name, expected, received }) = report.shapes.first() {
            let (expected, received) = (tuple(expected), tuple(received));
            return refused(format!(
                "Expected shape {expected} but received shape {received} for parameter {name}"
            ));
        }
    }
    module.update_loose(&weights);
    Ok(report)
}

pub(super) fn save(module: &dyn Module, file: &Path) -> Result<()> {
    save_tensors("save_weights", file, &module.parameters())
}

/// Writes tensors by key in the format that the file's ending names.
pub(crate) fn save_tensors(op: &'static str, file: &Path, tensors: &Parameters) -> Result<()> {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("npz") => mlx_ops::savez(file, tensors),
        Some("safetensors") => mlx_ops::save_safetensors(file, tensors),
        _ => {
            let file = file.display();
            let message = format!("Unsupported file extension for {file}. Use '.npz' or '.safetensors'.");
            Err(Error::new(ErrorKind::Value, op, message))
        }
    }
}
