//! Nodes as mlx-c's calls give them: under the lock, checked, and told with what they were built from. Not the calls
//! themselves, which have types in `call`.

use super::{
    handle::Handle,
    place,
    runtime::{self, Guard},
    status,
    vector::Vector,
};
use crate::{Error, ErrorKind, OperandRef, Result, Tensor, promotion, shape};
use mlx_link as sys;
use std::ffi::c_int;

/// Builds one node: takes the lock, makes the call, checks its status and the size of its result.
#[inline]
pub(super) fn build(
    op: &'static str,
    call: impl FnOnce(*mut sys::mlx_array, sys::mlx_stream) -> c_int,
) -> Result<Tensor> {
    build_in(&runtime::enter()?, op, call)
}

/// [`build`] for a caller that holds the lock already.
#[inline]
pub(super) fn build_in(
    guard: &Guard,
    op: &'static str,
    call: impl FnOnce(*mut sys::mlx_array, sys::mlx_stream) -> c_int,
) -> Result<Tensor> {
    sized(op, unsized_in(guard, op, call)?)
}

/// [`build`] for a node that is no larger than a tensor it is made of.
#[inline]
pub(super) fn build_part(
    op: &'static str,
    call: impl FnOnce(*mut sys::mlx_array, sys::mlx_stream) -> c_int,
) -> Result<Tensor> {
    unsized_in(&runtime::enter()?, op, call)
}

#[inline]
fn unsized_in(
    guard: &Guard,
    op: &'static str,
    call: impl FnOnce(*mut sys::mlx_array, sys::mlx_stream) -> c_int,
) -> Result<Tensor> {
    let mut out = sys::mlx_array { ctx: std::ptr::null_mut() };
    let status = call(&raw mut out, guard.stream());
    match Handle::from_raw(out) {
        Some(handle) if status == 0 => Ok(Tensor(handle)),
        _ => Err(status::failure(op, ErrorKind::Mlx)),
    }
}

/// [`build`] for a call that gives several nodes.
pub(super) fn build_several(
    op: &'static str,
    call: impl FnOnce(*mut sys::mlx_vector_array, sys::mlx_stream) -> c_int,
) -> Result<Vec<Tensor>> {
    let guard = runtime::enter()?;
    let mut out = Vector::unmade(&guard);
    let status = call(out.place(), guard.stream());
    status::check(op, ErrorKind::Mlx, status)?;
    let tensors = out.tensors();
    match tensors.iter().find(|tensor| !tensor.0.fits()) {
        Some(tensor) => Err(shape::too_large(op, tensor.shape(), tensor.dtype())),
        None => Ok(tensors),
    }
}

/// [`build`] for a call that gives two nodes.
pub(super) fn build_pair(
    op: &'static str,
    call: impl FnOnce(*mut sys::mlx_array, *mut sys::mlx_array, sys::mlx_stream) -> c_int,
) -> Result<[Tensor; 2]> {
    let guard = runtime::enter()?;
    let empty = sys::mlx_array { ctx: std::ptr::null_mut() };
    let (mut first, mut second) = (empty, empty);
    let status = call(&raw mut first, &raw mut second, guard.stream());
    match (Handle::from_raw(first), Handle::from_raw(second)) {
        (Some(first), Some(second)) if status == 0 => {
            Ok([sized(op, Tensor(first))?, sized(op, Tensor(second))?])
        }
        _ => Err(status::failure(op, ErrorKind::Mlx)),
    }
}

/// The node, where its bytes have addresses.
#[inline]
pub(super) fn sized(op: &'static str, tensor: Tensor) -> Result<Tensor> {
    if tensor.0.fits() { Ok(tensor) } else { Err(oversized(op, tensor)) }
}

#[cold]
fn oversized(op: &'static str, tensor: Tensor) -> Error {
    shape::too_large(op, tensor.shape(), tensor.dtype())
}

/// A node with what it was built from: made on the CPU where a GPU would launch nothing, named in its error, looked at by
/// the promotion guard. Inlined, as it is called once a call shape; what is rare is not.
#[inline(always)]
#[track_caller]
pub(super) fn told<'a, N: Nodes, O: Iterator<Item = OperandRef<'a>>>(
    op: &'static str,
    build: impl Fn() -> Result<N>,
    operands: impl Fn() -> O,
) -> Result<N> {
    let nodes = build();
    if nodes.is_ok() && !place::has_gpu() && !promotion::is_watched() {
        nodes
    } else {
        built_again(op, nodes, build, operands)
    }
}

/// [`told`] where there is more to do.
#[inline(never)]
#[track_caller]
fn built_again<'a, N: Nodes, O: Iterator<Item = OperandRef<'a>>>(
    op: &'static str,
    mut nodes: Result<N>,
    build: impl Fn() -> Result<N>,
    operands: impl Fn() -> O,
) -> Result<N> {
    if place::has_gpu() && is_nothing_on_gpu(&nodes, operands())? {
        let _on_cpu = place::on_cpu()?;
        nodes = build();
    }
    told_as_built(op, nodes, operands)
}

/// [`told`] for nodes that a GPU makes without elements, too.
#[inline(always)]
#[track_caller]
pub(super) fn told_as_built<'a, N: Nodes, O: Iterator<Item = OperandRef<'a>>>(
    op: &'static str,
    nodes: Result<N>,
    operands: impl Fn() -> O,
) -> Result<N> {
    if nodes.is_ok() && !promotion::is_watched() { nodes } else { looked_at(op, nodes, operands) }
}

/// An error with the operands, and the nodes as the promotion guard sees them.
#[cold]
#[inline(never)]
#[track_caller]
fn looked_at<'a, N: Nodes, O: Iterator<Item = OperandRef<'a>>>(
    op: &'static str,
    nodes: Result<N>,
    operands: impl Fn() -> O,
) -> Result<N> {
    match nodes {
        Ok(nodes) => {
            let operands: Vec<_> = operands().collect();
            promotion::check(op, nodes.tensors().iter().map(Tensor::dtype), &operands).map(|()| nodes)
        }
        Err(error) => Err(error.with_operands(&operands().collect::<Vec<_>>())),
    }
}

/// Whether a GPU was to make something empty, or of something empty, which is built on the CPU instead. Many of MLX's CUDA
/// kernels divide by the number of elements or launch as many threads, and a launch of none is an error that stays with
/// the thread. What a GPU refuses stays refused.
#[cold]
fn is_nothing_on_gpu<'a, N: Nodes>(
    nodes: &Result<N>,
    mut operands: impl Iterator<Item = OperandRef<'a>>,
) -> Result<bool> {
    let Ok(nodes) = nodes else { return Ok(false) };
    let is_empty = |operand| matches!(operand, OperandRef::Tensor(tensor) if tensor.size() == 0);
    let nothing = nodes.tensors().iter().any(|tensor| tensor.size() == 0) || operands.any(is_empty);
    Ok(nothing && place::on_gpu()?)
}

/// One tensor or several.
pub(super) trait Nodes {
    fn tensors(&self) -> &[Tensor];
}

impl Nodes for Tensor {
    fn tensors(&self) -> &[Tensor] {
        std::slice::from_ref(self)
    }
}

impl Nodes for [Tensor; 2] {
    fn tensors(&self) -> &[Tensor] {
        self
    }
}

impl Nodes for Vec<Tensor> {
    fn tensors(&self) -> &[Tensor] {
        self
    }
}
