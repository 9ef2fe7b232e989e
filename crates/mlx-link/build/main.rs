//! Finds or makes MLX's native libraries and tells cargo how to link them.
//!
//! Here: the order of the steps. Not here: each step (`host`, `cache`, `wheel`, `sources`, `compile`, `driver`,
//! `openblas`).

mod cache;
mod compile;
mod driver;
mod host;
mod openblas;
mod sources;
mod wheel;

use std::{env, path::PathBuf, process::ExitCode};

/// Every step ends in one readable sentence when it cannot go on.
type Step<T> = Result<T, String>;

/// The MLX version that the committed bindings, hashes and parity records belong to.
const MLX_VERSION: &str = "0.32.2";

fn main() -> ExitCode {
    for variable in ["DOCS_RS", "MLX_LINK_SKIP", "MLX_LINK_DIR", "MLX_LINK_CACHE"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    for path in ["build", "native", "wheels"] {
        println!("cargo::rerun-if-changed={path}");
    }
    if skipped() {
        link_nothing();
        return ExitCode::SUCCESS;
    }
    match link() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            println!("cargo::error={}", sentence.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

/// Where this package's files lie now; `env!` would say where they lay when the build script was compiled.
fn package() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

fn skipped() -> bool {
    env::var_os("DOCS_RS").is_some()
        || env::var_os("MLX_LINK_SKIP").is_some_and(|v| v != "0" && !v.is_empty())
}

/// Checks and docs need no library; a link that is tried all the same fails with this name as the hint.
fn link_nothing() {
    println!("cargo::rustc-link-lib=dylib=mlxc-was-skipped--unset-MLX_LINK_SKIP-and-build-again");
}

fn link() -> Step<()> {
    if env::var("CARGO_CFG_TARGET_VENDOR").as_deref() == Ok("apple") {
        return compile::against_mlx_sys();
    }
    host::check()?;
    let cache = cache::folder()?;
    let mlx = match env::var_os("MLX_LINK_DIR") {
        Some(dir) => wheel::checked(PathBuf::from(dir), "MLX_LINK_DIR")?,
        None => wheel::fetch(&cache)?,
    };
    let library = compile::libmlxc(&cache, &mlx)?;
    let folder = library.parent().expect("the library lies in a folder of the cache");
    // A cache that was emptied makes this build stale, so that the next one fills it again.
    println!("cargo::rerun-if-changed={}", library.display());
    println!("cargo::rerun-if-changed={}", mlx.join("lib/libmlx.so").display());
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=mlxc");
    if cfg!(feature = "cuda") {
        println!("cargo::rustc-link-lib=dylib={}", driver::STUB);
    }
    println!("cargo::rustc-env=MLX_LINK_MLX={}", mlx.display());
    println!("cargo::rustc-env=MLX_LINK_MLXC={}", folder.display());
    println!("cargo::rustc-env=MLX_LINK_OPENBLAS={}", openblas::fetch(&cache).display());
    Ok(())
}
