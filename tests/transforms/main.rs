//! Function transformations, by behaviour. Their bits and graphs are in `tests/parity`.

mod compile;
mod custom;
mod derivatives;
mod errors;
mod export;
mod export_constants;
mod export_in_python;
mod export_ops;
#[path = "../support/exported.rs"]
mod exported;
#[path = "../support/failing.rs"]
mod failing;
#[path = "../support/folder.rs"]
mod folder;
mod import;
#[path = "../support/python.rs"]
mod python;
