//! Identifies a process to other processes of its host.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io,
    process::{Pid, PidfdFlags, pidfd_open, test_kill_process},
};
use std::{fs, os::unix::fs::MetadataExt};

/// A process as other processes of its host identify it: its number, and the namespace of that number.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Process {
    /// Inode of its PID namespace; 0 if unknown.
    pub namespace: u64,
    /// Its process number in that namespace.
    pub number: u64,
}

impl Process {
    /// This process.
    pub fn current() -> Process {
        let namespace = fs::metadata("/proc/self/ns/pid").map_or(0, |found| found.ino());
        Process { namespace, number: std::process::id().into() }
    }

    /// The process number for system calls, if the process is in our namespace.
    pub fn pid(&self) -> io::Result<Pid> {
        let pid = i32::try_from(self.number).ok().and_then(Pid::from_raw).ok_or(io::Errno::INVAL)?;
        if self.namespace == 0 || self.namespace != Process::current().namespace {
            return Err(io::Errno::INVAL);
        }
        Ok(pid)
    }

    /// Open a pidfd of the process.
    pub fn open(&self) -> io::Result<OwnedFd> {
        pidfd_open(self.pid()?, PidfdFlags::empty())
    }

    /// Whether the process has ended, even if its parent has not yet waited for it.
    pub fn has_ended(&self) -> bool {
        match self.open() {
            Ok(now) => {
                let mut now = [PollFd::new(&now, PollFlags::IN)];
                let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
                matches!(poll(&mut now, Some(&at_once)), Ok(ready) if ready > 0)
            }
            Err(io::Errno::SRCH) => true,
            Err(_) => self.pid().is_ok_and(|pid| test_kill_process(pid) == Err(io::Errno::SRCH)),
        }
    }
}
