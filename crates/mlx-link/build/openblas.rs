//! OpenBLAS for `MLX_CPU=blas`: a wheel as MLX is one, except that a build without it is whole.
//!
//! Not here: who loads it (native/blas.cpp, which looks for it beside the cache entry it lies in itself).

use crate::wheel::{self, Wheel};
use std::{
    env,
    path::{Path, PathBuf},
};

fn wheel() -> Wheel {
    Wheel {
        what: "OpenBLAS (wheel scipy-openblas32, 8 MB)".into(),
        entry: format!("openblas-0.3.34.481.3-{}", env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default()),
        hashes: "openblas.txt",
        // Every build without network comes by here.
        pip: &["--retries=1"],
        instead: "",
    }
}

/// The library's path below the cache folder.
pub(crate) fn place() -> PathBuf {
    Path::new(&wheel().entry).join("scipy_openblas32/lib/libscipy_openblas.so")
}

/// The library's path, where it now is if it could be fetched; a warning says so where not.
pub(crate) fn fetch(cache: &Path) -> PathBuf {
    let library = cache.join(place());
    // What is missing makes this build stale: the next one tries again.
    println!("cargo::rerun-if-changed={}", library.display());
    if let Err(sentence) = wheel::unpacked(cache, &wheel()) {
        println!(
            "cargo::warning=Without OpenBLAS MLX_CPU=blas, the default, will be stock, many times slower: {}",
            sentence.replace('\n', " ")
        );
    }
    library
}
