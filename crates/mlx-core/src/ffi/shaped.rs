//! Calls of mlx-c with a shape of their own: construction, shapes, joins, text.

use super::{
    call::{build, constant, node},
    handle::Handle,
    runtime, status,
};
use crate::{Dtype, Element, ErrorKind, Result, Tensor, scalar::Constant, shape};
use mlx_link as sys;
use std::ffi::c_int;

/// A copy of `values`, whose number the caller has compared with `shape`.
pub(crate) fn from_elements<T: Element>(op: &'static str, values: &[T], sizes: &[i32]) -> Result<Tensor> {
    assert_eq!(values.len(), shape::element_count(sizes), "the caller compares them");
    let _guard = runtime::enter()?;
    // SAFETY: `values` holds as many elements of the dtype as the shape, and is copied before the call returns.
    let raw = unsafe {
        sys::mlx_array_new_data(values.as_ptr().cast(), sizes.as_ptr(), sizes.len() as i32, T::DTYPE.code())
    };
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
pub fn astype(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    node!("astype", sys::mlx_astype, tensor x, value dtype.code()).map_err(|e| e.with_operands(&[x.into()]))
}

/// A symbol that takes one tensor and a list of integers.
macro_rules! with_list {
    ($($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        pub fn $name(x: &Tensor, list: &[i32]) -> Result<Tensor> {
            node!($op, sys::$symbol, tensor x, list list)
                .map_err(|e| e.with_operands(&[x.into()]))
        })*
    };
}

with_list! {
    /// `mx.broadcast_to(x, shape)`
    broadcast_to = "broadcast_to" mlx_broadcast_to;
    /// `mx.expand_dims(x, axes)`
    expand_dims = "expand_dims" mlx_expand_dims_axes;
    /// `mx.reshape(x, shape)`
    reshape = "reshape" mlx_reshape;
    /// `mx.squeeze(x, axes)`
    squeeze_axes = "squeeze" mlx_squeeze_axes;
    /// `mx.transpose(x, axes)`
    transpose_axes = "transpose" mlx_transpose_axes;
}

/// `mx.softmax(x, axis, precise)`; all axes together when there are none.
///
/// # Errors
/// What MLX refuses.
pub fn softmax(x: &Tensor, axes: Option<&[i32]>, precise: bool) -> Result<Tensor> {
    match axes {
        Some(axes) => node!("softmax", sys::mlx_softmax_axes, tensor x, list axes, value precise),
        None => node!("softmax", sys::mlx_softmax, tensor x, value precise),
    }
    .map_err(|e| e.with_operands(&[x.into()]))
}

/// `mx.var(x, axis, keepdims, ddof)`
///
/// # Errors
/// What MLX refuses.
pub fn var(x: &Tensor, axes: &crate::Axes, ddof: i32) -> Result<Tensor> {
    let keep = axes.keeps();
    match axes.list() {
        Some(list) => node!("var", sys::mlx_var_axes, tensor x, list list, value keep, value ddof),
        None => node!("var", sys::mlx_var, tensor x, value keep, value ddof),
    }
    .map_err(|e| e.with_operands(&[x.into()]))
}

/// `mx.addmm(c, a, b, alpha, beta)`
///
/// # Errors
/// What MLX refuses.
pub fn addmm(c: &Tensor, a: &Tensor, b: &Tensor, alpha: f32, beta: f32) -> Result<Tensor> {
    node!("addmm", sys::mlx_addmm, tensor c, tensor a, tensor b, value alpha, value beta)
        .map_err(|e| e.with_operands(&[c.into(), a.into(), b.into()]))
}

/// `mx.clip(x, min, max)`, with at least one of the two bounds.
///
/// # Errors
/// What MLX refuses: no bound at all.
pub fn clip(x: &Tensor, bounds: [Option<&Tensor>; 2]) -> Result<Tensor> {
    // mlx-c takes an empty handle for no bound.
    let none = sys::mlx_array { ctx: std::ptr::null_mut() };
    let [min, max] = bounds.map(|bound| bound.map_or(none, |tensor| tensor.0.raw()));
    let operands = || [Some(x)].into_iter().chain(bounds).flatten().map(Into::into).collect::<Vec<_>>();
    node!("clip", sys::mlx_clip, tensor x, value min, value max).map_err(|e| e.with_operands(&operands()))
}

/// `mx.full(shape, value, dtype)`
///
/// # Errors
/// What MLX refuses: a negative size.
pub fn full(sizes: &[i32], value: &Tensor, dtype: Dtype) -> Result<Tensor> {
    node!("full", sys::mlx_full, list sizes, tensor value, value dtype.code())
}

/// `mx.arange(start, stop, step, dtype)`
///
/// # Errors
/// What MLX refuses: NaN, infinite or too many values.
pub fn arange(start: f64, stop: f64, step: f64, dtype: Dtype) -> Result<Tensor> {
    node!("arange", sys::mlx_arange, value start, value stop, value step, value dtype.code())
}

/// A slice with raw starts, stops and steps, one an axis; the caller has refused a step of 0.
///
/// # Errors
/// What MLX refuses.
pub fn slice(x: &Tensor, start: &[i32], stop: &[i32], step: &[i32]) -> Result<Tensor> {
    assert!(!step.contains(&0), "a step of 0 ends the process inside MLX");
    node!("slice", sys::mlx_slice, tensor x, list start, list stop, list step)
        .map_err(|e| e.with_operands(&[x.into()]))
}

/// The subtensor of `x` at `index` of `axis`, which the caller has checked against its size.
///
/// # Errors
/// What MLX refuses.
pub fn take_axis(x: &Tensor, index: &Tensor, axis: i32) -> Result<Tensor> {
    node!("take", sys::mlx_take_axis, tensor x, tensor index, value axis)
        .map_err(|e| e.with_operands(&[x.into(), index.into()]))
}

/// `mx.concatenate(tensors, axis)`; all of them flattened when there is no axis.
///
/// # Errors
/// What MLX refuses.
pub fn concatenate(tensors: &[Tensor], axis: Option<i32>) -> Result<Tensor> {
    build("concatenate", |out, stream| {
        let (arrays, count) = Handle::raw_slice(tensors);
        // SAFETY: the handles live through the call, which `build` makes under the lock; the vector is made and freed
        // here.
        unsafe {
            let vector = sys::mlx_vector_array_new_data(arrays, count);
            let status = match axis {
                Some(axis) => sys::mlx_concatenate_axis(out, vector, axis, stream),
                None => sys::mlx_concatenate(out, vector, stream),
            };
            sys::mlx_vector_array_free(vector);
            status
        }
    })
    .map_err(|e| e.with_operands(&tensors.iter().map(Into::into).collect::<Vec<_>>()))
}

/// `mx.split(x, parts, axis)`: as many tensors as parts.
///
/// # Errors
/// What MLX refuses.
pub fn split(x: &Tensor, parts: i32, axis: i32) -> Result<Vec<Tensor>> {
    let guard = runtime::enter()?;
    // SAFETY: the handle lives through the call and the lock is held; the vector is made, read and freed here, and each
    // handle taken out of it is a new one.
    let (status, found) = unsafe {
        let mut vector = sys::mlx_vector_array_new();
        let status = sys::mlx_split(&raw mut vector, x.0.raw(), parts, axis, guard.stream());
        let get = |i| {
            let mut out = sys::mlx_array { ctx: std::ptr::null_mut() };
            sys::mlx_vector_array_get(&raw mut out, vector, i);
            Handle::from_raw(out).map(Tensor)
        };
        let found: Vec<Tensor> = (0..sys::mlx_vector_array_size(vector)).filter_map(get).collect();
        sys::mlx_vector_array_free(vector);
        (status, found)
    };
    status::check("split", ErrorKind::Mlx, status).map_err(|e| e.with_operands(&[x.into()]))?;
    Ok(found)
}

/// Python's text of an evaluated tensor, floats with `precision` decimals, or MLX's own number of them for -1.
pub(crate) fn text(x: &Tensor, precision: c_int) -> Result<String> {
    string("print", |out| {
        // SAFETY: the array is live and the lock is held.
        unsafe { sys::mlxr_array_text(out, x.0.raw(), precision) }
    })
}

/// MLX's dot text of the graph below `outputs`.
pub(crate) fn graph_dot(outputs: &[Tensor]) -> Result<String> {
    let (arrays, count) = Handle::raw_slice(outputs);
    // SAFETY: the arrays live through the call and the lock is held.
    string("export_to_dot", |out| unsafe { sys::mlxr_graph_dot(out, arrays, count) })
}

/// The text that `fill` writes, with the lock held.
fn string(op: &'static str, fill: impl FnOnce(*mut sys::mlx_string) -> c_int) -> Result<String> {
    let _guard = runtime::enter()?;
    status::string(op, fill)
}
