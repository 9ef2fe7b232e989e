//! Feature `cuda`: a stand-in for NVIDIA's driver library, for linking only.
//!
//! MLX's CUDA build needs libcuda.so.1, which comes with the driver and so is missing where there is no GPU. Lld does not
//! mind; GNU ld refuses to link a program when a symbol that its libraries need is nowhere. The stand-in has these symbols
//! and the driver's soname, but another file name, so that no program ever loads it: programs load the driver.

use crate::{Step, compile};
use std::{fs, path::Path, process::Command};

/// The name to link: `libmlx-no-driver.so`.
pub(crate) const STUB: &str = "mlx-no-driver";

/// Writes the stand-in for the CUDA MLX in `mlx` into the folder `into`.
pub(crate) fn stub(mut compiler: Command, mlx: &Path, into: &Path) -> Step<()> {
    let source = into.join("no-driver.cpp");
    let symbols = driver_symbols(&mlx.join("lib/libmlx.so"))?;
    let text: Vec<String> =
        symbols.iter().map(|symbol| format!("extern \"C\" void {symbol}() {{}}\n")).collect();
    fs::write(&source, text.concat()).map_err(|e| format!("cannot write {}: {e}.", source.display()))?;
    compiler.arg("-shared").arg("-o").arg(into.join(format!("lib{STUB}.so"))).arg(&source);
    compiler.args(["-Xlinker", "-soname", "-Xlinker", "libcuda.so.1"]);
    let done = compiler.output().map_err(|e| compile::no_compiler(&e.to_string()))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!("lib{STUB}.so did not link: {}", String::from_utf8_lossy(&done.stderr)))
}

/// The driver's functions are `cuUpper`; those of NVIDIA's other libraries go on in lower case (`cublas`, `cudnn`, `cufft`).
fn driver_symbols(library: &Path) -> Step<Vec<String>> {
    let failed = |why: &str| {
        format!("the symbols of {} could not be read with `nm`: {why}; install binutils.", library.display())
    };
    let output = Command::new("nm").args(["-D", "--undefined-only", "--format=posix"]).arg(library).output();
    let output = output.map_err(|e| failed(&e.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim()));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = names.lines().filter_map(|line| line.split_whitespace().next());
    let of_driver = |name: &&str| {
        name.strip_prefix("cu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    Ok(names.filter(of_driver).map(str::to_owned).collect())
}
