//! The table of mlx-c's symbols that the library calls by shape.
//!
//! Not here: symbols with a shape of their own (`shaped`).

use super::call::{Binary, Reduce, Ternary, Unary};
use crate::guard::Division;
use mlx_link as sys;

macro_rules! symbols {
    (logical; $($name:ident = $op:literal $symbol:ident,)*) => {
        $(#[doc = concat!("`", stringify!($symbol), "`")]
        pub const $name: Binary = Binary::new($op, sys::$symbol).of_lone_scalars();)*
    };
    ($shape:ident; $($name:ident = $op:literal $symbol:ident $($division:ident)?,)*) => {
        $(#[doc = concat!("`", stringify!($symbol), "`")]
        pub const $name: $shape = $shape::new($op, sys::$symbol)$(.guarded(Division::$division))?;)*
    };
}

symbols! { Unary;
    ABS = "abs" mlx_abs,
    ARCCOS = "arccos" mlx_arccos,
    ARCCOSH = "arccosh" mlx_arccosh,
    ARCSIN = "arcsin" mlx_arcsin,
    ARCSINH = "arcsinh" mlx_arcsinh,
    ARCTAN = "arctan" mlx_arctan,
    ARCTANH = "arctanh" mlx_arctanh,
    ATLEAST_1D = "atleast_1d" mlx_atleast_1d,
    ATLEAST_2D = "atleast_2d" mlx_atleast_2d,
    ATLEAST_3D = "atleast_3d" mlx_atleast_3d,
    BITWISE_INVERT = "bitwise_invert" mlx_bitwise_invert,
    CEIL = "ceil" mlx_ceil,
    CONJUGATE = "conjugate" mlx_conjugate,
    COPY = "copy" mlx_copy,
    COS = "cos" mlx_cos,
    COSH = "cosh" mlx_cosh,
    DEGREES = "degrees" mlx_degrees,
    ERF = "erf" mlx_erf,
    ERFINV = "erfinv" mlx_erfinv,
    EXP = "exp" mlx_exp,
    EXPM1 = "expm1" mlx_expm1,
    FLIP = "flip" mlx_flip,
    FLOOR = "floor" mlx_floor,
    IMAG = "imag" mlx_imag,
    ISFINITE = "isfinite" mlx_isfinite,
    ISINF = "isinf" mlx_isinf,
    ISNAN = "isnan" mlx_isnan,
    ISNEGINF = "isneginf" mlx_isneginf,
    ISPOSINF = "isposinf" mlx_isposinf,
    LOG = "log" mlx_log,
    LOG10 = "log10" mlx_log10,
    LOG1P = "log1p" mlx_log1p,
    LOG2 = "log2" mlx_log2,
    LOGICAL_NOT = "logical_not" mlx_logical_not,
    NEGATIVE = "negative" mlx_negative,
    POSITIVE = "positive" mlx_positive,
    RADIANS = "radians" mlx_radians,
    REAL = "real" mlx_real,
    RECIPROCAL = "reciprocal" mlx_reciprocal,
    RSQRT = "rsqrt" mlx_rsqrt,
    SIGMOID = "sigmoid" mlx_sigmoid,
    SIGN = "sign" mlx_sign,
    SIN = "sin" mlx_sin,
    SINH = "sinh" mlx_sinh,
    SQRT = "sqrt" mlx_sqrt,
    SQUARE = "square" mlx_square,
    SQUEEZE = "squeeze" mlx_squeeze,
    STOP_GRADIENT = "stop_gradient" mlx_stop_gradient,
    TAN = "tan" mlx_tan,
    TANH = "tanh" mlx_tanh,
    TRANSPOSE = "transpose" mlx_transpose,
    TRUNC = "trunc" mlx_trunc,
}

symbols! { Binary;
    ADD = "add" mlx_add,
    ARCTAN2 = "arctan2" mlx_arctan2,
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

symbols! { logical;
    LOGICAL_AND = "logical_and" mlx_logical_and,
    LOGICAL_OR = "logical_or" mlx_logical_or,
    LOGICAL_XOR = "logical_xor" mlx_logical_xor,
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
    ALL = "all" mlx_all mlx_all_axes,
    ANY = "any" mlx_any mlx_any_axes,
    COUNT_NONZERO = "count_nonzero" mlx_count_nonzero mlx_count_nonzero_axes,
    LOGSUMEXP = "logsumexp" mlx_logsumexp mlx_logsumexp_axes,
    MAX = "max" mlx_max mlx_max_axes,
    MEAN = "mean" mlx_mean mlx_mean_axes,
    MEDIAN = "median" mlx_median mlx_median_axes,
    MIN = "min" mlx_min mlx_min_axes,
    PROD = "prod" mlx_prod mlx_prod_axes,
    SUM = "sum" mlx_sum mlx_sum_axes,
}
