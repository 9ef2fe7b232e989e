//! Calls of mlx-c with a shape of their own: construction, shapes, joins, text.

use super::{
    call::{build, constant},
    handle::Handle,
    runtime, status,
};
use crate::{Dtype, Element, Error, ErrorKind, Result, Tensor, scalar::Constant, shape};
use mlx_link as sys;
use std::ffi::CStr;

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
    // SAFETY: the handle lives through the call, which the guard makes under the lock.
    build("astype", |_, out, stream| unsafe { sys::mlx_astype(out, x.0.raw(), dtype.code(), stream) })
        .map_err(|e| e.with_operands(&[x.into()]))
}

/// A symbol that takes one tensor and a list of integers.
macro_rules! with_list {
    ($($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        pub fn $name(x: &Tensor, list: &[i32]) -> Result<Tensor> {
            // SAFETY: handle and list live through the call, which the guard makes under the lock.
            build($op, |_, out, stream| unsafe { sys::$symbol(out, x.0.raw(), list.as_ptr(), list.len(), stream) })
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
    build("softmax", |_, out, stream| match axes {
        // SAFETY: handle and list live through the call, which the guard makes under the lock.
        Some(axes) => unsafe {
            sys::mlx_softmax_axes(out, x.0.raw(), axes.as_ptr(), axes.len(), precise, stream)
        },
        // SAFETY: likewise.
        None => unsafe { sys::mlx_softmax(out, x.0.raw(), precise, stream) },
    })
    .map_err(|e| e.with_operands(&[x.into()]))
}

/// `mx.var(x, axis, keepdims, ddof)`
///
/// # Errors
/// What MLX refuses.
pub fn var(x: &Tensor, axes: &crate::Axes, ddof: i32) -> Result<Tensor> {
    let keep = axes.keeps();
    build("var", |_, out, stream| match axes.list() {
        // SAFETY: handle and list live through the call, which the guard makes under the lock.
        Some(list) => unsafe {
            sys::mlx_var_axes(out, x.0.raw(), list.as_ptr(), list.len(), keep, ddof, stream)
        },
        // SAFETY: likewise.
        None => unsafe { sys::mlx_var(out, x.0.raw(), keep, ddof, stream) },
    })
    .map_err(|e| e.with_operands(&[x.into()]))
}

/// `mx.addmm(c, a, b, alpha, beta)`
///
/// # Errors
/// What MLX refuses.
pub fn addmm(c: &Tensor, a: &Tensor, b: &Tensor, alpha: f32, beta: f32) -> Result<Tensor> {
    build("addmm", |_, out, stream| {
        // SAFETY: the handles live through the call, which the guard makes under the lock.
        unsafe { sys::mlx_addmm(out, c.0.raw(), a.0.raw(), b.0.raw(), alpha, beta, stream) }
    })
    .map_err(|e| e.with_operands(&[c.into(), a.into(), b.into()]))
}

/// `mx.clip(x, min, max)`, with at least one bound.
///
/// # Errors
/// What MLX refuses: no bound at all.
pub fn clip(x: &Tensor, min: Option<&Tensor>, max: Option<&Tensor>) -> Result<Tensor> {
    let bound =
        |bound: Option<&Tensor>| bound.map_or(sys::mlx_array { ctx: std::ptr::null_mut() }, |t| t.0.raw());
    // SAFETY: the handles live through the call, which the guard makes under the lock; mlx-c takes an empty bound.
    build("clip", |_, out, stream| unsafe { sys::mlx_clip(out, x.0.raw(), bound(min), bound(max), stream) })
        .map_err(|e| e.with_operands(&[x.into()]))
}

/// `mx.full(shape, value, dtype)`; the caller has checked the shape.
///
/// # Errors
/// What MLX refuses.
pub fn full(sizes: &[i32], value: &Tensor, dtype: Dtype) -> Result<Tensor> {
    shape::check_sizes("full", sizes)?;
    build("full", |_, out, stream| {
        // SAFETY: handle and shape live through the call, which the guard makes under the lock.
        unsafe { sys::mlx_full(out, sizes.as_ptr(), sizes.len(), value.0.raw(), dtype.code(), stream) }
    })
}

/// `mx.arange(start, stop, step, dtype)`
///
/// # Errors
/// What MLX refuses: NaN, infinite or too many values.
pub fn arange(start: f64, stop: f64, step: f64, dtype: Dtype) -> Result<Tensor> {
    // SAFETY: plain values, under the lock.
    build("arange", |_, out, stream| unsafe { sys::mlx_arange(out, start, stop, step, dtype.code(), stream) })
}

/// A slice with raw starts, stops and steps, one an axis; the caller has refused a step of 0.
///
/// # Errors
/// What MLX refuses.
pub fn slice(x: &Tensor, start: &[i32], stop: &[i32], step: &[i32]) -> Result<Tensor> {
    assert!(!step.contains(&0), "a step of 0 ends the process inside MLX");
    build("slice", |_, out, stream| {
        let (n, m, k) = (start.len(), stop.len(), step.len());
        // SAFETY: handle and lists live through the call, which the guard makes under the lock.
        unsafe {
            sys::mlx_slice(out, x.0.raw(), start.as_ptr(), n, stop.as_ptr(), m, step.as_ptr(), k, stream)
        }
    })
    .map_err(|e| e.with_operands(&[x.into()]))
}

/// The subtensor of `x` at `index` of `axis`, which the caller has checked against its size.
///
/// # Errors
/// What MLX refuses.
pub fn take_axis(x: &Tensor, index: &Tensor, axis: i32) -> Result<Tensor> {
    // SAFETY: the handles live through the call, which the guard makes under the lock.
    build("take", |_, out, stream| unsafe { sys::mlx_take_axis(out, x.0.raw(), index.0.raw(), axis, stream) })
        .map_err(|e| e.with_operands(&[x.into(), index.into()]))
}

/// `mx.concatenate(tensors, axis)`
///
/// # Errors
/// What MLX refuses.
pub fn concatenate(tensors: &[Tensor], axis: i32) -> Result<Tensor> {
    build("concatenate", |_, out, stream| {
        let (arrays, count) = Handle::raw_slice(tensors);
        // SAFETY: the handles live through the call, which the guard makes under the lock; the vector is made and
        // freed here.
        unsafe {
            let vector = sys::mlx_vector_array_new_data(arrays, count);
            let status = sys::mlx_concatenate_axis(out, vector, axis, stream);
            sys::mlx_vector_array_free(vector);
            status
        }
    })
    .map_err(|e| e.with_operands(&tensors.iter().map(Into::into).collect::<Vec<_>>()))
}

/// Python's text of an evaluated tensor.
pub(crate) fn text(x: &Tensor) -> Result<String> {
    string("print", |out| {
        // SAFETY: the array is live and the lock is held.
        unsafe { sys::mlx_array_tostring(out, x.0.raw()) }
    })
}

/// MLX's dot text of the graph below `outputs`.
pub(crate) fn graph_dot(outputs: &[Tensor]) -> Result<String> {
    let (arrays, count) = Handle::raw_slice(outputs);
    // SAFETY: the arrays live through the call and the lock is held.
    string("export_to_dot", |out| unsafe { sys::mlxr_graph_dot(out, arrays, count) })
}

/// The text that `fill` writes, with the lock held.
fn string(
    op: &'static str,
    fill: impl FnOnce(*mut sys::mlx_string) -> std::ffi::c_int,
) -> Result<String, Error> {
    let _guard = runtime::enter()?;
    // SAFETY: the string is made, read and freed here.
    unsafe {
        let mut raw = sys::mlx_string_new();
        let status = fill(&raw mut raw);
        let text = if status == 0 {
            CStr::from_ptr(sys::mlx_string_data(raw)).to_string_lossy().into_owned()
        } else {
            String::new()
        };
        sys::mlx_string_free(raw);
        status::check(op, ErrorKind::Mlx, status)?;
        Ok(text)
    }
}
