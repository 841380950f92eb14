//! Killing whatever is left below this process. As a subreaper it has every orphan as its own child.

use super::litter;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::io;

/// How many generations of orphans are killed before a fork bomb is left to itself.
const ROUNDS_MAX: u32 = 1000;

/// Kill all children, and theirs as they fall to this process, until none is left.
pub fn sweep() {
    for _ in 0..ROUNDS_MAX {
        let mut left = children();
        // What may not be killed (it runs as another user) is not waited for either.
        left.retain(|&pid| {
            let _ = kill_process_group(pid, Signal::KILL);
            kill_process(pid, Signal::KILL).is_ok()
        });
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _ = rustix::io::retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
            litter::clear(pid);
        }
    }
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
