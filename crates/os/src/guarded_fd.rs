//! A file descriptor that the library keeps open while the program runs, and that the program may have closed.

#![allow(unsafe_code)]

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use std::{
    fmt, io,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

/// Whether the process has forked. The forking thread sets it before the fork. Relaxed, since it publishes nothing else, and since system
/// calls order it before the read: the fork and the program's close in that thread, then the wait that reports the event.
static HAS_FORKED: AtomicBool = AtomicBool::new(false);

/// Set [`HAS_FORKED`] at each fork from now on.
fn notice_forks() {
    extern "C" fn before_fork() {
        HAS_FORKED.store(true, Ordering::Relaxed);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only stores a flag.
        if unsafe { libc::pthread_atfork(Some(before_fork), None, None) } != 0 {
            before_fork();
        }
    });
}

/// A descriptor that may no longer belong to the library when it is used again: programs close descriptors that they did not open, and
/// other files take their numbers. Device and inode show whether that has happened.
///
/// All epolls of a system share one inode, and so do all eventfds. For such a descriptor the check detects files, pipes and sockets, but
/// not another descriptor of the same kind. That is enough for a descriptor that is only slept on. Nothing may be written to it.
#[derive(Debug)]
pub struct GuardedFd {
    number: RawFd,
    identity: (u64, u64),
}

impl GuardedFd {
    /// Keep `file` under its present identity, closed on exec. A descriptor with the number of a standard stream gets another number: in a
    /// program that was started without standard streams, `printf` would write into it.
    pub fn new(file: OwnedFd) -> io::Result<Self> {
        let file = if file.as_raw_fd() > 2 { file } else { fcntl_dupfd_cloexec(&file, 3)? };
        fcntl_setfd(&file, FdFlags::CLOEXEC)?;
        notice_forks();
        let identity = identity_of(file.as_fd())?;
        Ok(GuardedFd { number: file.into_raw_fd(), identity })
    }

    /// The descriptor's number.
    pub fn number(&self) -> RawFd {
        self.number
    }

    /// The file, if the descriptor still refers to it.
    pub fn file(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: the number was open once; its present file is checked before it is used.
        let file = unsafe { BorrowedFd::borrow_raw(self.number) };
        identity_of(file).is_ok_and(|identity| identity == self.identity).then_some(file)
    }

    /// The descriptor to sleep on, without a check: a sleep on another file does no harm.
    pub fn to_sleep_on(&self) -> BorrowedFd<'_> {
        // SAFETY: the number was open once, and is only polled.
        unsafe { BorrowedFd::borrow_raw(self.number) }
    }

    /// The file right after the kernel has reported an event of it, or the error that the program has closed it. The kernel reports open
    /// files only, so no system call is needed, unless the process has forked: a child keeps files open that this process has closed.
    ///
    /// # Safety
    /// The calling thread has just received an event of this file from the kernel.
    pub unsafe fn after_event(&self) -> Result<BorrowedFd<'_>, Closed> {
        if HAS_FORKED.load(Ordering::Relaxed) {
            return self.get();
        }
        // SAFETY: an open file whose descriptors were never copied has this number.
        Ok(unsafe { BorrowedFd::borrow_raw(self.number) })
    }

    /// The file, or the error that the program has closed it.
    pub fn get(&self) -> Result<BorrowedFd<'_>, Closed> {
        self.file().ok_or(Closed { number: self.number })
    }
}

/// The program has closed a descriptor of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closed {
    /// The number that the descriptor had.
    pub number: RawFd,
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        write!(
            f,
            "the program has closed descriptor {number}, which is the library's (closefrom, or a loop over all numbers)"
        )
    }
}

impl std::error::Error for Closed {}

impl From<Closed> for io::Error {
    fn from(closed: Closed) -> io::Error {
        io::Error::other(closed)
    }
}

impl Drop for GuardedFd {
    fn drop(&mut self) {
        if self.file().is_some() {
            // SAFETY: the number still refers to this file, so the descriptor is the library's.
            unsafe { rustix::io::close(self.number) };
        }
    }
}

fn identity_of(file: BorrowedFd<'_>) -> io::Result<(u64, u64)> {
    let status = rustix::fs::fstat(file)?;
    Ok((status.st_dev, status.st_ino))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn another_file_under_its_number_is_neither_lent_nor_closed() {
        let (ours, _other) = UnixStream::pair().unwrap();
        let guarded = GuardedFd::new(ours.into()).unwrap();
        let number = guarded.number();
        assert_eq!(guarded.get().map(|file| file.as_raw_fd()), Ok(number));
        let (mut programs, theirs) = UnixStream::pair().unwrap();
        // SAFETY: the descriptor is the guarded one's, and this test replaces it behind its back, as a program might.
        assert_eq!(unsafe { libc::dup2(theirs.as_raw_fd(), number) }, number);
        drop(theirs);
        let closed = guarded.get().unwrap_err();
        assert_eq!(closed, Closed { number });
        assert!(io::Error::from(closed).to_string().contains(&format!("closed descriptor {number}")));
        drop(guarded);
        // If the end had been closed, this would read an end of file.
        programs.set_nonblocking(true).unwrap();
        assert_eq!(io::Read::read(&mut programs, &mut [0; 1]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        // SAFETY: the copy of above, which is the test's.
        unsafe { libc::close(number) };
    }
}
