//! What a process does itself if no launcher does it: reports why a job ends.

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// Say why the job ends, where no launcher does.
pub(crate) fn say(why: &str) {
    if !why.is_empty() {
        // One write, so that lines of several processes do not mix. Nobody is left to hear of a failure.
        let _ = std::io::stderr().write_all(format!("{}\n", why.trim_end()).as_bytes());
    }
}

/// Wait until whoever reads this process's standard output and error has read them, if they are pipes; but not for
/// ever: a reader may have stopped.
pub(crate) fn drain() {
    const TURNS_MAX: u32 = 500;
    let unread = |stream: BorrowedFd<'_>| {
        let pipe = fstat(stream).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_fifo());
        pipe && ioctl_fionread(stream).is_ok_and(|bytes| bytes > 0)
    };
    for _ in 0..TURNS_MAX {
        if !unread(std::io::stdout().as_fd()) && !unread(std::io::stderr().as_fd()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
