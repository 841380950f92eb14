//! Wakes a thread from its sleep.

use crate::{Error, Result};
use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    io::{read, write},
};
use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// A descriptor that is readable from a ring until it is heard, and whether the service thread sleeps without a limit, so that whoever
/// leaves something to that thread must ring.
pub struct Bell {
    descriptor: OwnedFd,
    parked: AtomicBool,
}

impl Bell {
    /// A silent one.
    pub fn new() -> Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let descriptor = eventfd(0, flags).map_err(|e| Error::because("making a descriptor to wake a thread by", e))?;
        Ok(Bell { descriptor, parked: AtomicBool::new(false) })
    }

    /// The service thread is about to sleep until something happens, or does so no more.
    ///
    /// It says so, then looks at what there may be to do, under the mutex of each. Whoever leaves something there does it under
    /// that mutex, and then calls [`rouse`](Self::rouse). Whichever of the two had the mutex last sees what the other did before.
    pub fn park(&self, is_parked: bool) {
        self.parked.store(is_parked, Ordering::Release);
    }

    /// Something was left to the service thread, or was taken note of that would have woken it: ring if it is parked.
    #[inline]
    pub fn rouse(&self) {
        if self.parked.load(Ordering::Acquire) {
            self.ring();
        }
    }

    /// Wake who sleeps, or who goes to sleep next.
    pub fn ring(&self) {
        // Full means that it is ringing already.
        let _ = write(&self.descriptor, &1_u64.to_ne_bytes());
    }

    /// Silence it.
    pub fn hear(&self) {
        let _ = read(&self.descriptor, &mut [0; 8]);
    }

    /// Sleep until it is rung, one of the others is readable, or `limit` has passed; and hear it.
    pub fn sleep<'a>(&'a self, others: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) {
        if sleep_on(std::iter::once(self.as_fd()).chain(others), limit) {
            self.hear();
        }
    }
}

/// Sleep until one of these is readable, or `limit` has passed; gives whether one is readable.
pub fn sleep_on<'a>(all: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) -> bool {
    readable(all, limit).contains(&true)
}

/// The same, and says which of them are.
pub fn readable<'a>(all: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) -> Vec<bool> {
    let limit = limit.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
    let mut all: Vec<_> = all.into_iter().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    // An interrupted sleep is a short one.
    let _ = poll(&mut all, limit.as_ref());
    all.iter().map(|fd| !fd.revents().is_empty()).collect()
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
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
    fn it_is_rung_for_who_is_parked_alone() {
        let bell = Bell::new().unwrap();
        bell.rouse();
        assert!(!is_readable(bell.as_fd()));
        bell.park(true);
        bell.rouse();
        assert!(is_readable(bell.as_fd()));
        bell.sleep([], None);
        bell.park(false);
        bell.rouse();
        assert!(!is_readable(bell.as_fd()));
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
