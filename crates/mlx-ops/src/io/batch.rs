//! Tensors by name on their way into a file: in the order of Python's, computed together, without gaps.

use super::file;
use mlx_core::{
    ErrorKind, Result, Tensor, eval,
    ffi::{contiguous, io::map_order},
};
use std::{
    collections::{HashMap, hash_map::Entry},
    ffi::CString,
};

/// Tensors in row-major order, by name.
pub(super) struct Batch(Vec<(String, Tensor)>);

impl Batch {
    /// Names and tensors in the order in which Python writes them, not yet computed.
    pub(super) fn of<'a, N: AsRef<str>>(
        op: &'static str,
        tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
    ) -> Result<Batch> {
        let tensors = tensors.into_iter().map(|(name, x)| Ok((name, contiguous(x, false)?)));
        Ok(Batch(in_map_order(op, tensors)?))
    }

    /// Computes all of them.
    pub(super) fn compute(&self) -> Result<()> {
        eval(self.0.iter().map(|(_, x)| x))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.0.iter().map(|(name, x)| (&**name, x))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Entries by name, put into the order of MLX's hash map.
pub(super) fn in_map_order<N: AsRef<str>, T>(
    op: &'static str,
    entries: impl IntoIterator<Item = Result<(N, T)>>,
) -> Result<Vec<(String, T)>> {
    let (mut names, mut known) = (Vec::new(), HashMap::new());
    for entry in entries {
        let (name, value) = entry?;
        let name = name.as_ref();
        let c_name = CString::new(name).map_err(|e| {
            mlx_core::Error::new(ErrorKind::Value, op, format!("the name {name:?} holds a NUL"))
                .with_source(e)
        })?;
        match known.entry(name.to_owned()) {
            Entry::Occupied(_) => return Err(file::error(op, format!("the name {name:?} is there twice"))),
            Entry::Vacant(place) => place.insert(value),
        };
        names.push(c_name);
    }
    let order = map_order(&names)?.into_iter();
    Ok(order.filter_map(|name| known.remove(&name).map(|value| (name, value))).collect())
}
