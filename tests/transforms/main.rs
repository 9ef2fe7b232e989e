//! Function transformations, by behaviour. Their bits and graphs are in `tests/parity`.

mod compile;
mod custom;
mod errors;
