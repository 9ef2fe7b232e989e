//! Printing: `Display` evaluates and prints as Python does, `Debug` tells what is known without evaluating.

use crate::{Tensor, ffi};
use std::fmt;

/// As Python prints an array; a tensor whose computation fails prints the error instead.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.eval().and_then(|()| ffi::text(self)) {
            // A precision would cut the text off.
            Ok(text) if f.precision().is_some() => f.write_str(&text),
            Ok(text) => f.pad(&text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Dtype and shape; never evaluates.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}, {:?})", self.dtype(), self.shape())
    }
}
