//! Elementwise ops of one tensor: what is true of each element.

use crate::family::unary_family;

unary_family! {
    /// What is true of each element, as methods.
    PredicateOps, PREDICATE;

    /// Whether each element is neither infinite nor NaN, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::PredicateOps;
    /// assert_eq!(tensor![1.0, f64::INFINITY, f64::NAN].isfinite().to_vec::<bool>()?, [true, false, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    isfinite "mx.isfinite" = ISFINITE;

    /// Whether each element is infinite, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::PredicateOps;
    /// assert_eq!(tensor![1.0, f64::NEG_INFINITY, f64::NAN].isinf().to_vec::<bool>()?, [false, true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    isinf "mx.isinf" = ISINF;

    /// Whether each element is NaN, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::PredicateOps;
    /// assert_eq!(tensor![1.0, f64::INFINITY, f64::NAN].isnan().to_vec::<bool>()?, [false, false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    isnan "mx.isnan" = ISNAN;

    /// Whether each element is minus infinity, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::PredicateOps;
    /// assert_eq!(tensor![f64::INFINITY, f64::NEG_INFINITY].isneginf().to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    isneginf "mx.isneginf" = ISNEGINF;

    /// Whether each element is plus infinity, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::PredicateOps;
    /// assert_eq!(tensor![f64::INFINITY, f64::NEG_INFINITY].isposinf().to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    isposinf "mx.isposinf" = ISPOSINF;

    /// Whether each element is zero, as bool.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::PredicateOps;
    /// assert_eq!(tensor![0, 2].logical_not().to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    logical_not "mx.logical_not" = LOGICAL_NOT;
}
