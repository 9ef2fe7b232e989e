//! Why a case has no outputs.

/// The three ways in which a case ends without outputs.
pub(crate) enum Failure {
    /// The case is not a valid one; says nothing about the library.
    IllFormed(String),
    /// The library, or this worker, has no such thing yet.
    Unsupported(String),
    /// An error, which is a result like any other.
    Raised { kind: String, message: String },
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl From<mlx_core::Error> for Failure {
    fn from(error: mlx_core::Error) -> Failure {
        Failure::Raised { kind: format!("{:?}", error.kind()), message: error.message().to_owned() }
    }
}

impl Failure {
    /// An error that Python raises itself, before MLX is asked; in Rust the type of the argument rules it out.
    pub(crate) fn raised(kind: &str, message: impl Into<String>) -> Failure {
        Failure::Raised { kind: kind.into(), message: message.into() }
    }
}

/// The case is ill-formed.
pub(crate) fn ill_formed<T>(why: impl Into<String>) -> Result<T> {
    Err(Failure::IllFormed(why.into()))
}

/// There is no such thing yet.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Failure::Unsupported(what.into()))
}
