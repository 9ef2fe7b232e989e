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
