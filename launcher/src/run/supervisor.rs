//! The process that the user starts: a supervisor, the thin ancestor of the worker, which does all the work. Between them is the
//! [`super::guard`].
//!
//! The supervisor does next to nothing, so that next to nothing can go wrong with it: it forwards signals and the terminal's input, and
//! waits for the end. Guard and worker are subreapers: an orphaned descendant of the job becomes the child of one of them, whatever process
//! group, session or environment it has. If the worker is killed, the guard inherits and kills its descendants. If the supervisor or the
//! guard is killed, the worker sees the end of a pipe that only the guard holds open, and kills its descendants. Guard and worker lead
//! sessions of their own, so a signal that kills the supervisor's process group does not reach them.
//!
//! A process may have children before it becomes oshrun (`exec oshrun` in a script that has started a monitor, or reads its output by
//! `> >(tee log)`). These children and their descendants are not part of the job. They remain children of the supervisor, which kills
//! nothing.
//!
//! An agent forks in the same way.

use super::control_group::ControlGroup;
use super::process_end::{ProcessEnd, name};
use super::shm_cleanup::ShmCleanup;
use super::{Refusal, guard, input};
use crate::stderr::print_line;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Signals that are forwarded to the PEs and mean nothing to oshrun. Schedulers send some of them as a warning.
pub const PASSED_ON: [i32; 5] = [libc::SIGUSR1, libc::SIGUSR2, libc::SIGWINCH, libc::SIGURG, libc::SIGXCPU];
/// Signals that end the job.
pub const ENDING: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
/// Signals that stop and continue the job, and the signal that reports ended children.
pub const OTHERS: [i32; 3] = [libc::SIGTSTP, libc::SIGCONT, libc::SIGCHLD];

/// The role of this process after [`split`].
pub enum Half {
    /// Supervisor or guard: the worker has ended with this code, and no process of the job is left.
    Supervisor(u8),
    /// The worker: go on. The pipe ends when the supervisor or the guard ends.
    Worker(OwnedFd),
}

/// Fork into supervisor, guard and worker. Must be called while the process has one thread. `reads`: standard input
/// belongs to the job.
pub fn split(reads: bool) -> Result<Half, Refusal> {
    let terminal = if reads { input::TerminalPipe::prepare().map_err(|error| wrong(&error))? } else { None };
    let signals = hold_back_signals();
    let supervisor = getpid();
    let Some(guard) = fork()? else { return divide(supervisor, &signals, terminal, reads) };
    match terminal {
        Some(terminal) => terminal.pass_on(),
        None if reads => input::give_up_input(),
        None => Ok(()),
    }
    .map_err(|error| wrong(&error))?;
    Ok(Half::Supervisor(supervise(guard, &signals)))
}

/// In the guard: fork off the worker.
fn divide(
    supervisor: Pid,
    signals: &libc::sigset_t,
    terminal: Option<input::TerminalPipe>,
    reads: bool,
) -> Result<Half, Refusal> {
    let _ = rustix::process::setsid();
    let _ = rustix::thread::set_name(guard::NAME);
    subreaper()?;
    let files = ShmCleanup::from_now_on();
    let group = ControlGroup::make();
    let (end, lifeline) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| wrong(&error))?;
    let Some(worker) = fork()? else {
        drop(lifeline);
        let_through(signals);
        let _ = rustix::process::setsid();
        let _ = rustix::thread::set_name(ferrite_bootstrap::WORKER);
        subreaper()?;
        if let Some(group) = group {
            group.adopt();
        }
        if let Some(terminal) = terminal {
            terminal.receive().map_err(|error| wrong(&error))?;
        }
        return Ok(Half::Worker(end));
    };
    drop((end, terminal));
    if reads {
        // If this fails, the job still runs; only the end of PE 0's input is noticed late.
        let _ = input::give_up_input();
    }
    Ok(Half::Supervisor(guard::watch(worker, supervisor, signals, lifeline, guard::Leftovers { files, group })))
}

/// Returns the child's process id; `None` in the child.
fn fork() -> Result<Option<Pid>, Refusal> {
    // SAFETY: this process has one thread, so the child may do all that the parent might, allocate included.
    match unsafe { libc::fork() } {
        -1 => Err(wrong(&std::io::Error::last_os_error())),
        child => Ok(Pid::from_raw(child)),
    }
}

fn wrong(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(format!("cannot fork: {error}"))
}

fn subreaper() -> Result<(), Refusal> {
    set_child_subreaper(Some(getpid()))
        .map_err(|error| Refusal::new(format!("cannot adopt the orphans of its PEs: {error}")))
}

/// The supervisor's loop: pass on signals until the guard has ended.
fn supervise(guard: Pid, signals: &libc::sigset_t) -> u8 {
    loop {
        let mut number = 0;
        // SAFETY: both are valid; the signals of the set are blocked, as `sigwait` requires.
        unsafe { libc::sigwait(signals, &raw mut number) };
        if number == libc::SIGCHLD {
            match rustix::io::retry_on_intr(|| waitpid(Some(guard), WaitOptions::NOHANG)) {
                Ok(None) => {}
                Ok(Some((_, status))) => {
                    if let Some(end) = ProcessEnd::of(status) {
                        return told(end);
                    }
                }
                Err(error) => {
                    print_line(format_args!("oshrun: cannot get the exit status of the job: {error}"));
                    return 1;
                }
            }
        } else if let Some(signal) = Signal::from_named_raw(number) {
            let _ = kill_process(guard, signal);
            if number == libc::SIGTSTP {
                // The shell waits for this process to stop. It continues here after SIGCONT.
                let _ = kill_process(getpid(), Signal::STOP);
            }
        }
    }
}

/// The exit code of a guard that has ended. A guard that ended by itself has reported everything.
fn told(end: ProcessEnd) -> u8 {
    if let ProcessEnd::Signal { number, .. } = end {
        let by = name(number).map_or(format!("signal {number}"), str::to_owned);
        print_line(format_args!("oshrun: its guard was killed by {by}; the job is being ended"));
    }
    end.code()
}

/// Whether this process was started with a signal ignored (nohup, a shell's `&`): then it stays ignored.
pub fn is_ignored(number: i32) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null action the call only writes the present action to `now`, which has room for it; should it fail, a zeroed
    // `sigaction` is a valid value.
    unsafe {
        libc::sigaction(number, std::ptr::null(), now.as_mut_ptr());
        now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Block all signals that concern the job, and restore the default action of SIGCHLD, whatever the parent has set.
fn hold_back_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the default action installs no code. The set is initialised by `sigemptyset` before it is used; only this
    // thread's mask changes.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::sigemptyset(set.as_mut_ptr());
        for number in PASSED_ON.into_iter().chain(ENDING).chain(OTHERS) {
            if !is_ignored(number) {
                libc::sigaddset(set.as_mut_ptr(), number);
            }
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        set.assume_init()
    }
}

/// Unblock the signals, for the worker and its PEs, even if the parent had blocked them.
fn let_through(signals: &libc::sigset_t) {
    // SAFETY: the set is valid; only this thread's mask changes.
    unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, signals, std::ptr::null_mut()) };
}
