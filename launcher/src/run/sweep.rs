//! Killing whatever is left below this process. As a subreaper it has every orphan as its own child.

use super::litter;
use ferrite_bootstrap::name_and_parent;
use ferrite_fabric::Pe;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, waitpid};
use std::io;
use std::time::{Duration, Instant};

/// How long all that is killed may take to die. What hangs in the kernel never does (a file system that is gone), nor
/// does a fork bomb. Shorter than the default patience with a host: one that sweeps says nothing meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(1);
/// How many of those that do not die are named.
const NAMED_MAX: usize = 8;

/// A process that was not killed.
pub struct Left {
    pid: Pid,
    /// It runs as another user, who alone may kill it (`sudo`).
    foreign: bool,
}

/// Kill all children but the spared, and theirs as they fall to this process, until none is left. Gives those that do not
/// die: nothing more can be done about them.
pub fn sweep(spared: impl Fn(Pid) -> bool) -> Vec<Left> {
    let begin = Instant::now();
    loop {
        let mut left: Vec<Left> = children()
            .into_iter()
            .filter(|&pid| !spared(pid))
            .map(|pid| Left { pid, foreign: !may_kill(pid) })
            .collect();
        // What may not be killed is not waited for.
        if left.iter().all(|process| process.foreign && !is_reaped(process.pid)) || begin.elapsed() >= PATIENCE {
            return left;
        }
        let before = left.len();
        left.retain(|process| !is_reaped(process.pid));
        if left.len() == before {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Kill it with its group. Whether that is allowed.
fn may_kill(pid: Pid) -> bool {
    let _ = kill_process_group(pid, Signal::KILL);
    kill_process(pid, Signal::KILL) != Err(Errno::PERM)
}

/// If a child has ended: take note of it, and remove what it has left.
fn is_reaped(pid: Pid) -> bool {
    let reaped = matches!(rustix::io::retry_on_intr(|| waitpid(Some(pid), WaitOptions::NOHANG)), Ok(Some(_)));
    if reaped {
        litter::clear(pid);
    }
    reaped
}

/// What to say of those that do not die, with the PE that each is, if it is one.
pub fn lament(left: &[Left], pe: impl Fn(Pid) -> Option<Pe>) -> Option<String> {
    let process = |&Left { pid, foreign }: &Left| {
        let known: Vec<String> =
            pe(pid).map(|pe| pe.to_string()).into_iter().chain(foreign.then(|| "of another user".into())).collect();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        format!("process {}{known}", pid.as_raw_nonzero())
    };
    let named: Vec<String> = left.iter().take(NAMED_MAX).map(process).collect();
    let more = match left.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (has, is) = if left.len() == 1 { ("has", "is") } else { ("have", "are") };
    // One that gives back much memory dies later.
    (!left.is_empty())
        .then(|| format!("{}{more} {has} not yet died of SIGKILL, and {is} left behind", named.join(", ")))
}

/// The processes whose parent is this one, orphans that fell to it included.
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
        // A kernel without that list: look at every process.
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
