//! Python's operators as functions that return results: operand order, dtype checks, guards.
//!
//! Not here: the `std::ops` impls over them (`std_ops`), the named functions of mx (mlx-ops).

use crate::{Dtype, Error, ErrorKind, OperandRef, Result, Scalar, Tensor, ffi};

/// Python's binary operators between tensors and weak scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryOperator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a // b`; integers truncate toward zero, as MLX does
    FloorDivide,
    /// `a % b`, with the divisor's sign
    Remainder,
    /// `a ** b`
    Power,
    /// `a @ b`
    Matmul,
    /// `a & b`
    BitwiseAnd,
    /// `a | b`
    BitwiseOr,
    /// `a ^ b`
    BitwiseXor,
    /// `a << b`
    LeftShift,
    /// `a >> b`
    RightShift,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
}

use BinaryOperator::{
    Add, BitwiseAnd, BitwiseOr, BitwiseXor, Divide, Equal, FloorDivide, Greater, GreaterEqual, LeftShift,
    Less, LessEqual, Matmul, Multiply, NotEqual, Power, Remainder, RightShift, Subtract,
};

impl BinaryOperator {
    /// `a OP b` as Python's operator computes it.
    ///
    /// With the scalar on the left, `+ * == !=` put the tensor first and comparisons turn around, as Python's
    /// reflected operators do; the bitwise ones have no such form.
    ///
    /// # Errors
    /// Shapes that do not broadcast, dtypes the operator does not take, scalars the dtype cannot hold, integer
    /// division by a 0 that can be seen.
    #[inline(always)]
    #[track_caller]
    pub fn apply(self, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Tensor> {
        self.checked(a, b).map_err(|e| e.with_operands(&[a, b]))
    }

    #[inline(always)]
    #[track_caller]
    fn checked(self, a: OperandRef<'_>, b: OperandRef<'_>) -> Result<Tensor> {
        let scalar_first = matches!((a, b), (OperandRef::Scalar(_), OperandRef::Tensor(_)));
        if let Some(name) = self.bitwise_name() {
            self.check_bitwise(name, scalar_first, a, b)?;
        }
        if self == Matmul && !matches!((a, b), (OperandRef::Tensor(_), OperandRef::Tensor(_))) {
            return Err(Error::new(ErrorKind::Dtype, "matmul", "a scalar operand of @ is not supported"));
        }
        let (operator, a, b) = if scalar_first { self.reflected(a, b) } else { (self, a, b) };
        operator.symbol().call(a, b)
    }

    fn check_bitwise(
        self,
        name: &str,
        scalar_first: bool,
        a: OperandRef<'_>,
        b: OperandRef<'_>,
    ) -> Result<()> {
        let message = if scalar_first {
            format!("a scalar on the left of {name} is not supported")
        } else if is_inexact(a) || is_inexact(b) {
            format!("Floating point types not allowed with {name}.")
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Dtype, self.symbol().name(), message))
    }

    /// `a OP= b`: the value of `a OP b`, whose dtype may be another than `a`'s.
    ///
    /// # Errors
    /// As [`apply`](BinaryOperator::apply); `/=` on integers.
    #[track_caller]
    pub fn apply_in_place(self, a: &Tensor, b: OperandRef<'_>) -> Result<Tensor> {
        if self == Divide && !a.dtype().is_inexact() {
            let message = "In place division cannot cast to non-floating point type.";
            return Err(Error::new(ErrorKind::Dtype, "divide", message).with_operands(&[a.into(), b]));
        }
        self.apply(a.into(), b)
    }

    /// What `scalar OP tensor` is with the tensor first, where Python turns it around.
    #[inline]
    fn reflected<'a>(
        self,
        a: OperandRef<'a>,
        b: OperandRef<'a>,
    ) -> (BinaryOperator, OperandRef<'a>, OperandRef<'a>) {
        match self {
            Add | Multiply | Equal | NotEqual => (self, b, a),
            Less => (Greater, b, a),
            LessEqual => (GreaterEqual, b, a),
            Greater => (Less, b, a),
            GreaterEqual => (LessEqual, b, a),
            _ => (self, a, b),
        }
    }

    #[inline]
    fn symbol(self) -> &'static ffi::Binary {
        match self {
            Add => &ffi::ADD,
            Subtract => &ffi::SUBTRACT,
            Multiply => &ffi::MULTIPLY,
            Divide => &ffi::DIVIDE,
            FloorDivide => &ffi::FLOOR_DIVIDE,
            Remainder => &ffi::REMAINDER,
            Power => &ffi::POWER,
            Matmul => &ffi::MATMUL,
            BitwiseAnd => &ffi::BITWISE_AND,
            BitwiseOr => &ffi::BITWISE_OR,
            BitwiseXor => &ffi::BITWISE_XOR,
            LeftShift => &ffi::LEFT_SHIFT,
            RightShift => &ffi::RIGHT_SHIFT,
            Less => &ffi::LESS,
            LessEqual => &ffi::LESS_EQUAL,
            Greater => &ffi::GREATER,
            GreaterEqual => &ffi::GREATER_EQUAL,
            Equal => &ffi::EQUAL,
            NotEqual => &ffi::NOT_EQUAL,
        }
    }

    /// Python's name of a bitwise operator in its error texts.
    #[inline]
    fn bitwise_name(self) -> Option<&'static str> {
        match self {
            BitwiseAnd => Some("bitwise and"),
            BitwiseOr => Some("bitwise or"),
            BitwiseXor => Some("bitwise xor"),
            LeftShift => Some("left shift"),
            RightShift => Some("right shift"),
            _ => None,
        }
    }
}

fn is_inexact(operand: OperandRef<'_>) -> bool {
    match operand {
        OperandRef::Tensor(tensor) => tensor.dtype().is_inexact(),
        OperandRef::Scalar(scalar) => matches!(scalar, Scalar::Float(_) | Scalar::Complex(_)),
    }
}

/// Python's unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnaryOperator {
    /// `-x`
    Negative,
    /// `~x`: bits of integers, truth of bools
    Invert,
    /// `abs(x)`
    Abs,
}

impl UnaryOperator {
    /// `OP x` as Python's operator computes it.
    ///
    /// # Errors
    /// `-` of bools, `~` of floats.
    #[inline]
    #[track_caller]
    pub fn apply(self, x: &Tensor) -> Result<Tensor> {
        match self {
            UnaryOperator::Negative => ffi::NEGATIVE.call(x),
            UnaryOperator::Abs => ffi::ABS.call(x),
            UnaryOperator::Invert if x.dtype().is_inexact() => {
                let message = "Floating point types not allowed with bitwise inversion.";
                Err(Error::new(ErrorKind::Dtype, "bitwise_invert", message).with_operands(&[x.into()]))
            }
            UnaryOperator::Invert if x.dtype() == Dtype::Bool => ffi::LOGICAL_NOT.call(x),
            UnaryOperator::Invert => ffi::BITWISE_INVERT.call(x),
        }
    }
}
