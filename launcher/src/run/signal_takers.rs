//! Which processes of a PE take a signal: those that have a handler for it, or block it to wait for it. The others would be ended by it.
//!
//! SIGUSR1 asks oshrun for a roll-call. Only programs that have a use for the signal receive it as well.

use rustix::process::Pid;
use std::{collections::HashSet, fs};

/// The processes in the groups of `leaders` that take the signal, and the leaders themselves, which may have left their groups. `None` if
/// /proc does not say.
pub fn takers(leaders: &HashSet<Pid>, signal: i32) -> Option<Vec<Pid>> {
    takes(&status(rustix::process::getpid())?, signal)?;
    let all = fs::read_dir("/proc").ok()?.flatten();
    let pids = all.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    let is_meant = |pid: &Pid| leaders.contains(pid) || group_of(*pid).is_some_and(|group| leaders.contains(&group));
    let takers = pids.filter(is_meant).filter(|&pid| status(pid).and_then(|text| takes(&text, signal)) == Some(true));
    Some(takers.collect())
}

/// The text of `/proc/PID/status`. Its first line is the name of the process, which may contain any bytes.
fn status(pid: Pid) -> Option<String> {
    let bytes = fs::read(format!("/proc/{}/status", pid.as_raw_pid())).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The process group of a process. `None` if it has none in this PID namespace, like a kernel thread: rustix would end the process then.
fn group_of(pid: Pid) -> Option<Pid> {
    // SAFETY: the call takes and returns numbers.
    Pid::from_raw(unsafe { libc::getpgid(pid.as_raw_pid()) }.max(0))
}

/// Whether a process with this `/proc/PID/status` catches the signal, or blocks it to wait for it. A process that starts another one blocks all
/// signals for a moment, and does not sleep meanwhile: the signal would end it a moment later.
fn takes(status: &str, signal: i32) -> Option<bool> {
    let mask = |name: &str| {
        let text = status.lines().find_map(|line| line.strip_prefix(name))?;
        u64::from_str_radix(text.trim(), 16).ok()
    };
    let is_in = |mask: u64, signal: i32| mask >> (signal - 1) & 1 == 1;
    let (caught, blocked) = (mask("SigCgt:")?, mask("SigBlk:")?);
    let is_asleep = status.lines().any(|line| line.starts_with("State:\tS"));
    let waits = is_in(blocked, signal) && (is_asleep || !is_in(blocked, libc::SIGSEGV));
    Some(is_in(caught, signal) || waits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_and_blocked_signals_take() {
        let status = |blocked: u64, caught: u64| {
            format!(
                "Name:\ta\nState:\tR (running)\nSigBlk:\t{blocked:016x}\nSigIgn:\t0000000000000200\nSigCgt:\t{caught:016x}\n"
            )
        };
        for (blocked, caught, expected) in
            [(0, 0, false), (0, 1 << 9, true), (1 << 9, 0, true), (1 << 10, 1 << 8, false)]
        {
            assert_eq!(takes(&status(blocked, caught), libc::SIGUSR1), Some(expected), "{blocked:x} {caught:x}");
        }
        assert_eq!(takes("", libc::SIGUSR1), None);
        // A shell that starts a program, and a program that waits for any signal.
        let all = status(!0, 0);
        assert_eq!(takes(&all, libc::SIGUSR1), Some(false));
        assert_eq!(takes(&all.replace("R (running)", "S (sleeping)"), libc::SIGUSR1), Some(true));
    }

    #[test]
    fn names_of_processes_may_be_any_bytes() {
        let of_a_thread = || {
            let name = [0xff_u8, b'x', 0];
            // SAFETY: the name ends with a zero byte, and the call copies it.
            assert_eq!(unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) }, 0);
            status(rustix::thread::gettid()).and_then(|text| takes(&text, libc::SIGUSR1))
        };
        assert!(std::thread::spawn(of_a_thread).join().unwrap().is_some());
    }
}
