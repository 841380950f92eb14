//! The error of this crate: what was requested of the topology or the kernel, and why it failed.

use std::{borrow::Cow, error, fmt, io, result};

/// An error, described in words that a user can act on.
///
/// An error of the kernel keeps its error number and allocates nothing, so that a failed binding may be reported between `fork` and `exec`.
/// Code that runs there returns an [`io::Error`]; `From` converts to it.
#[derive(Debug)]
pub struct Error {
    what: Cow<'static, str>,
    cause: Option<io::Error>,
}

/// The result of the functions of this crate.
pub type Result<T, E = Error> = result::Result<T, E>;

impl Error {
    /// An error with the message `what`.
    pub fn new(what: impl Into<Cow<'static, str>>) -> Self {
        Error { what: what.into(), cause: None }
    }

    /// An error with the message `what` and its cause.
    pub fn because(what: impl Into<Cow<'static, str>>, cause: io::Error) -> Self {
        Error { what: what.into(), cause: Some(cause) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error.cause {
            Some(cause) if cause.raw_os_error().is_some() => cause,
            _ => io::Error::other(error.to_string()),
        }
    }
}
