//! Elementwise ops of one tensor: signs, powers, rounding, parts, bits.
//!
//! Not here: `trigonometry`, `exponential`, `predicate`; ops with numbers of their own (`numeric`).

use crate::family::unary_family;

unary_family! {
    /// Elementwise ops of one tensor, as methods.
    UnaryOps, UNARY;

    /// Absolute value; of complex numbers the modulus, as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![-1.5, 2.0].abs().to_vec::<f32>()?, [1.5, 2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    abs "mx.abs" = ABS;

    /// Every bit turned over; integers and bools.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0, 5].bitwise_invert().to_vec::<i32>()?, [-1, -6]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    bitwise_invert "mx.bitwise_invert" = BITWISE_INVERT;

    /// The smallest integer not below each element, in its dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5, -1.5].ceil().to_vec::<f32>()?, [2.0, -1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    ceil "mx.ceil" = CEIL;

    /// The complex conjugate; of real numbers themselves.
    ///
    /// ```
    /// # use mlx_core::{Complex32, Dtype, Tensor};
    /// # use mlx_ops::UnaryOps;
    /// let x = Tensor::scalar(Complex32::new(1.0, 2.0), Dtype::Complex64)?;
    /// assert_eq!(x.conjugate().item::<Complex32>()?, Complex32::new(1.0, -2.0));
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    conjugate "mx.conjugate" "mx.conj" = CONJUGATE;

    /// The largest integer not above each element, in its dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5, -1.5].floor().to_vec::<f32>()?, [1.0, -2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    floor "mx.floor" = FLOOR;

    /// The imaginary part; 0 of real numbers.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5].imag().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    imag "mx.imag" = IMAG;

    /// Each element with its sign turned; bools are refused.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1, -2].negative().to_vec::<i32>()?, [-1, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    negative "mx.negative" = NEGATIVE;

    /// Each element as it is.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1, -2].positive().to_vec::<i32>()?, [1, -2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    positive "mx.positive" = POSITIVE;

    /// The real part; of real numbers themselves.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5].real().to_vec::<f32>()?, [1.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    real "mx.real" = REAL;

    /// One over each element; of integers as float32.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![2, -4].reciprocal().to_vec::<f32>()?, [0.5, -0.25]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    reciprocal "mx.reciprocal" = RECIPROCAL;

    /// One over the square root.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![4.0].rsqrt().to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    rsqrt "mx.rsqrt" = RSQRT;

    /// -1, 0 or 1 by the sign of each element, in its dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![-2.5, 0.0, 7.0].sign().to_vec::<f32>()?, [-1.0, 0.0, 1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sign "mx.sign" = SIGN;

    /// Square root; NaN for negative elements.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![9.0].sqrt().to_vec::<f32>()?, [3.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sqrt "mx.sqrt" = SQRT;

    /// Each element times itself.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![3, -2].square().to_vec::<i32>()?, [9, 4]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    square "mx.square" = SQUARE;

    /// The same values, through which no gradient flows.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5].stop_gradient().to_vec::<f32>()?, [1.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    stop_gradient "mx.stop_gradient" = STOP_GRADIENT;

    /// Each element without its fraction, in its dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5, -1.5].trunc().to_vec::<f32>()?, [1.0, -1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    trunc "mx.trunc" = TRUNC;
}
