//! The guard of splits of reversed tensors. MLX counts only strides above 0 when it asks whether the parts have gaps, takes
//! them for gapless, and what computes with them reads foreign memory.

use crate::{Result, Tensor, ffi};
use std::borrow::Cow;

/// `x` as a split may have it: what may be a reversed view gets a node that puts it in order.
pub(crate) fn splittable(x: &Tensor) -> Result<Cow<'_, Tensor>> {
    if ffi::view::may_step_back(x)? {
        ffi::contiguous(x, false).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(x))
    }
}
