//! Calls of mlx-c's products of matrices and tensors, and of convolutions.
//!
//! Not here: the options as users write them, and the guards of convolutions (mlx-ops), which the callers of these have
//! passed.

use super::{
    call::{call, node},
    place, runtime, status,
};
use crate::{Result, Tensor, guard};
use mlx_link as sys;
use smallvec::SmallVec;
use std::{borrow::Cow, ffi::CStr};

/// A symbol that takes two tensors and no scalars.
macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = $op:literal $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name(a: &Tensor, b: &Tensor) -> Result<Tensor> {
            node!($op, sys::$symbol, tensor a, tensor b)
        })*
    };
}

of_two! {
    /// `mx.inner(a, b)`
    inner = "inner" mlx_inner;
    /// `mx.kron(a, b)`
    kron = "kron" mlx_kron;
    /// `mx.matmul(a, b)`
    matmul = "matmul" mlx_matmul;
    /// `mx.outer(a, b)`
    outer = "outer" mlx_outer;
}

/// `mx.vecdot(a, b, axis)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn vecdot(a: &Tensor, b: &Tensor, axis: i32) -> Result<Tensor> {
    let (a, b) = (&*guard::reducible(a)?, &*guard::reducible(b)?);
    node!("vecdot", sys::mlx_vecdot, tensor a, tensor b, value axis)
}

/// `mx.tensordot(a, b, axes)` over the last axes of `a` and the first of `b`.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn tensordot_count(a: &Tensor, b: &Tensor, count: i32) -> Result<Tensor> {
    node!("tensordot", sys::mlx_tensordot_axis, tensor a, tensor b, value count)
}

/// `mx.tensordot(a, b, [axes_a, axes_b])`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn tensordot_axes(a: &Tensor, b: &Tensor, axes_a: &[i32], axes_b: &[i32]) -> Result<Tensor> {
    node!("tensordot", sys::mlx_tensordot, tensor a, tensor b, list axes_a, list axes_b)
}

/// `mx.einsum(subscripts, *operands)`; the caller has compared the ellipses with the letters that are left.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn einsum(subscripts: &CStr, operands: &[&Tensor]) -> Result<Tensor> {
    let operands: SmallVec<[Cow<'_, Tensor>; 8]> =
        operands.iter().map(|x| guard::reducible(x)).collect::<Result<_>>()?;
    node!("einsum", sys::mlx_einsum, text subscripts, vector &operands)
}

/// `mx.einsum_path(subscripts, *operands)`: a line of positions, then Python's text; the caller has compared as for
/// [`einsum`].
///
/// # Errors
/// What MLX refuses.
pub fn einsum_path(subscripts: &CStr, operands: &[Tensor]) -> Result<String> {
    let _guard = runtime::enter()?;
    status::string(
        "einsum_path",
        |out| call!(sys::mlxr_einsum_path, value out, text subscripts, tensors operands),
    )
}

/// The masks of blocks: of the result, of the left operand, of the right one.
pub type Masks<'a> = [Option<&'a Tensor>; 3];

/// `mx.block_masked_mm(a, b, block_size, mask_out, mask_lhs, mask_rhs)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn block_masked_mm(a: &Tensor, b: &Tensor, size: i32, masks: Masks<'_>) -> Result<Tensor> {
    let [out, left, right] = masks;
    node!(
        "block_masked_mm", sys::mlx_block_masked_mm, tensor a, tensor b, value size, option out, option left,
        option right
    )
}

/// `mx.gather_mm(a, b, lhs_indices, rhs_indices, sorted_indices)`
///
/// # Errors
/// An index that can be seen and names no matrix; what MLX refuses.
#[track_caller]
pub fn gather_mm(a: &Tensor, b: &Tensor, indices: [Option<&Tensor>; 2], sorted: bool) -> Result<Tensor> {
    let checked = |side: usize, x: &Tensor| {
        let index = indices[side];
        index.map(|index| guard::indices("gather_mm", index, x.shape())).transpose()
    };
    let (left, right) = (checked(0, a)?, checked(1, b)?);
    let (left, right) = (left.as_deref(), right.as_deref());
    node!(
        "gather_mm", sys::mlx_gather_mm, tensor a, tensor b, option left, option right, value sorted
    )
}

/// `mx.segmented_mm(a, b, segments)`
///
/// # Errors
/// A segment that can be seen and ends beyond the inner axis; what MLX refuses.
#[track_caller]
pub fn segmented_mm(a: &Tensor, b: &Tensor, segments: &Tensor) -> Result<Tensor> {
    let segments = &*guard::segments(segments, [a.shape(), b.shape()])?;
    node!("segmented_mm", sys::mlx_segmented_mm, tensor a, tensor b, tensor segments)
}

/// A convolution in mlx-c's terms: lists of one number for all axes, or of one for each.
#[derive(Clone, Copy)]
pub struct Convolution<'a> {
    /// Steps of the kernel.
    pub stride: &'a [i32],
    /// Zeros before and after.
    pub padding: [&'a [i32]; 2],
    /// Distances between the kernel's elements.
    pub kernel_dilation: &'a [i32],
    /// Distances between the input's elements.
    pub input_dilation: &'a [i32],
    /// Groups of channels.
    pub groups: i32,
    /// Whether the kernel is turned around.
    pub flip: bool,
}

/// Whether MLX may look for a gradient by one of a convolution's operands.
#[must_use]
pub fn is_derived(x: &Tensor, weight: &Tensor) -> bool {
    guard::is_derived(&[x, weight])
}

/// `mx.conv_general`, in which all other convolutions end; the caller has refused what makes MLX leave its memory.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn convolution(op: &'static str, x: &Tensor, weight: &Tensor, how: Convolution<'_>) -> Result<Tensor> {
    let Convolution { stride, padding: [low, high], kernel_dilation, input_dilation, groups, flip } = how;
    let is_taken = place::on_gpu()? && !guard::may_have_plan(x, weight, &how);
    let _place = if is_taken { Some(place::on_cpu()?) } else { None };
    node!(
        op, sys::mlx_conv_general, tensor x, tensor weight, list stride, list low, list high,
        list kernel_dilation, list input_dilation, value groups, value flip
    )
}

/// The vector backwards: Python's `v[::-1]`.
///
/// # Errors
/// What MLX refuses.
pub fn backwards(x: &Tensor) -> Result<Tensor> {
    let size = x.shape().first().copied().unwrap_or_default();
    super::slice(x, &[super::Span::new(size - 1, -size - 1, -1)])
}
