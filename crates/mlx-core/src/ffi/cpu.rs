//! Mode `fast`: what MLX's nodes are computed by where our kernels are better (native/fast.cpp).
//!
//! Not here: which kernel computes what (`crate::cpu`).

use super::{call::call, custom::list, host, status};
use crate::{ErrorKind, cpu};
use mlx_link as sys;

pub(crate) use super::host::Part;

/// What a node asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Product,
    Quantized,
    Gather,
    Softmax,
    Sum,
}

/// How the matrices of an input lie in its memory, in elements.
#[derive(Clone, Copy)]
pub(crate) struct Matrices<'a> {
    /// From a row to the next, and from a column to the next; one of the two is 1.
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// Where each begins.
    pub(crate) starts: &'a [i64],
}

/// A node's numbers: see native.h.
pub(crate) struct Work<'a>(&'a sys::mlxr_fast_work, &'a [sys::mlxr_matrices]);

impl<'a> Work<'a> {
    pub(crate) fn op(&self) -> Option<Op> {
        Some(match self.0.op {
            sys::mlxr_fast_op__MLXR_FAST_PRODUCT => Op::Product,
            sys::mlxr_fast_op__MLXR_FAST_QUANTIZED => Op::Quantized,
            sys::mlxr_fast_op__MLXR_FAST_GATHER => Op::Gather,
            sys::mlxr_fast_op__MLXR_FAST_SOFTMAX => Op::Softmax,
            sys::mlxr_fast_op__MLXR_FAST_SUM => Op::Sum,
            _ => return None,
        })
    }

    pub(crate) fn numbers(&self) -> &'a sys::mlxr_fast_work {
        self.0
    }

    /// Of the input at that place.
    pub(crate) fn matrices(&self, input: usize) -> Matrices<'a> {
        let raw = &self.1[input];
        Matrices { row: raw.row as usize, column: raw.column as usize, starts: list(raw.starts, raw.count) }
    }
}

/// Before the first node: tells MLX of our kernels, where the mode is `fast`.
pub(super) fn begin(stream: sys::mlx_stream) -> Result<(), String> {
    let mut begun = false;
    let status = call!(sys::mlxr_fast_begin, out begun, value Some(run), value stream);
    status::check("mlx", ErrorKind::Setup, status).map_err(|e| e.message().to_owned())?;
    if begun { cpu::check() } else { Ok(()) }
}

/// Called by MLX on the thread of a stream, without the lock.
unsafe extern "C" fn run(
    work: *const sys::mlxr_fast_work,
    inputs: *const sys::mlxr_host_part,
    input_count: usize,
    output: *const sys::mlxr_host_part,
) -> sys::mlx_string {
    let work = &list(work, 1)[0];
    let work = Work(work, list(work.matrices, input_count));
    let inputs: Vec<_> = list(inputs, input_count).iter().map(Part).collect();
    let output = Part(&list(output, 1)[0]);
    host::answer("cpu", || cpu::run(&work, &inputs, output))
}
