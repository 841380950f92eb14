//! Errors of the crate.

use std::{error, fmt};

/// Why a call failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An argument is wrong: the text says which, and what is expected.
    Argument(String),
    /// The group could not start: a member did not come, or the network cannot be used.
    Start(String),
    /// A member is lost, and with it the group.
    Lost(String),
    /// The awaited event has not occurred within the time limit.
    TimedOut,
}

/// Result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument(text) | Error::Start(text) | Error::Lost(text) => f.write_str(text),
            Error::TimedOut => f.write_str("the time limit has passed"),
        }
    }
}

impl error::Error for Error {}

/// The text of an error of the layers below.
pub(crate) fn text(error: &ferrite_fabric::Error) -> String {
    ferrite_os::error_text::plain(&error.to_string())
}

pub(crate) fn start(error: ferrite_fabric::Error) -> Error {
    Error::Start(text(&error))
}

pub(crate) fn argument(error: ferrite_fabric::Error) -> Error {
    Error::Argument(text(&error))
}
