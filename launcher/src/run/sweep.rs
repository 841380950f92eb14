//! Killing whatever is left below this process. As a subreaper it has every orphan as its own child.

use super::litter;
use ferrite_fabric::Pe;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::io;
use std::time::{Duration, Instant};

/// How long all that is killed may take to die. What hangs in the kernel never does (a file system that is gone), nor
/// does a fork bomb. Shorter than the default patience with a host: one that sweeps says nothing meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(1);
/// How many of those that do not die are named.
const NAMED_MAX: usize = 8;

/// Kill all children, and theirs as they fall to this process, until none is left. Gives those that do not die: nothing
/// more can be done about them.
pub fn sweep() -> Vec<Pid> {
    let begin = Instant::now();
    loop {
        let mut left = children();
        // What may not be killed (it runs as another user) is not waited for either.
        left.retain(|&pid| {
            let _ = kill_process_group(pid, Signal::KILL);
            kill_process(pid, Signal::KILL).is_ok()
        });
        if left.is_empty() || begin.elapsed() >= PATIENCE {
            return left;
        }
        if left.into_iter().filter(|&pid| is_reaped(pid)).count() == 0 {
            std::thread::sleep(PAUSE);
        }
    }
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
pub fn lament(left: &[Pid], pe: impl Fn(Pid) -> Option<Pe>) -> Option<String> {
    let process = |&pid: &Pid| match pe(pid) {
        Some(pe) => format!("process {} ({pe})", pid.as_raw_nonzero()),
        None => format!("process {}", pid.as_raw_nonzero()),
    };
    let named: Vec<String> = left.iter().take(NAMED_MAX).map(process).collect();
    let more = match left.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (verb, is) = if left.len() == 1 { ("does", "is") } else { ("do", "are") };
    (!left.is_empty()).then(|| format!("{}{more} {verb} not die of SIGKILL, and {is} left behind", named.join(", ")))
}

/// The processes whose parent is this one, orphans that fell to it included.
fn children() -> Vec<Pid> {
    let own = std::process::id();
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

fn parent(pid: i32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may contain anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
