//! Typed symbols of mlx-c, one type and one `unsafe` block a call shape; a symbol cannot be called in a wrong one.

use super::{
    build::{build_in, told},
    handle::Temporary,
    runtime::{self, Guard},
};
use crate::{
    Axes, Dtype, OperandRef, Result, Tensor,
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

/// A call of mlx-c's `symbol` with arguments by kind: what it borrows from Rust values.
///
/// `tensor x`; `option x`, where mlx-c takes an empty handle for none; `list l` and `tensors t`, a pointer and a length;
/// `handles t`, likewise of borrowed tensors; `vector t`, tensors as mlx-c's vector; `text s`, of a `CStr`; `out x`, a place to write to; `value v`, a number or a
/// handle whose owner lives. A macro, so that calls of every shape share one unsafe block; mlx-c's own signatures
/// check the kinds.
macro_rules! call {
    ($symbol:expr $(, $kind:ident $argument:expr)* $(,)?) => {
        $crate::ffi::call::call!(@ $symbol, [] $($kind $argument,)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] tensor $x:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $x.0.raw(),] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] option $x:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $crate::ffi::handle::raw_or_empty($x),] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] list $list:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $list.as_ptr(), $list.len(),] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] tensors $list:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $crate::ffi::handle::raw_slice($list), $list.len(),] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] handles $list:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(
            @ $symbol, [$($done,)* $crate::ffi::vector::handles($list).as_ptr(), $list.len(),] $($rest)*
        )
    };
    (@ $symbol:expr, [$($done:expr,)*] vector $list:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $crate::ffi::vector::Vector::of($list).raw(),] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] text $text:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $text.as_ptr(),] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] out $place:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* &raw mut $place,] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*] value $value:expr, $($rest:tt)*) => {
        $crate::ffi::call::call!(@ $symbol, [$($done,)* $value,] $($rest)*)
    };
    (@ $symbol:expr, [$($done:expr,)*]) => {
        // SAFETY: what is borrowed lives through the call and mlx-c keeps none of it; a list is as long as it says; the
        // symbols called this way ask for nothing but the lock, which the caller holds for all but metadata.
        unsafe { $symbol($($done),*) }
    };
}
pub(super) use call;

/// What `$build` makes of `symbol` and arguments by kind as in `call!`; its tensors are told in errors.
macro_rules! made {
    ($build:ident, $op:expr, $symbol:expr $(, $kind:ident $argument:expr)* $(,)?) => {
        $crate::ffi::build::told(
            $op,
            || $crate::ffi::build::$build($op, |out, stream| {
                $crate::ffi::call::call!($symbol, value out, $($kind $argument,)* value stream)
            }),
            || $crate::ffi::call::operands!($($kind $argument,)*),
        )
    };
}
pub(super) use made;

/// The node that `symbol` builds.
macro_rules! node {
    ($($call:tt)*) => { $crate::ffi::call::made!(build, $($call)*) };
}
pub(super) use node;

/// [`node!`] for a symbol whose result is no larger than its first tensor, so that nobody asks whether it has addresses.
macro_rules! part {
    ($($call:tt)*) => { $crate::ffi::call::made!(build_part, $($call)*) };
}
pub(super) use part;

/// [`node!`] for a symbol that gives several.
macro_rules! nodes {
    ($($call:tt)*) => { $crate::ffi::call::made!(build_several, $($call)*) };
}
pub(super) use nodes;

/// [`node!`] for a symbol that gives two.
macro_rules! pair {
    ($op:expr, $symbol:expr $(, $kind:ident $argument:expr)* $(,)?) => {
        $crate::ffi::build::told(
            $op,
            || $crate::ffi::build::build_pair($op, |first, second, stream| {
                $crate::ffi::call::call!($symbol, value first, value second, $($kind $argument,)* value stream)
            }),
            || $crate::ffi::call::operands!($($kind $argument,)*),
        )
    };
}
pub(super) use pair;

/// The tensors among arguments by kind.
macro_rules! operands {
    ($($kind:ident $argument:expr,)*) => {
        $crate::ffi::call::operands!(@ std::iter::empty(), $($kind $argument,)*)
    };
    (@ $done:expr, tensor $x:expr, $($rest:tt)*) => {
        $crate::ffi::call::operands!(@ $done.chain([$crate::OperandRef::from($x)]), $($rest)*)
    };
    (@ $done:expr, option $x:expr, $($rest:tt)*) => {
        $crate::ffi::call::operands!(@ $done.chain($x.map($crate::OperandRef::from)), $($rest)*)
    };
    (@ $done:expr, handles $list:expr, $($rest:tt)*) => {
        $crate::ffi::call::operands!(@ $done, vector $list, $($rest)*)
    };
    (@ $done:expr, vector $list:expr, $($rest:tt)*) => {
        $crate::ffi::call::operands!(@ $done.chain($list.iter().map($crate::ffi::vector::operand)), $($rest)*)
    };
    (@ $done:expr, $kind:ident $argument:expr, $($rest:tt)*) => {
        $crate::ffi::call::operands!(@ $done, $($rest)*)
    };
    (@ $done:expr,) => { $done };
}
pub(super) use operands;

/// The 0-d constant of a weak scalar.
pub(super) fn constant(guard: &Guard, constant: scalar::Constant) -> Temporary<'_> {
    Temporary::new(data(&constant.bits, &[], constant.dtype), guard)
}

/// An array with a copy of `elements`, which fill the shape at `dtype`.
pub(super) fn data<T: Copy>(elements: &[T], sizes: &[i32], dtype: Dtype) -> sys::mlx_array {
    assert!(size_of_val(elements) >= shape::element_count(sizes) * dtype.size(), "the caller compares them");
    let (elements, shape, ndim) = (elements.as_ptr().cast(), sizes.as_ptr(), sizes.len() as i32);
    call!(sys::mlx_array_new_data, value elements, value shape, value ndim, value dtype.code())
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
    #[track_caller]
    pub fn call(&self, x: &Tensor) -> Result<Tensor> {
        node!(self.name, (self.symbol), tensor x)
    }
}

/// A symbol of shape `f(a, b)`.
#[derive(Clone, Copy)]
pub struct Binary {
    name: &'static str,
    symbol: BinaryFn,
    /// Which integer division it is, where it is one: those trap, and are guarded.
    division: Option<Division>,
    /// Whether a scalar keeps the dtype it has with no tensor beside it.
    lone_scalars: bool,
}

impl Binary {
    pub(super) const fn new(name: &'static str, symbol: BinaryFn) -> Binary {
        Binary { name, symbol, division: None, lone_scalars: false }
    }

    pub(super) const fn guarded(mut self, division: Division) -> Binary {
        self.division = Some(division);
        self
    }

    /// Python turns scalars of the logical ops into tensors without a look at the other operand.
    pub(super) const fn of_lone_scalars(mut self) -> Binary {
        self.lone_scalars = true;
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
    #[track_caller]
    pub fn call(&self, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Tensor> {
        let build = || match self.division {
            Some(division) => guard::divide(division, self, a, b),
            None => self.unguarded(a, b),
        };
        told(self.name, build, || [a, b].into_iter())
    }

    /// [`call`](Binary::call) without the guard of integer division.
    #[inline(always)]
    pub(crate) fn unguarded(&self, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Tensor> {
        let guard = runtime::enter()?;
        let alone = |scalar| Ok(constant(&guard, scalar::alone(self.name, scalar)?));
        let weak = |scalar, dtype| {
            if self.lone_scalars {
                return alone(scalar);
            }
            Ok(constant(&guard, scalar::weak(self.name, scalar, dtype)?))
        };
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
        build_in(
            guard,
            self.name,
            |out, stream| call!((self.symbol), value out, value a, value b, value stream),
        )
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
    #[track_caller]
    pub fn call(&self, a: &Tensor, b: &Tensor, c: &Tensor) -> Result<Tensor> {
        node!(self.name, (self.symbol), tensor a, tensor b, tensor c)
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
    #[track_caller]
    pub fn call(&self, x: &Tensor, axes: &Axes) -> Result<Tensor> {
        let (x, keep) = (&*guard::reducible(x)?, axes.keeps());
        match axes.list() {
            None => node!(self.name, (self.all), tensor x, value keep),
            Some(list) => node!(self.name, (self.some), tensor x, list list, value keep),
        }
    }
}
