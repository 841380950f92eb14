//! The process between supervisor and worker. Its only task is to outlive them.
//!
//! It is created for the job, so all its descendants belong to the job. That is not true of the supervisor: a script may have started
//! processes before it became oshrun. The guard is a subreaper, and in a session of its own: whatever kills supervisor and worker, alone or
//! both at once, does not kill the guard, which then kills what is left of the job. If the guard itself is killed, the worker sees the end
//! of a pipe that only the guard holds open, and does the same.

use super::control_group::ControlGroup;
use super::kill_descendants::{self, kill_descendants};
use super::process_end::{ProcessEnd, name};
use super::shm_cleanup::ShmCleanup;
use crate::stderr::print_line;
use rustix::process::{Pid, Signal, WaitOptions, getppid, kill_process, set_parent_process_death_signal, waitpid};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// The guard's name in process lists.
pub const NAME: &std::ffi::CStr = c"oshrun-guard";

/// The signal that the kernel sends to the guard when the supervisor ends. Nothing else in a job uses it.
const SUPERVISOR_ENDED: libc::c_int = libc::SIGPWR;

/// The leftovers of the job when the worker has ended.
pub struct Leftovers {
    /// Files of PEs in /dev/shm.
    pub files: ShmCleanup,
    /// The control group of the job, if there is one.
    pub group: Option<ControlGroup>,
}

/// Forward the supervisor's signals until the worker has ended; then kill what is left of the job. `signals` are blocked. Returns the
/// worker's exit code.
pub fn watch(
    worker: Pid,
    supervisor: Pid,
    signals: &libc::sigset_t,
    lifeline: OwnedFd,
    mut leftovers: Leftovers,
) -> u8 {
    let mut lifeline = Some(lifeline);
    let awaited = with_supervisor_ended(signals);
    let _ = set_parent_process_death_signal(Signal::from_named_raw(SUPERVISOR_ENDED));
    loop {
        // The supervisor may have ended before the guard asked for the signal.
        if getppid() != Some(supervisor) {
            drop(lifeline.take());
        }
        let (number, sender) = next_signal(&awaited);
        if number == libc::SIGCHLD {
            match rustix::io::retry_on_intr(|| waitpid(Some(worker), WaitOptions::NOHANG)) {
                Ok(None) => {}
                Ok(Some((_, status))) => {
                    if let Some(end) = ProcessEnd::of(status) {
                        return clean_up(end, &mut leftovers);
                    }
                }
                Err(error) => {
                    print_line(format_args!("oshrun: cannot get the exit status of its worker: {error}"));
                    return clean_up(ProcessEnd::Exit(1), &mut leftovers);
                }
            }
        } else if number != SUPERVISOR_ENDED
            && sender == supervisor.as_raw_nonzero().get()
            && let Some(signal) = Signal::from_named_raw(number)
        {
            // A scheduler signals every process of a job, and has signalled the worker too.
            let _ = kill_process(worker, signal);
        }
    }
}

/// Also block the signal for the supervisor's end, and return the set of all signals to wait for.
fn with_supervisor_ended(signals: &libc::sigset_t) -> libc::sigset_t {
    let mut set = *signals;
    // SAFETY: the set is an initialised copy; only this thread's mask changes.
    unsafe {
        libc::sigaddset(&raw mut set, SUPERVISOR_ENDED);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
    }
    set
}

/// Wait for a signal. Returns its number, and the process that sent it.
fn next_signal(set: &libc::sigset_t) -> (libc::c_int, libc::pid_t) {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    loop {
        // SAFETY: both are valid, and the signals of the set are blocked. The call fills `info` when it succeeds; the sender's field is a
        // number in every kind of signal information.
        unsafe {
            let number = libc::sigwaitinfo(set, info.as_mut_ptr());
            if number > 0 {
                return (number, info.assume_init_ref().si_pid());
            }
        }
    }
}

fn clean_up(end: ProcessEnd, Leftovers { files, group }: &mut Leftovers) -> u8 {
    if let Some(group) = group {
        group.kill();
    }
    let left = kill_descendants(files);
    if let Some(group) = group {
        group.remove();
    }
    files.remove();
    // A worker that ended by itself has reported everything.
    if let ProcessEnd::Signal { number, .. } = end {
        let by = name(number).map_or(format!("signal {number}"), str::to_owned);
        print_line(format_args!("oshrun: its worker was killed by {by}; the job was ended"));
        if let Some(line) = kill_descendants::describe(&left, |_| None) {
            print_line(format_args!("oshrun: {line}"));
        }
    }
    end.code()
}
