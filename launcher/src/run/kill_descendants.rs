//! Kills all descendants of this process. It is a subreaper, so every orphaned descendant becomes its child.

use super::shm_cleanup;
use ferrite_bootstrap::name_and_parent;
use ferrite_fabric::Pe;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, waitpid};
use std::io;
use std::time::{Duration, Instant};

/// How long killed processes may take to die. A process that hangs in the kernel never dies (its file system may be
/// gone), and neither does a fork bomb. Shorter than the default `--host-timeout`, since no heartbeat is sent
/// meanwhile.
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

/// Kill all children except the spared ones, and their children as this process inherits them, until none is left.
/// Returns those that do not die.
pub fn kill_descendants(spared: impl Fn(Pid) -> bool) -> Vec<Survivor> {
    let begin = Instant::now();
    loop {
        let mut left: Vec<Survivor> = children()
            .into_iter()
            .filter(|&pid| !spared(pid))
            .map(|pid| Survivor { pid, of_other_user: !may_kill(pid) })
            .collect();
        // Processes that may not be killed are not waited for.
        if left.iter().all(|process| process.of_other_user && !is_reaped(process.pid)) || begin.elapsed() >= PATIENCE {
            return left;
        }
        let before = left.len();
        left.retain(|process| !is_reaped(process.pid));
        if left.len() == before {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Kill a process and its group. Returns whether that is allowed.
fn may_kill(pid: Pid) -> bool {
    let _ = kill_process_group(pid, Signal::KILL);
    kill_process(pid, Signal::KILL) != Err(Errno::PERM)
}

/// Reap a child if it has ended, and remove its files in /dev/shm. Returns whether it has ended.
fn is_reaped(pid: Pid) -> bool {
    let reaped = matches!(rustix::io::retry_on_intr(|| waitpid(Some(pid), WaitOptions::NOHANG)), Ok(Some(_)));
    if reaped {
        shm_cleanup::remove_files_of(pid);
    }
    reaped
}

/// A line about the survivors, if there are any. `pe` gives the PE of a process.
pub fn describe(left: &[Survivor], pe: impl Fn(Pid) -> Option<Pe>) -> Option<String> {
    let process = |&Survivor { pid, of_other_user }: &Survivor| {
        let known: Vec<String> = pe(pid)
            .map(|pe| pe.to_string())
            .into_iter()
            .chain(of_other_user.then(|| "of another user".into()))
            .collect();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        format!("process {}{known}", pid.as_raw_nonzero())
    };
    let named: Vec<String> = left.iter().take(NAMED_MAX).map(process).collect();
    let more = match left.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (has, is) = if left.len() == 1 { ("has", "is") } else { ("have", "are") };
    // A process that has much memory may still die later.
    (!left.is_empty())
        .then(|| format!("{}{more} {has} not yet died of SIGKILL, and {is} left behind", named.join(", ")))
}

/// The children of this process, including inherited orphans.
pub fn children() -> Vec<Pid> {
    let own = getpid().as_raw_pid();
    let listed: io::Result<Vec<String>> = std::fs::read_dir("/proc/self/task")
        .and_then(|tasks| tasks.map(|task| std::fs::read_to_string(task?.path().join("children"))).collect());
    match listed {
        Ok(lists) => lists
            .iter()
            .flat_map(|list| list.split_whitespace())
            .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
            .collect(),
        // The kernel has no list of children: look at every process.
        Err(_) => std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
            .filter(|pid| parent(*pid) == Some(own))
            .filter_map(Pid::from_raw)
            .collect(),
    }
}

fn parent(pid: i32) -> Option<i32> {
    name_and_parent(&std::fs::read(format!("/proc/{pid}/stat")).ok()?).map(|(_, parent)| parent)
}
