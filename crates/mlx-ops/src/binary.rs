//! Elementwise ops of two operands: the table, and the one method with its operands turned around.
//!
//! Not here: operators, which put tensors first where Python does (mlx-core).

use crate::family::binary_family;
use mlx_core::{IntoScalar, Result, Tensor, or_panic};

binary_family! {
    /// Elementwise ops of two operands, as methods of the first.
    BinaryOps, BINARY;

    /// `a + b`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::add;
    /// assert_eq!(add(&tensor![1, 2], 3)?.to_vec::<i32>()?, [4, 5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    add "mx.add" = ADD;

    /// The angle of the point at height `a` and distance `b`, in radians: the inverse tangent of `a / b` by quadrant.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::arctan2;
    /// assert_eq!(arctan2(&tensor![0.0], &tensor![-1.0])?.to_vec::<f32>()?, [std::f32::consts::PI]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arctan2 "mx.arctan2" "mx.atan2" = ARCTAN2;

    /// The bits set in both; integers and bools.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::bitwise_and;
    /// assert_eq!(bitwise_and(&tensor![6, 5], 3)?.to_vec::<i32>()?, [2, 1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    bitwise_and "mx.bitwise_and" = BITWISE_AND;

    /// The bits set in either; integers and bools.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::bitwise_or;
    /// assert_eq!(bitwise_or(&tensor![6, 5], 3)?.to_vec::<i32>()?, [7, 7]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    bitwise_or "mx.bitwise_or" = BITWISE_OR;

    /// The bits set in one of the two; integers and bools.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::bitwise_xor;
    /// assert_eq!(bitwise_xor(&tensor![6, 5], 3)?.to_vec::<i32>()?, [5, 6]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    bitwise_xor "mx.bitwise_xor" = BITWISE_XOR;

    /// `a / b`; integers and bools divide as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::divide;
    /// assert_eq!(divide(1, &tensor![2, 4])?.to_vec::<f32>()?, [0.5, 0.25]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    divide "mx.divide" = DIVIDE;

    /// `a == b` element by element, as bool; NaN equals nothing.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![1, 2].eq(2).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    eq "mx.equal" = EQUAL;

    /// `a == b` element by element, as bool; NaN equals nothing.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::equal;
    /// assert_eq!(equal(&tensor![1, 2], 2)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    equal "mx.equal" = EQUAL;

    /// `a // b`: floats round down, integers truncate toward zero. An integer divisor of 0 is an error where it can
    /// be seen; in lazy divisors `x // 0` is 0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::floor_divide;
    /// assert_eq!(floor_divide(&tensor![-7, 7], 2)?.to_vec::<i32>()?, [-3, 3]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    floor_divide "mx.floor_divide" = FLOOR_DIVIDE;

    /// `a >= b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![1, 2].ge(2).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ge "mx.greater_equal" = GREATER_EQUAL;

    /// `a > b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::greater;
    /// assert_eq!(greater(&tensor![1, 2], 1)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    greater "mx.greater" = GREATER;

    /// `a >= b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::greater_equal;
    /// assert_eq!(greater_equal(&tensor![1, 2], 2)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    greater_equal "mx.greater_equal" = GREATER_EQUAL;

    /// `a > b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![1, 2].gt(1).to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    gt "mx.greater" = GREATER;

    /// `a <= b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![1, 2].le(1).to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    le "mx.less_equal" = LESS_EQUAL;

    /// `a << b`; integers and bools.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::left_shift;
    /// assert_eq!(left_shift(&tensor![1, 2], 3)?.to_vec::<i32>()?, [8, 16]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    left_shift "mx.left_shift" "mx.bitwise_left_shift" = LEFT_SHIFT;

    /// `a < b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::less;
    /// assert_eq!(less(&tensor![1, 2], 2)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    less "mx.less" = LESS;

    /// `a <= b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::less_equal;
    /// assert_eq!(less_equal(&tensor![1, 2], 1)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    less_equal "mx.less_equal" = LESS_EQUAL;

    /// `log(exp(a) + exp(b))`, without overflow.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::logaddexp;
    /// assert_eq!(logaddexp(&tensor![0.0], f64::NEG_INFINITY)?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logaddexp "mx.logaddexp" = LOGADDEXP;

    /// Whether both are other than 0, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::logical_and;
    /// assert_eq!(logical_and(&tensor![0, 2], 3)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logical_and "mx.logical_and" = LOGICAL_AND;

    /// Whether either is other than 0, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::logical_or;
    /// assert_eq!(logical_or(&tensor![0, 2], 0)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logical_or "mx.logical_or" = LOGICAL_OR;

    /// Whether one of the two is other than 0 and the other is 0, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::logical_xor;
    /// assert_eq!(logical_xor(&tensor![0, 2], 3)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logical_xor "mx.logical_xor" = LOGICAL_XOR;

    /// `a < b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![1, 2].lt(2).to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    lt "mx.less" = LESS;

    /// The larger of each pair; NaN where either is NaN.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::maximum;
    /// assert_eq!(maximum(0, &tensor![-1, 2])?.to_vec::<i32>()?, [0, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    maximum "mx.maximum" = MAXIMUM;

    /// The smaller of each pair; NaN where either is NaN.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::minimum;
    /// assert_eq!(minimum(&tensor![-1, 2], 0)?.to_vec::<i32>()?, [-1, 0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    minimum "mx.minimum" = MINIMUM;

    /// `a * b`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::multiply;
    /// assert_eq!(multiply(2, &tensor![1.5])?.to_vec::<f32>()?, [3.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    multiply "mx.multiply" = MULTIPLY;

    /// `a != b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![1, 2].ne(2).to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ne "mx.not_equal" = NOT_EQUAL;

    /// `a != b` element by element, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::not_equal;
    /// assert_eq!(not_equal(&tensor![1, 2], 2)?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    not_equal "mx.not_equal" = NOT_EQUAL;

    /// `a ** b`; negative powers of integers are 0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::BinaryOps;
    /// assert_eq!(tensor![2.0, 3.0].pow(2).to_vec::<f32>()?, [4.0, 9.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pow "mx.pow" = POWER;

    /// `a ** b`; negative powers of integers are 0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::power;
    /// assert_eq!(power(2, &tensor![1, 3])?.to_vec::<i32>()?, [2, 8]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    power "mx.power" = POWER;

    /// `a % b`, with the sign of the divisor. An integer divisor of 0 is an error where it can be seen; in lazy
    /// divisors `x % 0` is 0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::remainder;
    /// assert_eq!(remainder(&tensor![-7, 7], 3)?.to_vec::<i32>()?, [2, 1]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    remainder "mx.remainder" = REMAINDER;

    /// `a >> b`; integers and bools.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::right_shift;
    /// assert_eq!(right_shift(&tensor![8, 16], 3)?.to_vec::<i32>()?, [1, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    right_shift "mx.right_shift" "mx.bitwise_right_shift" = RIGHT_SHIFT;

    /// `a - b`.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::subtract;
    /// assert_eq!(subtract(1, &tensor![0.25])?.to_vec::<f32>()?, [0.75]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    subtract "mx.subtract" = SUBTRACT;
}

/// `base ** x`: Python's `**` with the scalar on the left, for which Rust has no operator.
///
/// # Errors
/// A scalar that the dtype cannot hold.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::rpow;
/// assert_eq!(rpow(&tensor![1.0, 3.0], 2)?.to_vec::<f32>()?, [2.0, 8.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn rpow(x: &Tensor, base: impl IntoScalar) -> Result<Tensor> {
    power(base, x)
}

/// Ops whose written order is the reverse of the method's.
pub trait ReverseOps {
    /// See [`rpow`](fn@rpow); panics at the caller's line on error.
    #[must_use]
    fn rpow(&self, base: impl IntoScalar) -> Tensor;
}

impl ReverseOps for Tensor {
    #[track_caller]
    fn rpow(&self, base: impl IntoScalar) -> Tensor {
        or_panic(rpow(self, base))
    }
}
