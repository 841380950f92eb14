//! Processes of one job, found by a mark in their environment that every descendant inherits.
//!
//! The tests count and end only processes that carry the mark of a job that they started themselves.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The variable that carries the mark.
pub const VARIABLE: &str = "FERRITE_SUITE_JOB";

/// The mark of one job.
#[derive(Clone, Debug)]
pub struct Tag(String);

impl Tag {
    /// A mark that no other job has.
    pub fn fresh() -> Tag {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Tag(format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The mark as the value of [`VARIABLE`].
    pub fn value(&self) -> &str {
        &self.0
    }

    /// The living processes of the job. Zombies have no environment and do not count.
    pub fn processes(&self) -> Vec<i32> {
        let entry = format!("{VARIABLE}={}", self.0);
        let mut found: Vec<i32> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|directory| directory.file_name().to_str()?.parse().ok())
            .filter(|pid| {
                let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environment.split(|&byte| byte == 0).any(|variable| variable == entry.as_bytes())
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Waits until no process is left; returns the processes that outlive the grace.
    pub fn outlived(&self, grace: Duration) -> Vec<i32> {
        let end = Instant::now() + grace;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() > end {
                return left;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the remaining processes of the job.
    pub fn kill(&self) {
        for pid in self.processes() {
            if let Some(pid) = Pid::from_raw(pid) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}
