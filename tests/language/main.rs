//! Language models: tokens, logits and draws are those of Python mlx-lm, and files that are none are errors.
//!
//! Golden tokens and logits that owe nothing to MLX: `golden`, `float64`. Everything else against files that Python wrote
//! (`make_models.py`).

#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/own_blas.rs"]
mod own_blas;
#[allow(dead_code, reason = "where Python is, but not how it runs a script of one text")]
#[path = "../support/python.rs"]
mod python;

mod bad_files;
mod command_line;
mod decode;
mod draws;
mod float64;
mod folders;
mod golden;
mod json;
mod models;
mod texts;
mod twin;
