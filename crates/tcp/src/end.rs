//! Why a connection ends, and whether anything is missing then.

use crate::wire::Malformed;
use ferrite_engine::{Error, segments::Refusal};
use std::{fmt, io};

/// What a peer sent and no peer sends.
#[derive(Clone, Copy, Debug)]
pub enum Wrong {
    /// Bytes that are no frame.
    Malformed(Malformed),
    /// A message that no engine sends.
    Message(ferrite_engine::Malformed),
    /// A request for what is not its to touch.
    Refused(Refusal),
    /// More requests than may be outstanding.
    TooMany,
    /// A request after it said that none follows.
    Late,
    /// An answer to what was not asked.
    Unasked,
}

impl From<Malformed> for Wrong {
    fn from(what: Malformed) -> Wrong {
        Wrong::Malformed(what)
    }
}

impl From<ferrite_engine::Malformed> for Wrong {
    fn from(what: ferrite_engine::Malformed) -> Wrong {
        Wrong::Message(what)
    }
}

impl From<Refusal> for Wrong {
    fn from(what: Refusal) -> Wrong {
        Wrong::Refused(what)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Malformed(what) => what.fmt(f),
            Wrong::Message(what) => what.fmt(f),
            Wrong::Refused(what) => what.fmt(f),
            Wrong::TooMany => f.write_str("more requests than may be outstanding"),
            Wrong::Late => f.write_str("a request after the last one"),
            Wrong::Unasked => f.write_str("an answer to what was not asked"),
        }
    }
}

/// Why reading stops for good.
#[derive(Debug)]
pub enum Stop {
    /// The peer sent what no peer sends.
    Wrong(Wrong),
    /// The peer refused what we asked for, and says why.
    Refused(String),
    /// The connection broke, or the peer hung up.
    Broken(io::Error),
}

impl<W: Into<Wrong>> From<W> for Stop {
    fn from(what: W) -> Stop {
        Stop::Wrong(what.into())
    }
}

/// What the end of a connection means.
#[derive(Debug)]
pub enum End {
    /// The peer had said that it has finished, or the connection was never used. Whoever still awaits something there is told.
    Over,
    /// The peer was sent away, and told why: it is that peer whose job is in error. Here too, whoever still awaits something is told.
    Dropped(String),
    /// Something is missing, whoever awaits what.
    Fault(Error),
}

/// What went wrong, for people.
pub fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof if error.get_ref().is_none() => "the peer hung up".to_owned(),
        _ => error.to_string(),
    }
}
