//! The process that the user starts: a supervisor, the thin parent of the worker, which does all the work.
//!
//! The supervisor does next to nothing, so that next to nothing can go wrong with it: it passes signals and the
//! terminal's input to the worker, and waits for the worker's end. Both processes are subreapers: an orphaned
//! descendant of the job becomes the child of one of them, whichever process group, session or environment it has. If
//! the worker is killed, the supervisor inherits and kills its descendants. If the supervisor is killed, the worker
//! sees the end of a pipe that only the supervisor holds open, and kills its descendants. The worker leads a session of
//! its own, so that what kills the supervisor's process group does not reach it.
//!
//! A process may have children before it becomes oshrun (`exec oshrun` in a script that has started a monitor, or reads
//! its output by `> >(tee log)`). They are not part of the job: neither process kills them or their descendants. They
//! are told apart by their session, which is the supervisor's.
//!
//! An agent is split into supervisor and worker in the same way.

use super::process_end::{ProcessEnd, name};
use super::{Refusal, input, kill_descendants};
use crate::stderr::print_line;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Signals that are passed on to the PEs and mean nothing to oshrun. Schedulers send some of them as a warning.
pub const PASSED_ON: [i32; 5] = [libc::SIGUSR1, libc::SIGUSR2, libc::SIGWINCH, libc::SIGURG, libc::SIGXCPU];
/// Signals that end the job.
pub const ENDING: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
/// Signals that stop and continue the job, and the one that reports ended children.
pub const OTHERS: [i32; 3] = [libc::SIGTSTP, libc::SIGCONT, libc::SIGCHLD];

/// Which of the two processes this one has become.
pub enum Half {
    /// The worker has ended with this code, and nothing is left of the job.
    Supervisor(u8),
    /// The worker: go on. The pipe ends when the supervisor ends.
    Worker(OwnedFd),
}

/// Fork into supervisor and worker. Must be called while the process has one thread. `reads`: standard input belongs to
/// the job.
pub fn split(reads: bool) -> Result<Half, Refusal> {
    let wrong = |error: &dyn std::fmt::Display| Refusal::new(format!("cannot divide itself in two: {error}"));
    let (end, lifeline) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| wrong(&error))?;
    let terminal = if reads { input::TerminalPipe::prepare().map_err(|error| wrong(&error))? } else { None };
    let earlier_children = kill_descendants::children();
    subreaper()?;
    let signals = hold_back_signals();
    // SAFETY: this process has one thread, so the child may do all that the parent might, allocate included.
    match unsafe { libc::fork() } {
        -1 => Err(wrong(&std::io::Error::last_os_error())),
        0 => {
            drop(lifeline);
            let_through(&signals);
            let _ = rustix::process::setsid();
            let _ = rustix::thread::set_name(ferrite_bootstrap::WORKER);
            subreaper()?;
            if let Some(terminal) = terminal {
                terminal.receive().map_err(|error| wrong(&error))?;
            }
            Ok(Half::Worker(end))
        }
        worker => {
            drop(end);
            match terminal {
                Some(terminal) => terminal.pass_on(),
                None if reads => input::give_up_input(),
                None => Ok(()),
            }
            .map_err(|error| wrong(&error))?;
            let worker = Pid::from_raw(worker).expect("a child's number is positive");
            let ended = supervise(worker, &signals, &earlier_children);
            drop(lifeline);
            Ok(Half::Supervisor(ended))
        }
    }
}

fn subreaper() -> Result<(), Refusal> {
    set_child_subreaper(Some(getpid()))
        .map_err(|error| Refusal::new(format!("cannot adopt the orphans of its PEs: {error}")))
}

/// The supervisor's loop: pass on signals until the worker has ended.
fn supervise(worker: Pid, signals: &libc::sigset_t, earlier_children: &[Pid]) -> u8 {
    loop {
        let mut number = 0;
        // SAFETY: both are valid; the signals of the set are held back, as `sigwait` demands.
        unsafe { libc::sigwait(signals, &raw mut number) };
        if number == libc::SIGCHLD {
            match rustix::io::retry_on_intr(|| waitpid(Some(worker), WaitOptions::NOHANG)) {
                Ok(None) => {}
                Ok(Some((_, status))) => {
                    if let Some(end) = ProcessEnd::of(status) {
                        return clean_up(end, earlier_children);
                    }
                }
                Err(_) => return clean_up(ProcessEnd::Exit(1), earlier_children),
            }
        } else if let Some(signal) = Signal::from_named_raw(number) {
            let _ = kill_process(worker, signal);
            if number == libc::SIGTSTP {
                // The shell waits for this process to stop. It goes on here when it is continued.
                let _ = kill_process(getpid(), Signal::STOP);
            }
        }
    }
}

fn clean_up(end: ProcessEnd, earlier_children: &[Pid]) -> u8 {
    let own = session(None);
    let left = kill_descendants::kill_descendants(|pid| {
        earlier_children.contains(&pid) || own.is_some() && session(Some(pid)) == own
    });
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

/// The session of a process, or of this one: 0 where its leader is outside this namespace of processes, as that of a
/// container's first program can be. The job is not in it then either. rustix takes the number for a `Pid`, which is
/// never 0.
fn session(of: Option<Pid>) -> Option<libc::pid_t> {
    // SAFETY: it takes and returns numbers.
    let number = unsafe { libc::getsid(Pid::as_raw(of)) };
    (number >= 0).then_some(number)
}

/// Whether this process was started to ignore a signal (nohup, a shell's `&`): then it stays ignored.
pub fn is_ignored(number: i32) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null action the call only writes the present one to `now`, which has room for it; a zeroed
    // `sigaction` is a valid value should it fail.
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
