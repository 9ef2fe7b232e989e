//! Numbers and shapes in Python's writing, for the error texts that Python writes itself.

/// A shape as a tuple: `(2, 3)`, `(2,)`, `()`.
pub(crate) fn tuple(shape: &[i32]) -> String {
    match shape {
        [size] => format!("({size},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A float as `repr` writes it, which has a sign and two digits at least in an exponent.
pub(crate) fn float(value: f64) -> String {
    let text = format!("{value:?}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, size) = exponent.strip_prefix('-').map_or(('+', exponent), |size| ('-', size));
    format!("{digits}e{sign}{size:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_writes_them() {
        assert_eq!([tuple(&[]), tuple(&[2]), tuple(&[2, 3])], ["()", "(2,)", "(2, 3)"]);
        assert_eq!([float(1.0), float(-0.25), float(1e20)], ["1.0", "-0.25", "1e+20"]);
        assert_eq!([float(1e-7), float(2.5e-300), float(f64::INFINITY)], ["1e-07", "2.5e-300", "inf"]);
    }
}
