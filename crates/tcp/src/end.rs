//! Why a connection ends, and whether anything is missing then.

use crate::wire::Malformed;
use ferrite_engine::{Error, segments::Refusal};
use std::{fmt, io};

/// A violation of the protocol by the peer.
#[derive(Clone, Copy, Debug)]
pub enum Wrong {
    /// Bytes that are not a frame.
    Malformed(Malformed),
    /// A message that no engine sends.
    Message(ferrite_engine::Malformed),
    /// A request for an access that the segments refuse.
    Refused(Refusal),
    /// More requests than may be outstanding.
    TooMany,
    /// A request after the announcement that none follows.
    Late,
    /// An answer without a request.
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
            Wrong::Unasked => f.write_str("an answer without a request"),
        }
    }
}

/// Why reading stops for good.
#[derive(Debug)]
pub enum Stop {
    /// The peer violated the protocol.
    Wrong(Wrong),
    /// The peer refused a request of this PE, for this reason.
    Refused(String),
    /// The connection broke, or the peer hung up.
    Broken(io::Error),
}

impl<W: Into<Wrong>> From<W> for Stop {
    fn from(what: W) -> Stop {
        Stop::Wrong(what.into())
    }
}

/// Consequence of the end of a connection.
#[derive(Debug)]
pub enum End {
    /// The peer had announced its end, or the connection was never used. Ports that still wait for something from the peer are notified.
    Over,
    /// The peer was disconnected, with the reason: the error is in that peer's job. Here too, ports that still wait for something are
    /// notified.
    Dropped(String),
    /// Something is missing, whichever port waits for it.
    Fault(Error),
}

/// The text of an error for users.
pub fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof if error.get_ref().is_none() => "the peer hung up".to_owned(),
        _ => error.to_string(),
    }
}
