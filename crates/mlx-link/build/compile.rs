//! `libmlxc.so`: mlx-c and our C++ files, compiled once into the cache and found there by its absolute soname.

use crate::{MLX_VERSION, Step, cache, driver, openblas, sources};
use sha2::{Digest, Sha256};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn native() -> PathBuf {
    crate::package().join("native")
}

fn native_sources() -> Step<Vec<PathBuf>> {
    files(&native(), "cpp")
}

/// The files in a folder that end in `extension`, sorted.
fn files(folder: &Path, extension: &str) -> Step<Vec<PathBuf>> {
    let broken = |e: std::io::Error| format!("cannot read {}: {e}.", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(broken)? {
        files.push(entry.map_err(broken)?.path());
    }
    files.retain(|path| path.extension().is_some_and(|end| end == extension));
    files.sort();
    Ok(files)
}

fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++20").pic(true).opt_level(2).debug(false).warnings(false).cargo_metadata(false);
    build
}

/// On Apple mlx-sys links MLX and mlx-c; only our C++ files are added, against the headers it publishes.
pub(crate) fn against_mlx_sys() -> Step<()> {
    let headers = env::var_os("DEP_MLX_INCLUDE").ok_or("mlx-sys 0.7.0 published no include folders.")?;
    let mut build = compiler();
    build.cargo_metadata(true).includes(env::split_paths(&headers)).define("MLX_STATIC", None);
    build.files(native_sources()?).try_compile("mlxr").map_err(|e| format!("our C++ did not compile: {e}."))
}

/// The path of `libmlxc.so` for the MLX in `mlx`, built if the cache lacks it.
pub(crate) fn libmlxc(cache: &Path, mlx: &Path) -> Step<PathBuf> {
    for folder in [cache, mlx] {
        path(folder)?;
    }
    let mut build = compiler();
    build.define("MLXR_OPENBLAS", Some(&*format!("\"{}\"", openblas::place().display())));
    let tool = build.try_get_compiler().map_err(|e| no_compiler(&e.to_string()))?;
    let version = tool.to_command().arg("--version").output().map_err(|e| no_compiler(&e.to_string()))?;
    let mut key = Sha256::new();
    for part in [MLX_VERSION, sources::MLXC_SHA256, &tool.path().to_string_lossy(), &mlx.to_string_lossy()] {
        key.update(part.as_bytes());
        key.update([0]);
    }
    for argument in tool.args() {
        key.update(argument.as_encoded_bytes());
        key.update([0]);
    }
    key.update(&version.stdout);
    if cfg!(feature = "cuda") {
        key.update("cuda");
    }
    for file in native_sources()?.into_iter().chain(files(&native(), "h")?) {
        key.update(fs::read(&file).map_err(|e| format!("cannot read {}: {e}.", file.display()))?);
    }
    let name = format!("mlxc-0.7.0-{}", &format!("{:x}", key.finalize())[..16]);
    // The soname is the path the library will have once its folder is renamed into place.
    let soname = cache.join(&name).join("libmlxc.so");
    cache::entry(cache, &name, |fresh| {
        let mlxc = sources::mlxc()?;
        copy_headers(&mlxc, fresh)?;
        let objects = compile(build, &mlxc, mlx)?;
        if cfg!(feature = "cuda") {
            driver::stub(tool.to_command(), mlx, fresh)?;
        }
        link(tool.to_command(), &objects, mlx, &soname, &fresh.join("libmlxc.so"))
    })?;
    Ok(soname)
}

/// The headers and the licence lie beside the library: bindgen and bundles take them from there.
fn copy_headers(mlxc: &Path, fresh: &Path) -> Step<()> {
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(fresh.join("include/mlx/c"))?;
        fs::copy(mlxc.join("LICENSE"), fresh.join("LICENSE"))?;
        for entry in fs::read_dir(mlxc.join("mlx/c"))? {
            let path = entry?.path();
            if let (Some("h"), Some(name)) = (path.extension().and_then(|end| end.to_str()), path.file_name())
            {
                fs::copy(&path, fresh.join("include/mlx/c").join(name))?;
            }
        }
        Ok(())
    };
    copy().map_err(|e| format!("cannot copy mlx-c's headers into the cache: {e}."))
}

fn compile(mut build: cc::Build, mlxc: &Path, mlx: &Path) -> Step<Vec<PathBuf>> {
    let sources = native_sources()?.into_iter().chain(files(&mlxc.join("mlx/c"), "cpp")?);
    if !has_format_header(&build)? {
        build.flag("-include").flag(native().join("format.h"));
    }
    build.files(sources).include(mlxc).include(mlx.join("include"));
    let compiler = build.try_get_compiler().map_err(|e| no_compiler(&e.to_string()))?;
    build.try_compile_intermediates().map_err(|_| {
        format!(
            "mlx-c did not compile with {} (what it said stands above): a C++20 compiler is needed, g++ 11 or clang 14 or \
             newer; install one or set CXX.",
            compiler.path().display()
        )
    })
}

/// g++ 12 has no `<format>` and mlx-c uses it without including it.
fn has_format_header(build: &cc::Build) -> Step<bool> {
    let probe = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("has_format.cpp");
    let text = "#include <format>\nint main() { return std::format(\"{}\", 1).size() != 1; }\n";
    fs::write(&probe, text).map_err(|e| format!("cannot write {}: {e}.", probe.display()))?;
    let tool = build.try_get_compiler().map_err(|e| no_compiler(&e.to_string()))?;
    let output = tool
        .to_command()
        .arg("-fsyntax-only")
        .arg(&probe)
        .output()
        .map_err(|e| no_compiler(&e.to_string()))?;
    Ok(output.status.success())
}

fn link(mut command: Command, objects: &[PathBuf], mlx: &Path, soname: &Path, output: &Path) -> Step<()> {
    command.arg("-shared").arg("-o").arg(output).args(objects).arg("-L").arg(mlx.join("lib")).args([
        "-lmlx",
        "-ldl",
        "-lpthread",
    ]);
    // -Xlinker, not -Wl: a path may hold commas.
    for argument in
        ["-z", "defs", "--enable-new-dtags", "-soname", &path(soname)?, "-rpath", &path(&mlx.join("lib"))?]
    {
        command.args(["-Xlinker", argument]);
    }
    let done = command.output().map_err(|e| no_compiler(&e.to_string()))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!("libmlxc.so did not link: {}", String::from_utf8_lossy(&done.stderr)))
}

/// A path that the linker, the loader and cargo take as it is.
fn path(path: &Path) -> Step<String> {
    let plain = |text: &&str| !text.contains(|c: char| matches!(c, ':' | '$') || c.is_control());
    path.to_str().filter(|_| path.is_absolute()).filter(plain).map(str::to_owned).ok_or_else(|| {
        format!(
            "the loader of programs cannot be given the path `{}` (relative, a colon, a dollar, a control character, or not UTF-8): \
             set MLX_LINK_CACHE, or MLX_LINK_DIR where it is in use, to another folder.",
            path.display()
        )
    })
}

pub(crate) fn no_compiler(why: &str) -> String {
    format!(
        "mlx-c needs a C++20 compiler and none was found ({}): install g++ (or clang) or set CXX.",
        why.lines().next().unwrap_or("")
    )
}
