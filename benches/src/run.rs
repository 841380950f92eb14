//! Runs one command within a limit of time and takes what it printed.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::Error;

/// How long a launcher that overran its limit has to end its PEs before it is killed itself.
const GRACE: Duration = Duration::from_secs(3);

/// What came of a command that ended well.
#[derive(Debug)]
pub struct Outcome {
    /// Its standard output.
    pub stdout: String,
    /// From just before it was started until it had ended, its children's output closed.
    pub took: Duration,
}

/// Runs `command` to its end. It gets a process group of its own; at the limit the group is told to end, then killed.
/// A failure carries the end of what it wrote to standard error.
pub fn run(mut command: Command, limit: Duration) -> Result<Outcome, Error> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let shown = format!("{command:?}");
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("cannot start {shown}: {e}"))?;
    let watchdog = Watchdog::start(&child, limit);
    let (stdout, stderr) = outputs(&mut child);
    let status = child.wait()?;
    let took = started.elapsed();
    let barked = watchdog.stop();
    verdict(&shown, status, barked, limit, &stderr).map(|()| Outcome { stdout, took })
}

fn verdict(shown: &str, status: ExitStatus, barked: bool, limit: Duration, stderr: &str) -> Result<(), Error> {
    let last: Vec<&str> = stderr.lines().rev().filter(|line| !line.trim().is_empty()).take(12).collect();
    let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
    if barked {
        return Err(format!("{shown} did not end within {} s (--timeout)\n{last}", limit.as_secs()).into());
    }
    if !status.success() {
        return Err(format!("{shown} failed ({status})\n{last}").into());
    }
    Ok(())
}

/// Both outputs to their ends, read at once so that neither can fill up and stall the other.
fn outputs(child: &mut Child) -> (String, String) {
    let stderr = child.stderr.take().map(|pipe| thread::spawn(move || text(pipe)));
    let stdout = child.stdout.take().map(text).unwrap_or_default();
    (stdout, stderr.and_then(|reader| reader.join().ok()).unwrap_or_default())
}

fn text(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // A pipe that breaks has ended: what was read until then is what there is.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ends a process group at the limit, unless it is stopped before.
struct Watchdog {
    over: mpsc::Sender<()>,
    thread: thread::JoinHandle<bool>,
}

impl Watchdog {
    fn start(child: &Child, limit: Duration) -> Self {
        let group = Pid::from_child(child);
        let (over, ended) = mpsc::channel::<()>();
        let late = move |wait| ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
        let thread = thread::spawn(move || {
            if !late(limit) {
                return false;
            }
            // The group may end between the limit and the signal; then there is nothing left to do.
            let _ = kill_process_group(group, Signal::TERM);
            if late(GRACE) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            true
        });
        Self { over, thread }
    }

    /// Whether the limit was reached.
    fn stop(self) -> bool {
        drop(self.over);
        self.thread.join().unwrap_or(true)
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
}
