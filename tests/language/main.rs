//! Language models: tokens, logits and draws are those of Python mlx-lm, and files that are none are errors.
//!
//! Golden tokens and logits that owe nothing to MLX: `golden`, `float64`. Everything else against files that Python wrote
//! (`make_models.py`).

#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/own_blas.rs"]
mod own_blas;

mod bad_files;
mod command_line;
mod draws;
mod float64;
mod golden;
mod json;
mod models;
mod texts;
