//! Numbers, bools and shapes in Python's writing, for its `repr` and for the error texts that it writes itself.

use mlx_core::Tensor;
use std::fmt;

/// A shape as a tuple: `(2, 3)`, `(2,)`, `()`.
pub(crate) fn tuple(shape: &[i32]) -> String {
    match shape {
        [size] => format!("({size},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The size of an axis; `?` where a parameter that was put in another's place has no such axis.
pub(crate) fn size(parameter: &Tensor, axis: usize) -> String {
    parameter.shape().get(axis).map_or_else(|| "?".into(), ToString::to_string)
}

/// A float as `repr` writes it: the shortest digits, a sign and two digits at least in an exponent.
pub(crate) fn float(value: impl fmt::LowerExp) -> String {
    let shortest = format!("{value:e}");
    let Some((digits, exponent)) = shortest.split_once('e') else { return shortest.to_lowercase() };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let value: f64 = shortest.parse().unwrap_or(f64::NAN);
        return format!("{value:?}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `True` or `False`.
pub(crate) fn boolean(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_writes_them() {
        assert_eq!([tuple(&[]), tuple(&[2]), tuple(&[2, 3])], ["()", "(2,)", "(2, 3)"]);
        assert_eq!([float(1.0), float(-0.25), float(1e20)], ["1.0", "-0.25", "1e+20"]);
        assert_eq!([float(1e-7), float(2.5e-300), float(f64::INFINITY)], ["1e-07", "2.5e-300", "inf"]);
        assert_eq!([float(f64::NAN), float(-2.5e-7), float(1e-5)], ["nan", "-2.5e-07", "1e-05"]);
        assert_eq!([float(0.1), float(0.0), float(0.0001)], ["0.1", "0.0", "0.0001"]);
        assert_eq!([float(1e15), float(1e16)], ["1000000000000000.0", "1e+16"]);
        assert_eq!([float(1e-5_f32), float(0.1_f32)], ["1e-05", "0.1"]);
        assert_eq!([boolean(true), boolean(false)], ["True", "False"]);
    }
}
