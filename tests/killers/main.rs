//! What ends a process in Python MLX, hangs it, or reads foreign memory there: here each is a value or an error. A
//! child process each, since a test that found one would end with it.

mod arranging;
mod callers;
mod convolutions;
mod convolutions_at_random;
mod division;
mod export;
#[path = "../support/exported.rs"]
mod exported;
#[path = "../support/failing.rs"]
mod failing;
mod files;
#[path = "../support/folder.rs"]
mod folder;
mod gguf;
mod graphs;
mod huge;
mod indices;
mod kernels;
mod layers;
mod loaded;
mod matrices;
mod npy;
mod order;
mod positions;
mod products;
#[path = "../support/programs.rs"]
mod programs;
mod random;
mod readers;
mod reductions;
mod sequences;
mod text;
mod threads;
mod views;

use mlx::{ErrorKind, Result, Tensor};
use std::process::ExitCode;

fn main() -> ExitCode {
    let tables = [
        arranging::PROGRAMS,
        callers::PROGRAMS,
        convolutions::PROGRAMS,
        convolutions_at_random::PROGRAMS,
        division::PROGRAMS,
        positions::PROGRAMS,
        indices::PROGRAMS,
        huge::PROGRAMS,
        kernels::PROGRAMS,
        layers::PROGRAMS,
        sequences::PROGRAMS,
        loaded::PROGRAMS,
        products::PROGRAMS,
        matrices::PROGRAMS,
        random::PROGRAMS,
        reductions::PROGRAMS,
        order::PROGRAMS,
        graphs::PROGRAMS,
        export::PROGRAMS,
        files::PROGRAMS,
        npy::PROGRAMS,
        gguf::PROGRAMS,
        readers::PROGRAMS,
        text::PROGRAMS,
        threads::PROGRAMS,
        views::PROGRAMS,
    ];
    programs::main(&tables.concat(), 1)
}

fn ones(shape: &[i32]) -> Tensor {
    mlx::ops::ones(shape, mlx::Dtype::Float32).expect("a shape")
}

/// A value or an error, but an end to both; whether it is a value.
fn survives(tensor: Result<Tensor>) -> bool {
    tensor.and_then(|tensor| tensor.eval()).is_ok()
}

/// Every element, as int64.
#[track_caller]
fn check(tensor: Result<Tensor>, wanted: &[i64]) {
    let found = tensor.and_then(|tensor| mlx::ops::astype(&tensor, mlx::Dtype::Int64)?.to_vec::<i64>());
    assert_eq!(found.expect("a value"), wanted);
}

/// An error of the kind, when the tensor is built or when it is evaluated.
#[track_caller]
fn refused(tensor: Result<Tensor>, kind: ErrorKind) {
    match tensor.and_then(|tensor| tensor.eval().map(|()| tensor)) {
        Ok(tensor) => panic!("{tensor:?} instead of an error"),
        Err(error) => assert_eq!(error.kind(), kind, "{error}"),
    }
}

/// An operator or method that panics, with an error's text.
#[track_caller]
fn panics(words: &str, work: impl FnOnce() -> Tensor) {
    let payload = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(tensor) => panic!("{tensor:?} instead of a panic"),
        Err(payload) => payload,
    };
    let text = payload.downcast_ref::<String>().expect("a text");
    assert!(text.contains(words), "{text}");
}
