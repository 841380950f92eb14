//! The process that outlives a killed oshrun, long enough to kill what that left behind.
//!
//! The kernel kills every PE whose parent ends (see [`super::spawn`]), but not what PEs and wrapper scripts have
//! started. So oshrun forks this process first, and tells it through a pipe which process groups it runs. When the
//! pipe ends without a farewell, oshrun was killed: the sentinel kills those groups, and then whatever carries the
//! job's mark in its environment, whichever group or session it moved to.
//!
//! It is forked before oshrun has threads or much memory, holds no descriptor but its end of the pipe (nothing waits
//! for an end of file because of it), and is in a session of its own, out of reach of what kills oshrun's group.

use super::Refusal;
use rustix::io::{read, retry_on_intr, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, test_kill_process_group, waitpid};
use std::collections::HashSet;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

/// The variable that marks whatever belongs to a job.
pub const MARK: &str = "FERRITE_JOB";
/// The sentinel's name in process lists.
const NAME: &std::ffi::CStr = c"oshrun-sentinel";
/// How often it looks for strays before it gives up on a fork bomb.
const ROUNDS_MAX: u32 = 200;

const STARTED: u8 = b'+';
const ENDED: u8 = b'-';
const FAREWELL: u8 = b'.';

/// oshrun's hold on its sentinel. Dropping it says farewell.
#[derive(Debug)]
pub struct Sentinel {
    pid: Pid,
    pipe: OwnedFd,
}

impl Sentinel {
    /// Fork it. To be called while this process has one thread.
    pub fn start(job: &str) -> Result<Self, Refusal> {
        let wrong = |error: &dyn std::fmt::Display| Refusal::new(format!("cannot start its sentinel: {error}"));
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| wrong(&error))?;
        // SAFETY: this process has one thread, so the child may do all that the parent might, allocate included.
        match unsafe { libc::fork() } {
            -1 => Err(wrong(&std::io::Error::last_os_error())),
            0 => {
                drop(ours);
                watch(&theirs, job);
                // SAFETY: `_exit` has no precondition; nothing of oshrun's is torn down by its copy.
                unsafe { libc::_exit(0) }
            }
            pid => Ok(Sentinel { pid: Pid::from_raw(pid).expect("a child's number is positive"), pipe: ours }),
        }
    }

    /// Its process, which is a child of oshrun but no PE.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// A PE runs, with a process group of its own.
    pub fn started(&self, group: Pid) {
        self.tell(STARTED, group);
    }

    /// A PE was reaped. Its group's number is forgotten once nobody is in it: from then on others may get it.
    pub fn ended(&self, group: Pid) {
        if test_kill_process_group(group).is_err() {
            self.tell(ENDED, group);
        }
    }

    /// A sentinel that was itself killed is no reason to stop the job: then there is none.
    fn tell(&self, what: u8, group: Pid) {
        let [a, b, c, d] = group.as_raw_nonzero().get().to_ne_bytes();
        let _ = retry_on_intr(|| write(&self.pipe, &[what, a, b, c, d]));
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = retry_on_intr(|| write(&self.pipe, &[FAREWELL, 0, 0, 0, 0]));
        let _ = retry_on_intr(|| waitpid(Some(self.pid), WaitOptions::empty()));
    }
}

/// The sentinel's life.
fn watch(pipe: &OwnedFd, job: &str) {
    let _ = rustix::process::setsid();
    let _ = rustix::thread::set_name(NAME);
    let _ = rustix::process::chdir("/");
    close_all_but(pipe.as_raw_fd() as u32);
    let mut groups = HashSet::new();
    loop {
        let mut record = [0_u8; 5];
        // Writes of a record are atomic, so reads of that size are whole.
        match retry_on_intr(|| read(pipe, &mut record)) {
            Ok(5) => {}
            _ => break,
        }
        let group = Pid::from_raw(i32::from_ne_bytes([record[1], record[2], record[3], record[4]]));
        match (record[0], group) {
            (STARTED, Some(group)) => {
                groups.insert(group);
            }
            (ENDED, Some(group)) => {
                groups.remove(&group);
            }
            _ => return,
        }
    }
    for &group in &groups {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let mark = format!("{MARK}={job}");
    for _ in 0..ROUNDS_MAX {
        if kill_marked(mark.as_bytes()) == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn close_all_but(keep: u32) {
    let close = |first: u32, last: u32| {
        // SAFETY: the descriptors closed are this process's copies; nothing here uses them again.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    };
    if let Some(last) = keep.checked_sub(1) {
        close(0, last);
    }
    close(keep + 1, u32::MAX);
}

/// Kill all live processes whose environment carries the mark; say how many there were.
fn kill_marked(mark: &[u8]) -> usize {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let mut found = 0;
    for process in processes.flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw) else {
            continue;
        };
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        let marked = environment.split(|&byte| byte == 0).any(|variable| variable == mark);
        // The sentinel of an oshrun inside this job has work of its own to do.
        let colleague = || fs::read(process.path().join("comm")).is_ok_and(|name| name.starts_with(NAME.to_bytes()));
        if marked && !colleague() {
            found += 1;
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    found
}
