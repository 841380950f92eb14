//! Recognises PEs of oshrun whose environment was cleared on the way: by `env -i`, or by a container with a clean environment. The
//! variables are lost, but such a process still descends from oshrun's worker.

use ferrite_fabric::{Error, Result};
use rustix::process::{Pid, getppid};

/// The name, in process lists, of the process that starts PEs on each host. Such a name has at most 15 bytes.
pub const WORKER: &std::ffi::CStr = c"oshrun-worker";

/// Maximum number of ancestors to check. Wrappers are few.
const ANCESTORS_MAX: usize = 64;

/// Return an error if oshrun started this process. Called if the environment has no trace of oshrun.
pub fn refuse_cleared() -> Result<()> {
    let own = getppid().map(Pid::as_raw_pid);
    descends_from(WORKER.to_bytes(), own, |pid| std::fs::read(format!("/proc/{pid}/stat")).ok()).map_or(Ok(()), |pid| {
        Err(Error::new(format!(
            "oshrun (process {pid}) started this program, but its environment was cleared on the way (env -i, a \
             container's clean environment): pass on the variable {}, and the others that begin with FERRITE_; to run as \
             PE 0 of 1 instead, set it to alone",
            crate::VARIABLE
        )))
    })
}

/// The nearest process with this name among `first` and its ancestors. `stat` returns the line of a process in /proc.
fn descends_from(name: &[u8], first: Option<i32>, stat: impl Fn(i32) -> Option<Vec<u8>>) -> Option<i32> {
    let mut next = first;
    for _ in 0..ANCESTORS_MAX {
        let pid = next?;
        let line = stat(pid)?;
        let (found, parent) = name_and_parent(&line)?;
        if found == name {
            return Some(pid);
        }
        next = Some(parent).filter(|&parent| parent > 0);
    }
    None
}

/// Name and parent in a process's line in /proc: `PID (NAME) STATE PARENT ...`. The name may contain any bytes.
pub fn name_and_parent(stat: &[u8]) -> Option<(&[u8], i32)> {
    let (from, to) = (stat.iter().position(|&byte| byte == b'(')?, stat.iter().rposition(|&byte| byte == b')')?);
    let rest = std::str::from_utf8(&stat[to + 1..]).ok()?;
    Some((stat.get(from + 1..to)?, rest.split_whitespace().nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ancestor_is_found_by_its_name() {
        let found = |first: i32| {
            descends_from(b"oshrun-worker", Some(first), |pid| {
                let line: &[u8] = match pid {
                    9 => b"9 (sh) S 8 9 9",
                    8 => b"8 (a) b (\xff) R 7 1",
                    7 => b"7 (oshrun-worker) S 1 7",
                    6 => b"6 (not oshrun-worker) S 1 7",
                    5 => b"5 (loop) S 5",
                    4 => b"4 (outside) S 0",
                    3 => b"3 )broken( S 7",
                    _ => return None,
                };
                Some(line.to_vec())
            })
        };
        assert_eq!([9, 8, 7, 6, 5, 4, 3, 2].map(found), [Some(7), Some(7), Some(7), None, None, None, None, None]);
    }
}
