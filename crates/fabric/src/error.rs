//! The error of the cold plane: what was tried, and why it failed.

use std::{error, fmt, result};

/// An error, in words that a user can act on.
///
/// The data path's only refusal is [`crate::Busy`]; if it meets an error nevertheless, the job is lost. So an error is one word, and the
/// results that the data path returns fit the registers.
#[derive(Debug)]
pub struct Error(Box<Text>);

#[derive(Debug)]
struct Text {
    what: String,
    cause: Option<Box<dyn error::Error + Send + Sync>>,
}

/// The result of the cold plane.
pub type Result<T, E = Error> = result::Result<T, E>;

impl Error {
    /// An error that needs no other cause than its text.
    pub fn new(what: impl Into<String>) -> Self {
        Error(Box::new(Text { what: what.into(), cause: None }))
    }

    /// An error that another one led to: `what` names the attempt, `cause` says why it failed.
    pub fn because(what: impl Into<String>, cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Error(Box::new(Text { what: what.into(), cause: Some(cause.into()) }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.what)?;
        match &self.0.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_follows_the_attempt() {
        let inner = Error::new("no such file");
        assert_eq!(Error::because("opening the map", inner).to_string(), "opening the map: no such file");
    }
}
