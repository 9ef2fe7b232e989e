//! Elementwise ops of one tensor: exponentials, logarithms, the error function.

use crate::family::unary_family;

unary_family! {
    /// Exponentials and logarithms, as methods.
    ExponentialOps, EXPONENTIAL;

    /// The error function.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![0.0, 10.0].erf().to_vec::<f32>()?, [0.0, 1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    erf "mx.erf" = ERF;

    /// The inverse of the error function; infinite at -1 and 1.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![0.0, 1.0].erfinv().to_vec::<f32>()?, [0.0, f32::INFINITY]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    erfinv "mx.erfinv" = ERFINV;

    /// e to the power of each element; MLX saturates beyond ±88.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![0.0].exp().to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    exp "mx.exp" = EXP;

    /// e to the power of each element, less 1: exact near 0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![0.0].expm1().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    expm1 "mx.expm1" = EXPM1;

    /// Natural logarithm.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![1.0, 0.0].log().to_vec::<f32>()?, [0.0, f32::NEG_INFINITY]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    log "mx.log" = LOG;

    /// Logarithm to base 10.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![100.0].log10().to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    log10 "mx.log10" = LOG10;

    /// Natural logarithm of 1 more than each element: exact near 0.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![0.0].log1p().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    log1p "mx.log1p" = LOG1P;

    /// Logarithm to base 2.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![8.0].log2().to_vec::<f32>()?, [3.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    log2 "mx.log2" = LOG2;

    /// The logistic function 1 / (1 + exp(-x)).
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::ExponentialOps;
    /// assert_eq!(tensor![0.0].sigmoid().to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sigmoid "mx.sigmoid" = SIGMOID;
}
