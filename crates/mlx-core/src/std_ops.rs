//! The `std::ops` impls: Rust's operators are Python's, and panic at the caller's line where Python raises.

use crate::{BinaryOperator, IntoScalar, Operand, Tensor, UnaryOperator, error::or_panic};
use std::ops;

macro_rules! binary_operators {
    ($($trait:ident $method:ident $assign_trait:ident $assign:ident = $operator:ident $symbol:literal;)*) => {
        $(
        binary_operators!(@ [] [Tensor] Tensor, $trait $method $operator $symbol);
        binary_operators!(@ [] [Tensor] &Tensor, $trait $method $operator $symbol);
        binary_operators!(@ [] [&Tensor] Tensor, $trait $method $operator $symbol);
        binary_operators!(@ [] [&Tensor] &Tensor, $trait $method $operator $symbol);
        binary_operators!(@ [S: IntoScalar] [Tensor] S, $trait $method $operator $symbol);
        binary_operators!(@ [S: IntoScalar] [&Tensor] S, $trait $method $operator $symbol);

        #[doc = concat!("`", $symbol, "=` as Python's: the tensor becomes the value of `", $symbol, "`, whose dtype may differ.")]
        ///
        /// # Panics
        /// As the binary operator does.
        impl<T: Operand> ops::$assign_trait<T> for Tensor {
            #[track_caller]
            fn $assign(&mut self, rhs: T) {
                *self = or_panic(BinaryOperator::$operator.apply_in_place(self, rhs.operand()));
            }
        }
        )*
    };
    (@ [$($generics:tt)*] [$lhs:ty] $rhs:ty, $trait:ident $method:ident $operator:ident $symbol:literal) => {
        #[doc = concat!("`", $symbol, "` as Python's; scalars are weak.")]
        ///
        /// # Panics
        /// If the shapes do not broadcast, or the dtypes or the scalar do not fit the operator.
        impl<$($generics)*> ops::$trait<$rhs> for $lhs {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: $rhs) -> Tensor {
                or_panic(BinaryOperator::$operator.apply(self.operand(), rhs.operand()))
            }
        }
    };
}

binary_operators! {
    Add add AddAssign add_assign = Add "+";
    Sub sub SubAssign sub_assign = Subtract "-";
    Mul mul MulAssign mul_assign = Multiply "*";
    Div div DivAssign div_assign = Divide "/";
    Rem rem RemAssign rem_assign = Remainder "%";
    BitAnd bitand BitAndAssign bitand_assign = BitwiseAnd "&";
    BitOr bitor BitOrAssign bitor_assign = BitwiseOr "|";
    BitXor bitxor BitXorAssign bitxor_assign = BitwiseXor "^";
    Shl shl ShlAssign shl_assign = LeftShift "<<";
    Shr shr ShrAssign shr_assign = RightShift ">>";
}

/// Exactly one float and one integer type stand on the left: with a second of either, type inference of
/// `(1.0 - &x).tanh()` fails.
macro_rules! left_scalars {
    ($($scalar:ty: $($trait:ident $method:ident $operator:ident $symbol:literal),*;)*) => {
        $($(
        left_scalars!(@ Tensor, $scalar, $trait $method $operator $symbol);
        left_scalars!(@ &Tensor, $scalar, $trait $method $operator $symbol);
        )*)*
    };
    (@ $rhs:ty, $scalar:ty, $trait:ident $method:ident $operator:ident $symbol:literal) => {
        #[doc = concat!("`", $symbol, "` with a weak scalar on the left, as Python's reflected operator.")]
        ///
        /// # Panics
        /// If the scalar does not fit the tensor's dtype, or the dtype not the operator.
        impl ops::$trait<$rhs> for $scalar {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: $rhs) -> Tensor {
                or_panic(BinaryOperator::$operator.apply(self.operand(), rhs.operand()))
            }
        }
    };
}

left_scalars! {
    f64: Add add Add "+", Sub sub Subtract "-", Mul mul Multiply "*", Div div Divide "/", Rem rem Remainder "%";
    i32: Add add Add "+", Sub sub Subtract "-", Mul mul Multiply "*", Div div Divide "/", Rem rem Remainder "%";
}

macro_rules! unary_operators {
    ($($trait:ident $method:ident $operator:ident $symbol:literal for $type:ty;)*) => {
        $(
        #[doc = concat!("Python's `", $symbol, "`.")]
        ///
        /// # Panics
        /// If the dtype does not fit the operator.
        impl ops::$trait for $type {
            type Output = Tensor;
            #[track_caller]
            fn $method(self) -> Tensor {
                or_panic(UnaryOperator::$operator.apply(&self))
            }
        })*
    };
}

unary_operators! {
    Neg neg Negative "-" for Tensor;
    Neg neg Negative "-" for &Tensor;
    Not not Invert "~" for Tensor;
    Not not Invert "~" for &Tensor;
}
