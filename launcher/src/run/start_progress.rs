//! Progress of the start of a job over several hosts: one line for a terminal, from the first second until the last host has started its
//! PEs. Pure: decides when to print the line, and its text.

use std::time::Duration;
use tokio::time::Instant;

/// How long a start may take before the line is shown, and how often it is updated.
const EVERY: Duration = Duration::from_secs(1);

/// The hosts of a job that is being started.
pub struct StartProgress {
    hosts: u32,
    started: u32,
    due: Instant,
}

impl StartProgress {
    /// The start of a job on this many hosts.
    pub fn new(hosts: u32, now: Instant) -> Self {
        StartProgress { hosts, started: 0, due: now + EVERY }
    }

    /// One more host has started its PEs. Returns whether it was the last one.
    pub fn count(&mut self) -> bool {
        self.started += 1;
        self.started == self.hosts
    }

    /// When the line is due next.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// The line, if it is due.
    pub fn line(&mut self, now: Instant) -> Option<String> {
        if now < self.due {
            return None;
        }
        self.due = now + EVERY;
        Some(format!("oshrun: {} of {} hosts have started their PEs", self.started, self.hosts))
    }
}
