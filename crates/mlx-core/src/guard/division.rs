//! The guard of integer division by 0 and of MIN / -1, where the processor traps.
//!
//! A divisor the host can read is checked and refused with an error, and the graph stays Python's. A lazy one gets
//! guard nodes: `//0` and `%0` give 0, `MIN // -1` gives MIN, `MIN % -1` gives 0.

use crate::{
    Dtype, Element, Error, ErrorKind, Operand, OperandRef, Result, Scalar, Tensor, ffi, promote_types, scalar,
};

/// Which of the two integer ops that trap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// `//`
    Quotient,
    /// `%`
    Remainder,
}

/// `symbol(a, b)` for floor division and remainder, guarded where the processor would trap.
pub(crate) fn divide(
    division: Division,
    symbol: &ffi::Binary,
    a: OperandRef<'_>,
    b: OperandRef<'_>,
) -> Result<Tensor> {
    match safe_operands(symbol.name(), a, b)? {
        None => symbol.unguarded(a, b),
        Some(safe) => {
            let result = symbol.unguarded((&safe.dividend).into(), (&safe.divisor).into())?;
            safe.result(division, result)
        }
    }
}

/// Operands whose division does not trap, in the dtype they meet in.
pub(crate) struct Safe {
    op: &'static str,
    pub(crate) dividend: Tensor,
    /// 1 where the divisor would trap: this gives MIN // -1 = MIN, MIN % -1 = 0 and x % 0 = 0; only x // 0 is left.
    pub(crate) divisor: Tensor,
    /// Where the divisor was 0.
    zero: Tensor,
}

impl Safe {
    /// What the division is, given the result of the safe operands.
    pub(crate) fn result(&self, division: Division, result: Tensor) -> Result<Tensor> {
        match division {
            Division::Remainder => Ok(result),
            Division::Quotient => {
                let nothing = Tensor::weak(self.op, Scalar::Int(0), Some(result.dtype()))?;
                ffi::WHERE.call(&self.zero, &nothing, &result)
            }
        }
    }
}

/// The operands with guard nodes, where the division could trap and nobody can see whether it does.
pub(crate) fn safe_operands(op: &'static str, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Option<Safe>> {
    let Some(dtype) = trapping_dtype(op, a, b)? else { return Ok(None) };
    match host_verdict(op, dtype, a, b)? {
        Verdict::Safe => Ok(None),
        Verdict::Lazy => with_guard_nodes(op, dtype, a, b).map(Some),
    }
}

/// The integer dtype both operands meet in, when there is one and guards are on.
///
/// A scalar that the dtype cannot hold is an error before any divisor is looked at, as in Python.
fn trapping_dtype(op: &'static str, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Option<Dtype>> {
    let meets = |operand: OperandRef<'_>, other: OperandRef<'_>| match (operand, other.dtype()) {
        (OperandRef::Tensor(tensor), _) => Ok(tensor.dtype()),
        (OperandRef::Scalar(scalar), Some(beside)) => scalar::weak(op, scalar, beside).map(|c| c.dtype),
        (OperandRef::Scalar(scalar), None) => scalar::alone(op, scalar).map(|c| c.dtype),
    };
    let dtype = promote_types(meets(a, b)?, meets(b, a)?);
    Ok((dtype.is_integer() && !super::is_off()).then_some(dtype))
}

enum Verdict {
    /// Every value was seen and none traps.
    Safe,
    /// A value that matters is not there yet.
    Lazy,
}

/// Looks at the values that are there: a trap is an error, an unknown value a lazy verdict.
fn host_verdict(op: &'static str, dtype: Dtype, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Verdict> {
    let refuse = |what: &str| Err(Error::new(ErrorKind::Value, op, what).with_operands(&[a, b]));
    let Some(divisor) = seen(b, &[0, -1])? else { return Ok(Verdict::Lazy) };
    if divisor[0] {
        return refuse("integer division by zero");
    }
    let (Some(smallest), true) = (trapping_smallest(dtype), divisor[1]) else { return Ok(Verdict::Safe) };
    match seen(a, &[smallest, smallest])? {
        None => Ok(Verdict::Lazy),
        Some([true, _]) => refuse("the smallest integer divided by -1 overflows"),
        Some(_) => Ok(Verdict::Safe),
    }
}

/// The smallest value of the dtypes whose division by -1 traps; shorter ones divide as 32-bit integers and wrap.
fn trapping_smallest(dtype: Dtype) -> Option<i64> {
    match dtype {
        Dtype::Int32 => Some(i32::MIN.into()),
        Dtype::Int64 => Some(i64::MIN),
        _ => None,
    }
}

/// Which of two values an operand holds; `None` when it is lazy or strided.
fn seen(operand: OperandRef<'_>, wanted: &[i64; 2]) -> Result<Option<[bool; 2]>> {
    let tensor = match operand {
        OperandRef::Scalar(Scalar::Int(value)) => return Ok(Some(wanted.map(|want| want == value))),
        OperandRef::Scalar(Scalar::Bool(value)) => {
            return Ok(Some(wanted.map(|want| want == i64::from(value))));
        }
        OperandRef::Scalar(_) => return Ok(Some([false; 2])),
        OperandRef::Tensor(tensor) => tensor,
    };
    let in_order = ffi::view::if_readable(tensor)?.and_then(|view| view.in_order());
    Ok(in_order.map(|bytes| match tensor.dtype() {
        Dtype::Bool => search::<bool>(bytes, wanted, Into::into),
        // Beyond i64 a value is neither 0 nor a trap, and unsigned division knows no -1.
        dtype => with_integer!(
            dtype,
            search(bytes, wanted),
            |value| i64::try_from(value).unwrap_or(i64::MAX),
            [false; 2]
        ),
    }))
}

fn search<T: Element>(bytes: &[u8], wanted: &[i64; 2], wide: impl Fn(T) -> i64) -> [bool; 2] {
    let mut found = [false; 2];
    for bytes in bytes.chunks_exact(size_of::<T>()) {
        let value = wide(T::from_bytes(bytes));
        found[0] |= value == wanted[0];
        found[1] |= value == wanted[1];
    }
    found
}

fn with_guard_nodes(op: &'static str, dtype: Dtype, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Safe> {
    let at_dtype = |operand: OperandRef<'_>| match operand {
        OperandRef::Tensor(tensor) => ffi::astype(tensor, dtype),
        OperandRef::Scalar(scalar) => Tensor::weak(op, scalar, Some(dtype)),
    };
    let (dividend, b) = (at_dtype(a)?, at_dtype(b)?);
    let equals = |x: &Tensor, value: i64| ffi::EQUAL.call(x.into(), value.operand());
    let zero = equals(&b, 0)?;
    let mut traps = zero.clone();
    if let Some(smallest) = trapping_smallest(dtype) {
        let overflow =
            ffi::LOGICAL_AND.call((&equals(&b, -1)?).into(), (&equals(&dividend, smallest)?).into())?;
        traps = ffi::LOGICAL_OR.call((&zero).into(), (&overflow).into())?;
    }
    let divisor = ffi::WHERE.call(&traps, &Tensor::weak(op, Scalar::Int(1), Some(dtype))?, &b)?;
    Ok(Safe { op, dividend, divisor, zero })
}
