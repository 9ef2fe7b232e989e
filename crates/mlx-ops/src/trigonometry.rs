//! Elementwise ops of one tensor: circular and hyperbolic functions, angles.

use crate::family::unary_family;

unary_family! {
    /// Circular and hyperbolic functions, as methods.
    TrigonometryOps, TRIGONOMETRY;

    /// Inverse cosine, in radians; NaN outside -1 to 1.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![1.0].arccos().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arccos "mx.arccos" "mx.acos" = ARCCOS;

    /// Inverse hyperbolic cosine; NaN below 1.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![1.0].arccosh().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arccosh "mx.arccosh" "mx.acosh" = ARCCOSH;

    /// Inverse sine, in radians; NaN outside -1 to 1.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].arcsin().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arcsin "mx.arcsin" "mx.asin" = ARCSIN;

    /// Inverse hyperbolic sine.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].arcsinh().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arcsinh "mx.arcsinh" "mx.asinh" = ARCSINH;

    /// Inverse tangent, in radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].arctan().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arctan "mx.arctan" "mx.atan" = ARCTAN;

    /// Inverse hyperbolic tangent; infinite at -1 and 1.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0, 1.0].arctanh().to_vec::<f32>()?, [0.0, f32::INFINITY]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    arctanh "mx.arctanh" "mx.atanh" = ARCTANH;

    /// Cosine, of radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].cos().to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cos "mx.cos" = COS;

    /// Hyperbolic cosine.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].cosh().to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    cosh "mx.cosh" = COSH;

    /// Radians as degrees.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].degrees().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    degrees "mx.degrees" = DEGREES;

    /// Degrees as radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![180.0].radians().to_vec::<f32>()?, [std::f32::consts::PI]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    radians "mx.radians" = RADIANS;

    /// Sine, of radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].sin().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sin "mx.sin" = SIN;

    /// Hyperbolic sine.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].sinh().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    sinh "mx.sinh" = SINH;

    /// Tangent, of radians.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].tan().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    tan "mx.tan" = TAN;

    /// Hyperbolic tangent.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_ops::TrigonometryOps;
    /// assert_eq!(tensor![0.0].tanh().to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    tanh "mx.tanh" = TANH;
}
