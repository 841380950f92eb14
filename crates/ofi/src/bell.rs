//! Wakes the thread from its sleep.

use ferrite_fabric::{Error, Result};
use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    io::{read, write},
};
use std::{
    os::fd::{BorrowedFd, OwnedFd},
    time::Duration,
};

/// A descriptor that is readable once it was rung.
pub struct Bell(OwnedFd);

impl Bell {
    /// A silent one.
    pub fn new() -> Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        eventfd(0, flags).map(Bell).map_err(|e| Error::because("making a descriptor to wake a thread by", e))
    }

    /// Wake who sleeps, or who goes to sleep next.
    pub fn ring(&self) {
        // Full means that it is ringing already.
        let _ = write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Sleep until it is rung, `other` is readable, or `limit` has passed.
    pub fn sleep(&self, other: Option<BorrowedFd<'_>>, limit: Option<Duration>) {
        let limit = limit.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
        let bell = PollFd::new(&self.0, PollFlags::IN);
        // An interrupted sleep is a short one.
        let _ = match other {
            Some(other) => poll(&mut [bell, PollFd::from_borrowed_fd(other, PollFlags::IN)], limit.as_ref()),
            None => poll(&mut [bell], limit.as_ref()),
        };
        let _ = read(&self.0, &mut [0; 8]);
    }
}
