//! How a thread of the program sleeps that waits for a peer and shares its core.
//!
//! A provider rests each queue in which what is awaited may show, as its service thread does ([`Rest`]), and sleeps on their
//! descriptors once all are armed. What happens before may be what is awaited: then there is no sleep.

use crate::{sleep_on, tick::Rest};
use std::{os::fd::BorrowedFd, time::Duration};

/// What came of the wish to sleep until a peer speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doze {
    /// No sleep: the provider cannot be waited for, or not now.
    Refused,
    /// No sleep: something has happened.
    Busy,
    /// A sleep that a peer has ended.
    Woken,
    /// A sleep until the limit.
    Through,
}

impl Doze {
    /// Sleep on descriptors of queues that are armed.
    pub fn on<'a>(armed: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Duration) -> Doze {
        if sleep_on(armed, Some(limit)) { Doze::Woken } else { Doze::Through }
    }

    /// No sleep, for this is what came of a queue's rest, and it is not armed.
    pub fn without(rest: Rest) -> Doze {
        if rest == Rest::Busy { Doze::Busy } else { Doze::Refused }
    }
}
