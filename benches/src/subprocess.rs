//! Runs one command with a time limit and returns its output.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, getppid, kill_process_group, set_parent_process_death_signal};

use crate::Error;
use crate::interrupt::{Event, Interrupt, interrupt, name};

/// Time between SIGTERM and SIGKILL, in which a launcher can end its PEs.
const GRACE: Duration = Duration::from_secs(3);

/// The result of a successful command.
#[derive(Debug)]
pub struct Outcome {
    pub stdout: String,
    /// Time from just before the start until the command and all writers of its output had ended.
    pub took: Duration,
}

/// Run `command` until it ends. It gets its own process group. At the limit, and when this program is interrupted, the group receives
/// SIGTERM, then SIGKILL. The error of a failed command includes the end of its standard error.
pub fn run(command: Command, limit: Duration) -> Result<Outcome, Error> {
    run_until(command, limit, interrupt())
}

fn run_until(mut command: Command, limit: Duration, interrupt: &Interrupt) -> Result<Outcome, Error> {
    interrupt.check()?;
    let shown = format!("{command:?}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    end_with_this_program(&mut command);
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("cannot start {shown}: {e}"))?;
    let watchdog = Watchdog::start(&child, limit, interrupt);
    let (stdout, stderr) = outputs(&mut child);
    let status = child.wait()?;
    let took = started.elapsed();
    let why = watchdog.stop();
    verdict(&shown, status, why, limit, &stderr).map(|()| Outcome { stdout, took })
}

/// Have the kernel send SIGTERM to the child if this program is killed. The signal is sent when the thread that started the child ends;
/// that thread waits for the child here.
#[allow(unsafe_code)]
fn end_with_this_program(command: &mut Command) {
    let parent = getpid();
    // SAFETY: other threads may have held any lock when this process was copied, so the closure must not lock or allocate. It only makes
    // system calls, and its errors are plain numbers, which need no allocation.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::TERM))?;
            if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from(Errno::SRCH)) }
        })
    };
}

/// The reason for which a run was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Limit,
    Interrupted(Signal),
}

fn verdict(shown: &str, status: ExitStatus, why: Option<Why>, limit: Duration, stderr: &str) -> Result<(), Error> {
    let last: Vec<&str> = stderr.lines().rev().filter(|line| !line.trim().is_empty()).take(12).collect();
    let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
    match why {
        Some(Why::Limit) => Err(format!("{shown} did not end within {} s (--timeout)\n{last}", limit.as_secs()).into()),
        Some(Why::Interrupted(signal)) => Err(format!("ended by {}", name(signal)).into()),
        None if !status.success() => Err(format!("{shown} failed ({status})\n{last}").into()),
        None => Ok(()),
    }
}

/// Read both outputs to their ends. They are read concurrently, so that neither pipe can fill up and stall the command.
fn outputs(child: &mut Child) -> (String, String) {
    let stderr = child.stderr.take().map(|pipe| thread::spawn(move || text(pipe)));
    let stdout = child.stdout.take().map(text).unwrap_or_default();
    (stdout, stderr.and_then(|reader| reader.join().ok()).unwrap_or_default())
}

fn text(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // A broken pipe counts as the end: keep the bytes read so far.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ends a process group at the limit or when a signal arrives, unless it is stopped before.
struct Watchdog {
    calls: Sender<Event>,
    thread: thread::JoinHandle<Option<Why>>,
}

impl Watchdog {
    fn start(child: &Child, limit: Duration, interrupt: &Interrupt) -> Self {
        let group = Pid::from_child(child);
        let (calls, heard) = mpsc::channel();
        interrupt.notify(calls.clone());
        let thread = thread::spawn(move || {
            let why = wait(&heard, limit)?;
            // The group may end between the event and the signal; then there is nothing left to do.
            let _ = kill_process_group(group, Signal::TERM);
            if wait(&heard, GRACE).is_some() {
                let _ = kill_process_group(group, Signal::KILL);
            }
            Some(why)
        });
        Self { calls, thread }
    }

    /// Stop the watchdog. Returns why the group was ended, if it was.
    fn stop(self) -> Option<Why> {
        // If the group was killed, the watchdog has already stopped receiving.
        let _ = self.calls.send(Event::Finished);
        self.thread.join().unwrap_or(Some(Why::Limit))
    }
}

/// Wait for a reason to end the run; `None` if it has ended by itself.
fn wait(heard: &Receiver<Event>, limit: Duration) -> Option<Why> {
    match heard.recv_timeout(limit) {
        Ok(Event::Interrupted(signal)) => Some(Why::Interrupted(signal)),
        Err(RecvTimeoutError::Timeout) => Some(Why::Limit),
        Ok(Event::Finished) | Err(RecvTimeoutError::Disconnected) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn gives_the_output_of_what_ended_well() {
        let outcome = run(shell("echo one; echo two >&2"), Duration::from_secs(60)).unwrap();
        assert_eq!(outcome.stdout, "one\n");
    }

    #[test]
    fn a_failure_shows_what_was_said() {
        let error = run(shell("echo because >&2; exit 7"), Duration::from_secs(60)).unwrap_err().to_string();
        assert!(error.contains("7") && error.contains("because"), "{error}");
    }

    #[test]
    fn much_output_on_both_sides_does_not_stall() {
        let script =
            "i=0; while [ $i -lt 3000 ]; do echo a long line of output $i; echo and another $i >&2; i=$((i+1)); done";
        let outcome = run(shell(script), Duration::from_secs(60)).unwrap();
        assert_eq!(outcome.stdout.lines().count(), 3000);
    }

    #[test]
    fn the_limit_ends_the_whole_group() {
        let error = run(shell("sleep 600 & sleep 600"), Duration::from_millis(200)).unwrap_err().to_string();
        assert!(error.contains("did not end within"), "{error}");
    }

    #[test]
    fn a_signal_ends_the_whole_group_whatever_it_makes_of_it() {
        for script in ["sleep 600 & sleep 600", "trap '' TERM; sleep 600 & while :; do sleep 600; done"] {
            let interrupt = Interrupt::new();
            let error = thread::scope(|scope| {
                let run = scope
                    .spawn(|| run_until(shell(script), Duration::from_secs(600), &interrupt).unwrap_err().to_string());
                // Either order is correct: the signal may arrive before the group is started, or while it runs.
                thread::sleep(Duration::from_millis(200));
                interrupt.raise(Signal::INT);
                // The run returns once its output is closed: then no process of the group is left.
                run.join().unwrap()
            });
            assert_eq!(error, "ended by SIGINT");
        }
    }
}
