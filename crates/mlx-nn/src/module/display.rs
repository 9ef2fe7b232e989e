//! Modules as text: Python's `repr`.

use super::{Module, walk};
use std::fmt;

/// A module as Python's `repr` shows it; see [`display`](super::ModuleExt::display).
pub struct Repr<'a>(pub(super) &'a dyn Module);

impl fmt::Display for Repr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0, 0)
    }
}

impl fmt::Debug for Repr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0, 0)
    }
}

impl fmt::Display for dyn Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, 0)
    }
}

fn write(f: &mut fmt::Formatter<'_>, module: &dyn Module, depth: usize) -> fmt::Result {
    write!(f, "{}({}", module.type_name(), module.extra_repr())?;
    let children = walk::children(module);
    for (key, child) in &children {
        write!(f, "\n{:indent$}({key}): ", "", indent = 2 * depth + 2)?;
        write(f, *child, depth + 1)?;
    }
    if !children.is_empty() {
        write!(f, "\n{:indent$}", "", indent = 2 * depth)?;
    }
    f.write_str(")")
}

/// A float as Python writes it: the shortest digits, `1e-05` for 0.00001.
pub(crate) fn python_float(value: impl fmt::LowerExp) -> String {
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

/// A bool as Python writes it.
pub(crate) fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Sizes as Python's tuples are written.
pub(crate) fn python_tuple(sizes: &[i32]) -> String {
    let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    format!("({}{})", texts.join(", "), if sizes.len() == 1 { "," } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_pythons() {
        let written =
            [1e-5, 0.1, 1.0, 1e16, 1e15, 0.0, -2.5e-7, 0.0001].map(|value: f64| python_float(value));
        assert_eq!(
            written,
            ["1e-05", "0.1", "1.0", "1e+16", "1000000000000000.0", "0.0", "-2.5e-07", "0.0001"]
        );
        assert_eq!((python_float(1e-5_f32), python_float(0.1_f32)), ("1e-05".into(), "0.1".into()));
    }
}
