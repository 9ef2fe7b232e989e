//! A build with an MLX of the user's own and no network: whole, with a warning, until OpenBLAS can be had.

use crate::support::{cargo, empty_folder, root, said, without_network};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Output,
};

/// A cache that holds what the tests were linked to and no OpenBLAS.
fn cache_without_openblas() -> PathBuf {
    let cache = empty_folder("no-openblas-cache");
    let built = Path::new(mlx_link::MLXC_DIR.expect("the tests were linked to one"));
    symlink(built, cache.join(built.file_name().expect("an entry has a name"))).expect("an empty folder");
    cache
}

fn build(cache: &Path) -> Output {
    let mut command = cargo("no-openblas");
    command.current_dir(root()).args(["check", "--offline", "--package", "mlx-link"]);
    without_network(&mut command);
    command.env("MLX_LINK_CACHE", cache);
    command.env("MLX_LINK_DIR", mlx_link::MLX_DIR.expect("the tests were linked to an MLX"));
    command.output().expect("cargo starts")
}

#[track_caller]
fn check(output: &Output, warned: bool) {
    assert!(output.status.success(), "{}", said(output));
    let text = said(output);
    let warnings: Vec<&str> = text.lines().filter(|line| line.contains("OpenBLAS")).collect();
    assert_eq!(warnings.len(), usize::from(warned), "{text}");
    for warning in warnings {
        for word in ["MLX_CPU=blas", "stock", "scipy-openblas32", "check the network"] {
            assert!(warning.starts_with("warning: mlx-link@") && warning.contains(word), "{warning}");
        }
    }
}

#[test]
fn openblas_is_picked_up_by_the_first_build_that_can() {
    let cache = cache_without_openblas();
    check(&build(&cache), true);
    // Nothing changed, and the build tries again.
    check(&build(&cache), true);
    let library = Path::new(mlx_link::OPENBLAS.expect("the tests were linked to a library"));
    assert!(library.exists(), "this workspace's own build found no OpenBLAS");
    // As another workspace's build leaves it: new.
    let place = library.ancestors().nth(4).expect("it lies in an entry of a cache");
    let copy = cache.join(library.strip_prefix(place).expect("below it"));
    fs::create_dir_all(copy.parent().expect("in a folder")).expect("a cache of ours");
    fs::copy(library, copy).expect("a cache of ours");
    check(&build(&cache), false);
}
