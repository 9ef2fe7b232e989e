//! Which targets the wheels of MLX serve, refused in one sentence where they do not.

use crate::Step;
use std::{env, process::Command};

/// The wheels are `manylinux_2_35`.
const GLIBC_FLOOR: (u32, u32) = (2, 35);

/// `Err` where no wheel of MLX can run.
pub(crate) fn check() -> Step<()> {
    let part = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let (os, arch, libc) = (part("OS"), part("ARCH"), part("ENV"));
    if os != "linux" || libc != "gnu" || !["x86_64", "aarch64"].contains(&arch.as_str()) {
        return Err(format!(
            "MLX has no build for {arch}-{os}-{libc}: it runs on x86_64 and aarch64 Linux with glibc 2.35 or newer, and on \
             Apple; to link a build of your own, set MLX_LINK_DIR to a folder with include/ and lib/ on such a target, or \
             set MLX_LINK_SKIP=1 to check code without linking."
        ));
    }
    if env::var("HOST") != env::var("TARGET") || env::var_os("MLX_LINK_DIR").is_some() {
        return Ok(());
    }
    match glibc() {
        Some(version) if version < GLIBC_FLOOR => Err(format!(
            "MLX's wheel needs glibc {}.{} or newer and this machine has {}.{}: use a newer distribution, or set \
             MLX_LINK_DIR to a folder with include/ and lib/ of an MLX built here.",
            GLIBC_FLOOR.0, GLIBC_FLOOR.1, version.0, version.1
        )),
        _ => Ok(()),
    }
}

fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
