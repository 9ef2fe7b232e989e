//! Builds as users run them: what goes wrong, what another workspace gets, an empty cache, no network.

mod bad_cases;
mod downstream;
mod fresh_cache;
mod no_openblas;
mod support;
