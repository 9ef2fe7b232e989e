//! Builds as users run them: what goes wrong, what another workspace gets, an empty cache, no network; the sources from
//! elsewhere.
//!
//! `cargo test -p mlx-link --test building -- --ignored` runs the slow ones too.

// On Apple mlx-sys builds and links MLX.
#![cfg(target_os = "linux")]

mod bad_cases;
mod downstream;
mod elsewhere;
mod fresh_cache;
mod no_openblas;
mod support;
