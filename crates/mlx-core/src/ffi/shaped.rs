//! Calls of mlx-c with a shape of their own: tensors from data, shapes, joins, text.
//!
//! Not here: other arrangements (`arrange`), tensors from a rule (`rules`).

use super::{
    build::{build, told_as_built},
    call::{call, constant, data, node, part},
    handle::Handle,
    runtime, status,
};
use crate::{Dtype, Element, ErrorKind, Result, Tensor, scalar::Constant};
use mlx_link as sys;
use std::ffi::{CString, c_int};

/// A copy of `values`, whose number the caller has compared with `shape`.
pub(crate) fn from_elements<T: Element>(op: &'static str, values: &[T], sizes: &[i32]) -> Result<Tensor> {
    let _guard = runtime::enter()?;
    let raw = data(values, sizes, T::DTYPE);
    Handle::from_raw(raw).map(Tensor).ok_or_else(|| status::failure(op, ErrorKind::Mlx))
}

/// A 0-d tensor.
pub(crate) fn from_constant(op: &'static str, value: Constant) -> Result<Tensor> {
    let guard = runtime::enter()?;
    let raw = constant(&guard, value);
    let handle = Handle::from_raw(raw.raw()).ok_or_else(|| status::failure(op, ErrorKind::Mlx))?;
    std::mem::forget(raw);
    Ok(Tensor(handle))
}

/// `x.astype(dtype)`; no node when it has that dtype.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn astype(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    node!("astype", sys::mlx_astype, tensor x, value dtype.code())
}

/// A symbol that takes one tensor and a list of integers, called by `node!` or by `part!`.
macro_rules! with_list {
    ($call:ident $($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name(x: &Tensor, list: &[i32]) -> Result<Tensor> {
            $call!($op, sys::$symbol, tensor x, list list)
        })*
    };
}

with_list! { node
    /// `mx.broadcast_to(x, shape)`
    broadcast_to = "broadcast_to" mlx_broadcast_to;
    /// `mx.reshape(x, shape)`
    reshape = "reshape" mlx_reshape;
}

with_list! { part
    /// `mx.expand_dims(x, axes)`
    expand_dims = "expand_dims" mlx_expand_dims_axes;
    /// `mx.squeeze(x, axes)`
    squeeze_axes = "squeeze" mlx_squeeze_axes;
    /// `mx.transpose(x, axes)`
    transpose_axes = "transpose" mlx_transpose_axes;
}

/// `mx.softmax(x, axis, precise)`; all axes together when there are none.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn softmax(x: &Tensor, axes: Option<&[i32]>, precise: bool) -> Result<Tensor> {
    match axes {
        Some(axes) => node!("softmax", sys::mlx_softmax_axes, tensor x, list axes, value precise),
        None => node!("softmax", sys::mlx_softmax, tensor x, value precise),
    }
}

/// `mx.addmm(c, a, b, alpha, beta)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn addmm(c: &Tensor, a: &Tensor, b: &Tensor, alpha: f32, beta: f32) -> Result<Tensor> {
    node!("addmm", sys::mlx_addmm, tensor c, tensor a, tensor b, value alpha, value beta)
}

/// `mx.clip(x, min, max)`, with at least one of the two bounds.
///
/// # Errors
/// What MLX refuses: no bound at all.
#[track_caller]
pub fn clip(x: &Tensor, bounds: [Option<&Tensor>; 2]) -> Result<Tensor> {
    let [min, max] = bounds;
    node!("clip", sys::mlx_clip, tensor x, option min, option max)
}

/// `mx.concatenate(tensors, axis)`; all of them flattened when there is no axis.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn concatenate(tensors: &[&Tensor], axis: Option<i32>) -> Result<Tensor> {
    let node = build("concatenate", |out, stream| match axis {
        Some(axis) => call!(
            sys::mlx_concatenate_axis, value out, vector tensors, value axis, value stream
        ),
        None => call!(sys::mlx_concatenate, value out, vector tensors, value stream),
    });
    // MLX copies each part on its own and passes over empty ones, as an empty cache is: the others stay where they are.
    told_as_built("concatenate", node, || tensors.iter().map(|&x| x.into()))
}

/// Python's text of an evaluated tensor, floats with `precision` decimals, or MLX's own number of them for -1.
pub(crate) fn text(x: &Tensor, precision: c_int) -> Result<String> {
    string("print", |out| call!(sys::mlxr_array_text, value out, tensor x, value precision))
}

/// MLX's dot text of the graph below `arrays`, where `names` has a name or none for each.
pub(crate) fn graph_dot(arrays: &[Tensor], names: &[Option<CString>]) -> Result<String> {
    let names: Vec<_> =
        names.iter().map(|name| name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr())).collect();
    string("export_to_dot", |out| call!(sys::mlxr_graph_dot, value out, tensors arrays, list names))
}

/// The text that `fill` writes, with the lock held.
fn string(op: &'static str, fill: impl FnOnce(*mut sys::mlx_string) -> c_int) -> Result<String> {
    let _guard = runtime::enter()?;
    status::string(op, fill)
}
