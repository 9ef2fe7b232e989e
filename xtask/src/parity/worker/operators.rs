//! Operators, and the unpacking of tensors.
//!
//! Not here: indexing (`indexing`).

use super::{
    failure::{Failure, Result, ill_formed, unsupported},
    value::{Value, operand},
};
use mlx_core::{BinaryOperator, OperandRef, Tensor, UnaryOperator};

/// An operator of the case format.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    InPlace(BinaryOperator),
}

/// The operators of one tensor, as they are written.
pub(crate) const UNARY: &[(&str, UnaryOperator)] =
    &[("neg", UnaryOperator::Negative), ("~", UnaryOperator::Invert), ("abs", UnaryOperator::Abs)];

/// The operators of two.
pub(crate) const BINARY: &[(&str, BinaryOperator)] = &[
    ("+", BinaryOperator::Add),
    ("-", BinaryOperator::Subtract),
    ("*", BinaryOperator::Multiply),
    ("/", BinaryOperator::Divide),
    ("//", BinaryOperator::FloorDivide),
    ("%", BinaryOperator::Remainder),
    ("**", BinaryOperator::Power),
    ("@", BinaryOperator::Matmul),
    ("&", BinaryOperator::BitwiseAnd),
    ("|", BinaryOperator::BitwiseOr),
    ("^", BinaryOperator::BitwiseXor),
    ("<<", BinaryOperator::LeftShift),
    (">>", BinaryOperator::RightShift),
    ("<", BinaryOperator::Less),
    ("<=", BinaryOperator::LessEqual),
    (">", BinaryOperator::Greater),
    (">=", BinaryOperator::GreaterEqual),
    ("==", BinaryOperator::Equal),
    ("!=", BinaryOperator::NotEqual),
];

/// The operator written `op`, if it is one.
pub(crate) fn find(op: &str) -> Option<Operator> {
    if let Some(operator) = of(BINARY, op) {
        return Some(Operator::Binary(operator));
    }
    if let Some(operator) = of(UNARY, op) {
        return Some(Operator::Unary(operator));
    }
    let operator = op.strip_suffix('=').filter(|op| ["+", "-", "*", "/", "//", "%"].contains(op))?;
    of(BINARY, operator).map(Operator::InPlace)
}

fn of<T: Copy>(table: &[(&str, T)], op: &str) -> Option<T> {
    table.iter().find(|(written, _)| *written == op).map(|(_, operator)| *operator)
}

/// The operator's result.
pub(crate) fn apply(operator: Operator, op: &str, args: &[Value]) -> Result<Value> {
    let tensor = match (operator, args) {
        (Operator::Unary(operator), [Value::Tensor(x)]) => operator.apply(x)?,
        (Operator::Unary(_), [_]) => return unsupported(format!("{op} of a value that is no tensor")),
        (Operator::InPlace(operator), [Value::Tensor(a), b]) => {
            operator.apply_in_place(a, operand(b, op)?)?
        }
        (Operator::InPlace(_), [_, _]) => return ill_formed("the first argument must be a tensor"),
        (Operator::Binary(operator), [a, b]) => match (operand(a, op)?, operand(b, op)?) {
            (OperandRef::Scalar(_), OperandRef::Scalar(_)) => {
                return unsupported(format!("{op} of two numbers, which is Python's own"));
            }
            (a, b) => operator.apply(a, b)?,
        },
        _ => return ill_formed(format!("{op}: wrong argument count")),
    };
    Ok(Value::Tensor(tensor))
}

/// Python's `a, b = tensor`, which walks the first axis.
pub(crate) fn unpacked(tensor: &Tensor, count: usize) -> Result<Vec<Value>> {
    let Some(&rows) = tensor.shape().first() else {
        return Err(Failure::raised("IndexError", "SmallVector out of range."));
    };
    too_many_or_few(rows as usize, count)?;
    let parts = mlx_ops::split(tensor, rows, 0)?;
    parts.iter().map(|part| Ok(Value::Tensor(mlx_ops::squeeze(part, 0)?))).collect()
}

/// Python's words when a value has not as many parts as there are names.
pub(crate) fn too_many_or_few(parts: usize, names: usize) -> Result<()> {
    if parts > names {
        let message = format!("too many values to unpack (expected {names})");
        return Err(Failure::raised("ValueError", message));
    }
    if parts < names {
        let message = format!("not enough values to unpack (expected {names}, got {parts})");
        return Err(Failure::raised("ValueError", message));
    }
    Ok(())
}
