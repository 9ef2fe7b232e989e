//! `#[derive(Module)]`.
//!
//! Not here yet: the derive. The crate holds its place; it becomes a proc-macro crate with it.

#![forbid(unsafe_code)]
