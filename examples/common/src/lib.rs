//! What the examples share: where their models and data come from. Each example is a program of its own beside this folder.

#![forbid(unsafe_code)]

pub mod download;
pub mod language;
