//! Typed symbols of mlx-c, one type and one `unsafe` block a call shape; a symbol cannot be called in a wrong one.

use super::{
    handle::{Handle, Temporary},
    runtime::{self, Guard},
    status,
};
use crate::{
    Axes, ErrorKind, OperandRef, Result, Tensor,
    guard::{self, Division},
    scalar, shape,
};
use mlx_link as sys;
use std::ffi::c_int;

type UnaryFn = unsafe extern "C" fn(*mut sys::mlx_array, sys::mlx_array, sys::mlx_stream) -> c_int;
type BinaryFn =
    unsafe extern "C" fn(*mut sys::mlx_array, sys::mlx_array, sys::mlx_array, sys::mlx_stream) -> c_int;
type TernaryFn = unsafe extern "C" fn(
    *mut sys::mlx_array,
    sys::mlx_array,
    sys::mlx_array,
    sys::mlx_array,
    sys::mlx_stream,
) -> c_int;
type ReduceAllFn = unsafe extern "C" fn(*mut sys::mlx_array, sys::mlx_array, bool, sys::mlx_stream) -> c_int;
type ReduceFn = unsafe extern "C" fn(
    *mut sys::mlx_array,
    sys::mlx_array,
    *const c_int,
    usize,
    bool,
    sys::mlx_stream,
) -> c_int;

/// Builds one node: takes the lock, makes the call, checks its status and the size of its result.
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
    let mut out = sys::mlx_array { ctx: std::ptr::null_mut() };
    let status = call(&raw mut out, guard.stream());
    match Handle::from_raw(out) {
        Some(handle) if status == 0 => {
            let tensor = Tensor(handle);
            if tensor.0.fits() {
                Ok(tensor)
            } else {
                Err(shape::too_large(op, tensor.shape(), tensor.dtype()))
            }
        }
        _ => Err(status::failure(op, ErrorKind::Mlx)),
    }
}

/// A call of `symbol` with arguments by kind: `tensor x`, `list l` (pointer and length), `value v`.
///
/// A macro, so that calls of every shape share one unsafe block; mlx-c's own signatures check the kinds.
macro_rules! node {
    ($op:expr, $symbol:expr, $($kind:ident $argument:expr),* $(,)?) => {
        node!(@ $op, $symbol, [] $($kind $argument,)*)
    };
    (@ $op:expr, $symbol:expr, [$($done:expr,)*] tensor $x:expr, $($rest:tt)*) => {
        node!(@ $op, $symbol, [$($done,)* $x.0.raw(),] $($rest)*)
    };
    (@ $op:expr, $symbol:expr, [$($done:expr,)*] list $list:expr, $($rest:tt)*) => {
        node!(@ $op, $symbol, [$($done,)* $list.as_ptr(), $list.len(),] $($rest)*)
    };
    (@ $op:expr, $symbol:expr, [$($done:expr,)*] value $value:expr, $($rest:tt)*) => {
        node!(@ $op, $symbol, [$($done,)* $value,] $($rest)*)
    };
    (@ $op:expr, $symbol:expr, [$($done:expr,)*]) => {
        $crate::ffi::call::build($op, |out, stream| {
            // SAFETY: the handles and lists are borrowed through the call, a list is as long as it says, and `build`
            // holds the lock.
            unsafe { $symbol(out, $($done,)* stream) }
        })
    };
}
pub(super) use node;

/// The 0-d constant of a weak scalar.
pub(super) fn constant(guard: &Guard, constant: scalar::Constant) -> Temporary<'_> {
    let bits = constant.bits;
    // SAFETY: `bits` holds one element of the dtype, is copied before the call returns, and a 0-d shape is read
    // nowhere.
    let raw =
        unsafe { sys::mlx_array_new_data(bits.as_ptr().cast(), std::ptr::null(), 0, constant.dtype.code()) };
    Temporary::new(raw, guard)
}

/// A symbol of shape `f(x)`.
#[derive(Clone, Copy)]
pub struct Unary {
    name: &'static str,
    symbol: UnaryFn,
}

impl Unary {
    pub(super) const fn new(name: &'static str, symbol: UnaryFn) -> Unary {
        Unary { name, symbol }
    }

    /// The node `f(x)`.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn call(&self, x: &Tensor) -> Result<Tensor> {
        node!(self.name, (self.symbol), tensor x).map_err(|e| e.with_operands(&[x.into()]))
    }
}

/// A symbol of shape `f(a, b)`.
#[derive(Clone, Copy)]
pub struct Binary {
    name: &'static str,
    symbol: BinaryFn,
    /// Which integer division it is, where it is one: those trap, and are guarded.
    division: Option<Division>,
}

impl Binary {
    pub(super) const fn new(name: &'static str, symbol: BinaryFn) -> Binary {
        Binary { name, symbol, division: None }
    }

    pub(super) const fn guarded(mut self, division: Division) -> Binary {
        self.division = Some(division);
        self
    }

    /// The symbol's op, as errors name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The node `f(a, b)`, a scalar being weak beside a tensor.
    ///
    /// # Errors
    /// A scalar that its dtype cannot hold; an integer divisor of 0 that can be seen; what MLX refuses.
    #[inline(always)]
    pub fn call(&self, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Tensor> {
        let node = match self.division {
            Some(division) => guard::divide(division, self, a, b),
            None => self.unguarded(a, b),
        };
        node.map_err(|e| e.with_operands(&[a, b]))
    }

    /// [`call`](Binary::call) without the guard of integer division.
    #[inline(always)]
    pub(crate) fn unguarded(&self, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Tensor> {
        let guard = runtime::enter()?;
        let weak = |scalar, dtype| Ok(constant(&guard, scalar::weak(self.name, scalar, dtype)?));
        let alone = |scalar| Ok(constant(&guard, scalar::alone(self.name, scalar)?));
        match (a, b) {
            (OperandRef::Tensor(a), OperandRef::Tensor(b)) => self.issue(&guard, a.0.raw(), b.0.raw()),
            (OperandRef::Tensor(a), OperandRef::Scalar(s)) => {
                let c: Temporary<'_> = weak(s, a.dtype())?;
                self.issue(&guard, a.0.raw(), c.raw())
            }
            (OperandRef::Scalar(s), OperandRef::Tensor(b)) => {
                let c: Temporary<'_> = weak(s, b.dtype())?;
                self.issue(&guard, c.raw(), b.0.raw())
            }
            (OperandRef::Scalar(s), OperandRef::Scalar(t)) => {
                let (c, d): (Temporary<'_>, Temporary<'_>) = (alone(s)?, alone(t)?);
                self.issue(&guard, c.raw(), d.raw())
            }
        }
    }

    #[inline]
    fn issue(&self, guard: &Guard, a: sys::mlx_array, b: sys::mlx_array) -> Result<Tensor> {
        // SAFETY: both handles live through the call, and the guard holds the lock.
        build_in(guard, self.name, |out, stream| unsafe { (self.symbol)(out, a, b, stream) })
    }
}

/// A symbol of shape `f(a, b, c)`.
#[derive(Clone, Copy)]
pub struct Ternary {
    name: &'static str,
    symbol: TernaryFn,
}

impl Ternary {
    pub(super) const fn new(name: &'static str, symbol: TernaryFn) -> Ternary {
        Ternary { name, symbol }
    }

    /// The node `f(a, b, c)`.
    ///
    /// # Errors
    /// What MLX refuses.
    pub fn call(&self, a: &Tensor, b: &Tensor, c: &Tensor) -> Result<Tensor> {
        node!(self.name, (self.symbol), tensor a, tensor b, tensor c)
            .map_err(|e| e.with_operands(&[a.into(), b.into(), c.into()]))
    }
}

/// A symbol that reduces over axes.
#[derive(Clone, Copy)]
pub struct Reduce {
    pub(super) name: &'static str,
    pub(super) all: ReduceAllFn,
    pub(super) some: ReduceFn,
}

impl Reduce {
    /// The reduction of `x` over `axes`.
    ///
    /// # Errors
    /// What MLX refuses: an axis out of range or named twice, an empty maximum.
    pub fn call(&self, x: &Tensor, axes: &Axes) -> Result<Tensor> {
        let keep = axes.keeps();
        match axes.list() {
            None => node!(self.name, (self.all), tensor x, value keep),
            Some(list) => node!(self.name, (self.some), tensor x, list list, value keep),
        }
        .map_err(|e| e.with_operands(&[x.into()]))
    }
}
