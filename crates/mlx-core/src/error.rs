//! The one error type: what kind, which op, MLX's own words, the operands.

use crate::OperandRef;
use std::{error, fmt};

/// A result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, in a few kinds; the text says the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// MLX refused the call, for a shape, a dtype or a value: its words say which. The kinds below are what this library
    /// finds out itself.
    Mlx,
    /// A dtype that the call cannot take, or not the one that was asked for.
    Dtype,
    /// A shape, or a number of elements, that cannot be.
    Shape,
    /// An index outside its axis.
    Index,
    /// A value outside its range: a scalar too large for the dtype, a divisor of 0.
    Value,
    /// More memory than there is.
    Memory,
    /// The computation of a tensor failed when its value was needed.
    Eval,
    /// A file could not be read or is not what it says.
    Io,
    /// MLX could not be started.
    Setup,
}

/// An error of this library. Its `Debug` form, which `unwrap` and a failing `main` show, is its text and its kind.
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    op: &'static str,
    message: String,
    operands: String,
    source: Option<Box<dyn error::Error + Send + Sync>>,
}

impl Error {
    /// For the crates of this workspace.
    #[doc(hidden)]
    #[cold]
    pub fn new(kind: ErrorKind, op: &'static str, message: impl Into<String>) -> Error {
        Error(Box::new(Repr { kind, op, message: message.into(), operands: String::new(), source: None }))
    }

    /// The same error with the error that caused it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Error {
        self.0.source = Some(source.into());
        self
    }

    /// The same error with the dtypes and shapes it was about.
    #[doc(hidden)]
    #[cold]
    #[must_use]
    pub fn with_operands(mut self, operands: &[OperandRef<'_>]) -> Error {
        if self.0.operands.is_empty() {
            let texts: Vec<String> = operands.iter().map(ToString::to_string).collect();
            self.0.operands = texts.join(", ");
        }
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The op that failed, by its Python name.
    #[must_use]
    pub fn op(&self) -> &str {
        self.0.op
    }

    /// The reason, where MLX gave one in exactly its words.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.op, self.0.message)?;
        if self.0.operands.is_empty() { Ok(()) } else { write!(f, " (operands: {})", self.0.operands) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} [ErrorKind::{:?}]", self.0.kind)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as _)
    }
}

/// Operators and chaining methods: what they give, or a panic at the caller's line.
#[doc(hidden)]
#[must_use]
#[inline]
#[track_caller]
pub fn or_panic<T>(result: Result<T>) -> T {
    match result {
        Ok(given) => given,
        Err(error) => told(&error),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn told(error: &Error) -> ! {
    panic!("{error}")
}
