//! Wakes a thread from its sleep.

use crate::{Error, Result, sleeper::Sleeper};
use ferrite_os::guarded_fd::{Closed, GuardedFd};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair},
};
use std::{os::fd::BorrowedFd, time::Duration};

/// A pair of sockets and a flag. One of the sockets is readable from a ring until the ring is heard. The service thread sleeps without a
/// limit, so a thread that leaves work for it must ring.
///
/// Sockets, because the program may close descriptors that it has not opened, and open something else under their numbers. Each socket has
/// an inode of its own, which distinguishes it from another file under its number (an eventfd has none), and only a socket accepts a
/// `send`.
pub struct Bell {
    heard: GuardedFd,
    rung: GuardedFd,
    service: Sleeper,
}

impl Bell {
    /// Make a silent bell.
    pub fn new() -> Result<Self> {
        let open = || {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let (heard, rung) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            let (heard, rung) = (GuardedFd::new(heard)?, GuardedFd::new(rung)?);
            Ok(Bell { heard, rung, service: Sleeper::default() })
        };
        open().map_err(|e: std::io::Error| Error::because("opening the sockets that wake a thread", e))
    }

    /// Announce that the service thread is about to sleep until something happens (`true`), or is awake. The service thread calls it, then
    /// looks for work. A thread that leaves work calls [`rouse`](Self::rouse) after that.
    pub fn park(&self, is_parked: bool) {
        if is_parked { self.service.announce() } else { self.service.withdraw() }
    }

    /// Ring if the service thread is parked. Called when work was left for it, or when an event was taken that would have woken it.
    #[inline]
    pub fn rouse(&self) -> Result<(), Closed> {
        if self.service.must_wake() { self.ring() } else { Ok(()) }
    }

    /// Wake the thread that sleeps, or the next one that goes to sleep; an error if the program has closed the socket for it.
    pub fn ring(&self) -> Result<(), Closed> {
        // A full socket is ringing already.
        let _ = send(self.rung.get()?, &[1], SendFlags::NOSIGNAL);
        Ok(())
    }

    /// Discard the rings that have arrived, so that the descriptor is readable no more.
    pub fn hear(&self) {
        let mut rings = [0; 64];
        let len = rings.len();
        while let Some(heard) = self.heard.file()
            && recv(heard, &mut rings, RecvFlags::empty()).is_ok_and(|(_, n)| n == len)
        {}
    }

    /// Check that both sockets are still the library's.
    pub fn check(&self) -> Result<(), Closed> {
        self.rung.get()?;
        self.heard.get().map(drop)
    }

    /// The socket that is readable from a ring until the ring is heard. It is not checked, so it serves only to sleep on.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.heard.to_sleep_on()
    }
}

/// Sleep until one of these is readable, or `limit` has passed; returns whether one is readable.
pub fn sleep_on<'a>(all: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) -> bool {
    readable(all, limit).contains(&true)
}

/// Sleep as [`sleep_on`] does; returns for each of them whether it is readable.
pub fn readable<'a>(all: impl IntoIterator<Item = BorrowedFd<'a>>, limit: Option<Duration>) -> Vec<bool> {
    let limit = limit.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
    let mut all: Vec<_> = all.into_iter().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    // An interrupted sleep is a short one.
    let _ = poll(&mut all, limit.as_ref());
    all.iter().map(|fd| !fd.revents().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    fn is_readable(fd: BorrowedFd<'_>) -> bool {
        poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(1)
    }

    fn is_ringing(bell: &Bell) -> bool {
        is_readable(bell.fd())
    }

    #[test]
    fn any_number_of_rings_is_heard_at_once() {
        let bell = Bell::new().unwrap();
        for rings in [1, 2, 64, 65, 100_000] {
            (0..rings).for_each(|_| bell.ring().unwrap());
            assert!(is_ringing(&bell));
            bell.hear();
            assert!(!is_ringing(&bell), "{rings}");
        }
        bell.hear();
    }

    #[test]
    fn only_parked_threads_are_rung() {
        let bell = Bell::new().unwrap();
        bell.rouse().unwrap();
        assert!(!is_ringing(&bell));
        bell.park(true);
        bell.rouse().unwrap();
        assert!(is_ringing(&bell));
        bell.hear();
        bell.park(false);
        bell.rouse().unwrap();
        assert!(!is_ringing(&bell));
    }

    #[test]
    fn others_end_a_sleep_and_are_left_as_they_are() {
        let (bell, other) = (Bell::new().unwrap(), Bell::new().unwrap());
        other.ring().unwrap();
        assert!(sleep_on([bell.fd(), other.fd()], None));
        assert!(!sleep_on([bell.fd()], Some(Duration::from_millis(1))));
        assert!(is_ringing(&other) && !is_ringing(&bell));
    }

    /// Like `closefrom`, followed by an `open` that gets the same number.
    #[test]
    fn a_ring_is_never_written_into_a_file_of_the_program() {
        let bell = Bell::new().unwrap();
        let (programs, others) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).unwrap();
        for number in [bell.rung.number(), bell.heard.number()] {
            // SAFETY: the descriptor is the bell's, and this test replaces it behind its back, as a program might.
            assert_eq!(unsafe { libc::dup2(others.as_raw_fd(), number) }, number);
            assert!(bell.check().is_err());
        }
        assert_eq!(bell.ring().unwrap_err().number, bell.rung.number());
        bell.park(true);
        assert!(bell.rouse().is_err());
        bell.hear();
        let numbers = [bell.rung.number(), bell.heard.number()];
        drop(bell);
        assert_eq!(rustix::io::read(&programs, &mut [0; 8]), Err(rustix::io::Errno::AGAIN), "open still, and empty");
        // SAFETY: the copies made above, which belong to the test.
        numbers.iter().for_each(|&number| _ = unsafe { libc::close(number) });
    }
}
