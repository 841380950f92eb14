//! The threads of this process, as the kernel lists them in /proc.
//!
//! /proc may belong to another PID namespace (`unshare --pid`, some containers). Its thread numbers then differ from those of system calls.

use std::fs;

use libc::SIGSEGV;

/// A thread. It has two numbers, since /proc may belong to another PID namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    /// Number of the thread for system calls of this process.
    pub number: i32,
    /// Number of the thread in /proc.
    listed: i32,
}

/// State of a thread in the kernel.
pub(super) struct State {
    pub asleep: bool,
    pub fault_pending: bool,
    pub blocks_faults: bool,
}

impl Thread {
    /// All threads of this process; empty if /proc cannot be read.
    pub fn all() -> Vec<Thread> {
        let Ok(entries) = fs::read_dir("/proc/self/task") else { return Vec::new() };
        let listed = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // A thread whose status cannot be read has ended.
        listed.filter_map(|listed| Some(Thread { number: number(&status(listed)?, listed), listed })).collect()
    }

    /// Read the current state; `None` if the thread has ended.
    pub fn look(self) -> Option<State> {
        State::parse(&status(self.listed)?)
    }
}

fn status(listed: i32) -> Option<String> {
    fs::read_to_string(format!("/proc/self/task/{listed}/status")).ok()
}

/// Number of a thread in its own namespace: the last number in `NSpid` (Linux 4.1 and later).
fn number(status: &str, listed: i32) -> i32 {
    let all = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    all.and_then(|all| all.split_whitespace().last()?.parse().ok()).unwrap_or(listed)
}

impl State {
    fn parse(status: &str) -> Option<Self> {
        let field = |key: &str| Some(status.lines().find_map(|line| line.strip_prefix(key))?.trim());
        let fault = |key: &str| u64::from_str_radix(field(key)?, 16).ok().map(|set| set >> (SIGSEGV - 1) & 1 == 1);
        let state = field("State:")?.chars().next()?;
        if matches!(state, 'Z' | 'X') {
            return None;
        }
        Some(State {
            // A thread stopped by a signal counts as asleep, because its pending signals are visible. A thread stopped by a tracer does
            // not: it may have a fault that is no longer pending and not yet delivered.
            asleep: matches!(state, 'S' | 'T'),
            fault_pending: fault("SigPnd:")?,
            blocks_faults: fault("SigBlk:")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::thread::gettid;

    #[test]
    fn a_threads_state_and_signals_are_read() {
        let status = |state: &str, pending: &str, blocked: &str| {
            format!(
                "Name:\tState: x\nState:\t{state} (x)\nSigQ:\t0/9\nSigPnd:\t{pending}\nShdPnd:\t0\nSigBlk:\t{blocked}\n"
            )
        };
        let none = "0000000000000000";
        let fault = "0000000000000400";
        let seen = State::parse(&status("S", none, fault)).expect("a thread");
        assert!(seen.asleep && !seen.fault_pending && seen.blocks_faults);
        let seen = State::parse(&status("R", fault, none)).expect("a thread");
        assert!(!seen.asleep && seen.fault_pending && !seen.blocks_faults);
        assert!(State::parse(&status("Z", none, none)).is_none());
        assert!(State::parse("").is_none());
    }

    #[test]
    fn a_thread_has_the_number_of_its_own_namespace() {
        assert_eq!(number("Pid:\t5133\nNSpid:\t5133\t17\t1\nSigQ:\t0/9\n", 5133), 1);
        assert_eq!(number("Pid:\t5133\nNSpid:\t5133\n", 5133), 5133);
        assert_eq!(number("Pid:\t5133\n", 5133), 5133, "an old kernel");
        let me = gettid().as_raw_nonzero().get();
        let found = Thread::all().into_iter().find(|thread| thread.number == me).expect("this thread is one of them");
        assert!(found.look().is_some_and(|seen| !seen.asleep));
    }
}
