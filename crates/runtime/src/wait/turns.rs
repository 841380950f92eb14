//! Turns for programs that poll memory themselves.
//!
//! A program that polls memory in a loop of its own does not call the library, so the library cannot yield for it. With more PEs than
//! cores, each look of a PE that waits for another one costs a slice of the scheduler, milliseconds. With `FERRITE_WAIT=turns` each PE has
//! a thread that wakes up periodically and goes back to sleep. This takes the core from the thread that had it. When the scheduler then
//! chooses the next thread, it takes one that had less time: another PE. A token that goes round among four such PEs on two cores took 180
//! to 220 ms a round beside other work, and 11 to 16 ms with turns; a topological sort by such messages, of seven PEs on two cores, took
//! 4.6 to 8 s, and 0.1 to 0.9 s with turns.
//!
//! The thread asks for a short slice of its own (since Linux 6.12). Without that it may not run at once when it wakes, but when the
//! scheduler chooses. Turns do not suit all jobs: beside computing programs the switches gain nothing, and cost some percent.

use core::time::Duration;
use ferrite_os::{signals, threads};
use std::{
    io,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{Builder, JoinHandle},
};

/// Approximate time that a PE keeps the core.
const TURN: Duration = Duration::from_micros(100);

/// Handle of the thread. Dropping it ends the thread.
pub(crate) struct Turns {
    /// Never sent to: the thread ends when this is dropped.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Turns {
    /// Make `pes_per_core` PEs of a core take turns.
    pub fn among(pes_per_core: usize) -> io::Result<Turns> {
        let (end, ended) = mpsc::channel();
        // Each PE of the core has a thread.
        let period = TURN * u32::try_from(pes_per_core).unwrap_or(u32::MAX);
        let thread = threads::start(Builder::new(), "ferrite-turns", move || {
            signals::leave_to_program();
            ask_to_be_let_in();
            while ended.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {}
        })?;
        Ok(Turns { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Make this thread wake at the exact time and run at once for the moment it needs. If the kernel refuses, turns are less even.
fn ask_to_be_let_in() {
    /// Argument of `sched_setattr`, in its first version.
    #[repr(C)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        slice_ns: u64,
        deadline_ns: u64,
        period_ns: u64,
    }
    // SAFETY: the calling thread's own niceness.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        policy: libc::SCHED_OTHER as u32,
        flags: 0,
        nice,
        priority: 0,
        slice_ns: TURN.as_nanos() as u64,
        deadline_ns: 0,
        period_ns: 0,
    };
    // SAFETY: both concern the calling thread alone, and the attributes live across the call.
    unsafe {
        libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0);
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_end_when_they_are_no_longer_wanted() {
        let threads = || std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
        let named = || {
            let tasks = std::fs::read_dir("/proc/self/task").expect("this process").flatten();
            tasks
                .filter(|task| {
                    std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "ferrite-turns")
                })
                .count()
        };
        let turns = Turns::among(3).expect("a thread");
        while named() != 1 {
            crate::wait::pause(TURN);
        }
        assert!(threads() > 1);
        drop(turns);
        // A thread that has been waited for leaves the list a moment later.
        while named() != 0 {
            crate::wait::pause(TURN);
        }
    }
}
