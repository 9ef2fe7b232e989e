//! The CPU mode of a run, and the same BLAS on both sides.
//!
//! In modes `blas` and `fast` the Python side gets the file that our side loads, through a library in front of MLX's own whose
//! routines are one jump each, and products by `parity/shim.cpp`, which says again what becomes of one row or column: none
//! of our forwarders takes part, so a mistake of theirs shows as a difference.

use super::hex;
use clap::ValueEnum;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    fmt::{self, Write},
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// What computes products on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Cpu {
    /// The library that MLX comes with.
    Stock,
    /// OpenBLAS.
    Blas,
    /// On our side its kernels too, on Python's OpenBLAS: see [`fast`](super::fast).
    Fast,
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cpu::Stock => "stock",
            Cpu::Blas => "blas",
            Cpu::Fast => "fast",
        })
    }
}

/// What MLX imports beside products: factorisations of real and of complex matrices.
const ROUTINES: [(&str, &[&str]); 2] = [
    ("sd", &["getrf", "getri", "potrf", "trtri", "geqrf", "orgqr", "syevd", "geev", "gesdd"]),
    ("c", &["heevd", "geev", "gesdd"]),
];

/// The library for Python's LD_PRELOAD, in a folder that goes with the value.
pub(crate) struct Shim(TempDir);

impl Shim {
    /// Builds it against the OpenBLAS that this program's MLX would load.
    pub(crate) fn build() -> Result<Shim, String> {
        let openblas = mlx_link::OPENBLAS.map(Path::new).filter(|path| path.exists());
        let openblas = openblas.ok_or("there is no OpenBLAS here: build again with network")?;
        let folder = TempDir::new().map_err(|e| format!("no folder for temporary files: {e}"))?;
        let source = folder.path().join("jumps.s");
        fs::write(&source, jumps()).map_err(|e| format!("{}: {e}", source.display()))?;
        let products = crate::root().join("xtask/parity/shim.cpp");
        let shim = Shim(folder);
        let beside = openblas.parent().ok_or("OpenBLAS lies in a folder")?;
        crate::succeed(
            Command::new("g++")
                .args(["-shared", "-fPIC", "-nostdlib", "-O1", "-o"])
                .arg(shim.path())
                .args([&source, &products])
                .args([
                    "-Xlinker".as_ref(),
                    "-rpath".as_ref(),
                    "-Xlinker".as_ref(),
                    beside.as_os_str(),
                    openblas.as_os_str(),
                ]),
        )?;
        Ok(shim)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("libshim.so")
    }
}

/// Assembler: each routine under MLX's name jumps to OpenBLAS's, whatever its arguments are.
fn jumps() -> String {
    let mut text = String::from(".text\n");
    for (types, names) in ROUTINES {
        for (kind, name) in types.chars().flat_map(|kind| names.iter().map(move |name| (kind, name))) {
            let routine = format!("{kind}{name}_");
            let jump = if cfg!(target_arch = "aarch64") {
                format!("adrp x16, :got:scipy_{routine}\nldr x16, [x16, #:got_lo12:scipy_{routine}]\nbr x16")
            } else {
                format!("jmp *scipy_{routine}@GOTPCREL(%rip)")
            };
            writeln!(text, ".globl {routine}\n.type {routine}, %function\n{routine}:\n{jump}")
                .expect("a string takes all");
        }
    }
    text + ".section .note.GNU-stack,\"\",%progbits\n"
}

/// What a worker says of its BLAS: the file, and its SHA-256.
fn in_force(ready: &Value) -> Result<(String, String), String> {
    let path = ready["blas"].as_str().ok_or("a worker does not say which BLAS is in force")?;
    let bytes = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    Ok((path.to_owned(), hex::write(Sha256::digest(bytes))))
}

/// The line about the two sides' BLAS; `Err` where they differ, or where ours is not the one asked for.
pub(crate) fn compare(cpu: Cpu, python: &Value, rust: &Value) -> Result<String, String> {
    if cfg!(target_vendor = "apple") {
        return Ok("Both sides compute products with Accelerate".into());
    }
    let (ours, theirs) = (in_force(rust)?, in_force(python)?);
    let line = format!(
        "MLX_CPU={cpu}, OPENBLAS_NUM_THREADS=1 on both sides: Python's BLAS is {} of SHA-256 {}, Rust's is {} of SHA-256 {}",
        theirs.0, theirs.1, ours.0, ours.1
    );
    if rust["cpu"] != cpu.to_string() || ours.1 != theirs.1 {
        return Err(format!("the two sides do not compute with the BLAS asked for:\n{line}"));
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn another_library_or_another_mode_is_an_error() {
        let folder = TempDir::new().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let (one, same, other) = (file("one", "1"), file("same", "1"), file("other", "2"));
        let said = |cpu: &str, path: &PathBuf| json!({"cpu": cpu, "blas": path});
        assert!(compare(Cpu::Blas, &said("", &one), &said("blas", &same)).is_ok());
        assert!(compare(Cpu::Blas, &said("", &one), &said("stock", &same)).is_err());
        assert!(compare(Cpu::Stock, &said("", &one), &said("stock", &other)).is_err());
        assert!(compare(Cpu::Stock, &json!({}), &said("stock", &other)).is_err());
    }
}
