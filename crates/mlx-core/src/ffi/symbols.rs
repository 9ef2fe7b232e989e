//! The table of mlx-c's symbols that the library calls by shape.
//!
//! Not here: symbols with a shape of their own (`shaped`).

use super::call::{Binary, Reduce, Ternary, Unary};
use crate::guard::Division;
use mlx_link as sys;

macro_rules! symbols {
    ($shape:ident; $($name:ident = $op:literal $symbol:ident $($division:ident)?,)*) => {
        $(#[doc = concat!("`", stringify!($symbol), "`")]
        pub const $name: $shape = $shape::new($op, sys::$symbol)$(.guarded(Division::$division))?;)*
    };
}

symbols! { Unary;
    ABS = "abs" mlx_abs,
    BITWISE_INVERT = "bitwise_invert" mlx_bitwise_invert,
    COS = "cos" mlx_cos,
    ERF = "erf" mlx_erf,
    EXP = "exp" mlx_exp,
    FLOOR = "floor" mlx_floor,
    LOG = "log" mlx_log,
    LOGICAL_NOT = "logical_not" mlx_logical_not,
    NEGATIVE = "negative" mlx_negative,
    RECIPROCAL = "reciprocal" mlx_reciprocal,
    RSQRT = "rsqrt" mlx_rsqrt,
    SIGMOID = "sigmoid" mlx_sigmoid,
    SIGN = "sign" mlx_sign,
    SIN = "sin" mlx_sin,
    SQRT = "sqrt" mlx_sqrt,
    SQUARE = "square" mlx_square,
    SQUEEZE = "squeeze" mlx_squeeze,
    TANH = "tanh" mlx_tanh,
    TRANSPOSE = "transpose" mlx_transpose,
}

symbols! { Binary;
    ADD = "add" mlx_add,
    BITWISE_AND = "bitwise_and" mlx_bitwise_and,
    BITWISE_OR = "bitwise_or" mlx_bitwise_or,
    BITWISE_XOR = "bitwise_xor" mlx_bitwise_xor,
    DIVIDE = "divide" mlx_divide,
    EQUAL = "equal" mlx_equal,
    FLOOR_DIVIDE = "floor_divide" mlx_floor_divide Quotient,
    GREATER = "greater" mlx_greater,
    GREATER_EQUAL = "greater_equal" mlx_greater_equal,
    LEFT_SHIFT = "left_shift" mlx_left_shift,
    LESS = "less" mlx_less,
    LESS_EQUAL = "less_equal" mlx_less_equal,
    LOGADDEXP = "logaddexp" mlx_logaddexp,
    LOGICAL_AND = "logical_and" mlx_logical_and,
    LOGICAL_OR = "logical_or" mlx_logical_or,
    MATMUL = "matmul" mlx_matmul,
    MAXIMUM = "maximum" mlx_maximum,
    MINIMUM = "minimum" mlx_minimum,
    MULTIPLY = "multiply" mlx_multiply,
    NOT_EQUAL = "not_equal" mlx_not_equal,
    POWER = "power" mlx_power,
    REMAINDER = "remainder" mlx_remainder Remainder,
    RIGHT_SHIFT = "right_shift" mlx_right_shift,
    SUBTRACT = "subtract" mlx_subtract,
}

symbols! { Ternary;
    WHERE = "where" mlx_where,
}

macro_rules! reductions {
    ($($name:ident = $op:literal $all:ident $some:ident,)*) => {
        $(#[doc = concat!("`", stringify!($all), "` and `", stringify!($some), "`")]
        pub const $name: Reduce = Reduce { name: $op, all: sys::$all, some: sys::$some };)*
    };
}

reductions! {
    MAX = "max" mlx_max mlx_max_axes,
    MEAN = "mean" mlx_mean mlx_mean_axes,
    MIN = "min" mlx_min mlx_min_axes,
    SUM = "sum" mlx_sum mlx_sum_axes,
}
