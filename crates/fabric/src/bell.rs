//! Wakes a thread from its sleep.

use crate::{Error, Result};
use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    io::{read, write},
};
use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::Duration,
};

/// A descriptor that is readable once it was rung, until it is heard.
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

    /// Silence it.
    pub fn hear(&self) {
        let _ = read(&self.0, &mut [0; 8]);
    }

    /// Sleep until it is rung, one of the others is readable, or `limit` has passed; and hear it.
    pub fn sleep<'a>(&'a self, others: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) {
        sleep_on(std::iter::once(self.as_fd()).chain(others), limit);
        self.hear();
    }
}

/// Sleep until one of these is readable, or `limit` has passed; gives whether one is readable.
pub fn sleep_on<'a>(all: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) -> bool {
    let limit = limit.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
    let mut all: Vec<_> = all.into_iter().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    // An interrupted sleep is a short one.
    poll(&mut all, limit.as_ref()).is_ok_and(|readable| readable > 0)
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_readable(fd: BorrowedFd<'_>) -> bool {
        poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(1)
    }

    #[test]
    fn who_goes_to_sleep_after_it_rang_is_awake_once() {
        let bell = Bell::new().unwrap();
        bell.ring();
        bell.ring();
        assert!(is_readable(bell.as_fd()));
        bell.sleep([], None);
        assert!(!is_readable(bell.as_fd()));
        bell.sleep([], Some(Duration::from_millis(1)));
    }

    #[test]
    fn others_end_a_sleep_and_are_left_as_they_are() {
        let (bell, other) = (Bell::new().unwrap(), Bell::new().unwrap());
        other.ring();
        assert!(sleep_on([bell.as_fd(), other.as_fd()], None));
        assert!(!sleep_on([bell.as_fd()], Some(Duration::from_millis(1))));
        bell.sleep([other.as_fd()], None);
        assert!(is_readable(other.as_fd()) && !is_readable(bell.as_fd()));
    }
}
