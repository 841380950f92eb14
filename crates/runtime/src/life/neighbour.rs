//! Detects the end of another PE of this host, for launchers under which the rest of the job would wait for it, such as `srun --mpi=pmi2`.
//!
//! Each PE watches the next PE of its host, and the last one watches the first: one descriptor and one sleeping thread per PE, whatever
//! their number. The descriptor is a pidfd. A program may close it and get its number for a file of its own, and that file must not look
//! like the end of the process. Kernels before 6.9 give all pidfds one inode, so the inode does not show the difference. Hence an end
//! counts only if a newly opened pidfd of the process confirms it. Kernels before 5.3 have no pidfds; there the thread checks whether the
//! process number is still in use. The transport detects the end of PEs of other hosts.
//!
//! A PE may end as soon as all have reached the last barrier of finalize, before which each marks itself as leaving. So a neighbour that ends
//! before this PE is leaving has died. If it ends later, both are possible, and this PE waits: an orderly finalize ends the watch;
//! otherwise the neighbour died before the barrier, and the wait runs out.

use crate::end;
use ferrite_bootstrap::Boot;
use ferrite_os::{guarded_fd::GuardedFd, process::Process, signals, threads};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io,
    pipe::{PipeFlags, pipe_with},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Builder, JoinHandle},
    time::Duration,
};

/// If the launcher knows of the end, it ends this process within this time. Its reason is more precise than ours.
const LAUNCHERS_TURN: Duration = Duration::from_secs(1);

/// How often to check whether a process has ended, if pidfds do not exist.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How the end of a process is detected.
enum End {
    /// A pidfd, which becomes readable when the process has ended.
    Descriptor(GuardedFd),
    /// Its number, which is free once the process has ended and its parent has waited for it.
    Number,
    /// The process has ended already.
    Come,
}

impl End {
    fn of(process: &Process) -> Option<End> {
        match process.open() {
            Ok(end) => GuardedFd::new(end).ok().map(End::Descriptor),
            // The process has ended since it published its number.
            Err(io::Errno::SRCH) => Some(End::Come),
            Err(io::Errno::INVAL) => None,
            // A kernel before 5.3, or a system call filter that does not know pidfds.
            Err(_) => Some(End::Number),
        }
    }
}

/// The watch over another PE.
pub(crate) struct Neighbour {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// A pipe that becomes readable when the watch is over. A program that closes this descriptor of the library also ends the watch.
    over: [GuardedFd; 2],
    leaving: AtomicBool,
}

/// How a watch ended.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// The watch is over.
    Over,
    /// The neighbour has ended too early.
    Died,
}

impl Neighbour {
    /// Watch `process`, the process of PE `pe`. `None` if it cannot be watched.
    pub fn watch(pe: u32, process: Process, patience: Duration, boot: Arc<dyn Boot>) -> Option<Neighbour> {
        let end = End::of(&process)?;
        let shared = Arc::new(Shared::new().ok()?);
        let watched = Arc::clone(&shared);
        let work = move || {
            signals::leave_to_program();
            if watched.wait(&process, &end, patience) == Outcome::Died {
                let number = process.number;
                end::peer_ended(&*boot, format_args!("PE {pe} (pid {number}) has ended without finalize"));
            }
        };
        let thread = threads::start(Builder::new(), "ferrite-watch", work).ok()?;
        Some(Neighbour { shared, thread: Some(thread) })
    }

    /// Call when this PE is about to enter the last barrier.
    pub fn leave(&self) {
        self.shared.leaving.store(true, Ordering::SeqCst);
    }

    /// Call when all PEs have reached the last barrier: any of them may end now.
    pub fn stop(&self) {
        if let Some(over) = self.shared.over[1].file() {
            let _ = io::retry_on_intr(|| io::write(over, &[1]));
        }
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.stop();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn new() -> std::io::Result<Shared> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Shared { over: [GuardedFd::new(read)?, GuardedFd::new(write)?], leaving: AtomicBool::new(false) })
    }

    /// Wait until the neighbour ends or the watch is over.
    fn wait(&self, process: &Process, end: &End, patience: Duration) -> Outcome {
        let is_over = match end {
            // If the descriptor is readable while the process lives, it is not the pidfd any more: the program has closed that.
            End::Descriptor(end) => self.sleep(Some(end), None) || !process.has_ended(),
            End::Number => self.look(process),
            End::Come => false,
        };
        if is_over || self.sleep(None, Some(LAUNCHERS_TURN)) {
            return Outcome::Over;
        }
        // This PE may have been stopped by a debugger: give its other threads a moment to end the watch.
        let is_over = || self.sleep(None, Some(patience)) || self.sleep(None, Some(LAUNCHERS_TURN));
        if self.leaving.load(Ordering::SeqCst) && is_over() {
            return Outcome::Over;
        }
        Outcome::Died
    }

    /// Poll until `process` has ended. Return true if the watch is over before that.
    fn look(&self, process: &Process) -> bool {
        while !process.has_ended() {
            if self.sleep(None, Some(LOOK_AGAIN)) {
                return true;
            }
        }
        false
    }

    /// Sleep until the neighbour's `end`, or until `limit` has passed. Return true if the watch is over, also if it is because the program
    /// has closed descriptors of the library.
    fn sleep(&self, end: Option<&GuardedFd>, limit: Option<Duration>) -> bool {
        if end.is_none() && limit.is_none() {
            return false;
        }
        let (Some(over), end) = (self.over[0].file(), end.map(GuardedFd::file)) else { return true };
        let mut both = vec![PollFd::from_borrowed_fd(over, PollFlags::IN)];
        match end {
            Some(None) => return true,
            Some(Some(end)) => both.push(PollFd::from_borrowed_fd(end, PollFlags::IN)),
            None => {}
        }
        let limit =
            limit.map(|time| Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() });
        while let Err(io::Errno::INTR) = poll(&mut both, limit.as_ref()) {}
        !both[0].revents().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn other() -> Child {
        Command::new("sleep").arg("600").spawn().unwrap()
    }

    fn watched(child: &Child, leaving: bool, over: bool) -> (Neighbour, Process) {
        let shared = Arc::new(Shared { leaving: leaving.into(), ..Shared::new().unwrap() });
        let neighbour = Neighbour { shared, thread: None };
        if over {
            neighbour.stop();
        }
        (neighbour, Process { number: child.id().into(), ..Process::current() })
    }

    #[test]
    fn an_end_is_noticed_unless_this_pe_leaves() {
        for (leaving, over, outcome) in [
            (false, false, Outcome::Died),
            // It died before the last barrier, since this PE does not get past it.
            (true, false, Outcome::Died),
            (true, true, Outcome::Over),
            (false, true, Outcome::Over),
        ] {
            let mut child = other();
            let (neighbour, process) = watched(&child, leaving, over);
            let end = End::of(&process).unwrap();
            assert!(matches!(end, End::Descriptor(_)) && !process.has_ended());
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(matches!(End::of(&process), Some(End::Come)) && process.has_ended());
            for end in [end, End::Number, End::Come] {
                let found = neighbour.shared.wait(&process, &end, Duration::from_millis(10));
                assert_eq!(found, outcome, "{leaving} {over}");
            }
        }
    }

    #[test]
    fn who_lives_is_watched_until_the_watch_is_over() {
        let mut child = other();
        for by_number in [false, true] {
            let (neighbour, process) = watched(&child, false, false);
            let end = if by_number { End::Number } else { End::of(&process).unwrap() };
            std::thread::scope(|scope| {
                let watch = scope.spawn(|| neighbour.shared.wait(&process, &end, Duration::ZERO));
                neighbour.stop();
                assert_eq!(watch.join().unwrap(), Outcome::Over);
            });
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// The program closed the descriptor. A file of the program now has its number, and also its inode on kernels where all pidfds share
    /// one.
    #[test]
    fn what_is_no_descriptor_of_the_process_any_more_is_not_its_end() {
        let mut child = other();
        let (neighbour, process) = watched(&child, false, false);
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        io::write(&write, &[1]).unwrap();
        let end = End::Descriptor(GuardedFd::new(read).unwrap());
        assert_eq!(neighbour.shared.wait(&process, &end, Duration::ZERO), Outcome::Over);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn processes_of_other_namespaces_are_not_known_by_their_numbers() {
        let current = Process::current();
        assert!(current.open().is_ok());
        assert!(Process { namespace: current.namespace + 1, ..current }.open().is_err());
        assert!(Process { namespace: 0, ..current }.open().is_err());
        assert!(Process { number: 0, ..current }.open().is_err());
    }
}
