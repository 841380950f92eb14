//! Kills all descendants of this process. It is a subreaper, so every orphaned descendant becomes its child.
//!
//! All of them are stopped before any is killed. A process that forks and is killed leaves children that fork on, and where a limit keeps
//! processes from multiplying further, each killed process makes room for another. A stopped process forks no more, and keeps its place
//! below the limit. It also stays the parent of its children, so that these are found below it.

use super::process_end::ProcessEnd;
use super::shm_cleanup::ShmCleanup;
use ferrite_bootstrap::name_and_parent;
use ferrite_fabric::Pe;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long stopping all processes may take, and then how long killed processes may take to die. A process that hangs in the kernel never
/// dies (its file system may be gone). Twice this time is shorter than the default `--host-timeout`, since no heartbeat is sent meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait before the children are listed again.
const PAUSE: Duration = Duration::from_millis(1);
/// How many survivors are named.
const NAMED_MAX: usize = 8;

/// A process that did not die.
pub struct Survivor {
    pid: Pid,
    /// It runs as another user, so it could not be killed (`sudo`).
    of_other_user: bool,
}

/// The descendants that are left.
pub enum Left {
    Nothing,
    Survivors(Vec<Survivor>),
    /// At least one, but /proc does not show which.
    Unseen,
}

/// Kill all children, and their children as this process inherits them, until none is left.
pub fn kill_descendants(files: &mut ShmCleanup) -> Left {
    stop_and_kill(Instant::now() + PATIENCE);
    let begin = Instant::now();
    loop {
        let reaped = match reap(files) {
            Some(reaped) => reaped,
            None => return Left::Nothing,
        };
        let left: Vec<Survivor> =
            children(getpid()).into_iter().map(|pid| Survivor { pid, of_other_user: !may_kill(pid) }).collect();
        // Processes that may not be killed are not waited for.
        let all_foreign = !left.is_empty() && left.iter().all(|process| process.of_other_user);
        if all_foreign || begin.elapsed() >= PATIENCE {
            return if left.is_empty() { Left::Unseen } else { Left::Survivors(left) };
        }
        if reaped == 0 {
            std::thread::sleep(PAUSE);
        }
        // Processes that were not stopped in time may have forked since.
        stop_and_kill(begin + PATIENCE);
    }
}

fn stop_and_kill(deadline: Instant) {
    stop_all(deadline).into_iter().for_each(|pid| _ = may_kill(pid));
}

/// Stop all descendants, until a pass over all of them finds no process that was not stopped before, or until the deadline. Returns the
/// processes that the last pass has found.
///
/// The children of a process are listed after it was stopped: a fork that was under way has then either put its child there, or restarts
/// when the process continues. Another thread of the process may still complete a fork. A process may also end before it is stopped, and
/// its children become ours. The next pass finds both.
fn stop_all(deadline: Instant) -> Vec<Pid> {
    let is_late = || Instant::now() >= deadline;
    let mut stopped = HashSet::new();
    loop {
        let (known, mut found, mut parents) = (stopped.len(), Vec::new(), vec![getpid()]);
        while let Some(parent) = parents.pop().filter(|_| !is_late()) {
            for child in children(parent) {
                if stopped.insert(child) {
                    let _ = kill_process(child, Signal::STOP);
                }
                parents.push(child);
                found.push(child);
            }
        }
        if stopped.len() == known || is_late() {
            return found;
        }
    }
}

/// Reap the children that have ended. Returns their number, or `None` if no child is left.
fn reap(files: &mut ShmCleanup) -> Option<usize> {
    let mut reaped = 0;
    loop {
        match rustix::io::retry_on_intr(|| wait(WaitOptions::NOHANG)) {
            Ok(Some((pid, status))) if ProcessEnd::of(status).is_some() => {
                files.note(pid);
                reaped += 1;
            }
            Ok(Some(_)) => {}
            Err(Errno::CHILD) => return None,
            Ok(None) | Err(_) => return Some(reaped),
        }
    }
}

/// Kill a child and its group. Returns whether that is allowed.
fn may_kill(pid: Pid) -> bool {
    let _ = kill_process_group(pid, Signal::KILL);
    kill_process(pid, Signal::KILL) != Err(Errno::PERM)
}

/// A line about the processes that are left, if any. `pe` returns the PE of a process.
pub fn describe(left: &Left, pe: impl Fn(Pid) -> Option<Pe>) -> Option<String> {
    let survivors = match left {
        Left::Nothing => return None,
        Left::Unseen => {
            return Some("/proc does not show what PEs have started, and at least one process is left behind".into());
        }
        Left::Survivors(survivors) => survivors,
    };
    let process = |&Survivor { pid, of_other_user }: &Survivor| {
        let known: Vec<String> = pe(pid)
            .map(|pe| pe.to_string())
            .into_iter()
            .chain(of_other_user.then(|| "of another user".into()))
            .collect();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        format!("process {}{known}", pid.as_raw_nonzero())
    };
    let named: Vec<String> = survivors.iter().take(NAMED_MAX).map(process).collect();
    let more = match survivors.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (has, is) = if survivors.len() == 1 { ("has", "is") } else { ("have", "are") };
    // A process with much memory may still die later.
    Some(format!("{}{more} {has} not yet died of SIGKILL, and {is} left behind", named.join(", ")))
}

/// The children of a process. For this process they include the orphans that it has inherited. Empty if there is no /proc.
fn children(of: Pid) -> Vec<Pid> {
    let parent = of.as_raw_pid();
    let pids: Vec<i32> = if Path::new("/proc/thread-self/children").exists() {
        let tasks = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
    } else {
        // The kernel has no lists of children: look at every process.
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
    };
    pids.into_iter().filter_map(Pid::from_raw).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    name_and_parent(&fs::read(format!("/proc/{pid}/stat")).ok()?).map(|(_, parent)| parent)
}
