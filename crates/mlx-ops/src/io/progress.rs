//! How far a load has come: what a progress bar is told.

use mlx_core::{Result, Tensor};

/// How far a load has come, told after each tensor.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The tensor that was read last.
    pub name: &'a str,
    /// How many tensors were read.
    pub tensors: usize,
    /// How many there are.
    pub of_tensors: usize,
    /// How many bytes of tensors were read.
    pub bytes: u64,
    /// How many there are.
    pub of_bytes: u64,
}

/// A tensor of a file, and how many bytes it has there.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) tensor: Tensor,
    pub(super) bytes: u64,
}

impl Named {
    pub(super) fn into_pair(self) -> (String, Tensor) {
        (self.name, self.tensor)
    }
}

/// Who is told, and how far it has come.
pub(super) struct Watch<'a> {
    tell: Option<&'a mut dyn FnMut(Progress<'_>)>,
    tensors: usize,
    of_tensors: usize,
    bytes: u64,
    of_bytes: u64,
}

impl<'a> Watch<'a> {
    pub(super) fn nobody() -> Watch<'a> {
        Watch { tell: None, tensors: 0, of_tensors: 0, bytes: 0, of_bytes: 0 }
    }

    pub(super) fn of(tell: &'a mut dyn FnMut(Progress<'_>)) -> Watch<'a> {
        Watch { tell: Some(tell), ..Watch::nobody() }
    }

    /// These will be read.
    pub(super) fn expect(&mut self, tensors: &[Named]) {
        self.expect_sizes(tensors.len(), tensors.iter().map(|named| named.bytes).sum());
    }

    pub(super) fn expect_sizes(&mut self, tensors: usize, bytes: u64) {
        self.of_tensors += tensors;
        self.of_bytes += bytes;
    }

    /// A lazy tensor: computed here if anybody wants to know how far that is.
    pub(super) fn read(&mut self, named: Named) -> Result<(String, Tensor)> {
        if self.tell.is_some() {
            named.tensor.eval()?;
            self.done(&named.name, named.bytes);
        }
        Ok(named.into_pair())
    }

    /// A tensor was read.
    pub(super) fn done(&mut self, name: &str, bytes: u64) {
        self.tensors += 1;
        self.bytes += bytes;
        let (tensors, of_tensors, bytes, of_bytes) =
            (self.tensors, self.of_tensors, self.bytes, self.of_bytes);
        if let Some(tell) = &mut self.tell {
            tell(Progress { name, tensors, of_tensors, bytes, of_bytes });
        }
    }
}
