//! Calls of elementwise ops, comparisons and reductions that take numbers beside their tensors, or give several.
//!
//! Not here: those with a shape in common (`symbols`); sorts and scans (`order`).

use super::{
    astype,
    build::{build_several, told},
    call::{call, node, nodes},
};
use crate::{
    Axes, Dtype, OperandRef, Result, Tensor,
    guard::{self, Division},
};
use mlx_link as sys;
use std::borrow::Cow;

/// A reduction that divides by the number of elements less `ddof`.
macro_rules! deviations {
    ($($(#[$doc:meta])* $name:ident = $all:ident $some:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name(x: &Tensor, axes: &Axes, ddof: i32) -> Result<Tensor> {
            let (x, keep) = (&*guard::reducible(x)?, axes.keeps());
            match axes.list() {
                Some(list) => {
                    node!(stringify!($name), sys::$some, tensor x, list list, value keep, value ddof)
                }
                None => node!(stringify!($name), sys::$all, tensor x, value keep, value ddof),
            }
        })*
    };
}

deviations! {
    /// `mx.std(x, axis, keepdims, ddof)`
    std = mlx_std mlx_std_axes;
    /// `mx.var(x, axis, keepdims, ddof)`
    var = mlx_var mlx_var_axes;
}

/// The position of an extreme, over all elements or along one axis.
macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident = $all:ident $axis:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses: an empty tensor.
        #[track_caller]
        pub fn $name(x: &Tensor, axis: Option<i32>, keep: bool) -> Result<Tensor> {
            match axis {
                Some(axis) => node!(stringify!($name), sys::$axis, tensor x, value axis, value keep),
                None => node!(stringify!($name), sys::$all, tensor x, value keep),
            }
        })*
    };
}

extremes! {
    /// `mx.argmax(x, axis, keepdims)`
    argmax = mlx_argmax mlx_argmax_axis;
    /// `mx.argmin(x, axis, keepdims)`
    argmin = mlx_argmin mlx_argmin_axis;
}

/// A comparison within a tolerance.
macro_rules! closeness {
    ($($(#[$doc:meta])* $name:ident = $symbol:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// What MLX refuses.
        #[track_caller]
        pub fn $name(a: &Tensor, b: &Tensor, [rtol, atol]: [f64; 2], equal_nan: bool) -> Result<Tensor> {
            node!(
                stringify!($name), sys::$symbol, tensor a, tensor b, value rtol, value atol, value equal_nan
            )
        })*
    };
}

closeness! {
    /// `mx.allclose(a, b, rtol, atol, equal_nan)`
    allclose = mlx_allclose;
    /// `mx.isclose(a, b, rtol, atol, equal_nan)`
    isclose = mlx_isclose;
}

/// `mx.array_equal(a, b, equal_nan)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn array_equal(a: &Tensor, b: &Tensor, equal_nan: bool) -> Result<Tensor> {
    node!("array_equal", sys::mlx_array_equal, tensor a, tensor b, value equal_nan)
}

/// `mx.contiguous(x, allow_col_major)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn contiguous(x: &Tensor, allow_col_major: bool) -> Result<Tensor> {
    node!("contiguous", sys::mlx_contiguous, tensor x, value allow_col_major)
}

/// `mx.depends(inputs, dependencies)`, of one input at least.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn depends(inputs: &[Tensor], dependencies: &[Tensor]) -> Result<Vec<Tensor>> {
    assert!(!inputs.is_empty(), "MLX asks the first input for its stream");
    told(
        "depends",
        || {
            build_several(
                "depends",
                |out, _| call!(sys::mlx_depends, value out, vector inputs, vector dependencies),
            )
        },
        || inputs.iter().map(OperandRef::from),
    )
}

/// `mx.divmod(a, b)`: two tensors, guarded as `//` and `%` are.
///
/// # Errors
/// An integer divisor of 0 that can be seen; what MLX refuses.
#[track_caller]
pub fn divmod(a: OperandRef<'_>, b: OperandRef<'_>) -> Result<[Tensor; 2]> {
    let pair = |a: &Tensor, b: &Tensor| {
        guard::pair(a, b)?;
        nodes!("divmod", sys::mlx_divmod, tensor a, tensor b)
    };
    let safe = guard::safe_operands("divmod", a, b).map_err(|error| error.with_operands(&[a, b]))?;
    let (x, y) = match &safe {
        Some(safe) => (Cow::Borrowed(&safe.dividend), Cow::Borrowed(&safe.divisor)),
        None => (a.to_tensor("divmod", b.dtype())?, b.to_tensor("divmod", a.dtype())?),
    };
    let mut parts = pair(&x, &y)?.into_iter();
    let (Some(quotient), Some(remainder)) = (parts.next(), parts.next()) else {
        unreachable!("MLX gives a quotient and a remainder")
    };
    let quotient = match safe {
        Some(safe) => safe.result(Division::Quotient, quotient)?,
        None => quotient,
    };
    Ok([quotient, remainder])
}

/// `mx.from_fp8(x, dtype)`; float64 comes through float32, since MLX's own kernel writes the one into the other's memory.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn from_fp8(x: &Tensor, dtype: Dtype) -> Result<Tensor> {
    let through = if dtype == Dtype::Float64 { Dtype::Float32 } else { dtype };
    astype(&node!("from_fp8", sys::mlx_from_fp8, tensor x, value through.code())?, dtype)
}

/// `mx.to_fp8(x)`; float64 goes through float32, since MLX's own kernel reads the one as the other.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn to_fp8(x: &Tensor) -> Result<Tensor> {
    let through = if x.dtype() == Dtype::Float64 { &astype(x, Dtype::Float32)? } else { x };
    node!("to_fp8", sys::mlx_to_fp8, tensor through)
}

/// `mx.nan_to_num(x, nan, posinf, neginf)`, the last two being the dtype's own limits where there are none.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn nan_to_num(x: &Tensor, nan: f32, infinities: [Option<f32>; 2]) -> Result<Tensor> {
    let [posinf, neginf] = infinities.map(|value| sys::mlx_optional_float {
        value: value.unwrap_or_default(),
        has_value: value.is_some(),
    });
    node!("nan_to_num", sys::mlx_nan_to_num, tensor x, value nan, value posinf, value neginf)
}

/// `mx.round(x, decimals)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn round(x: &Tensor, decimals: i32) -> Result<Tensor> {
    node!("round", sys::mlx_round, tensor x, value decimals)
}
