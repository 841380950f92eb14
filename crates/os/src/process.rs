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

    /// A number that changes with the time that the process has computed so far, if it sleeps now; never 0. A stopped process (in a debugger,
    /// say) does not count as asleep.
    pub fn computed_if_asleep(&self) -> Option<u64> {
        if self.namespace == 0 || self.namespace != Process::current().namespace {
            return None;
        }
        let read = |file| fs::read_to_string(format!("/proc/{}/{file}", self.number)).ok();
        let ticks = ticks_of_sleeper(&read("stat")?)?;
        // Ticks include all threads and are coarse; the time of the first thread is known more precisely.
        let first_ns = read("schedstat").and_then(|text| text.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0);
        Some(first_ns ^ ticks << 40)
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

fn ticks_of_sleeper(stat: &str) -> Option<u64> {
    // The name may contain anything, but it ends with the last parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| fields.get(at)?.parse::<u64>().ok();
    matches!(*fields.first()?, "S" | "D").then_some(())?;
    // Plus 1, since no result is 0.
    Some(time(11)? + time(12)? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_process_does_not_count_as_asleep() {
        assert_eq!(Process::default().computed_if_asleep(), None);
    }

    #[test]
    fn sleeping_process_is_known_by_its_state() {
        let stat = |state| format!("7 (a) b) {state} 1 7 7 0 -1 4194560 100 0 0 0 31 4 0 0 20 0 1 0 100 0");
        for (state, expected) in [("S", Some(36)), ("D", Some(36)), ("R", None), ("t", None), ("T", None)] {
            assert_eq!(ticks_of_sleeper(&stat(state)), expected, "{state}");
        }
        assert_eq!(ticks_of_sleeper(""), None);
    }
}
