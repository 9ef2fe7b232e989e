//! Elementwise ops of one tensor: the table.

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

    /// Cosine, of radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0.0].cos().to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cos "mx.cos" = COS;

    /// The error function.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0.0, 10.0].erf().to_vec::<f32>()?, [0.0, 1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    erf "mx.erf" = ERF;

    /// e to the power of each element; MLX saturates beyond ±88.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0.0].exp().to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    exp "mx.exp" = EXP;

    /// The largest integer not above each element, in its dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.5, -1.5].floor().to_vec::<f32>()?, [1.0, -2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    floor "mx.floor" = FLOOR;

    /// Natural logarithm.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1.0, 0.0].log().to_vec::<f32>()?, [0.0, f32::NEG_INFINITY]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    log "mx.log" = LOG;

    /// Whether each element is zero, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0, 2].logical_not().to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logical_not "mx.logical_not" = LOGICAL_NOT;

    /// Each element with its sign turned; bools are refused.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![1, -2].negative().to_vec::<i32>()?, [-1, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    negative "mx.negative" = NEGATIVE;

    /// One over the square root.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![4.0].rsqrt().to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    rsqrt "mx.rsqrt" = RSQRT;

    /// The logistic function 1 / (1 + exp(-x)).
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0.0].sigmoid().to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sigmoid "mx.sigmoid" = SIGMOID;

    /// -1, 0 or 1 by the sign of each element, in its dtype.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![-2.5, 0.0, 7.0].sign().to_vec::<f32>()?, [-1.0, 0.0, 1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sign "mx.sign" = SIGN;

    /// Sine, of radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0.0].sin().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sin "mx.sin" = SIN;

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

    /// Hyperbolic tangent.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::UnaryOps;
    /// assert_eq!(tensor![0.0].tanh().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    tanh "mx.tanh" = TANH;
}
