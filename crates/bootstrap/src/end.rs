//! The end of a process without a launcher that reports it: print the reason, and wait for the output to be read.

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// Print why the job ends, if no launcher does.
pub(crate) fn say(why: &str) {
    if !why.is_empty() {
        // One write, so that lines of several processes do not mix. A failure cannot be reported anywhere.
        let _ = std::io::stderr().write_all(format!("{}\n", why.trim_end()).as_bytes());
    }
}

/// Wait until the readers of this process's standard output and error have read everything, if these are pipes. The wait is bounded: a
/// reader may have stopped.
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
