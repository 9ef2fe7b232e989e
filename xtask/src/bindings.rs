//! `cargo xtask bindings [--check]`: mlx-link's raw declarations, from the headers that mlx-link is linked to.
//!
//! Not here: where the headers come from (mlx-link's build script).

use crate::{Outcome, python};
use bindgen::{Builder, RustEdition, RustTarget};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The clang library that reads the headers; a wheel, so that nobody has to install one.
const LIBCLANG: &str = "libclang==18.1.1";

/// Writes the declarations, or with `check` fails when the committed ones are stale.
pub(crate) fn run(check: bool) -> Outcome {
    if env::var_os("LIBCLANG_PATH").is_none() {
        return with_libclang(check);
    }
    let mlxc = mlx_link::MLXC_DIR
        .ok_or("mlx-link was built without MLX (MLX_LINK_SKIP, DOCS_RS or Apple): no headers")?;
    let link = crate::root().join("crates/mlx-link");
    let native = link.join("native");
    let includes = [Path::new(mlxc).join("include"), native.clone(), gcc_include()?];
    let declarations = [
        ("bindings.rs", builder("mlx/c/mlx.h", &includes).allowlist_item("_?mlx_.*")),
        (
            "native.rs",
            builder("native.h", &includes)
                .blocklist_item("_?mlx_.*")
                .allowlist_item("mlxr_.*")
                .raw_line("use super::*;"),
        ),
    ];
    for (name, builder) in declarations {
        let head = "//! Made by `cargo xtask bindings`: do not edit.\n";
        let allow = "#![allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::all, clippy::pedantic)]\n";
        let text = builder.generate().map_err(|e| e.to_string())?.to_string();
        settle(&link.join("src").join(name), &format!("{head}{allow}{text}"), check)?;
    }
    Ok(())
}

fn builder(header: &str, includes: &[PathBuf]) -> Builder {
    let builder = Builder::default().header_contents("all.h", &format!("#include \"{header}\"\n"));
    let includes = includes.iter().map(|folder| format!("-I{}", folder.display()));
    builder
        .clang_args(includes)
        // FILE has another layout on every system; the library writes graphs through a string instead.
        .blocklist_function("mlx_export_to_dot|mlx_print_graph")
        .blocklist_type("FILE|_IO_.*|__off.*")
        .blocklist_var("mlx_array_empty")
        .generate_comments(false)
        .layout_tests(false)
        .rust_target(RustTarget::stable(85, 0).unwrap_or_default())
        .rust_edition(RustEdition::Edition2024)
}

fn settle(path: &Path, text: &str, check: bool) -> Outcome {
    let committed = fs::read_to_string(path).unwrap_or_default();
    if committed == text {
        println!("{} is current", crate::short(path));
        return Ok(());
    }
    if check {
        return Err(format!("{} is stale: run `cargo xtask bindings`", crate::short(path)));
    }
    println!("{} written", crate::short(path));
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs this command again with the library's place in its environment, which cannot be set from inside.
fn with_libclang(check: bool) -> Outcome {
    let site = python::site("libclang", &[LIBCLANG])?;
    let mut again = Command::new(env::current_exe().map_err(|e| e.to_string())?);
    again.env("LIBCLANG_PATH", site.join("clang/native")).arg("bindings");
    if check {
        again.arg("--check");
    }
    crate::succeed(&mut again)
}

/// The compiler's own headers (`stddef.h`), which the wheel of libclang lacks.
fn gcc_include() -> Result<PathBuf, String> {
    let output =
        Command::new("gcc").arg("-print-file-name=include").output().map_err(|e| format!("gcc: {e}"))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
