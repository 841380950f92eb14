//! A file descriptor that the library keeps open while the program runs, and that the program may have closed.

#![allow(unsafe_code)]

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use std::io;

/// A descriptor that may not be ours any more when we come back to it: programs close descriptors that they did not
/// open, and others take their numbers. Device and inode tell.
#[derive(Debug)]
pub struct GuardedFd {
    number: RawFd,
    identity: (u64, u64),
}

impl GuardedFd {
    /// Keeps `file` under its present identity, closed on exec. One that has the number of a standard stream gets another:
    /// in a program that was started without them, `printf` would write into it.
    pub fn new(file: OwnedFd) -> io::Result<Self> {
        let file = if file.as_raw_fd() > 2 { file } else { fcntl_dupfd_cloexec(&file, 3)? };
        fcntl_setfd(&file, FdFlags::CLOEXEC)?;
        let identity = identity_of(file.as_fd())?;
        Ok(GuardedFd { number: file.into_raw_fd(), identity })
    }

    /// The descriptor's number.
    pub fn number(&self) -> RawFd {
        self.number
    }

    /// The file, if the descriptor still is it.
    pub fn file(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: a number that was open once; what it is now is asked before it is used.
        let file = unsafe { BorrowedFd::borrow_raw(self.number) };
        identity_of(file).is_ok_and(|identity| identity == self.identity).then_some(file)
    }
}

impl Drop for GuardedFd {
    fn drop(&mut self) {
        if self.file().is_some() {
            // SAFETY: it is ours: this file under this number.
            unsafe { rustix::io::close(self.number) };
        }
    }
}

fn identity_of(file: BorrowedFd<'_>) -> io::Result<(u64, u64)> {
    let status = rustix::fs::fstat(file)?;
    Ok((status.st_dev, status.st_ino))
}
